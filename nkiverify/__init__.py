"""Bounded and unbounded model checking of AWS NKI kernels for Trainium."""

import time

__version__ = "0.1.0"

#: When this process began to load the package, in nanoseconds: a file of it that is younger is not what runs.
LOADED = time.time_ns()
