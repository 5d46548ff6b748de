"""Tables of indices whose dtype and range nothing tells: what would close their claims is assumed, and told."""

from __future__ import annotations

from tests.check.kernel_files import Checker, write

PAGES = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def gathered(cache, table):
        blocks, row = cache.shape
        batches, pages = table.shape
        assert pages <= 128
        out = nl.ndarray((batches, pages, row), dtype=cache.dtype, buffer=nl.shared_hbm)
        for batch in range(batches):
            index = nl.ndarray((pages, 1), dtype=table.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=index, src=table.ap(pattern=[[1, pages], [1, 1]], offset=batch * pages))
            tile = nl.ndarray((pages, row), dtype=cache.dtype, buffer=nl.sbuf)
            source = cache.ap(pattern=[[row, pages], [1, row]], vector_offset=index, indirect_dim=0)
            nisa.dma_copy(dst=tile, src=source)
            nisa.dma_copy(dst=out[batch, :, :], src=tile)
        return out
"""


def test_the_range_of_a_table_is_assumed_and_told(check: Checker) -> None:
    write(check.folder, k=PAGES)
    assert check("k.py::gathered") == 0, check.out
    assert "table='i32[batches,pages] in 0..blocks-1'" in " ".join(check.out.split())


def test_a_range_that_is_given_is_not_changed(check: Checker) -> None:
    write(check.folder, k=PAGES)
    assert check("k.py::gathered", "--arg", "table=i32[batches,pages] in 0..blocks") == 1, check.out
    assert "dma_copy.oob" in check.out


def test_another_fault_is_not_hidden_by_it(check: Checker) -> None:
    write(check.folder, k=PAGES.replace("(batches, pages, row), dtype", "(batches, pages, row + 1), dtype"))
    assert check("k.py::gathered") == 1, check.out
    assert "dma_copy.count" in check.out
