"""Tiles that one iteration leaves for the next, None before the first: loops written as software pipelines."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(a):
        rows, columns = a.shape
        out = nl.ndarray((rows, columns), dtype=a.dtype, buffer=nl.shared_hbm)
        before = None
        for i in range(rows // 128):
            tile = nl.ndarray((128, columns), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[i * 128 : (i + 1) * 128, :])
            {body}
        {end}
        return out
"""

STORED = "nisa.dma_copy(dst=out[(i - 1) * 128 : i * 128, :], src=before)"
LAST = "nisa.dma_copy(dst=out[rows - 128 : rows, :], src=before)"
PAIRS = f"""\
if i % 2 == {{parity}}:
                before = tile
            else:
                {STORED}
                nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
                before = None"""


@pytest.mark.parametrize(
    ("body", "end", "status", "shown"),
    [
        (f"if i > 0: {STORED}\n            before = tile", LAST, 0, "4 SUCCESSFUL"),
        (PAIRS.format(parity=0), "", 3, "bounded 8"),
        # Used in the first iteration already, or in an iteration that has none.
        (f"{STORED}\n            before = tile", LAST, 1, "src must be a tensor, not NoneType"),
        (PAIRS.format(parity=1), "", 1, "src must be a tensor, not NoneType"),
        # The last tile is left where it is.
        (f"if i > 0: {STORED}\n            before = tile", "", 1, "df.output_written"),
    ],
    ids=["each", "pairs", "too early", "odd ones held", "last one not stored"],
)
def test_tile_of_the_iteration_before(check: Checker, body: str, end: str, status: int, shown: str) -> None:
    write(check.folder, k=KERNEL.format(body=body, end=end))
    assert check("k.py::kernel", "--arg", "a=f32[R:256..1048576:256,C:1..2048]") == status, check.out
    assert shown in " ".join(check.out.split())
