"""State of the model that a loop carries or a path leaves behind: numbers in registers and index tiles, device loops.

A register or tile is state like a variable: what one iteration or path writes, another must not take for its own. The
concrete run, which follows every write in order, says what is right.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from tests.soundness.trap import Trap, complaints, target_for, verdict

_START = """
import nki.isa as nisa

def table(rows):
    return nl.ndarray((rows, 4), dtype=nl.float32, buffer=nl.shared_hbm)

def tile():
    made = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(made, 0)
    return made

def use(x, index):
    row = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x.ap([[4, 1], [1, 4]], scalar_offset=index, indirect_dim=0))

"""


def _trap(name: str, source: str, decided: bool = True) -> Trap:
    return Trap(name, _START + textwrap.dedent(source), decided=decided, low=1, tried=range(1, 6))


#: Registers are moved, tiles copied and stored; `_wrong` ones leave the table for some number of rows.
TRAPS = [
    _trap(
        "swap_right",
        """
        def kernel(n):
            x = table(n)
            a, b, spare = nisa.register_alloc(0), nisa.register_alloc(n - 1), nisa.register_alloc(0)
            for i in range(n):
                use(x, a)
                nisa.register_move(spare, a)
                nisa.register_move(a, b)
                nisa.register_move(b, spare)
        """,
    ),
    _trap(
        "swap_wrong",
        """
        def kernel(n):
            x = table(n)
            a, b, spare = nisa.register_alloc(0), nisa.register_alloc(n), nisa.register_alloc(0)
            for i in range(n):
                use(x, a)
                nisa.register_move(spare, a)
                nisa.register_move(a, b)
                nisa.register_move(b, spare)
        """,
    ),
    *(
        _trap(
            f"through_floats_{name}",
            f"""
            def kernel(n):
                x = table(n)
                number, index = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf), tile()
                nisa.memset(number, 0)
                for i in range(n):
                    try:
                        nisa.tensor_copy(dst=index, src=number)
                    except BaseException:
                        pass
                    use(x, index)
                    nisa.memset(number, {left})
            """,
            decided=decided,
        )
        for name, left, decided in (("right", 0, True), ("wrong", "n", False))
    ),
    _trap(
        "rotate_three_wrong",
        """
        def kernel(n):
            x = table(n)
            a, b, c = nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0)
            for i in range(n):
                use(x, c)
                nisa.register_move(c, b)
                nisa.register_move(b, a)
                nisa.register_move(a, n - i)
        """,
    ),
    _trap(
        "rotate_three_right",
        """
        def kernel(n):
            x = table(n + 1)
            a, b, c = nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0)
            for i in range(n):
                use(x, c)
                nisa.register_move(c, b)
                nisa.register_move(b, a)
                nisa.register_move(a, n - i)
        """,
    ),
    _trap(
        "rotate_five_wrong",
        """
        def kernel(n):
            x = table(n)
            held = (nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0),
                    nisa.register_alloc(0))
            for i in range(n):
                use(x, held[4])
                nisa.register_move(held[4], held[3])
                nisa.register_move(held[3], held[2])
                nisa.register_move(held[2], held[1])
                nisa.register_move(held[1], held[0])
                nisa.register_move(held[0], n)
        """,
        decided=False,
    ),
    _trap(
        "inner_loop_used_after_wrong",
        """
        def kernel(n):
            x, index, r = table(n), tile(), nisa.register_alloc(0)
            for i in range(n):
                for j in range(n):
                    nisa.register_move(r, j + 1)
                    nisa.register_store(index, r)
                use(x, index)
        """,
    ),
    _trap(
        "inner_loop_used_after_right",
        """
        def kernel(n):
            x, index, r = table(n), tile(), nisa.register_alloc(0)
            for i in range(n):
                for j in range(n):
                    nisa.register_move(r, j)
                    nisa.register_store(index, r)
                use(x, index)
        """,
    ),
    _trap(
        "loop_used_after_it_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n + 1):
                nisa.register_move(r, i)
            use(x, r)
        """,
    ),
    _trap(
        "loop_of_perhaps_no_iteration_wrong",
        """
        def kernel(n):
            x, r = table(2), nisa.register_alloc(2)
            for i in range(n - 3):
                nisa.register_move(r, 0)
            use(x, r)
        """,
    ),
    _trap(
        "loop_of_one_iteration_at_least_right",
        """
        def kernel(n):
            x, r = table(2), nisa.register_alloc(2)
            for i in range(n):
                nisa.register_move(r, 0)
            use(x, r)
        """,
    ),
    _trap(
        "copies_of_copies_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            first, second, third = tile(), tile(), tile()
            for i in range(n):
                use(x, third)
                nisa.tensor_copy(third, second)
                nisa.tensor_copy(second, first)
                nisa.register_move(r, n - i)
                nisa.register_store(first, r)
        """,
    ),
    _trap(
        "copy_is_taken_when_it_is_made_right",
        """
        def kernel(n):
            x, first, second = table(n), tile(), tile()
            nisa.tensor_copy(second, first)
            nisa.memset(first, 99)
            use(x, second)
        """,
    ),
    _trap(
        "copy_is_taken_when_it_is_made_wrong",
        """
        def kernel(n):
            x, first, second = table(n), tile(), tile()
            nisa.memset(first, 99)
            nisa.tensor_copy(second, first)
            nisa.memset(first, 0)
            use(x, second)
        """,
    ),
    _trap(
        "two_paths_right",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(99)
            if n > 2:
                nisa.register_move(r, 2)
            else:
                nisa.register_move(r, n - 1)
            use(x, r)
        """,
    ),
    _trap(
        "two_paths_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(99)
            if n > 2:
                nisa.register_move(r, 2)
            elif n > 1:
                nisa.register_move(r, n - 1)
            use(x, r)
        """,
    ),
    _trap(
        "two_paths_of_an_iteration_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                if i % 2 == 0:
                    use(x, r)
                    nisa.register_move(r, 0)
                else:
                    nisa.register_move(r, i + 1)
        """,
        decided=False,
    ),
    _trap(
        "moved_on_a_condition_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(n)
            for i in range(n):
                if i > 1:
                    nisa.register_move(r, i)
                if i > 0:
                    use(x, r)
        """,
    ),
    _trap(
        "moved_on_a_condition_right",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                if i + 1 < n:
                    use(x, r)
                    nisa.register_move(r, i + 1)
            use(x, r)
        """,
    ),
    _trap(
        "written_after_its_use_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                use(x, r)
                nisa.register_move(r, i + 2)
        """,
    ),
    _trap(
        "written_after_its_use_right",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                use(x, r)
                nisa.register_move(r, i)
        """,
    ),
    _trap(
        "written_before_its_use_right",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(99)
            for i in range(n):
                nisa.register_move(r, n - 1 - i)
                use(x, r)
                nisa.register_move(r, 99)
        """,
    ),
    _trap(
        "of_another_iteration_of_the_outer_loop_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                for j in range(n):
                    use(x, r)
                nisa.register_move(r, n - i)
        """,
    ),
    _trap(
        "tiles_in_a_list_wrong",
        """
        def kernel(n):
            x, r, tiles = table(n), nisa.register_alloc(0), []
            for i in range(n):
                nisa.register_move(r, i + 1)
                made = tile()
                nisa.register_store(made, r)
                tiles.append(made)
            for k in range(n):
                use(x, tiles[k])
        """,
    ),
    _trap(
        "tiles_in_a_list_right",
        """
        def kernel(n):
            x, r, tiles = table(n + 1), nisa.register_alloc(0), []
            for i in range(n):
                nisa.register_move(r, i + 1)
                made = tile()
                nisa.register_store(made, r)
                tiles.append(made)
            for k in range(n):
                use(x, tiles[k])
        """,
    ),
    _trap(
        "one_tile_of_a_list_overwritten_wrong",
        """
        def kernel(n):
            x, tiles = table(1), []
            for i in range(n):
                made = tile()
                nisa.memset(made, 1)
                tiles.append(made)
            for k in range(n):
                if k == 0:
                    nisa.memset(tiles[k], 0)
                if k > 0:
                    use(x, tiles[k])
        """,
        decided=False,
    ),
    _trap(
        "registers_in_a_list_wrong",
        """
        def kernel(n):
            x, held = table(n), []
            for i in range(n):
                held.append(nisa.register_alloc(n - i))
            for k in range(n):
                use(x, held[k])
        """,
    ),
    _trap(
        "part_of_a_tile_wrong",
        """
        def kernel(n):
            x = table(1)
            index = nl.ndarray((2, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(index, 1)
            nisa.memset(index[0:1, :], 0)
            use(x, index[1:2, :])
        """,
        decided=False,
    ),
    _trap(
        "index_that_is_not_affine_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                use(x, r)
                nisa.register_move(r, (n - i) % (n + 1))
        """,
        decided=False,
    ),
    _trap(
        "product_with_the_index_wrong",
        """
        def kernel(n):
            x, r = table(n * n), nisa.register_alloc(0)
            for i in range(n + 2):
                use(x, r)
                nisa.register_move(r, n * i)
        """,
    ),
    _trap(
        "loop_that_counts_down_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n, 0, -1):
                use(x, r)
                nisa.register_move(r, i)
        """,
    ),
    _trap(
        "loop_with_a_counter_wrong",
        """
        def kernel(n):
            x, r, count = table(n), nisa.register_alloc(0), 2
            for i in range(n):
                use(x, r)
                nisa.register_move(r, count)
                count += 1
        """,
    ),
    _trap(
        "comprehension_wrong",
        """
        def moved(x, r, number):
            use(x, r)
            nisa.register_move(r, number)
            return number

        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            numbers = [moved(x, r, n - i) for i in range(n)]
        """,
    ),
    _trap(
        "table_of_indices_written_elsewhere_wrong",
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            index = nl.ndarray((n, 1), dtype=nl.int32, buffer=nl.hbm)
            for i in range(n):
                nisa.register_move(r, n - i)
                nisa.register_store(index[i:i + 1, :], r)
            for i in range(n):
                nisa.register_load(r, index[i:i + 1, :])
                use(x, r)
        """,
    ),
]


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_the_verdict_is_what_the_concrete_runs_say(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []


# --- device loops and launches: the concrete run cannot say, as their iterations or programs are one there ------------

RIGHT, OPEN, WRONG = Verdict.SUCCESSFUL, Verdict.UNKNOWN, Verdict.FAILED

DEVICE = [
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(n - 1)
            for k in nl.dynamic_range(4):
                use(x, r)
            use(x, r)
        """,
        id="a_register_of_before_is_only_read",
    ),
    pytest.param(
        WRONG,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(n)
            for k in nl.dynamic_range(4):
                use(x, r)
        """,
        id="a_register_of_before_is_out_of_bounds",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                use(x, r)
                nisa.register_move(r, n)
        """,
        id="found_by_the_next_iteration",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r, later = table(n), nisa.register_alloc(0), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                use(x, later)
                nisa.register_move(later, r)
                nisa.register_move(r, n)
        """,
        id="found_by_the_one_after_it",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r, index = table(n), nisa.register_alloc(0), tile()
            for k in nl.dynamic_range(4):
                nisa.register_store(index, r)
                use(x, index)
                nisa.register_move(r, n)
        """,
        id="found_in_a_copy",
    ),
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(99)
            for k in nl.dynamic_range(4):
                nisa.register_move(r, n - 1)
                use(x, r)
                nisa.register_move(r, 99)
        """,
        id="set_anew_in_each_iteration",
    ),
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                use(x, r)
                nisa.register_move(r, 0)
        """,
        id="the_same_number_again",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(2), nisa.register_alloc(2)
            for k in nl.dynamic_range(n):
                nisa.register_move(r, 0)
            use(x, r)
        """,
        id="perhaps_no_iteration",
    ),
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            x, r = table(3), nisa.register_alloc(2)
            for k in nl.dynamic_range(n):
                nisa.register_move(r, 0)
            use(x, r)
        """,
        id="either_is_legal",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            def body(k):
                use(x, r)
                nisa.register_move(r, n)
            nl.fori_loop(0, 4, body)
        """,
        id="fori_loop",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r, go = table(n), nisa.register_alloc(0), nisa.register_alloc(1)
            def body(condition):
                use(x, r)
                nisa.register_move(r, n)
                return condition
            nl.while_loop(go, body)
        """,
        id="while_loop",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                for j in nl.dynamic_range(4):
                    use(x, r)
                nisa.register_move(r, n)
        """,
        id="found_by_an_inner_loop_of_the_next_iteration",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                for i in range(n):
                    use(x, r)
                for i in range(n):
                    nisa.register_move(r, i + 1)
        """,
        id="summarised_loops_inside",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for i in range(n):
                for k in nl.dynamic_range(4):
                    use(x, r)
                    nisa.register_move(r, i + 1)
        """,
        id="inside_a_summarised_loop",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(0)
            for k in nl.dynamic_range(4):
                use(x, r)
                nisa.register_move(r, n)
                break
        """,
        id="left_by_break",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(n)
            for k in nl.dynamic_range(r):
                use(x, k)
                nisa.register_move(r, n + 1)
            for k in nl.dynamic_range(r):
                use(x, k)
        """,
        id="the_bound_is_that_of_the_moment",
    ),
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            x, index = table(n), tile()
            for k in nl.dynamic_range(n):
                nisa.register_store(index, k)
                use(x, index)
        """,
        id="copies_of_the_index_of_the_loop",
    ),
]

