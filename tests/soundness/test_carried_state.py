"""State carried from one iteration to the next: followed by a closed form, unrolled, or not concluded about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    # state with a closed form
    Trap(
        "counter_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                assert count == i
                count += 1
            assert count == n
        """,
        decided=True,
    ),
    Trap(
        "counter_wrong_at_the_third_iteration",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                assert count < 2
                count += 1
        """,
        decided=True,
    ),
    Trap(
        "counter_wrong_after_the_loop",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                count += 1
            assert count < 5
        """,
        decided=True,
    ),
    Trap(
        "counter_by_three_right",
        """
        def kernel(n):
            offset = 7
            for i in range(n):
                assert offset == 7 + 3 * i
                offset = offset + 3
            assert offset == 7 + 3 * n
        """,
        decided=True,
    ),
    Trap(
        "counter_by_a_dimension_right",
        """
        def kernel(n, step):
            offset = 0
            for i in range(n):
                assert offset == i * step
                offset += step
            assert offset == n * step
        """,
        decided=True,
    ),
    Trap(
        "counter_by_a_dimension_wrong",
        """
        def kernel(n, step):
            offset = 0
            for i in range(n):
                offset += step
                assert offset <= 8
        """,
        decided=True,
    ),
    Trap(
        "counter_down_right",
        """
        def kernel(n):
            left = n
            for i in range(n):
                assert left > 0
                left -= 1
            assert left == 0
        """,
        decided=True,
    ),
    Trap(
        "counter_down_wrong",
        """
        def kernel(n):
            left = n
            for i in range(n + 1):
                assert left > 0
                left -= 1
        """,
        decided=True,
    ),
    Trap(
        "two_counters_right",
        """
        def kernel(n):
            a = 0
            b = 10
            for i in range(n):
                assert a + b == 10 + 3 * i
                a += 1
                b += 2
        """,
        decided=True,
    ),
    Trap(
        "counter_of_nested_loops_right",
        """
        def kernel(n, m):
            count = 0
            for i in range(n):
                for j in range(m):
                    assert count == i * m + j
                    count += 1
            assert count == n * m
        """,
        decided=True,
    ),
    Trap(
        "counter_of_nested_loops_wrong",
        """
        def kernel(n, m):
            count = 0
            for i in range(n):
                for j in range(m):
                    assert count <= 6
                    count += 1
        """,
        decided=True,
    ),
    Trap(
        "counter_of_triangular_loops_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                for j in range(i):
                    count += 1
            assert 2 * count == n * (n - 1)
        """,
    ),
    Trap(
        "counter_of_triangular_loops_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                for j in range(i):
                    count += 1
            assert count <= n
        """,
    ),
    Trap(
        "counter_that_starts_anew_right",
        """
        def kernel(n, m):
            for i in range(n):
                count = 0
                for j in range(m):
                    assert count == j
                    count += 1
                assert count == m
        """,
        decided=True,
    ),
    Trap(
        "counter_that_starts_anew_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                count = 0
                for j in range(m):
                    count += 1
                assert count <= 3
        """,
        decided=True,
    ),
    Trap(
        "counter_as_an_index_right",
        """
        def kernel(n):
            tensor = nl.ndarray((128, 2 * n + 2), dtype=nl.float32, buffer=nl.hbm)
            column = 0
            for i in range(n):
                part = tensor[0:128, column:column + 2]
                column += 2
        """,
        decided=True,
    ),
    Trap(
        "counter_as_an_index_wrong",
        """
        def kernel(n):
            tensor = nl.ndarray((128, 2 * n + 2), dtype=nl.float32, buffer=nl.hbm)
            column = 1
            for i in range(n):
                part = tensor[0:128, column:column + 4]
                column += 2
        """,
        decided=True,
    ),
    # state without one
    Trap(
        "sum_of_indices_right",
        """
        def kernel(n):
            total = 0
            for i in range(n):
                total += i
            assert 2 * total == n * (n - 1)
        """,
    ),
    Trap(
        "sum_of_indices_wrong",
        """
        def kernel(n):
            total = 0
            for i in range(n):
                total += i
            assert total <= n
        """,
    ),
    Trap(
        "doubling_wrong",
        """
        def kernel(n):
            size = 1
            for i in range(n):
                assert size <= 4
                size *= 2
        """,
    ),
    Trap(
        "doubling_from_zero_right",
        """
        def kernel(n):
            size = 0
            for i in range(n):
                assert size == 0
                size *= 2
        """,
    ),
    Trap(
        "fibonacci_wrong",
        """
        def kernel(n):
            a, b = 0, 1
            for i in range(n):
                a, b = b, a + b
            assert a <= n
        """,
    ),
    Trap(
        "swapped_tiles_wrong",
        """
        def kernel(n):
            small = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            large = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
            for i in range(n):
                part = large[0:128, 0:8]
                small, large = large, small
        """,
    ),
    Trap(
        "swapped_tiles_right",
        """
        def kernel(n):
            small = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            large = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
            for i in range(n):
                part = large[0:128, 0:4]
                small, large = large, small
        """,
    ),
    Trap(
        "swapped_ints_wrong",
        """
        def kernel(n):
            a, b = 1, 2
            for i in range(n):
                assert a == 1
                a, b = b, a
        """,
    ),
    Trap(
        "swapped_equal_ints_right",
        """
        def kernel(n):
            a, b = n, n
            for i in range(n):
                assert a == n
                a, b = b, a
        """,
    ),
    Trap(
        "rotation_of_three_wrong_at_the_third",
        """
        def kernel(n):
            a, b, c = 0, 0, 1
            for i in range(n):
                assert a == 0
                a, b, c = b, c, a
        """,
    ),
    Trap(
        "running_maximum_wrong",
        """
        def kernel(n):
            best = 0
            for i in range(n):
                best = max(best, i)
            assert best == n
        """,
    ),
    Trap(
        "running_maximum_right",
        """
        def kernel(n):
            best = 0
            for i in range(n):
                best = max(best, i)
            assert best <= n
        """,
    ),
    Trap(
        "running_maximum_of_a_parabola",
        """
        def kernel(n):
            best = 0
            for i in range(n):
                best = max(best, i * (4 - i))
            assert best <= 3
        """,
    ),
    Trap(
        "toggle_wrong",
        """
        def kernel(n):
            flag = False
            for i in range(n):
                assert not flag
                flag = not flag
        """,
    ),
    Trap(
        "toggle_by_subtraction_wrong",
        """
        def kernel(n):
            side = 0
            for i in range(n):
                side = 1 - side
            assert side == 0
        """,
    ),
    Trap(
        "toggle_of_a_symbolic_start",
        """
        def kernel(n, s):
            side = s
            for i in range(n):
                side = 1 - side
            assert side <= 1
        """,
    ),
    Trap(
        "first_iteration_flag_wrong",
        """
        def kernel(n):
            first = True
            for i in range(n):
                assert first
                first = False
        """,
    ),
    Trap(
        "first_iteration_flag_right",
        """
        def kernel(n):
            first = True
            for i in range(n):
                if first:
                    assert i == 0
                else:
                    assert i > 0
                first = False
        """,
    ),
    Trap(
        "previous_index_wrong",
        """
        def kernel(n):
            previous = None
            for i in range(n):
                if previous is not None:
                    assert previous == i
                previous = i
        """,
    ),
    Trap(
        "previous_index_right",
        """
        def kernel(n):
            previous = -1
            for i in range(n):
                assert previous == i - 1
                previous = i
        """,
    ),
    Trap(
        "counted_under_a_condition_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i % 2 == 0:
                    count += 1
            assert count <= 2
        """,
    ),
    Trap(
        "counted_under_a_condition_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i % 2 == 0:
                    count += 1
            assert count <= n
        """,
    ),
    Trap(
        "counted_in_both_branches_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i % 2 == 0:
                    count += 1
                else:
                    count += 1
            assert count == n
        """,
        decided=True,
    ),
    Trap(
        "counted_differently_in_branches_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i < 3:
                    count += 1
                else:
                    count += 2
            assert count == n
        """,
    ),
    Trap(
        "counter_that_stops_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if count < 3:
                    count += 1
            assert count == n
        """,
    ),
    Trap(
        "counter_clamped_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                count = min(count + 1, 3)
            assert count == n
        """,
    ),
    Trap(
        "counter_modulo_wrong",
        """
        def kernel(n):
            slot = 0
            for i in range(n):
                assert slot == i
                slot = (slot + 1) % 4
        """,
    ),
    Trap(
        "counter_modulo_right",
        """
        def kernel(n):
            slot = 0
            for i in range(n):
                assert slot == i % 4
                slot = (slot + 1) % 4
        """,
    ),
    Trap(
        "constant_after_the_first_iteration_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                assert x == 0
                x = 1
        """,
    ),
    Trap(
        "constant_after_the_first_iteration_wrong_later",
        """
        def kernel(n):
            x = 0
            y = 0
            for i in range(n):
                assert y == 0
                y = x
                x = 1
        """,
    ),
    Trap(
        "delay_line_of_three_wrong",
        """
        def kernel(n):
            a = b = c = 0
            for i in range(n):
                assert c == 0
                c = b
                b = a
                a = 1
        """,
    ),
    Trap(
        "steps_that_depend_on_another_counter_wrong",
        """
        def kernel(n):
            a = 0
            b = 0
            for i in range(n):
                assert b <= 3
                b += a
                a += 1
        """,
    ),
    Trap(
        "counter_reset_in_the_loop_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if count == 3:
                    count = 0
                assert count == i
                count += 1
        """,
    ),
    Trap(
        "augmented_by_its_own_value",
        """
        def kernel(n):
            x = 1
            for i in range(n):
                x += x
            assert x == n + 1
        """,
    ),
    Trap(
        "unchanged_by_two_steps_right",
        """
        def kernel(n):
            x = 5
            for i in range(n):
                x += 1
                assert x == 6
                x -= 1
            assert x == 5
        """,
        decided=True,
    ),
    Trap(
        "float_state_wrong",
        """
        def kernel(n):
            x = 0.0
            for i in range(n):
                assert x < 1.0
                x += 0.5
        """,
    ),
    Trap(
        "text_state_wrong",
        """
        def kernel(n):
            name = ""
            for i in range(n):
                assert name != "aa"
                name += "a"
        """,
    ),
    Trap(
        "tuple_state_wrong",
        """
        def kernel(n):
            state = (0, 0)
            for i in range(n):
                assert state[1] == 0
                state = (1, state[0])
        """,
    ),
    Trap(
        "tuple_of_counters_right",
        """
        def kernel(n):
            state = (0, 0)
            for i in range(n):
                assert state[0] == i
                state = (state[0] + 1, state[1])
        """,
    ),
    Trap(
        "carried_bool_becomes_int_wrong",
        """
        def kernel(n):
            x = True
            for i in range(n):
                assert x == 1
                x = x + 1
        """,
    ),
    Trap(
        "carried_condition_wrong",
        """
        def kernel(n):
            seen = False
            for i in range(n):
                seen = seen or i == 2
            assert not seen
        """,
    ),
    Trap(
        "carried_condition_right",
        """
        def kernel(n):
            seen = False
            for i in range(n):
                seen = i >= 0
            assert seen or n == 0
        """,
    ),
    # names after and before the loop
    Trap(
        "index_after_the_loop_right",
        """
        def kernel(n):
            i = -1
            for i in range(n):
                pass
            assert i == n - 1
        """,
        decided=True,
    ),
    Trap(
        "index_after_the_loop_wrong",
        """
        def kernel(n):
            i = -1
            for i in range(n):
                pass
            assert i < 3
        """,
        decided=True,
    ),
    Trap(
        "index_after_a_loop_that_may_not_run",
        """
        def kernel(n):
            for i in range(n):
                pass
            assert i == n - 1
        """,
    ),
    Trap(
        "name_bound_in_the_loop_right",
        """
        def kernel(n):
            last = 0
            for i in range(n):
                last = 2 * i
            assert last <= 2 * n
        """,
        decided=True,
    ),
    Trap(
        "name_bound_in_the_loop_wrong",
        """
        def kernel(n):
            last = 0
            for i in range(n):
                last = 2 * i
            assert last <= 6
        """,
        decided=True,
    ),
    Trap(
        "name_bound_under_a_condition_wrong",
        """
        def kernel(n):
            last = 0
            for i in range(n):
                if i % 2 == 0:
                    last = i
            assert last == n - 1 or n == 0
        """,
    ),
    Trap(
        "name_bound_under_a_condition_right",
        """
        def kernel(n):
            last = 0
            for i in range(n):
                if i % 2 == 0:
                    last = i
            assert last <= n
        """,
    ),
    Trap(
        "name_never_bound_without_iterations",
        """
        def kernel(n):
            for i in range(n):
                width = 4
            tile = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.sbuf)
        """,
    ),
    Trap(
        "name_deleted_in_the_loop",
        """
        def kernel(n):
            x = 1
            for i in range(n):
                assert x == 1
                del x
        """,
    ),
    Trap(
        "name_deleted_after_use_right",
        """
        def kernel(n):
            for i in range(n):
                x = i
                assert x >= 0
                del x
        """,
    ),
    Trap(
        "name_deleted_conditionally",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                if i == 2:
                    del x
                else:
                    assert x == 0
        """,
    ),
    Trap(
        "loop_variable_reused_by_a_second_loop_right",
        """
        def kernel(n, m):
            for i in range(n):
                assert i < n
            for i in range(m):
                assert i < m
        """,
        decided=True,
    ),
    Trap(
        "loop_variable_of_the_first_loop_in_the_second_wrong",
        """
        def kernel(n, m):
            i = 0
            for i in range(n):
                pass
            for j in range(m):
                assert i <= 3
        """,
        decided=True,
    ),
    Trap(
        "inner_loop_reuses_the_variable_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                for i in range(m):
                    pass
                assert i < n
        """,
    ),
    Trap(
        "index_changed_in_the_body_right",
        """
        def kernel(n):
            for i in range(n):
                i = i + 1
                assert 1 <= i <= n
        """,
        decided=True,
    ),
    Trap(
        "index_changed_in_the_body_wrong",
        """
        def kernel(n):
            for i in range(n):
                i = i + 1
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "bound_changed_in_the_body_right",
        """
        def kernel(n):
            total = n
            for i in range(total):
                total = total + 1
                assert i < n
            assert total == 2 * n
        """,
        decided=True,
    ),
    Trap(
        "parameter_rebound_in_the_loop_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                m = m + 1
            assert m <= 9
        """,
        decided=True,
    ),
    Trap(
        "walrus_right",
        """
        def kernel(n):
            for i in range(n):
                assert (double := 2 * i) < 2 * n
                assert double == 2 * i
        """,
        decided=True,
    ),
    Trap(
        "walrus_carried_wrong",
        """
        def kernel(n):
            last = 0
            for i in range(n):
                assert last < 3
                if (last := last + 1) > 100:
                    pass
        """,
    ),
    Trap(
        "walrus_in_a_comprehension_wrong",
        """
        def kernel(n):
            last = 0
            values = [last := last + 1 for i in range(n)]
            assert last < 3
        """,
    ),
    Trap(
        "walrus_in_a_comprehension_of_a_helper_wrong",
        """
        def kernel(n):
            last = -1
            values = [(last := i) for i in range(n)]
            assert last < 3
        """,
    ),
    Trap(
        "chained_assignment_right",
        """
        def kernel(n):
            a = b = 0
            for i in range(n):
                a = b = i + 1
            assert a == b
            assert a == n
        """,
        decided=True,
    ),
    Trap(
        "starred_assignment_wrong",
        """
        def kernel(n):
            first, *rest = 0, 1, 2
            for i in range(n):
                assert first < 2
                first, *rest = *rest, first
        """,
    ),
    Trap(
        "match_statement_wrong",
        """
        def kernel(n):
            state = 0
            for i in range(n):
                match state:
                    case 0:
                        state = 1
                    case 1:
                        state = 2
                    case _:
                        assert False
        """,
    ),
    Trap(
        "loop_over_a_slice_of_the_state_wrong",
        """
        def kernel(n):
            low, high = 0, 1
            for i in range(n):
                for j in range(low, high):
                    assert j < 3
                low, high = high, high + 1
        """,
    ),
    Trap(
        "with_target_carried_wrong",
        """
        class Resource:
            def __init__(self, value):
                self.value = value
            def __enter__(self):
                return self.value
            def __exit__(self, *details):
                return False

        def kernel(n):
            x = 0
            for i in range(n):
                assert x < 2
                with Resource(x + 1) as x:
                    pass
        """,
    ),
    Trap(
        "import_in_the_loop_right",
        """
        def kernel(n):
            for i in range(n):
                import math
                assert math.ceil(i / 2) <= n
        """,
    ),
    Trap(
        "function_defined_in_the_loop_right",
        """
        def kernel(n):
            for i in range(n):
                def double():
                    return 2 * i
                assert double() < 2 * n
        """,
    ),
    Trap(
        "function_defined_in_the_loop_used_after_it_wrong",
        """
        def kernel(n):
            def double():
                return 0
            for i in range(n):
                def double():
                    return 2 * i
            assert double() < 6
        """,
    ),
    Trap(
        "lambda_with_late_binding_wrong",
        """
        def kernel(n):
            callback = None
            for i in range(n):
                callback = lambda: i
            if callback is not None:
                assert callback() == 0
        """,
    ),
    Trap(
        "lambda_of_the_previous_iteration_wrong",
        """
        def kernel(n):
            callback = lambda: 0
            for i in range(n):
                assert callback() == 0
                callback = lambda i=i: i
        """,
    ),
    # None before the first iteration
    Trap(
        "none_before_the_first_iteration_right",
        """
        def kernel(n):
            previous = None
            for i in range(n):
                if i > 0:
                    assert previous + 1 == i
                previous = i
        """,
    ),
    Trap(
        "none_before_the_first_iteration_wrong",
        """
        def kernel(n):
            previous = None
            for i in range(n):
                assert previous + 1 == i
                previous = i
        """,
    ),
    Trap(
        "none_before_the_first_iteration_wrong_at_the_third",
        """
        def kernel(n):
            previous = None
            for i in range(n):
                if i > 0:
                    assert previous + 1 == i and previous < 1
                previous = i
        """,
    ),
    Trap(
        "none_after_each_second_iteration_right",
        """
        def kernel(n):
            held = None
            for i in range(n):
                if i % 2 == 0:
                    held = i
                else:
                    assert held + 1 == i
                    held = None
        """,
    ),
    Trap(
        "none_after_each_second_iteration_wrong",
        """
        def kernel(n):
            held = None
            for i in range(n):
                if i % 3 == 0:
                    held = i
                else:
                    assert held < i
                    held = None
        """,
    ),
    Trap(
        "none_that_is_kept_wrong_after_the_loop",
        """
        def kernel(n):
            held = None
            for i in range(n):
                if i == 4:
                    held = i
            assert n <= 4 or held + 1 < 5
        """,
    ),
    Trap(
        "none_before_an_inner_loop_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                previous = None
                for j in range(m):
                    if j > 0:
                        assert previous + 1 == j and i + j < 5
                    previous = j
        """,
    ),
]


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
