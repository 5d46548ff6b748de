"""Numbers that name an axis or a dimension are integers of any kind: Python's, NumPy's, or of a loop."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for axis in AXES:
        nisa.tensor_reduce(dst=total, data=tile, op=nl.add, axis=AXIS)
    nisa.dma_copy(dst=out, src=total)
    return out
"""


def reduced(check: Checker, axis: str, axes: str = "(1,)") -> int:
    """The exit status of checking a kernel that reduces along `axis`."""
    write(check.folder, k=KERNEL.replace("AXES", axes).replace("AXIS", axis))
    return check("k.py::kernel", "--arg", "x=f32[128,64]")


@pytest.mark.parametrize("axis", ["1", "np.int64(1)", "np.int32(-1)", "[np.uint8(1)]", "axis", "-axis", "True"])
def test_an_axis_is_an_integer_of_any_kind(axis: str, check: Checker) -> None:
    assert reduced(check, axis, "range(1, 2)") == 0, check.out


@pytest.mark.parametrize("axis", ["0", "np.int64(0)", "1.0", "np.float32(1)", "np.array([1])", "axis - 1", "2"])
def test_what_is_no_free_axis_is_none_in_any_kind(axis: str, check: Checker) -> None:
    assert reduced(check, axis, "range(1, 2)") == 1, check.out
    assert "tensor_reduce.axis_free" in check.out
