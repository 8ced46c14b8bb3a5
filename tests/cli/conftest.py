"""Short epochs for commands that run in the process of the tests."""

from dataclasses import replace

import pytest

from brief_ddsr import EVALUATIONS
from ddsr.search.presets import PRESETS


@pytest.fixture(scope="module")
def brief_epochs():
    """Let every epoch of the preset `ddsr` evaluate `EVALUATIONS` expressions."""
    usual = PRESETS["ddsr"]
    brief = replace(usual, config=replace(usual.config, evaluations_per_epoch=EVALUATIONS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "ddsr", brief)
        yield
