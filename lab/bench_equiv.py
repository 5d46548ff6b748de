"""The cost of comparing two products of matrices, beside the product of NumPy that it is made of."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import PRIMES_OF_QUOTIENTS
from nkiverify.foundation import resources
from nkiverify.foundation.errors import InternalError

#: The extents of the matrices, and how often each product is timed.
SIZE, ROUNDS = 2048, 3
_PAIR = ("kernels/matmul_tiled.py::matmul_tiled", "kernels/matmul_hoist_load.py::matmul_hoist_load")


def _best(work: Callable[[], object]) -> float:
    """The least seconds of processor time, on one thread."""
    found = []
    with threadpool_limits(1):
        for _ in range(ROUNDS):
            started = time.process_time()
            work()
            found.append(time.process_time() - started)
    return min(found)


def beside_numpy(size: int = SIZE) -> str:
    """A line: a pair of products of size^3, its time and peak, and the part over fields in products of NumPy."""
    random = np.random.default_rng(0)
    fields = Fields(0, primes=PRIMES_OF_QUOTIENTS)
    x = random.integers(-(1 << 22), 1 << 22, (fields.lanes, size, size)).astype(np.float64)
    numpy = _best(lambda: x[0] @ x[1])
    over_fields = _best(lambda: fields.matmul(x, x))
    shapes = [word for name in ("lhsT", "rhs") for word in ("--arg", f"{name}=f32[{size},{size}]")]
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(resources.root() / "verify.py"), "equiv", *_PAIR, *shapes],
        cwd=resources.root(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise InternalError(f"equiv of {' and '.join(_PAIR)} ended with status {os.waitstatus_to_exitcode(status)}")
    return (
        f"equiv of two products of {size}^3: {time.monotonic() - started:.1f} s ({used.ru_utime:.1f} s of processor "
        f"time, {used.ru_maxrss / 1024**2:.2f} GiB); one product over fields {over_fields:.2f} s, "
        f"{over_fields / numpy:.1f} times the {numpy:.2f} s of NumPy in float64"
    )
