"""`python -m benchmarks.trust.limited memory|fsize BYTES MODULE ARGUMENTS` runs a module under a limit."""

from __future__ import annotations

import os
import resource
import sys

LIMITS = {"memory": resource.RLIMIT_AS, "fsize": resource.RLIMIT_FSIZE}

if __name__ == "__main__":
    name, size, *module = sys.argv[1:]
    resource.setrlimit(LIMITS[name], (int(size), int(size)))
    os.execv(sys.executable, [sys.executable, "-m", *module])
