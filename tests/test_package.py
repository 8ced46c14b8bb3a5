import subprocess
import sys

import pytest

import ddsr
import ddsr.expression


@pytest.mark.parametrize("module", [ddsr, ddsr.expression])
def test_exports_exist_and_are_sorted_once(module):
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)
    assert isinstance(ddsr.__version__, str)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ddsr.nothing  # noqa: B018


def test_import_is_light():
    heavy = "{'torch', 'sympy', 'pandas', 'sklearn', 'matplotlib', 'scipy', 'importlib.metadata'}"
    code = f"import sys, ddsr; print({heavy} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_errors_are_value_errors():
    for name in ("DDSRError", "VocabularyError", "ExpressionError", "GrammarError", "DataError"):
        assert issubclass(getattr(ddsr, name), ValueError)
