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


#: A kernel that accepts a position of more than one element as well, which fails.
AT_A_POSITION = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(cache, new, position):
        rows, columns = cache.shape
        assert rows <= 128
        out = nl.ndarray((rows, columns), dtype=cache.dtype, buffer=nl.shared_hbm)
        old = nl.ndarray((rows, columns), dtype=cache.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=old, src=cache)
        nisa.dma_copy(dst=out, src=old)
        row = nl.ndarray((1, columns), dtype=cache.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=new)
        place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=place, src=position)
        register = nisa.register_alloc()
        nisa.register_load(register, place)
        nisa.dma_copy(dst=out.ap(pattern=[[columns, 1], [1, columns]], scalar_offset=register, indirect_dim=0), src=row)
        return out
"""


def test_the_range_is_assumed_where_the_kernel_accepts_too_much(check: Checker) -> None:
    write(check.folder, k=AT_A_POSITION)
    assert check("k.py::kernel") == 1, check.out
    text = " ".join(check.out.split())
    assert "proved for all such shapes, 4 phases" in text
    assert "position='i32[position0,position1] in 0..rows-1'" in text


#: A window of sixteen rows from a row on that data say.
WINDOWS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, starts):
        rows, columns = x.shape
        one, windows = starts.shape
        assert one == 1
        out = nl.ndarray((windows, 16, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        first = nl.ndarray((1, windows), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=first, src=starts)
        for i in range(windows):
            tile = nl.ndarray((16, columns), dtype=x.dtype, buffer=nl.sbuf)
            at = first[0:1, i : i + 1]
            nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 16], [1, columns]], scalar_offset=at, indirect_dim=0))
            nisa.dma_copy(dst=out[i], src=tile)
        return out
"""


def test_the_range_leaves_room_for_what_is_read_from_there_on(check: Checker) -> None:
    for text in (WINDOWS, WINDOWS.replace("scalar_offset=at", "scalar_offset=first[0:1, i : i + 1]")):
        write(check.folder, k=text)
        assert check("k.py::kernel") == 0, check.out
        assert "in 0..rows-16'" in " ".join(check.out.split())


#: As many tiles as data say.
ROUNDS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, used):
        tiles, rows, columns = x.shape
        one, two = used.shape
        assert one == 1 and two == 1 and rows <= 128 and columns <= 512
        out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=used)
        rounds = nisa.register_alloc()
        nisa.register_load(rounds, count)

        def add(i):
            tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
            pattern = [[columns, rows], [1, columns]]
            nisa.dma_copy(dst=tile, src=x.ap(pattern=pattern, scalar_offset=i, indirect_dim=0))
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)

        nl.fori_loop(0, rounds, add)
        nisa.dma_copy(dst=out, src=total)
        return out
"""


def test_a_number_of_rounds_is_as_large_as_what_they_count_through(check: Checker) -> None:
    write(check.folder, k=ROUNDS)
    assert check("k.py::kernel") == 0, check.out
    assert "used='i32[one,two] in 0..tiles'" in " ".join(check.out.split())


def test_a_number_of_which_the_rounds_are_computed_has_no_range(check: Checker) -> None:
    doubled = ROUNDS.replace(
        "rounds = nisa", "nisa.tensor_scalar(dst=count, data=count, op0=nl.multiply, operand0=2)\n        rounds = nisa"
    )
    write(check.folder, k=doubled)
    assert check("k.py::kernel") == 3, check.out
    assert "in LOW..HIGH" in check.out


def test_ranges_of_rounds_from_one_number_to_another(check: Checker) -> None:
    write(
        check.folder,
        k=ROUNDS.replace("two == 1", "two == 2")
        .replace("nl.ndarray((1, 1), dtype=nl.int32", "nl.ndarray((1, 2), dtype=nl.int32")
        .replace("nisa.register_load(rounds, count)", "nisa.register_load(rounds, count[0:1, 1:2])")
        .replace("nl.fori_loop(0,", "first = nisa.register_alloc(count[0:1, 0:1])\n        nl.fori_loop(first,"),
    )
    assert check("k.py::kernel") == 0, check.out
    assert "used='i32[one,two] in 0..tiles'" in " ".join(check.out.split())


#: A batch of tiles each, of which data say how many are used: further ones are those of later batches.
RAGGED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x, used):
        batches, tiles, rows, columns = x.shape
        one, two = used.shape
        assert one == 1 and two == batches and rows <= 128 and columns <= 512
        out = nl.ndarray((batches, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        count = nl.ndarray((1, batches), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=count, src=used)
        every = x.reshape((batches * tiles, rows, columns))
        pattern = [[columns, rows], [1, columns]]
        for batch in range(batches):
            tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
            first = batch * tiles * rows * columns
            at = count[0:1, batch : batch + 1]
            nisa.dma_copy(dst=tile, src=every.ap(pattern=pattern, offset=first, scalar_offset=at, indirect_dim=0))
            nisa.dma_copy(dst=out[batch], src=tile)
        return out
"""


def test_a_range_is_one_for_all_iterations(check: Checker) -> None:
    write(check.folder, k=RAGGED)
    assert check("k.py::kernel") == 0, check.out
    assert "used='i32[one,two] in 0..tiles-1'" in " ".join(check.out.split())


#: Pages by a table that is read through views, as often as a count says that goes into a register at once.
VIEWED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(cache, table, count):
        blocks, columns = cache.shape
        pages, one = table.shape
        assert one == 1 and columns <= 2048 and count.shape[0] == 1 and count.shape[1] == 1
        out = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        rounds, page = nisa.register_alloc(), nisa.register_alloc()
        nisa.register_load(rounds, count)

        def body(i):
            number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.dma_copy(dst=number, src=table.ap(pattern=[[1, 1], [1, 1]], offset=0, scalar_offset=i, indirect_dim=0))
            nisa.register_load(page, number)
            row = nl.ndarray((1, columns), dtype=cache.dtype, buffer=nl.sbuf)
            place = [[columns, 1], [1, columns]]
            nisa.dma_copy(dst=row, src=cache.ap(pattern=place, offset=FIRST, scalar_offset=page, indirect_dim=0))
            nisa.tensor_tensor(dst=total, data1=total, data2=row, op=nl.add)

        nl.fori_loop(0, rounds, body)
        nisa.dma_copy(dst=out, src=total)
        return out
"""


def test_tables_that_are_read_by_views_and_registers_hold_integers(check: Checker) -> None:
    write(check.folder, k=VIEWED.replace("FIRST", "0"))
    assert check("k.py::kernel") == 0, check.out
    said = " ".join(check.out.split())
    assert "table='i32[pages,one] in 0..blocks-1'" in said
    # Two extents of the count are asked for: it is of no smaller rank.
    assert "count='i32[count0,count1] in 0..pages'" in said


def test_no_table_is_taken_to_hold_negative_indices_only(check: Checker) -> None:
    write(check.folder, k=VIEWED.replace("FIRST", "blocks * columns"))
    assert check("k.py::kernel") == 3, check.out
    assert "table='int32[pages, one] in LOW..HIGH'" in " ".join(check.out.split())


def test_a_kernel_of_one_shape_is_taken_at_no_other_rank_that_it_fails_for(check: Checker) -> None:
    write(
        check.folder,
        k="""
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def kernel(x):
        assert x.shape[0] == 1 and x.shape[1] == 1
        out = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        nisa.dma_copy(dst=out, src=tile)
        return out
    """,
    )
    assert check("k.py::kernel") == 0, check.out
    assert "x='bf16[x0,x1]'" in check.out
