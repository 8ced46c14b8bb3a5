"""Hypothesis looks for new counter-examples on a developer's machine, and repeats itself where CI is set."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("developer", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "developer")
