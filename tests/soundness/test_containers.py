"""Lists, dictionaries, sets and tuples that loops build, change, alias and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    # elements of lists made in loops
    Trap(
        "one_attribute_of_an_element_of_a_list_made_in_a_loop_changed_wrong",
        """
        class Pair:
            def __init__(self, number):
                self.one = number
                self.two = number
        def kernel(n):
            pairs = [Pair(i) for i in range(n)]
            pairs[1].one = 7
            assert pairs[1].one == 1
        """,
        low=2,
    ),
    # appended lists
    Trap(
        "appended_list_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(2 * i)
            assert len(values) == n
            for i in range(n):
                assert values[i] == 2 * i
        """,
        decided=True,
    ),
    Trap(
        "appended_list_wrong_element",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(2 * i)
            for i in range(n):
                assert values[i] < 8
        """,
        decided=True,
    ),
    Trap(
        "appended_list_wrong_length",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
            assert len(values) < 5
        """,
        decided=True,
    ),
    Trap(
        "appended_list_of_tiles_right",
        """
        def kernel(n):
            tiles = []
            for i in range(n):
                tiles.append(nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf))
            for i in range(n):
                part = tiles[i][0:128, 0:i + 1]
        """,
        decided=True,
    ),
    Trap(
        "appended_list_of_tiles_wrong",
        """
        def kernel(n):
            tiles = []
            for i in range(n):
                tiles.append(nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf))
            for i in range(1, n):
                part = tiles[i - 1][0:128, 0:i + 1]
        """,
        decided=True,
    ),
    Trap(
        "appended_list_index_out_of_range_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
            assert values[n - 2] >= 0
        """,
    ),
    Trap(
        "appended_list_negative_index_right",
        """
        def kernel(n):
            values = [7]
            for i in range(n):
                values.append(i)
            assert values[-1] == (n - 1 if n > 0 else 7)
        """,
    ),
    Trap(
        "appended_list_negative_index_wrong",
        """
        def kernel(n):
            values = [7]
            for i in range(n):
                values.append(i)
            assert values[-1] != 3
        """,
    ),
    Trap(
        "appended_list_negative_symbolic_index_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
            for i in range(n):
                assert values[i - n] == i
                assert values[-1 - i] == i
        """,
    ),
    Trap(
        "appended_list_with_elements_before_right",
        """
        def kernel(n):
            values = [10, 11]
            for i in range(n):
                values.append(i)
            assert len(values) == n + 2
            assert values[0] == 10
            assert values[1] == 11
            for i in range(n):
                assert values[i + 2] == i
        """,
        decided=True,
    ),
    Trap(
        "appended_list_with_elements_before_wrong",
        """
        def kernel(n):
            values = [10, 11]
            for i in range(n):
                values.append(i)
            for i in range(n):
                assert values[i] != 10 + i
        """,
    ),
    Trap(
        "appended_twice_in_an_iteration_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
                values.append(-i)
            assert len(values) == 2 * n
        """,
    ),
    Trap(
        "appended_twice_in_an_iteration_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
                values.append(-i)
            assert len(values) <= n + 3
        """,
    ),
    Trap(
        "appended_under_a_condition_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                if i % 2 == 0:
                    values.append(i)
            assert len(values) == n
        """,
    ),
    Trap(
        "appended_under_a_condition_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                if i % 2 == 0:
                    values.append(i)
            assert 2 * len(values) >= n
        """,
    ),
    Trap(
        "appended_under_a_condition_of_a_dimension_wrong",
        """
        def kernel(n, m):
            values = []
            for i in range(n):
                if m > 2:
                    values.append(i)
            assert len(values) == n
        """,
    ),
    Trap(
        "different_values_appended_in_branches_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                if i < 2:
                    values.append(1)
                else:
                    values.append(2)
            for i in range(n):
                assert values[i] == 1
        """,
    ),
    Trap(
        "same_value_appended_in_branches_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                if i < 2:
                    values.append(i)
                else:
                    values.append(i)
            for i in range(n):
                assert values[i] == i
        """,
        decided=True,
    ),
    Trap(
        "select_appended_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(min(i, 3))
            for i in range(n):
                assert values[i] <= 3
                assert values[i] <= i
        """,
        decided=True,
    ),
    Trap(
        "appended_after_continue_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                if i == 1:
                    continue
                values.append(i)
            assert len(values) == n
        """,
    ),
    Trap(
        "appended_in_two_nested_loops_right",
        """
        def kernel(n, m):
            values = []
            for i in range(n):
                for j in range(m):
                    values.append(i + j)
            assert len(values) == n * m
        """,
    ),
    Trap(
        "appended_in_two_nested_loops_wrong",
        """
        def kernel(n, m):
            values = []
            for i in range(n):
                for j in range(m):
                    values.append(i)
            for k in range(n):
                if k < n * m:
                    assert values[k] == k
        """,
    ),
    Trap(
        "list_of_lists_right",
        """
        def kernel(n, m):
            rows = []
            for i in range(n):
                row = []
                for j in range(m):
                    row.append(10 * i + j)
                rows.append(row)
            assert len(rows) == n
            for i in range(n):
                assert len(rows[i]) == m
                for j in range(m):
                    assert rows[i][j] == 10 * i + j
        """,
        decided=True,
    ),
    Trap(
        "list_of_lists_wrong",
        """
        def kernel(n, m):
            rows = []
            for i in range(n):
                row = []
                for j in range(i):
                    row.append(j)
                rows.append(row)
            for i in range(n):
                assert len(rows[i]) < 3
        """,
        decided=True,
    ),
    Trap(
        "list_shared_by_all_rows_wrong",
        """
        def kernel(n):
            row = []
            rows = []
            for i in range(n):
                row.append(i)
                rows.append(row)
            for i in range(n):
                assert len(rows[i]) == i + 1
        """,
    ),
    Trap(
        "list_shared_by_all_rows_changed_later_wrong",
        """
        def kernel(n):
            row = [0]
            rows = []
            for i in range(n):
                rows.append(row)
            row.append(1)
            for i in range(n):
                assert len(rows[i]) == 1
        """,
    ),
    Trap(
        "list_shared_by_all_rows_changed_through_one_wrong",
        """
        def kernel(n):
            row = [0]
            rows = [row for i in range(n)]
            if n > 1:
                rows[0].append(1)
                assert len(rows[1]) == 1
        """,
    ),
    Trap(
        "rows_of_their_own_changed_through_one_right",
        """
        def kernel(n):
            rows = [[0] for i in range(n)]
            if n > 1:
                rows[0].append(1)
                assert len(rows[1]) == 1
        """,
    ),
    Trap(
        "rows_of_their_own_changed_through_one_wrong",
        """
        def kernel(n):
            rows = [[0] for i in range(n)]
            if n > 1:
                rows[0].append(1)
                assert len(rows[0]) == 1
        """,
    ),
    Trap(
        "rows_of_their_own_seem_shared_wrong",
        """
        def kernel(n):
            rows = [[0] for i in range(n)]
            if n > 1:
                rows[0].append(1)
                assert len(rows[1]) == 2
        """,
    ),
    Trap(
        "rows_of_their_own_made_in_a_statement_seem_shared_wrong",
        """
        def kernel(n):
            rows = []
            for i in range(n):
                row = [0]
                rows.append(row)
            if n > 1:
                rows[0].append(1)
                assert len(rows[1]) == 2
        """,
    ),
    Trap(
        "dictionaries_of_their_own_seem_shared_wrong",
        """
        def kernel(n):
            rows = [{} for i in range(n)]
            if n > 1:
                rows[0]["x"] = 1
                assert "x" in rows[1]
        """,
    ),
    Trap(
        "objects_of_their_own_seem_shared_wrong",
        """
        class Box:
            def __init__(self):
                self.value = 0

        def kernel(n):
            boxes = [Box() for i in range(n)]
            if n > 1:
                boxes[0].value = 1
                assert boxes[1].value == 1
        """,
    ),
    Trap(
        "objects_of_their_own_changed_in_a_second_loop_wrong",
        """
        class Box:
            def __init__(self, value):
                self.value = value

        def kernel(n):
            boxes = [Box(i) for i in range(n)]
            for i in range(n):
                boxes[i].value = 7
            for i in range(n):
                assert boxes[i].value == i
        """,
    ),
    Trap(
        "objects_of_their_own_changed_before_they_are_read_wrong",
        """
        class Box:
            def __init__(self, value):
                self.value = value

        def kernel(n):
            boxes = [Box(i) for i in range(n)]
            if n > 2:
                box = boxes[2]
                box.value = 100
                assert boxes[2].value == 2
        """,
    ),
    Trap(
        "lists_in_tuples_of_their_own_changed_wrong",
        """
        def kernel(n):
            pairs = [(i, [i]) for i in range(n)]
            if n > 2:
                pairs[2][1].append(100)
                assert len(pairs[2][1]) == 1
        """,
    ),
    Trap(
        "sets_of_their_own_seem_shared_wrong",
        """
        def kernel(n):
            rows = [set() for i in range(n)]
            if n > 1:
                rows[0].add(1)
                assert 1 in rows[1]
        """,
    ),
    Trap(
        "generators_of_their_own_seem_shared_wrong",
        """
        def numbers():
            yield 0
            yield 1

        def kernel(n):
            rows = [numbers() for i in range(n)]
            if n > 1:
                next(rows[0])
                assert next(rows[1]) == 1
        """,
    ),
    Trap(
        "last_list_of_the_loop_changed_wrong",
        """
        def kernel(n):
            rows = []
            last = None
            for i in range(n):
                last = [0]
                rows.append(last)
            if n > 0:
                last.append(1)
                assert len(rows[n - 1]) == 1
        """,
    ),
    Trap(
        "row_changed_after_it_was_appended_wrong",
        """
        def kernel(n):
            rows = []
            for i in range(n):
                row = [i]
                rows.append(row)
                row.append(i)
            for i in range(n):
                assert len(rows[i]) == 1
        """,
    ),
    Trap(
        "row_changed_after_it_was_appended_right",
        """
        def kernel(n):
            rows = []
            for i in range(n):
                row = [i]
                rows.append(row)
                row.append(i)
            for i in range(n):
                assert len(rows[i]) == 2
        """,
    ),
    Trap(
        "list_read_in_the_loop_that_appends_wrong",
        """
        def kernel(n):
            values = [1]
            for i in range(n):
                values.append(values[i] * 2)
            assert values[n] <= 8
        """,
    ),
    Trap(
        "list_read_in_the_loop_that_appends_right",
        """
        def kernel(n):
            values = [1]
            for i in range(n):
                values.append(values[0] + 1)
            assert values[n] <= 2
        """,
    ),
    Trap(
        "last_element_read_in_the_loop_that_appends_wrong",
        """
        def kernel(n):
            values = [0]
            for i in range(n):
                values.append(values[-1] + i)
            assert values[-1] <= 3
        """,
    ),
    Trap(
        "length_read_in_the_loop_that_appends_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                assert len(values) == i
                values.append(len(values))
            for i in range(n):
                assert values[i] == i
        """,
    ),
    Trap(
        "length_read_in_the_loop_that_appends_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(len(values))
            for i in range(n):
                assert values[i] < 3
        """,
    ),
    Trap(
        "truth_of_the_list_that_grows_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                assert not values
                values.append(i)
        """,
    ),
    Trap(
        "truth_of_a_symbolic_list_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
            assert values
        """,
    ),
    Trap(
        "list_appended_in_two_loops_right",
        """
        def kernel(n, m):
            values = []
            for i in range(n):
                values.append(i)
            for j in range(m):
                values.append(100 + j)
            assert len(values) == n + m
            for j in range(m):
                assert values[n + j] == 100 + j
        """,
        decided=True,
    ),
    Trap(
        "list_appended_in_two_loops_wrong",
        """
        def kernel(n, m):
            values = []
            for i in range(n):
                values.append(i)
            for j in range(m):
                values.append(100 + j)
            for k in range(n + m):
                assert values[k] <= 103
        """,
    ),
    Trap(
        "append_bound_to_a_name_wrong",
        """
        def kernel(n):
            values = []
            add = values.append
            for i in range(n):
                add(i)
            assert len(values) < 4
        """,
    ),
    Trap(
        "append_through_a_helper_wrong",
        """
        def add(values, value):
            values.append(value)

        def kernel(n):
            values = []
            for i in range(n):
                add(values, i)
            assert len(values) < 4
        """,
    ),
    Trap(
        "append_through_a_helper_right",
        """
        def add(values, value):
            values.append(value)

        def kernel(n):
            values = []
            for i in range(n):
                add(values, i)
            assert len(values) == n
        """,
        decided=True,
    ),
    Trap(
        "two_names_for_one_list_right",
        """
        def kernel(n):
            values = []
            alias = values
            for i in range(n):
                values.append(i)
            assert len(alias) == n
        """,
        decided=True,
    ),
    Trap(
        "two_names_for_one_list_wrong",
        """
        def kernel(n):
            values = []
            alias = values
            for i in range(n):
                values.append(i)
                alias.append(i)
            assert len(values) == n
        """,
    ),
    Trap(
        "list_rebound_in_the_loop_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values = values + [i]
            assert len(values) < 4
        """,
    ),
    Trap(
        "list_extended_by_plus_equals_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values += [i]
            assert len(values) < 4
        """,
    ),
    Trap(
        "list_extended_through_an_alias_wrong",
        """
        def kernel(n):
            values = []
            alias = values
            for i in range(n):
                values += [i, i]
            assert len(alias) <= n
        """,
    ),
    Trap(
        "list_extended_by_itself_wrong",
        """
        def kernel(n):
            values = [1]
            for i in range(n):
                values.extend(values)
            assert len(values) <= 4
        """,
    ),
    Trap(
        "list_inserted_at_the_front_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.insert(0, i)
            if n > 0:
                assert values[0] == 0
        """,
    ),
    Trap(
        "list_popped_and_appended_wrong",
        """
        def kernel(n):
            values = [0, 1, 2]
            for i in range(n):
                values.append(values.pop(0))
            assert values[0] == 0
        """,
    ),
    Trap(
        "list_popped_and_appended_the_same_right",
        """
        def kernel(n):
            values = [5]
            for i in range(n):
                values.append(values.pop())
            assert values[0] == 5
        """,
    ),
    Trap(
        "list_popped_wrong",
        """
        def kernel(n):
            values = [3, 2, 1]
            for i in range(n):
                values.pop()
            assert n < 9
        """,
    ),
    Trap(
        "list_cleared_wrong",
        """
        def kernel(n):
            values = [3]
            for i in range(n):
                assert len(values) == 1
                values.clear()
        """,
    ),
    Trap(
        "list_cleared_and_filled_right",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.clear()
                values.append(i)
                assert len(values) == 1
                assert values[0] == i
        """,
    ),
    Trap(
        "element_assigned_wrong",
        """
        def kernel(n):
            values = [0, 0]
            for i in range(n):
                assert values[0] == 0
                values[0] = 1
        """,
    ),
    Trap(
        "element_assigned_at_the_index_wrong",
        """
        def kernel(n):
            values = [0, 0, 0, 0, 0, 0, 0]
            for i in range(n):
                values[i] = 1
            assert values[2] == 0
        """,
    ),
    Trap(
        "element_incremented_wrong",
        """
        def kernel(n):
            values = [0]
            for i in range(n):
                assert values[0] < 3
                values[0] += 1
        """,
    ),
    Trap(
        "element_incremented_right",
        """
        def kernel(n):
            values = [0]
            for i in range(n):
                assert values[0] == i
                values[0] += 1
            assert values[0] == n
        """,
    ),
    Trap(
        "element_of_a_symbolic_list_assigned_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            for i in range(n):
                values[i] = 0
            for i in range(n):
                assert values[i] == i
        """,
    ),
    Trap(
        "elements_swapped_wrong",
        """
        def kernel(n):
            values = [0, 1]
            for i in range(n):
                values[0], values[1] = values[1], values[0]
            assert values[0] == 0
        """,
    ),
    Trap(
        "elements_rotated_by_a_slice_wrong",
        """
        def kernel(n):
            values = [0, 0, 1]
            for i in range(n):
                assert values[0] == 0
                values[:] = values[1:] + values[:1]
        """,
    ),
    Trap(
        "list_reversed_in_place_wrong",
        """
        def kernel(n):
            values = [0, 1]
            for i in range(n):
                values.reverse()
            assert values[0] == 0
        """,
    ),
    Trap(
        "list_sorted_in_place_wrong",
        """
        def kernel(n):
            values = [n, 3]
            values.sort()
            assert values[0] == n
        """,
    ),
    Trap(
        "list_sorted_right",
        """
        def kernel(n):
            values = sorted([n, 3, 5 - n])
            assert values[0] <= values[1]
            assert values[1] <= values[2]
        """,
    ),
    Trap(
        "sorted_wrong",
        """
        def kernel(n, m):
            assert sorted([n, m])[0] == n
        """,
    ),
    Trap(
        "sorted_with_key_wrong",
        """
        def kernel(n, m):
            assert sorted([n, m], key=lambda x: -x, reverse=True)[0] == m
        """,
    ),
    Trap(
        "slice_of_a_symbolic_list_right",
        """
        def kernel(n):
            values = [i for i in range(n)]
            rest = values[1:]
            if n > 0:
                assert len(rest) == n - 1
                for i in range(n - 1):
                    assert rest[i] == i + 1
        """,
    ),
    Trap(
        "slice_of_a_symbolic_list_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            rest = values[1:]
            assert len(rest) == n - 1
        """,
    ),
    Trap(
        "slice_of_a_symbolic_list_with_negative_bound_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert len(values[:-1]) == n
        """,
    ),
    Trap(
        "slice_of_a_symbolic_list_beyond_its_end_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert len(values[:5]) == 5
        """,
    ),
    Trap(
        "slice_of_a_symbolic_list_in_steps_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert len(values[::2]) == n
        """,
    ),
    Trap(
        "symbolic_slice_of_a_concrete_list_wrong",
        """
        def kernel(n):
            values = [0, 1, 2, 3]
            assert len(values[:n]) == n
        """,
    ),
    Trap(
        "slice_is_a_copy_right",
        """
        def kernel(n):
            values = [0]
            copy = values[:]
            for i in range(n):
                copy.append(i)
            assert len(values) == 1
            assert len(copy) == n + 1
        """,
        decided=True,
    ),
    Trap(
        "copy_of_a_list_wrong",
        """
        def kernel(n):
            values = []
            for i in range(n):
                values.append(i)
            copy = list(values)
            copy.append(0)
            assert len(values) == n + 1
        """,
        decided=True,
    ),
    Trap(
        "deep_copy_wrong",
        """
        import copy

        def kernel(n):
            values = [[n]]
            other = copy.deepcopy(values)
            other[0].append(1)
            assert len(values[0]) == 2
        """,
    ),
    # comprehensions and repetition
    Trap(
        "comprehension_right",
        """
        def kernel(n):
            values = [3 * i for i in range(n)]
            assert len(values) == n
            for i in range(n):
                assert values[i] == 3 * i
        """,
        decided=True,
    ),
    Trap(
        "comprehension_wrong",
        """
        def kernel(n):
            values = [3 * i for i in range(n)]
            for i in range(n):
                assert values[i] < 9
        """,
        decided=True,
    ),
    Trap(
        "nested_comprehension_right",
        """
        def kernel(n, m):
            rows = [[i + j for j in range(m)] for i in range(n)]
            assert len(rows) == n
            for i in range(n):
                for j in range(m):
                    assert rows[i][j] == i + j
        """,
        decided=True,
    ),
    Trap(
        "nested_comprehension_wrong",
        """
        def kernel(n, m):
            rows = [[i + j for j in range(m)] for i in range(n)]
            for i in range(n):
                for j in range(m):
                    assert rows[i][j] < 6
        """,
        decided=True,
    ),
    Trap(
        "triangular_comprehension_wrong",
        """
        def kernel(n):
            rows = [[j for j in range(i)] for i in range(n)]
            for i in range(n):
                assert len(rows[i]) < 3
        """,
        decided=True,
    ),
    Trap(
        "comprehension_of_two_loops_wrong",
        """
        def kernel(n, m):
            values = [i + j for i in range(n) for j in range(m)]
            assert len(values) <= 6
        """,
    ),
    Trap(
        "comprehension_with_a_condition_wrong",
        """
        def kernel(n):
            values = [i for i in range(n) if i % 2 == 0]
            assert len(values) == n
        """,
    ),
    Trap(
        "comprehension_with_a_conditional_element_wrong",
        """
        def kernel(n):
            values = [0 if i < 3 else 1 for i in range(n)]
            for i in range(n):
                assert values[i] == 0
        """,
    ),
    Trap(
        "comprehension_with_a_conditional_element_right",
        """
        def kernel(n):
            values = [0 if i < 3 else 1 for i in range(n)]
            for i in range(n):
                assert values[i] <= 1
        """,
    ),
    Trap(
        "comprehension_with_a_side_effect_wrong",
        """
        def kernel(n):
            log = []
            values = [log.append(i) for i in range(n)]
            assert len(log) < 3
        """,
    ),
    Trap(
        "comprehension_that_pops_wrong",
        """
        def kernel(n):
            source = [0, 0, 1, 1, 1, 1, 1]
            values = [source.pop(0) for i in range(n)]
            for i in range(n):
                assert values[i] == 0
        """,
    ),
    Trap(
        "comprehension_that_asserts_wrong",
        """
        def check(i):
            assert i < 3
            return i

        def kernel(n):
            values = [check(i) for i in range(n)]
        """,
    ),
    Trap(
        "comprehension_that_raises_wrong",
        """
        def check(i):
            if i == 3:
                raise ValueError
            return i

        def kernel(n):
            values = [check(i) for i in range(n)]
            assert n < 100
        """,
    ),
    Trap(
        "comprehension_that_raises_handled_wrong",
        """
        def check(i):
            if i == 3:
                raise ValueError
            return i

        def kernel(n):
            ok = True
            try:
                values = [check(i) for i in range(n)]
            except ValueError:
                ok = False
            assert ok
        """,
    ),
    Trap(
        "comprehension_over_a_list_right",
        """
        def kernel(n):
            sizes = [i + 1 for i in range(n)]
            doubled = [2 * size for size in sizes]
            for i in range(n):
                assert doubled[i] == 2 * i + 2
        """,
        decided=True,
    ),
    Trap(
        "comprehension_over_enumerate_right",
        """
        def kernel(n):
            sizes = [i + 1 for i in range(n)]
            values = [position * size for position, size in enumerate(sizes)]
            for i in range(n):
                assert values[i] == i * i + i
        """,
        decided=True,
    ),
    Trap(
        "comprehension_of_a_counter_wrong",
        """
        def kernel(n):
            count = 0
            def following():
                nonlocal count
                count += 1
                return count
            values = [following() for i in range(n)]
            for i in range(n):
                assert values[i] == 1
        """,
    ),
    Trap(
        "comprehension_of_lambdas_wrong",
        """
        def kernel(n):
            functions = [lambda: i for i in range(n)]
            for i in range(n):
                assert functions[i]() == i
        """,
    ),
    Trap(
        "comprehension_variable_does_not_leak_right",
        """
        def kernel(n):
            i = 5
            values = [i for i in range(n)]
            assert i == 5
        """,
        decided=True,
    ),
    Trap(
        "set_comprehension_wrong",
        """
        def kernel(n):
            values = {i % 2 for i in range(n)}
            assert len(values) < 2
        """,
    ),
    Trap(
        "dict_comprehension_wrong",
        """
        def kernel(n):
            values = {i: 2 * i for i in range(n)}
            assert len(values) < 3
        """,
    ),
    Trap(
        "generator_expression_wrong",
        """
        def kernel(n):
            values = list(2 * i for i in range(n))
            assert len(values) < 3
        """,
    ),
    Trap(
        "tuple_of_a_generator_wrong",
        """
        def kernel(n):
            values = tuple(2 * i for i in range(n))
            assert len(values) < 3
        """,
    ),
    Trap(
        "sum_over_a_symbolic_range_wrong",
        """
        def kernel(n):
            assert sum(i for i in range(n)) <= 6
        """,
    ),
    Trap(
        "sum_of_a_symbolic_list_wrong",
        """
        def kernel(n):
            assert sum([i for i in range(n)]) <= 6
        """,
    ),
    Trap(
        "sum_of_a_symbolic_range_itself_wrong",
        """
        def kernel(n):
            assert sum(range(n)) <= 6
        """,
    ),
    Trap(
        "sum_of_a_concrete_list_right",
        """
        def kernel(n):
            assert sum([n, 2, n]) == 2 * n + 2
            assert sum([n, 2], 3) == n + 5
        """,
        decided=True,
    ),
    Trap(
        "max_of_a_symbolic_list_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert max(values, default=0) <= 3
        """,
    ),
    Trap(
        "max_of_a_symbolic_range_wrong",
        """
        def kernel(n):
            if n > 0:
                assert max(range(n)) <= 3
        """,
    ),
    Trap(
        "min_of_an_empty_list_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert min(values) == 0
        """,
    ),
    Trap(
        "max_with_key_wrong",
        """
        def kernel(n, m):
            assert max(n, m, key=lambda x: -x) == n
        """,
    ),
    Trap(
        "any_over_a_symbolic_range_wrong",
        """
        def kernel(n):
            assert not any(i == 3 for i in range(n))
        """,
    ),
    Trap(
        "all_of_a_symbolic_list_wrong",
        """
        def kernel(n):
            assert all([i < 3 for i in range(n)])
        """,
    ),
    Trap(
        "in_over_a_symbolic_list_wrong",
        """
        def kernel(n):
            assert 3 not in [i for i in range(n)]
        """,
    ),
    Trap(
        "in_over_a_concrete_list_right",
        """
        def kernel(n):
            if n in [1, 3]:
                assert n % 2 == 1
            else:
                assert n != 1
        """,
        decided=True,
    ),
    Trap(
        "in_over_a_concrete_tuple_wrong",
        """
        def kernel(n):
            assert n not in (1, 3)
        """,
        decided=True,
    ),
    Trap(
        "in_over_a_set_wrong",
        """
        def kernel(n):
            assert n not in {1, 3}
        """,
    ),
    Trap(
        "in_over_a_dict_wrong",
        """
        def kernel(n):
            assert n not in {1: 2, 3: 4}
        """,
    ),
    Trap(
        "index_of_a_list_wrong",
        """
        def kernel(n):
            assert [0, 3, n].index(n) == 2
        """,
    ),
    Trap(
        "count_of_a_list_wrong",
        """
        def kernel(n):
            assert [0, 3, n].count(n) == 1
        """,
    ),
    Trap(
        "index_of_a_tuple_wrong",
        """
        def kernel(n):
            assert (0, 3, n).index(n) == 2
        """,
    ),
    Trap(
        "remove_from_a_list_wrong",
        """
        def kernel(n):
            values = [3, 7, n]
            values.remove(n)
            assert values[0] == 3
        """,
    ),
    Trap(
        "repeated_list_right",
        """
        def kernel(n):
            values = [5] * n
            assert len(values) == n
            for i in range(n):
                assert values[i] == 5
        """,
        decided=True,
    ),
    Trap(
        "repeated_list_wrong",
        """
        def kernel(n):
            values = [5] * n
            assert len(values) < 4
        """,
        decided=True,
    ),
    Trap(
        "repeated_list_negative_right",
        """
        def kernel(n):
            assert len([5] * (n - 3)) == max(n - 3, 0)
        """,
        decided=True,
    ),
    Trap(
        "repeated_list_negative_wrong",
        """
        def kernel(n):
            assert len([5] * (n - 3)) == n - 3
        """,
        decided=True,
    ),
    Trap(
        "repeated_list_of_two_wrong",
        """
        def kernel(n):
            values = [5, 6] * n
            assert len(values) < 6
        """,
    ),
    Trap(
        "repeated_list_aliases_wrong",
        """
        def kernel(n):
            rows = [[0]] * n
            if n > 1:
                rows[0].append(1)
                assert len(rows[1]) == 1
        """,
    ),
    Trap(
        "repeated_list_element_assigned_wrong",
        """
        def kernel(n):
            values = [0] * n
            for i in range(n):
                values[i] = i
            for i in range(n):
                assert values[i] == 0
        """,
    ),
    Trap(
        "repeated_list_element_assigned_at_a_constant_wrong",
        """
        def kernel(n):
            values = [0] * n
            if n > 2:
                values[2] = 1
                assert values[2] == 0
        """,
    ),
    Trap(
        "repeated_tuple_wrong",
        """
        def kernel(n):
            values = (5,) * n
            assert len(values) < 4
        """,
    ),
    Trap(
        "repeated_text_wrong",
        """
        def kernel(n):
            text = "x" * n
            assert len(text) < 4
        """,
    ),
    Trap(
        "list_of_a_range_right",
        """
        def kernel(n):
            values = list(range(2, n))
            for i in range(len(values)):
                assert values[i] == i + 2
        """,
        decided=True,
    ),
    Trap(
        "tuple_of_a_range_wrong",
        """
        def kernel(n):
            values = tuple(range(n))
            assert len(values) < 4
        """,
    ),
    Trap(
        "unpacked_symbolic_list_wrong",
        """
        def kernel(n):
            first, second = [i for i in range(n)]
        """,
    ),
    Trap(
        "starred_symbolic_list_in_a_call_wrong",
        """
        def count(*values):
            return len(values)

        def kernel(n):
            assert count(*[i for i in range(n)]) < 3
        """,
    ),
    Trap(
        "starred_symbolic_list_in_a_display_wrong",
        """
        def kernel(n):
            values = [0, *range(n)]
            assert len(values) < 4
        """,
    ),
    Trap(
        "lists_compared_wrong",
        """
        def kernel(n):
            assert [i for i in range(n)] != [0, 1, 2]
        """,
    ),
    Trap(
        "lists_compared_with_symbolic_elements_wrong",
        """
        def kernel(n):
            assert [n, 1] != [3, 1]
        """,
        decided=True,
    ),
    Trap(
        "lists_ordered_wrong",
        """
        def kernel(n):
            assert [n, 1] < [3, 2]
        """,
        decided=True,
    ),
    Trap(
        "tuples_compared_wrong",
        """
        def kernel(n):
            assert (n, 1) != (3, 1)
        """,
        decided=True,
    ),
    Trap(
        "tuples_ordered_right",
        """
        def kernel(n, m):
            if (n, 1) < (m, 0):
                assert n < m
            if (n, 0) < (m, 1):
                assert n <= m
        """,
        decided=True,
    ),
    Trap(
        "tuple_indexed_symbolically_wrong",
        """
        def kernel(n):
            sizes = (4, 5, 6)
            if n < 3:
                assert sizes[n] < 6
        """,
    ),
    Trap(
        "concrete_list_indexed_symbolically_right",
        """
        def kernel(n):
            sizes = [4, 5, 6]
            if n < 3:
                assert sizes[n] == n + 4
        """,
    ),
    Trap(
        "concrete_list_indexed_symbolically_wrong",
        """
        def kernel(n):
            sizes = [4, 5, 6]
            assert sizes[n] >= 4
        """,
    ),
    Trap(
        "concrete_list_indexed_in_a_loop_wrong",
        """
        def kernel(n):
            sizes = [4, 5, 6, 7, 8, 9]
            for i in range(n):
                if i < 6:
                    assert sizes[i] < 7
        """,
    ),
    Trap(
        "element_identity",
        """
        def kernel(n):
            rows = [[] for i in range(n)]
            if n > 1:
                assert rows[0] is not rows[1]
        """,
    ),
    Trap(
        "element_identity_of_the_same_wrong",
        """
        def kernel(n):
            rows = [[] for i in range(n)]
            if n > 1:
                assert rows[0] is not rows[0]
        """,
    ),
    Trap(
        "element_identity_of_the_same_right",
        """
        def kernel(n):
            rows = [[] for i in range(n)]
            if n > 1:
                assert rows[0] is rows[0]
        """,
    ),
    # dictionaries, sets, attributes
    Trap(
        "dict_counter_wrong",
        """
        def kernel(n):
            state = {"count": 0}
            for i in range(n):
                assert state["count"] < 3
                state["count"] += 1
        """,
    ),
    Trap(
        "dict_counter_right",
        """
        def kernel(n):
            state = {"count": 0}
            for i in range(n):
                assert state["count"] == i
                state["count"] += 1
            assert state["count"] == n
        """,
    ),
    Trap(
        "dict_keyed_by_a_symbolic_index_wrong",
        """
        def kernel(n):
            table = {}
            for i in range(n):
                table[i] = i
            assert len(table) < 3
        """,
    ),
    Trap(
        "dict_keyed_by_a_dimension_wrong",
        """
        def kernel(n):
            table = {3: 1}
            table[n] = 2
            assert table[3] == 1
        """,
    ),
    Trap(
        "dict_keyed_by_a_fixed_value_right",
        """
        def kernel(n):
            table = {3: 1}
            if n == 3:
                assert table[n] == 1
        """,
        decided=True,
    ),
    Trap(
        "dict_keyed_by_a_tuple_wrong",
        """
        def kernel(n):
            table = {(3, 0): 1}
            assert table.get((n, 0), 2) == 2
        """,
    ),
    Trap(
        "dict_keyed_by_text_of_a_symbolic_int_wrong",
        """
        def kernel(n):
            table = {}
            for i in range(n):
                table[f"tile{i}"] = i
            assert len(table) < 3
        """,
    ),
    Trap(
        "dict_get_wrong",
        """
        def kernel(n):
            assert {0: 1, 1: 2}.get(n, 0) == 0
        """,
    ),
    Trap(
        "dict_setdefault_wrong",
        """
        def kernel(n):
            table = {}
            for i in range(n):
                table.setdefault("first", i)
                assert table["first"] == i
        """,
    ),
    Trap(
        "dict_of_lists_wrong",
        """
        def kernel(n):
            table = {"a": [], "b": []}
            for i in range(n):
                table["a"].append(i)
            assert len(table["a"]) < 3
        """,
    ),
    Trap(
        "dict_of_lists_right",
        """
        def kernel(n):
            table = {"a": [], "b": []}
            for i in range(n):
                table["a"].append(i)
            assert len(table["a"]) == n
            assert len(table["b"]) == 0
        """,
    ),
    Trap(
        "defaultdict_wrong",
        """
        import collections

        def kernel(n):
            table = collections.defaultdict(int)
            for i in range(n):
                table["count"] += 1
            assert table["count"] < 3
        """,
    ),
    Trap(
        "counter_class_wrong",
        """
        import collections

        def kernel(n):
            table = collections.Counter()
            for i in range(n):
                table["count"] += 1
            assert table["count"] < 3
        """,
    ),
    Trap(
        "ordered_dict_moves_wrong",
        """
        import collections

        def kernel(n):
            table = collections.OrderedDict(a=0, b=1)
            for i in range(n):
                table.move_to_end(next(iter(table)))
            assert next(iter(table)) == "a"
        """,
    ),
    Trap(
        "dict_order_of_insertion_wrong",
        """
        def kernel(n):
            table = {"a": 0, "b": 1}
            for i in range(n):
                table["a"] = table.pop("a")
            assert list(table)[0] == "a"
        """,
    ),
    Trap(
        "dict_order_of_insertion_wrong_at_zero",
        """
        def kernel(n):
            table = {"a": 0, "b": 1}
            for i in range(n):
                table["a"] = table.pop("a")
            assert list(table)[0] == "b"
        """,
    ),
    Trap(
        "ordered_dict_moves_wrong_at_zero",
        """
        import collections

        def kernel(n):
            table = collections.OrderedDict(a=0, b=1)
            for i in range(n):
                table.move_to_end("a")
            assert next(iter(table)) == "b"
        """,
    ),
    Trap(
        "dict_popitem_wrong",
        """
        def kernel(n):
            table = {"a": 0, "b": 1, "c": 2}
            for i in range(min(n, 3)):
                table.popitem()
            assert "b" in table
        """,
    ),
    Trap(
        "deque_rotated_wrong",
        """
        import collections

        def kernel(n):
            slots = collections.deque([0, 0, 1])
            for i in range(n):
                assert slots[0] == 0
                slots.rotate(-1)
        """,
    ),
    Trap(
        "set_added_to_wrong",
        """
        def kernel(n):
            seen = set()
            for i in range(n):
                assert "x" not in seen
                seen.add("x")
        """,
    ),
    Trap(
        "set_of_symbolic_ints_wrong",
        """
        def kernel(n):
            seen = {0, 3}
            seen.add(n)
            assert len(seen) == 3
        """,
    ),
    Trap(
        "frozenset_rebound_wrong",
        """
        def kernel(n):
            seen = frozenset()
            for i in range(n):
                assert not seen
                seen = seen | {"x"}
        """,
    ),
    Trap(
        "bytearray_changed_wrong",
        """
        def kernel(n):
            data = bytearray(1)
            for i in range(n):
                assert data[0] == 0
                data[0] = 1
        """,
    ),
    Trap(
        "array_changed_wrong",
        """
        import array

        def kernel(n):
            data = array.array("i", [0])
            for i in range(n):
                assert data[0] == 0
                data[0] = 1
        """,
    ),
    Trap(
        "heap_wrong",
        """
        import heapq

        def kernel(n):
            heap = [1, 2, 3]
            for i in range(n):
                assert heap[0] == 1
                heapq.heapreplace(heap, heap[0] + 1)
        """,
    ),
    Trap(
        "numpy_array_changed_wrong",
        """
        import numpy as np

        def kernel(n):
            data = np.zeros(2, dtype=np.int64)
            for i in range(n):
                assert data[0] == 0
                data[0] = 1
        """,
    ),
    Trap(
        "numpy_array_of_objects_changed_wrong",
        """
        import numpy as np

        def kernel(n):
            data = np.array([0, None], dtype=object)
            for i in range(n):
                assert data[1] is None
                data[1] = i
        """,
    ),
    Trap(
        "namedtuple_replaced_wrong",
        """
        import collections

        Point = collections.namedtuple("Point", "x y")

        def kernel(n):
            point = Point(0, 0)
            for i in range(n):
                assert point.x < 3
                point = point._replace(x=point.x + 1)
        """,
    ),
    Trap(
        "a_list_is_not_less_than_an_equal_one_right",
        """
        def kernel(n):
            one = [n + i for i in range(5)]
            other = [n + i for i in range(5)]
            assert not one < other and not one > other and one == other
            assert one < other + [0] and other + [0] > one
            assert one < [n + i + 1 for i in range(5)]
        """,
    ),
    Trap(
        "a_list_is_less_than_an_equal_one_wrong",
        """
        def kernel(n):
            one = [n + i for i in range(5)]
            assert one < [n + i for i in range(5)]
        """,
    ),
    Trap(
        "a_list_is_at_most_an_equal_one_right",
        """
        def kernel(n):
            one = [n + i for i in range(5)]
            other = [n + i for i in range(5)]
            assert one <= other and one >= other
        """,
    ),
    Trap(
        "iteration_over_a_dict_that_grows_raises_wrong",
        """
        def kernel(n):
            table = {0: 0}
            for key in table:
                if n > 2:
                    table[key + 1] = 0
        """,
    ),
    # tuples of symbolic length
    Trap(
        "tuple_of_objects_appended_right",
        """
        class Tile:
            def __init__(self, size, index):
                self.size, self.index = size, index

        def tiles(total, size):
            found = []
            for i in range((total + size - 1) // size):
                found.append(Tile(min(size, total - i * size), i))
            return tuple(found)

        def kernel(n):
            all_tiles = tiles(n, 4)
            assert isinstance(all_tiles, tuple)
            assert not isinstance(all_tiles, list)
            assert len(all_tiles) == (n + 3) // 4
            for tile in all_tiles:
                assert 1 <= tile.size <= 4
                assert tile.index * 4 + tile.size <= n
            if n:
                assert all_tiles[-1].index == len(all_tiles) - 1
        """,
        decided=True,
    ),
    Trap(
        "tuple_of_objects_appended_wrong",
        """
        class Tile:
            def __init__(self, size):
                self.size = size

        def kernel(n):
            found = []
            for i in range((n + 3) // 4):
                found.append(Tile(min(4, n - i * 4)))
            for tile in tuple(found):
                assert tile.size == 4
        """,
        decided=True,
    ),
    Trap(
        "tuple_is_not_the_list_it_was_made_of",
        """
        def kernel(n):
            found = []
            for i in range(n):
                found.append(i)
            kept = tuple(found)
            found.append(7)
            assert len(kept) == n
            assert len(found) == n + 1
        """,
        decided=True,
    ),
    Trap(
        "tuple_of_symbolic_length_cannot_be_changed",
        """
        def kernel(n):
            kept = tuple([i for i in range(n)])
            kept[0] = 3
        """,
    ),
    Trap(
        "tuple_of_symbolic_length_has_no_append",
        """
        def kernel(n):
            kept = tuple([i for i in range(n)])
            kept.append(3)
        """,
    ),
    Trap(
        "tuples_joined_wrong",
        """
        def kernel(n):
            kept = tuple([i for i in range(n)]) + (5,)
            assert len(kept) == n + 1
            assert kept[n] == 5
            assert kept[0] == 0
        """,
        decided=True,
    ),
    Trap(
        "length_that_conditions_leave_one_value",
        """
        def kernel(n):
            if n < 4 or n > 7:
                return
            kept = []
            for i in range(n // 4):
                kept.append(i + n)
            (only,) = kept
            assert only == n
        """,
        decided=True,
    ),
]


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