LAUNCHED = [
    pytest.param(
        OPEN,
        """
        @nki.jit
        def launched(n):
            x, r = table(n), nisa.register_alloc(0)
            index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
            if nl.program_id(0) == 0:
                nisa.register_store(index, r)
                use_shared(x, r, index)
            else:
                nisa.register_move(r, n)
                nisa.register_store(index, r)
        def kernel(n):
            launched[2](n)
        """,
        id="another_program_writes_the_index",
    ),
    pytest.param(
        OPEN,
        """
        @nki.jit
        def launched(n):
            x, r = table(n), nisa.register_alloc(0)
            index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
            if nl.program_id(0) == 0:
                nisa.register_move(r, n)
                nisa.register_store(index, r)
            else:
                nisa.register_store(index, r)
                use_shared(x, r, index)
        def kernel(n):
            launched[2](n)
        """,
        id="another_program_wrote_the_index",
    ),
    pytest.param(
        OPEN,
        """
        @nki.jit
        def launched(n, index):
            x, r = table(n), nisa.register_alloc(n)
            if nl.program_id(0) == 0:
                use_shared(x, r, index)
            else:
                nisa.register_store(index, r)
        def kernel(n):
            launched[2](n, shared_index())
        """,
        id="another_program_overwrites_the_index",
    ),
    pytest.param(
        OPEN,
        """
        @nki.jit
        def launched(n, index):
            x, r = table(n), nisa.register_alloc(n)
            if nl.program_id(0) == 0:
                nisa.register_store(index, r)
            else:
                use_shared(x, r, index)
        def kernel(n):
            launched[2](n, shared_index())
        """,
        id="another_program_overwrote_the_index",
    ),
    pytest.param(
        RIGHT,
        """
        @nki.jit
        def launched(n, index):
            x, r = table(n), nisa.register_alloc(n)
            use_shared(x, r, index)
        def kernel(n):
            launched[2](n, shared_index())
        """,
        id="no_program_overwrites_the_index",
    ),
    pytest.param(
        RIGHT,
        """
        @nki.jit
        def launched(n):
            x, r = table(n), nisa.register_alloc(0)
            index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
            nisa.register_store(index, r)
            use_shared(x, r, index)
        def kernel(n):
            launched[1](n)
        """,
        id="there_is_one_program",
    ),
    pytest.param(
        RIGHT,
        """
        @nki.jit
        def launched(n):
            x, r = table(n + 1), nisa.register_alloc(0)
            nisa.register_move(r, nl.program_id(0))
            use(x, r)
        def kernel(n):
            launched[2](n)
        """,
        id="registers_are_the_programs_own",
    ),
]

