"""Runs `ddsr` with short epochs in a separate process: `python -m brief_ddsr fit ...`.

The command line has no option for the length of an epoch, and a normal one takes a second.
"""

import sys

from ddsr.config import DefaultConfig

EVALUATIONS = 1000


def shorten_epochs() -> None:
    """Change the preset `ddsr`, which reads its settings from here on import."""
    assert "ddsr.search.presets" not in sys.modules
    DefaultConfig.__init__.__kwdefaults__["evaluations_per_epoch"] = EVALUATIONS


if __name__ == "__main__":
    from ddsr.cli.entry import main

    shorten_epochs()
    main(prog_name="ddsr")
