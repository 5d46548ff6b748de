"""Rows of a product that nothing has written, where the other operand is filled up with zeros."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

PADDED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def product(x, w, rows, fill=0.0, last=None, swapped=False, full=False):
        left = nl.ndarray((128, 128), dtype=w.dtype, buffer=nl.sbuf)
        if full:
            left = nl.full((128, 128), fill, dtype=w.dtype, buffer=nl.sbuf)
        else:
            nisa.memset(left, fill)
        right = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        if last is not None:
            nisa.memset(left[96:128, last : last + 1], 1.0)
        nisa.dma_copy(dst=left[0:rows], src=w[0:rows])
        nisa.dma_copy(dst=right[0:64], src=x[0:64])
        total = nl.ndarray((64, 128) if swapped else (128, 64), dtype=nl.float32, buffer=nl.psum)
        if swapped:
            nisa.nc_matmul(dst=total, stationary=right, moving=left)
        else:
            nisa.nc_matmul(dst=total, stationary=left, moving=right)
        tile = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(tile, total)
        out = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out
"""


def _check(check: Checker, *words: str) -> int:
    write(check.folder, k=PADDED)
    shapes = ("--arg", "x=bf16[128,64]", "--arg", "w=bf16[128,128]", "--phase", "4")
    return check("k.py::product", *shapes, *words)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        # Row 64 is the first that is not written; it meets zeros as long as no weights are there.
        (("rows=64",), 0),
        (("rows=65",), 1),
        (("rows=64", "swapped=True"), 0),
        (("rows=65", "swapped=True"), 1),
        (("rows=64", "fill=0.5"), 1),
        (("rows=64", "full=True"), 0),
        (("rows=64", "full=True", "fill=0.5"), 1),
        # One column of the rows is not zero.
        (("rows=64", "last=127"), 1),
    ],
)
def test_what_is_not_written_may_meet_zeros(arguments: tuple[str, ...], status: int, check: Checker) -> None:
    words = [word for argument in arguments for word in ("--arg", argument)]
    assert _check(check, *words) == status, check.out
    assert status == 1 or "df.unwritten_times_zero" in check.out
    assert ("df.read_unwritten" in check.out) == (status == 1)


def test_it_is_refused_where_contested_rules_are(check: Checker) -> None:
    assert _check(check, "--arg", "rows=64", "--strict") == 1
    assert "df.unwritten_times_zero" in check.out
    # Where everything is written, there is nothing to say.
    assert _check(check, "--arg", "rows=64", "--arg", "swapped=True", "-W", "ignore=df.unwritten_times_zero") == 0