_LAUNCH = """
import nki

def shared_index():
    index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    nisa.register_store(index, nisa.register_alloc(0))
    return index

def tile_in_hbm(number):
    made = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.hbm)
    nisa.register_store(made, nisa.register_alloc(number))
    return made

def use_shared(x, register, index):
    nisa.register_load(register, index)
    use(x, register)

"""


FIRST_OF_MANY = """
def kernel(n):
    x, tiles = table(1), []
    for i in range(n):
        made = tile()
        nisa.memset(made, 1)
        tiles.append(made)
    nisa.memset(tiles[0], 0)
    use(x, tiles[n - 1])
"""


def test_to_overwrite_one_of_many_leaves_the_others(tmp_path: Path) -> None:
    assert complaints(_trap("first_of_many_wrong", FIRST_OF_MANY, decided=False), tmp_path) == []


#: What overwrites a part only, or says less than what it writes; what one path leaves open is not there on another.
WRITTEN = [
    pytest.param(
        RIGHT,
        """
        def kernel(n):
            if n > 2:
                nl.no_reorder().__enter__()
            else:
                for k in nl.dynamic_range(4):
                    tile()
        """,
        id="a_block_left_open_on_another_path",
    ),
    pytest.param(
        WRONG,
        """
        def kernel(n):
            x, r = table(n), nisa.register_alloc(n)
            loop = nl.dynamic_range(r)
            nisa.register_move(r, n + 1)
            for k in loop:
                use(x, k)
        """,
        id="a_loop_is_made_before_its_bound",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, index, source, far = table(1), tile(), tile_in_hbm(0), nisa.register_alloc(5)
            nisa.memset(index, 5)
            skipped = source.ap([[1, 1], [1, 1]], scalar_offset=far, indirect_dim=0)
            nisa.dma_copy(dst=index, src=skipped, oob_mode=nisa.oob_mode.skip)
            use(x, index)
        """,
        id="a_dma_skips_what_is_out_of_bounds",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x = table(1)
            index = nl.ndarray((32, 1), dtype=nl.int32, buffer=nl.sbuf)
            zeros = nl.ndarray((32, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(index, 5)
            nisa.memset(zeros, 0)
            nisa.nc_stream_shuffle(index, zeros, [0] + [255] * 31)
            use(x, index[1:2, :])
        """,
        id="a_shuffle_leaves_lanes_alone",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x = table(1)
            index = nl.ndarray((1, 4), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(index, 5)
            nisa.memset(index[:, 0:1].broadcast(1, 4), 0)
            use(x, index[:, 1:2])
        """,
        id="one_element_is_written_four_times",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x, index = table(1), nl.ndarray((4, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.iota(index, [[1, 1]], 0, 1)
            use(x, index[0:1, :])
        """,
        id="a_part_of_a_pattern",
    ),
    pytest.param(
        OPEN,
        """
        def kernel(n):
            x = table(n)
            small = nl.ndarray((1, 1), dtype=nl.int16, buffer=nl.sbuf)
            index = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
            nisa.memset(small, -1)
            nisa.tensor_copy(index, small)
            use(x, index)
        """,
        id="a_negative_number_of_an_unsigned_dtype",
    ),
]


@pytest.mark.parametrize(("expected", "source"), [*DEVICE, *LAUNCHED, *WRITTEN])
def test_what_iterations_and_programs_find_that_run_once(expected: Verdict, source: str, tmp_path: Path) -> None:
    # What stays open may look for an answer until its time is over: it is given less of it.
    seconds = 5.0 if expected is OPEN else 20.0
    run = verdict(target_for(_START + _LAUNCH + textwrap.dedent(source), tmp_path, low=1), seconds=seconds)
    assert (run.verdict, run.qualifier if expected is not OPEN else "") == (expected, ""), run.reason


@pytest.mark.parametrize(
    "source",
    [
        """
        def kernel(n):
            loop = iter(nl.dynamic_range(4))
            for i in range(n):
                next(loop, None)
        """,
        """
        def kernel(n):
            order = nl.no_reorder()
            for i in range(n):
                order.__enter__()
        """,
    ],
    ids=["the_body_of_a_device_loop", "a_block_of_fixed_order"],
)
def test_what_a_loop_leaves_open_is_carried(source: str, tmp_path: Path) -> None:
    run = verdict(target_for(_START + textwrap.dedent(source), tmp_path, low=1))
    # Unrolled, at best: the verdict says so.
    assert run.verdict is not Verdict.SUCCESSFUL or run.qualifier, run.reason
