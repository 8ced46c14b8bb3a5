"""The kernels on any processor: without a GPU, Triton's interpreter runs them."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from stacking_cases import IS_INTERPRETED

HERE = Path(__file__).parent


@pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")
@pytest.mark.skipif(IS_INTERPRETED, reason="is what runs now")
@pytest.mark.parametrize("name", ["test_network_kernel.py", "test_fill_kernel.py", "test_backward.py"])
def test_kernels_in_the_interpreter(name):
    # Triton reads the variable on import, so the tests run in a separate process.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", HERE / name]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    environment["TRITON_INTERPRET"] = "1"
    done = subprocess.run(command, env=environment, cwd=HERE.parent.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout
