"""Loops that end early, nest, count in odd steps, do not run, or do not end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    # break, continue, return
    Trap(
        "break_right",
        """
        def kernel(n):
            found = 0
            for i in range(n):
                if i == 3:
                    break
                found = i
            assert found <= 2
        """,
    ),
    Trap(
        "break_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i == 3:
                    break
                count += 1
            assert count == n
        """,
    ),
    # a loop below a branch of another one
    Trap(
        "nested_below_if_right",
        """
        def kernel(n, m):
            for i in range(n):
                if i < 5:
                    for j in range(m):
                        assert i * m + j < n * m
        """,
        low=1,
    ),
    Trap(
        "nested_below_if_wrong",
        """
        def kernel(n, m):
            found = 0
            for i in range(n):
                if i < 5:
                    for j in range(m):
                        found = i + j
            assert found < 9
        """,
    ),
    Trap(
        "augmented_below_if_right",
        """
        def kernel(n):
            for i in range(n):
                if i > 1:
                    counts = [0, i]
                    counts[0] += i
                    assert counts[0] == i
        """,
    ),
    Trap(
        "deleted_below_if_wrong",
        """
        def kernel(n):
            here = 1
            for i in range(n):
                if i == 3:
                    del here
            assert here == 1
        """,
    ),
    Trap(
        "break_in_the_first_iteration_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                count += 1
                break
            assert count == n
        """,
    ),
    Trap(
        "break_never_taken_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i > n:
                    break
                count += 1
            assert count == n
        """,
        decided=True,
    ),
    Trap(
        "break_with_else_wrong",
        """
        def kernel(n):
            for i in range(n):
                if i == 3:
                    break
            else:
                assert n < 3
            assert n != 5
        """,
    ),
    Trap(
        "break_with_else_right",
        """
        def kernel(n):
            for i in range(n):
                if i == 3:
                    break
            else:
                assert n <= 3
        """,
    ),
    Trap(
        "else_of_a_loop_right",
        """
        def kernel(n):
            done = False
            for i in range(n):
                assert i < n
            else:
                done = True
            assert done
        """,
        decided=True,
    ),
    Trap(
        "else_of_a_loop_wrong",
        """
        def kernel(n):
            for i in range(n):
                assert i < n
            else:
                assert n < 3
        """,
        decided=True,
    ),
    Trap(
        "break_of_an_inner_loop_right",
        """
        def kernel(n, m):
            for i in range(n):
                for j in range(m):
                    if j == i:
                        break
                    assert j < i
        """,
    ),
    Trap(
        "break_of_an_inner_loop_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                last = 0
                for j in range(m):
                    if j == 2:
                        break
                    last = j + 1
                assert last == m
        """,
    ),
    Trap(
        "break_of_a_concrete_inner_loop_right",
        """
        def kernel(n):
            for i in range(n):
                for j in range(3):
                    if j == 1:
                        break
                assert j == 1
        """,
    ),
    Trap(
        "break_of_a_concrete_inner_loop_wrong",
        """
        def kernel(n):
            for i in range(n):
                for j in range(3):
                    if j == i:
                        break
                assert j == i
        """,
    ),
    Trap(
        "continue_right",
        """
        def kernel(n):
            for i in range(n):
                if i % 2 == 0:
                    continue
                assert i >= 1
        """,
        decided=True,
    ),
    Trap(
        "continue_wrong",
        """
        def kernel(n):
            for i in range(n):
                if i < 3:
                    continue
                assert i < 3
        """,
        decided=True,
    ),
    Trap(
        "continue_that_skips_the_count_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                if i == 2:
                    continue
                count += 1
            assert count == n
        """,
    ),
    Trap(
        "continue_after_the_count_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                count += 1
                if i == 2:
                    continue
                assert count != 3
            assert count == n
        """,
        decided=True,
    ),
    Trap(
        "return_in_the_loop_wrong",
        """
        def search(n):
            for i in range(n):
                if i == 2:
                    return i
            return 0

        def kernel(n):
            assert search(n) == 0
        """,
    ),
    Trap(
        "return_in_the_loop_right",
        """
        def search(n):
            for i in range(n):
                if i == 2:
                    return i
            return 0

        def kernel(n):
            assert search(n) <= 2
        """,
    ),
    Trap(
        "return_in_the_loop_of_the_kernel_wrong",
        """
        def kernel(n):
            for i in range(n):
                if i == 2:
                    return
            assert n < 2
            assert n < 1
        """,
    ),
    Trap(
        "return_in_an_inner_loop_wrong",
        """
        def search(n, m):
            for i in range(n):
                for j in range(m):
                    if i + j == 3:
                        return i
            return 0

        def kernel(n, m):
            assert search(n, m) == 0
        """,
    ),
    Trap(
        "return_in_every_iteration_wrong",
        """
        def first(n):
            for i in range(n):
                return i
            return -1

        def kernel(n):
            assert first(n) == -1
        """,
    ),
    # nesting
    Trap(
        "inner_bound_depends_on_the_outer_index_right",
        """
        def kernel(n):
            for i in range(n):
                for j in range(i):
                    assert j < n - 1
        """,
        decided=True,
    ),
    Trap(
        "inner_bound_depends_on_the_outer_index_wrong",
        """
        def kernel(n):
            for i in range(n):
                for j in range(i + 1):
                    assert j < n - 1
        """,
        decided=True,
    ),
    Trap(
        "inner_range_from_the_outer_index_right",
        """
        def kernel(n):
            for i in range(n):
                for j in range(i, n):
                    assert j >= i
                    assert n - j <= n - i
        """,
        decided=True,
    ),
    Trap(
        "inner_range_in_steps_of_the_outer_index",
        """
        def kernel(n):
            for i in range(1, n):
                for j in range(0, n, i):
                    assert j % i == 0
        """,
    ),
    Trap(
        "three_nested_loops_wrong",
        """
        def kernel(n):
            for i in range(n):
                for j in range(i):
                    for k in range(j):
                        assert k < 2
        """,
        decided=True,
    ),
    Trap(
        "list_of_the_outer_loop_read_in_the_inner_right",
        """
        def kernel(n, m):
            sizes = []
            for i in range(n):
                sizes.append(i + 1)
            for i in range(n):
                for j in range(sizes[i]):
                    assert j <= i
        """,
        decided=True,
    ),
    Trap(
        "list_of_the_outer_loop_read_in_the_inner_wrong",
        """
        def kernel(n, m):
            sizes = []
            for i in range(n):
                sizes.append(i + 1)
            for i in range(n):
                for j in range(sizes[i]):
                    assert j < i
        """,
        decided=True,
    ),
    Trap(
        "two_branches_in_two_loops_right",
        """
        def kernel(n):
            for i in range(n):
                if i % 2 == 0:
                    width = 2
                else:
                    width = 3
                assert 2 <= width <= 3
            for i in range(n):
                if i % 3 == 0:
                    width = 3
                else:
                    width = 4
                assert 3 <= width <= 4
        """,
        decided=True,
    ),
    Trap(
        "branch_on_a_dimension_in_a_loop_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                if m > 3:
                    width = 5
                else:
                    width = m
                assert width <= 4
        """,
        decided=True,
    ),
    Trap(
        "branch_in_a_loop_kept_after_it_wrong",
        """
        def kernel(n):
            width = 0
            for i in range(n):
                if i < 3:
                    width = 1
                else:
                    width = 2
            assert width <= 1
        """,
    ),
    Trap(
        "branch_in_a_loop_kept_after_it_right",
        """
        def kernel(n):
            width = 1
            for i in range(n):
                if i < 3:
                    width = 1
                else:
                    width = 2
            assert width == (2 if n > 3 else 1)
        """,
    ),
    Trap(
        "condition_in_the_loop_forgotten_after_it_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                if m > 3:
                    continue
                assert m <= 3
            assert m <= 3
        """,
        decided=True,
    ),
    # ranges
    Trap(
        "range_with_symbolic_start_right",
        """
        def kernel(n, m):
            for i in range(n, m):
                assert n <= i < m
        """,
        decided=True,
    ),
    Trap(
        "range_with_symbolic_start_that_may_be_empty_wrong",
        """
        def kernel(n, m):
            count = 0
            for i in range(n, m):
                count += 1
            assert count == m - n
        """,
        decided=True,
    ),
    Trap(
        "range_with_symbolic_start_count_right",
        """
        def kernel(n, m):
            count = 0
            for i in range(n, m):
                count += 1
            assert count == max(m - n, 0)
        """,
        decided=True,
    ),
    Trap(
        "range_in_steps_right",
        """
        def kernel(n):
            count = 0
            for i in range(0, n, 3):
                assert i == 3 * count
                assert i < n
                count += 1
            assert 3 * count >= n
            assert 3 * count < n + 3
        """,
        decided=True,
    ),
    Trap(
        "range_in_steps_wrong",
        """
        def kernel(n):
            for i in range(0, n, 3):
                assert i + 3 <= n
        """,
        decided=True,
    ),
    Trap(
        "range_downwards_right",
        """
        def kernel(n):
            for i in range(n - 1, -1, -1):
                assert 0 <= i < n
        """,
        decided=True,
    ),
    Trap(
        "range_downwards_wrong",
        """
        def kernel(n):
            for i in range(n, -1, -1):
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "range_downwards_in_steps_right",
        """
        def kernel(n):
            count = 0
            for i in range(n, 0, -2):
                assert i == n - 2 * count
                assert i > 0
                count += 1
            assert 2 * count >= n
            assert 2 * count <= n + 1
        """,
        decided=True,
    ),
    Trap(
        "range_downwards_in_steps_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n, 0, -2):
                count += 1
            assert 2 * count == n
        """,
        decided=True,
    ),
    Trap(
        "range_upwards_with_a_negative_step_right",
        """
        def kernel(n):
            for i in range(0, n, -1):
                assert False
            assert n >= 0
        """,
        decided=True,
    ),
    Trap(
        "range_with_a_symbolic_step",
        """
        def kernel(n, step):
            for i in range(0, n, step):
                assert i % step == 0
        """,
        low=1,
        tried=range(1, 6),
    ),
    Trap(
        "range_with_step_zero_wrong",
        """
        def kernel(n):
            for i in range(0, n, 0):
                pass
        """,
    ),
    Trap(
        "range_over_a_negative_bound_right",
        """
        def kernel(n):
            for i in range(n - 3):
                assert n > 3
        """,
        decided=True,
    ),
    Trap(
        "range_over_a_negative_bound_count_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n - 3):
                count += 1
            assert count == n - 3
        """,
        decided=True,
    ),
    Trap(
        "range_of_a_quotient_right",
        """
        def kernel(n):
            for i in range((n + 3) // 4):
                assert 4 * i < n
        """,
        decided=True,
    ),
    Trap(
        "range_of_a_quotient_wrong",
        """
        def kernel(n):
            for i in range((n + 3) // 4):
                assert 4 * i + 4 <= n
        """,
        decided=True,
    ),
    Trap(
        "range_attributes",
        """
        def kernel(n):
            steps = range(2, n, 3)
            assert steps.start == 2
            assert steps.stop == n
            assert steps.step == 3
        """,
    ),
    Trap(
        "range_length_right",
        """
        def kernel(n):
            assert len(range(n)) == n
            assert 3 * len(range(0, n, 3)) >= n
        """,
        decided=True,
    ),
    Trap(
        "range_length_of_an_empty_range_wrong",
        """
        def kernel(n):
            assert len(range(5, n)) == n - 5
        """,
        decided=True,
    ),
    Trap(
        "range_element_right",
        """
        def kernel(n):
            steps = range(2, n + 3, 1)
            assert steps[0] == 2
            assert steps[n] == n + 2
            assert steps[-1] == n + 2
        """,
    ),
    Trap(
        "range_element_out_of_bounds_wrong",
        """
        def kernel(n):
            assert range(n)[2] == 2
        """,
    ),
    Trap(
        "range_membership_right",
        """
        def kernel(n, m):
            if m in range(n):
                assert m < n
            else:
                assert m >= n
        """,
        decided=True,
    ),
    Trap(
        "range_membership_in_steps_wrong",
        """
        def kernel(n):
            assert n not in range(0, 10, 3)
        """,
        decided=True,
    ),
    Trap(
        "range_membership_in_steps_right",
        """
        def kernel(n):
            if n in range(1, 100, 3):
                assert n % 3 == 1
        """,
        decided=True,
    ),
    Trap(
        "range_compared",
        """
        def kernel(n):
            assert range(n) == range(0, n)
        """,
    ),
    Trap(
        "range_compared_wrong",
        """
        def kernel(n):
            assert range(n) != range(3)
        """,
    ),
    Trap(
        "empty_ranges_compared_right",
        """
        def kernel(n):
            assert range(5, 5 - n) == range(0)
        """,
    ),
    Trap(
        "range_truth_wrong",
        """
        def kernel(n):
            assert range(n)
        """,
    ),
    Trap(
        "range_reversed_right",
        """
        def kernel(n):
            count = 0
            for i in reversed(range(n)):
                assert i == n - 1 - count
                count += 1
        """,
        decided=True,
    ),
    Trap(
        "range_sliced",
        """
        def kernel(n):
            for i in range(n)[1:]:
                assert i >= 1
        """,
    ),
    Trap(
        "range_unpacked_wrong",
        """
        def kernel(n):
            first, *rest = range(n)
            assert first == 0
        """,
    ),
    Trap(
        "range_index_method_wrong",
        """
        def kernel(n):
            assert range(n).index(3) == 3
        """,
    ),
    Trap(
        "range_count_method_wrong",
        """
        def kernel(n):
            assert range(n).count(3) == 0
        """,
    ),
    Trap(
        "range_as_an_argument_twice_right",
        """
        def kernel(n):
            steps = range(n)
            for i in steps:
                for j in steps:
                    assert i + j <= 2 * n - 2
        """,
        decided=True,
    ),
    # zero and few iterations
    Trap(
        "loop_that_may_not_run_wrong",
        """
        def kernel(n):
            ran = False
            for i in range(n):
                ran = True
            assert ran
        """,
        decided=True,
    ),
    Trap(
        "loop_that_may_not_run_right",
        """
        def kernel(n):
            ran = False
            for i in range(n):
                ran = True
            assert ran or n == 0
        """,
        decided=True,
    ),
    Trap(
        "loop_with_at_most_one_iteration_right",
        """
        def kernel(n):
            for i in range(min(n, 1)):
                assert i == 0
        """,
        decided=True,
    ),
    Trap(
        "loop_with_at_most_three_iterations_wrong",
        """
        def kernel(n):
            x = 1
            for i in range(min(n, 3)):
                x = x * 2
            assert x <= 4
        """,
    ),
    Trap(
        "loop_with_at_most_three_iterations_right",
        """
        def kernel(n):
            x = 1
            for i in range(min(n, 3)):
                x = x * 2
            assert x <= 8
        """,
    ),
    Trap(
        "concrete_loop_with_state_wrong",
        """
        def kernel(n):
            x = n
            for i in range(3):
                x = x * 2
            assert x != 40
        """,
        decided=True,
    ),
    Trap(
        "long_concrete_loop_with_state_right",
        """
        def kernel(n):
            x = 0
            for i in range(100):
                x = max(x, i)
            assert x == 99
            assert n >= 0
        """,
    ),
    Trap(
        "long_concrete_loop_with_state_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(100):
                x = max(x, i)
            assert x < 99
            assert n >= 0
        """,
    ),
    Trap(
        "long_concrete_loop_that_breaks_right",
        """
        def kernel(n):
            for i in range(100):
                if i == 50:
                    break
            assert i == 50
            assert n >= 0
        """,
    ),
    # while
    Trap(
        "while_right",
        """
        def kernel(n):
            i = 0
            while i < n:
                assert i < n
                i += 1
            assert i == n
        """,
    ),
    Trap(
        "while_wrong",
        """
        def kernel(n):
            i = 0
            while i < n:
                i += 2
            assert i == n
        """,
    ),
    Trap(
        "while_as_often_as_the_bound_wrong",
        """
        def kernel(n):
            k = 0
            while k < n:
                k += 1
            assert k != 4
        """,
        unwind=4,
    ),
    Trap(
        "while_that_does_not_end",
        """
        def kernel(n):
            i = 0
            while i >= 0:
                i += 1
            assert False
        """,
        tried=range(0),
        seconds=1.0,
    ),
    Trap(
        "while_true_without_end",
        """
        def kernel(n):
            while True:
                pass
            assert False
        """,
        tried=range(0),
        seconds=1.0,
    ),
    Trap(
        "while_true_with_break_wrong",
        """
        def kernel(n):
            i = 0
            while True:
                if i >= n:
                    break
                i += 1
            assert i < 4
        """,
        seconds=2.0,
    ),
    Trap(
        "while_with_else_wrong",
        """
        def kernel(n):
            i = 0
            while i < n:
                i += 1
                if i == 3:
                    break
            else:
                assert n < 3
                assert n < 2
        """,
    ),
    Trap(
        "while_with_continue_wrong",
        """
        def kernel(n):
            i = 0
            odd = 0
            while i < n:
                i += 1
                if i % 2 == 0:
                    continue
                odd += 1
            assert odd <= 2
        """,
    ),
    Trap(
        "while_in_a_loop_wrong",
        """
        def kernel(n):
            for i in range(n):
                j = i
                while j > 0:
                    j -= 1
                    assert j < 3
        """,
    ),
    Trap(
        "while_that_halves_wrong",
        """
        def kernel(n):
            steps = 0
            while n > 1:
                n = n // 2
                steps += 1
            assert steps <= 1
        """,
    ),
    Trap(
        "while_over_the_length_of_a_list_wrong",
        """
        def kernel(n):
            values = []
            while len(values) < n:
                values.append(1)
            assert len(values) <= 3
        """,
    ),
    Trap(
        "while_that_pops_a_list_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            count = 0
            while values:
                values.pop()
                count += 1
            assert count <= 3
        """,
    ),
    Trap(
        "while_that_fails_late",
        """
        def kernel(n):
            i = 0
            while i < n:
                assert i < 12
                i += 1
        """,
        tried=range(15),
        unwind=4,
    ),
    Trap(
        "loop_that_fails_late",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                assert x < 12
                x = x + 1 if x < 20 else 0
        """,
        tried=range(15),
        unwind=4,
    ),
    Trap(
        "loop_that_breaks_late",
        """
        def kernel(n):
            for i in range(n):
                if i == 12:
                    break
            assert i != 12 if n else True
        """,
        tried=range(15),
        unwind=4,
    ),
    Trap(
        "comprehension_that_fails_late",
        """
        def kernel(n):
            values = [i for i in range(n) if i != 10]
            assert len(values) == n
        """,
        tried=range(15),
        unwind=4,
    ),
    Trap(
        "generator_expression_that_fails_late",
        """
        def kernel(n):
            assert all(i < 10 for i in range(n))
        """,
        tried=range(15),
        unwind=4,
    ),
    # other iteration
    Trap(
        "iterator_advanced_by_hand_wrong",
        """
        def kernel(n):
            steps = iter([0, 1, 2, 3, 4, 5, 6])
            for i in range(n):
                assert next(steps) == 0
        """,
    ),
    Trap(
        "iterator_advanced_by_hand_right",
        """
        def kernel(n):
            steps = iter([0, 0, 0, 0, 0, 0, 0, 0])
            for i in range(min(n, 7)):
                assert next(steps) == 0
        """,
    ),
    Trap(
        "iterator_that_ends_wrong",
        """
        def kernel(n):
            steps = iter([0, 0, 0])
            for i in range(n):
                assert next(steps, 1) == 0
        """,
    ),
    Trap(
        "iterator_of_a_symbolic_range_advanced_by_hand_wrong",
        """
        def kernel(n):
            steps = iter(range(n))
            for i in range(n):
                j = next(steps)
                assert j == 0
        """,
    ),
    Trap(
        "iterator_of_a_generator_advanced_by_hand_wrong",
        """
        def kernel(n):
            steps = (j for j in [0, 0, 0, 1, 2])
            for i in range(n):
                assert next(steps, 0) == 0
        """,
    ),
    Trap(
        "itertools_count_advanced_by_hand_wrong",
        """
        import itertools

        def kernel(n):
            steps = itertools.count()
            for i in range(n):
                assert next(steps) == 0
        """,
    ),
    Trap(
        "itertools_cycle_wrong",
        """
        import itertools

        def kernel(n):
            steps = itertools.cycle([0, 0, 1])
            for i in range(n):
                assert next(steps) == 0
        """,
    ),
    Trap(
        "itertools_product_of_symbolic_ranges_wrong",
        """
        import itertools

        def kernel(n):
            for i, j in itertools.product(range(n), range(n)):
                assert i + j < 4
        """,
    ),
    Trap(
        "itertools_chain_wrong",
        """
        import itertools

        def kernel(n):
            for i in itertools.chain(range(n), [7]):
                assert i < 7
        """,
    ),
    Trap(
        "itertools_accumulate_wrong",
        """
        import itertools

        def kernel(n):
            for total in itertools.accumulate([i for i in range(n)]):
                assert total <= 3
        """,
    ),
    Trap(
        "itertools_islice_wrong",
        """
        import itertools

        def kernel(n):
            for i in itertools.islice(itertools.count(), n):
                assert i < 3
        """,
    ),
    Trap(
        "functools_reduce_wrong",
        """
        import functools

        def kernel(n):
            total = functools.reduce(lambda a, b: a + b, [i for i in range(n)], 0)
            assert total <= 3
        """,
    ),
    Trap(
        "map_over_a_symbolic_range_wrong",
        """
        def kernel(n):
            for i in map(lambda i: 2 * i, range(n)):
                assert i < 6
        """,
    ),
    Trap(
        "filter_over_a_symbolic_range_wrong",
        """
        def kernel(n):
            for i in filter(lambda i: i > 2, range(n)):
                assert i < 4
        """,
    ),
    Trap(
        "lazy_map_wrong",
        """
        def kernel(n):
            calls = []
            lazy = map(calls.append, [1, 2, 3])
            assert len(calls) == 3
        """,
    ),
    Trap(
        "lazy_filter_wrong",
        """
        def kernel(n):
            limit = 0
            lazy = filter(lambda x: x > limit, [1, 2, 3])
            limit = 2
            assert len(list(lazy)) == 3
        """,
    ),
    Trap(
        "lazy_generator_expression_right",
        """
        def kernel(n):
            limit = 0
            lazy = (x for x in [1, 2, 3] if x > limit)
            limit = 2
            assert len(list(lazy)) == 1
        """,
    ),
    Trap(
        "enumerate_right",
        """
        def kernel(n):
            for position, i in enumerate(range(3, n)):
                assert i == position + 3
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "enumerate_from_a_start_right",
        """
        def kernel(n):
            for position, i in enumerate(range(n), start=5):
                assert position == i + 5
        """,
        decided=True,
    ),
    Trap(
        "enumerate_wrong",
        """
        def kernel(n):
            for position, i in enumerate(range(3, n)):
                assert position < 2
        """,
        decided=True,
    ),
    Trap(
        "zip_right",
        """
        def kernel(n, m):
            for i, j in zip(range(n), range(1, m)):
                assert j == i + 1
                assert i < n
                assert j < m
        """,
        decided=True,
    ),
    Trap(
        "zip_wrong",
        """
        def kernel(n, m):
            for i, j in zip(range(n), range(m)):
                assert i < 3
        """,
        decided=True,
    ),
    Trap(
        "zip_with_a_concrete_list_wrong",
        """
        def kernel(n):
            for i, j in zip(range(n), [0, 0, 1]):
                assert j == 0
        """,
    ),
    Trap(
        "zip_with_a_concrete_list_right",
        """
        def kernel(n):
            for i, j in zip(range(n), [0, 1, 2]):
                assert j == i
        """,
    ),
    Trap(
        "zip_counts_right",
        """
        def kernel(n, m):
            count = 0
            for i, j in zip(range(n), range(m)):
                count += 1
            assert count == min(n, m)
        """,
        decided=True,
    ),
    Trap(
        "zip_strict_wrong",
        """
        def kernel(n, m):
            for i, j in zip(range(n), range(m), strict=True):
                pass
        """,
        decided=True,
    ),
    Trap(
        "zip_strict_right",
        """
        def kernel(n, m):
            for i, j in zip(range(n), range(m, m + n), strict=True):
                assert j == i + m
        """,
        decided=True,
    ),
    Trap(
        "zip_of_one_iterator_twice_wrong",
        """
        def kernel(n):
            steps = iter([0, 1, 2, 3])
            for a, b in zip(steps, steps):
                assert a == b
        """,
    ),
    Trap(
        "zip_of_a_range_and_itself_right",
        """
        def kernel(n):
            steps = range(n)
            for a, b in zip(steps, steps):
                assert a == b
        """,
        decided=True,
    ),
    Trap(
        "enumerate_of_zip_wrong",
        """
        def kernel(n, m):
            for position, (i, j) in enumerate(zip(range(n), range(2, m))):
                assert i + j == 2 * position + 2
                assert position < 3
        """,
        decided=True,
    ),
    Trap(
        "reversed_enumerate_raises_wrong",
        """
        def kernel(n):
            for pair in reversed(enumerate(range(n))):
                pass
        """,
    ),
    Trap(
        "dict_iteration_wrong",
        """
        def kernel(n):
            sizes = {0: 1, 1: 2, 2: 4}
            total = 0
            for key, size in sizes.items():
                if n > key:
                    total += size
            assert total <= 3
        """,
        decided=True,
    ),
    Trap(
        "set_iteration_right",
        """
        def kernel(n):
            total = 0
            for size in {1, 2, 4}:
                total += size * n
            assert total == 7 * n
        """,
        decided=True,
    ),
    Trap(
        "iteration_over_text_right",
        """
        def kernel(n):
            total = 0
            for letter in "abc":
                total += n
            assert total == 3 * n
        """,
        decided=True,
    ),
    Trap(
        "iteration_over_the_concrete_list_that_grows_wrong",
        """
        def kernel(n):
            values = [0]
            for value in values:
                if value < 3 and value < n:
                    values.append(value + 1)
            assert len(values) < 4
        """,
    ),
    Trap(
        "affine_range_right",
        """
        def kernel(n):
            for i in nl.affine_range(n):
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "affine_range_wrong",
        """
        def kernel(n):
            count = 0
            for i in nl.affine_range(n):
                assert count < 3
                count += 1
        """,
        decided=True,
    ),
    Trap(
        "sequential_range_with_state_wrong",
        """
        def kernel(n):
            best = 0
            for i in nl.sequential_range(n):
                best = max(best, i)
            assert best < 3
        """,
    ),
    Trap(
        "static_range_of_a_symbolic_bound_wrong",
        """
        def kernel(n):
            for i in nl.static_range(n):
                assert i < 3
        """,
    ),
    # names that a loop of known length binds
    Trap(
        "flag_set_in_some_iteration_right",
        """
        def kernel(n):
            seen = False
            for i in range(4):
                if n > i:
                    seen = True
            assert seen == (n > 0)
        """,
        decided=True,
    ),
    Trap(
        "flag_set_in_some_iteration_wrong",
        """
        def kernel(n):
            seen = False
            for i in range(4):
                if n > i:
                    seen = True
            assert seen == (n > 1)
        """,
        decided=True,
    ),
    Trap(
        "flag_of_a_called_function_within_a_loop_wrong",
        """
        def found(n, start):
            there = False
            for i in range(3):
                for j in range(2):
                    if start + i + j == n:
                        there = True
            return there

        def kernel(n):
            count = 0
            for start in range(2):
                if found(n, 2 * start):
                    assert n != 5
        """,
    ),
]


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
