"""Tensors placed in loops of the legacy API: the body is traced once, so each has one place."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

CURSOR = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def kernel(x, bytes_between):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        cursor = 0
        for block in nl.LOOP(x.shape[0] // 256):
            rows = nl.ndarray(
                (2, nl.par_dim(128), 512), dtype=x.dtype, buffer=nki.compiler.sbuf.mod_alloc(base_addr=cursor)
            )
            cursor += bytes_between
            other = nl.ndarray(
                (nl.par_dim(128), 512), dtype=x.dtype, buffer=nki.compiler.sbuf.mod_alloc(base_addr=cursor)
            )
            cursor += 100000
            other[...] = 1.0
            for part in nl.affine_range(2):
                here = nl.ds(block * 256 + part * 128, 128)
                rows[part] = nl.load(x[here])
                nl.store(out[here], value=nl.add(rows[part], other))
        return out
"""


@pytest.mark.parametrize(
    ("loop", "bytes_between", "contract"),
    [
        ("sequential_range", 2048, ""),
        ("affine_range", 2048, ""),
        # One place for both, in the first iteration already.
        ("sequential_range", 2044, "mem.placed_overlap"),
        # Unrolled while it is traced: every iteration has its own place, the third one outside.
        ("static_range", 2048, "mem.addr_range"),
    ],
)
def test_a_cursor_that_every_iteration_moves_on(loop: str, bytes_between: int, contract: str, check: Checker) -> None:
    write(check.folder, k=CURSOR.replace("LOOP", loop))
    words = ("--arg", "x=f32[1024,512]", "--arg", f"bytes_between={bytes_between}", "--phase", "1,3")
    assert check("k.py::kernel", *words) == (1 if contract else 0), check.out
    assert contract in check.out
