"""local_gather: a GpSimd core sees its 16 partitions, and a partition is gathered from itself."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(table, ids):
        P, E = table.shape
        source = nl.ndarray((32, E), dtype=table.dtype, buffer=nl.sbuf)
        places = nl.ndarray((32, 1), dtype=nl.uint16, buffer=nl.sbuf)
        found = nl.ndarray((32, 16), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=source[0:{loaded}, :], src=table[0:{loaded}, :])
        nisa.dma_copy(dst=places[0:{indexed}, :], src=ids[0:{indexed}, :])
        nisa.local_gather(dst=found, src_buffer=source, index=places, num_elem_per_idx=1, num_valid_indices=16)
        out = nl.ndarray(({stored}, 16), dtype=table.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=found[0:{stored}, :])
        return out
"""
#: Rows of the table loaded, of the indices, rows of the result stored, and the exit status.
CASES = [
    ((20, 32, 20), 0),  # a partition that nothing has loaded is gathered for itself alone
    ((20, 32, 21), 1),
    ((32, 16, 32), 1),
    ((32, 16, 16), 3),  # an index that nothing has written may be out of bounds
]


@pytest.mark.parametrize(("rows", "status"), CASES)
@pytest.mark.parametrize("columns", ["8", "E:2..64"])
def test_a_partition_is_gathered_from_itself(
    check: Checker, rows: tuple[int, int, int], status: int, columns: str
) -> None:
    loaded, indexed, stored = rows
    write(check.folder, k=KERNEL.format(loaded=loaded, indexed=indexed, stored=stored))
    words = ("--arg", f"table=f32[32,{columns}]", "--arg", "ids=u16[32,1] in 0..1", "--phase", "4")
    assert check("k.py::kernel", *words) == status
