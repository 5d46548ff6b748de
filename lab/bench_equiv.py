"""The cost of comparing two products of matrices, beside the product of NumPy that it is made of, and of comparing two
sums of many elements."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import PRIMES_OF_QUOTIENTS
from nkiverify.foundation import resources
from nkiverify.foundation.errors import InternalError
from nkiverify.foundation.threads import one_thread

#: The extents of the matrices, and how often each product is timed.
SIZE, ROUNDS = 2048, 3
_PRODUCTS = ("kernels/matmul_tiled.py::matmul_tiled", "kernels/matmul_hoist_load.py::matmul_hoist_load")
#: Two kernels of which arguments and result have 31 million elements.
_SUMS = ("kernels/tensor_add.py::tensor_add", "kernels/tensor_add_spmd.py::tensor_add_spmd")
_LARGE = (2560, 4096)


def _best(work: Callable[[], object]) -> float:
    """The least seconds of processor time, on one thread."""
    found = []
    with one_thread():
        for _ in range(ROUNDS):
            started = time.process_time()
            work()
            found.append(time.process_time() - started)
    return min(found)


def beside_numpy(size: int = SIZE) -> str:
    """A line: a pair of products of size^3, its time and peak, the part over fields in products of NumPy, and a pair of
    sums."""
    random = np.random.default_rng(0)
    fields = Fields(0, primes=PRIMES_OF_QUOTIENTS)
    x = random.integers(-(1 << 22), 1 << 22, (fields.lanes, size, size)).astype(np.float64)
    numpy = _best(lambda: x[0] @ x[1])
    over_fields = _best(lambda: fields.matmul(x, x))
    products = _pair(_PRODUCTS, ("lhsT", "rhs"), (size, size))
    sums = _pair(_SUMS, ("a", "b"), _LARGE)
    return (
        f"equiv of two products of {size}^3: {products}; one product over fields {over_fields:.2f} s, "
        f"{over_fields / numpy:.1f} times the {numpy:.2f} s of NumPy in float64; of two sums with "
        f"{3 * _LARGE[0] * _LARGE[1] / 1e6:.0f} million elements: {sums}"
    )


def _pair(kernels: tuple[str, str], names: tuple[str, str], shape: tuple[int, int]) -> str:
    """The time and the peak of a comparison in a process of its own."""
    shapes = [word for name in names for word in ("--arg", f"{name}=f32[{shape[0]},{shape[1]}]")]
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(resources.root() / "verify.py"), "equiv", *kernels, *shapes],
        cwd=resources.root(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise InternalError(f"equiv of {' and '.join(kernels)} ended with status {os.waitstatus_to_exitcode(status)}")
    seconds, peak = time.monotonic() - started, used.ru_maxrss / 1024**2
    return f"{seconds:.1f} s ({used.ru_utime:.1f} s of processor time, {peak:.2f} GiB)"
