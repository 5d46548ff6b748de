"""Host arithmetic, types and text: what Python says of ordinary ints is what is concluded about symbolic ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    # integer arithmetic
    Trap(
        "floor_division_of_negatives_right",
        """
        def kernel(n):
            assert -n // 2 == -((n + 1) // 2)
        """,
        decided=True,
    ),
    Trap(
        "floor_division_of_negatives_wrong",
        """
        def kernel(n):
            assert -n // 2 == -(n // 2)
        """,
        decided=True,
    ),
    Trap(
        "modulo_of_negatives_right",
        """
        def kernel(n):
            assert 0 <= -n % 4 < 4
            assert (-n % 4 + n) % 4 == 0
        """,
        decided=True,
    ),
    Trap(
        "modulo_of_negatives_wrong",
        """
        def kernel(n):
            assert -n % 4 == n % 4
        """,
        decided=True,
    ),
    Trap(
        "division_by_a_negative_right",
        """
        def kernel(n):
            assert n // -2 == -n // 2
            assert -2 < n % -2 <= 0
        """,
        decided=True,
    ),
    Trap(
        "division_by_a_negative_wrong",
        """
        def kernel(n):
            assert n % -3 == n % 3
        """,
        decided=True,
    ),
    Trap(
        "divmod_right",
        """
        def kernel(n):
            q, r = divmod(n, 7)
            assert 7 * q + r == n
            assert 0 <= r < 7
        """,
        decided=True,
    ),
    Trap(
        "divmod_of_a_constant_wrong",
        """
        def kernel(n):
            q, r = divmod(20, n + 1)
            assert r != 6
        """,
        tried=range(16),
    ),
    Trap(
        "remainder_by_a_dimension_right",
        """
        def kernel(n, m):
            if m > 0:
                assert n % m < m
                assert n // m <= n
        """,
    ),
    Trap(
        "remainder_by_a_dimension_wrong",
        """
        def kernel(n, m):
            if m > 0:
                assert n % m < 4
        """,
    ),
    Trap(
        "round_up_right",
        """
        def kernel(n):
            assert (n + 127) // 128 * 128 >= n
            assert (n + 127) // 128 * 128 < n + 128
        """,
        decided=True,
    ),
    Trap(
        "round_up_wrong",
        """
        def kernel(n):
            assert n // 128 * 128 >= n
        """,
        decided=True,
    ),
    Trap(
        "nested_quotients_right",
        """
        def kernel(n):
            assert n // 2 // 3 == n // 6
        """,
        decided=True,
    ),
    Trap(
        "nested_quotients_wrong",
        """
        def kernel(n):
            assert (n + 1) // 2 // 3 == n // 6
        """,
        decided=True,
    ),
    Trap(
        "power_right",
        """
        def kernel(n):
            assert n ** 2 == n * n
            assert n ** 0 == 1
            assert n ** 3 >= n
        """,
    ),
    Trap(
        "power_with_symbolic_exponent_wrong",
        """
        def kernel(n):
            assert 2 ** n < 8
        """,
    ),
    Trap(
        "negative_power_wrong",
        """
        def kernel(n):
            assert (n + 1) ** -1 == 1
        """,
    ),
    Trap(
        "shifts_right",
        """
        def kernel(n):
            assert n << 3 == 8 * n
            assert n >> 2 == n // 4
            assert -n >> 1 == -n // 2
        """,
        decided=True,
    ),
    Trap(
        "shift_by_a_symbolic_count_wrong",
        """
        def kernel(n):
            assert 1 << n < 8
        """,
    ),
    Trap(
        "and_right",
        """
        def kernel(n):
            assert n & 7 == n % 8
            assert -n & 7 == -n % 8
        """,
        decided=True,
    ),
    Trap(
        "and_with_a_mask_that_is_no_remainder_wrong",
        """
        def kernel(n):
            assert n & 6 != 4
        """,
    ),
    Trap(
        "power_of_two_test_wrong",
        """
        def kernel(n):
            assert n & (n - 1) != 0
        """,
    ),
    Trap(
        "or_and_xor_wrong",
        """
        def kernel(n):
            assert n | 1 == n
            assert n ^ 1 == n + 1
        """,
    ),
    Trap(
        "invert_right",
        """
        def kernel(n):
            assert ~n == -n - 1
        """,
        decided=True,
    ),
    Trap(
        "abs_right",
        """
        def kernel(n):
            assert abs(n - 3) >= 0
            assert abs(n - 3) >= 3 - n
            assert abs(3 - n) == abs(n - 3)
        """,
    ),
    Trap(
        "abs_wrong",
        """
        def kernel(n):
            assert abs(n - 3) == n - 3
        """,
        decided=True,
    ),
    Trap(
        "min_and_max_right",
        """
        def kernel(n, m):
            assert min(n, m) + max(n, m) == n + m
            assert min(n, m) <= max(n, m, 3)
        """,
    ),
    Trap(
        "min_wrong",
        """
        def kernel(n, m):
            assert min(n, m, 4) == min(n, m)
        """,
        decided=True,
    ),
    Trap(
        "bit_length_wrong",
        """
        def kernel(n):
            assert n.bit_length() < 3
        """,
    ),
    Trap(
        "to_bytes_wrong",
        """
        def kernel(n):
            assert n.to_bytes(4, "little")[0] < 3
        """,
    ),
    Trap(
        "as_integer_ratio_wrong",
        """
        def kernel(n):
            assert n.as_integer_ratio()[0] < 3
        """,
    ),
    Trap(
        "numerator_and_real_right",
        """
        def kernel(n):
            assert n.numerator == n
            assert n.denominator == 1
            assert n.real == n
            assert n.imag == 0
        """,
        decided=True,
    ),
    Trap(
        "gcd_wrong",
        """
        import math

        def kernel(n):
            assert math.gcd(n, 4) < 4
        """,
    ),
    Trap(
        "sign_flips_in_a_loop_right",
        """
        def kernel(n):
            for i in range(n):
                assert (-1) * i <= 0
                assert (i - n) // 2 < 0
        """,
        decided=True,
    ),
    Trap(
        "comparison_chain_right",
        """
        def kernel(n):
            if 1 <= n <= 3:
                assert n in (1, 2, 3)
            if not 1 <= n <= 3:
                assert n == 0 or n > 3
        """,
        decided=True,
    ),
    Trap(
        "parity_right",
        """
        def kernel(n):
            assert n * (n + 1) % 2 == 0
        """,
    ),
    Trap(
        "parity_wrong",
        """
        def kernel(n):
            assert n * n % 2 == 0
        """,
    ),
    Trap(
        "zero_times_a_quotient_by_zero_wrong",
        """
        def kernel(n):
            x = 0 * (12 // n)
            assert x == 0
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "quotient_by_zero_that_cancels_wrong",
        """
        def kernel(n):
            x = 12 % n - 12 % n
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "quotient_by_itself_wrong",
        """
        def kernel(n):
            assert n // n == 1
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "product_divided_by_its_factor_wrong",
        """
        def kernel(n, m):
            assert n * m // m == n
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "remainder_of_a_product_by_its_factor_wrong",
        """
        def kernel(n, m):
            assert n * m % m == 0
        """,
        decided=True,
        phase=2,
    ),
    # true division and floats
    Trap(
        "int_of_a_quotient_right",
        """
        def kernel(n):
            assert int(n / 2) == n // 2
            assert int(-n / 2) == -(n // 2)
        """,
        decided=True,
    ),
    Trap(
        "int_of_a_quotient_wrong",
        """
        def kernel(n):
            assert int((n - 3) / 2) == (n - 3) // 2
        """,
        decided=True,
    ),
    Trap(
        "ceil_and_floor_right",
        """
        import math

        def kernel(n):
            assert math.ceil(n / 4) == (n + 3) // 4
            assert math.floor(n / 4) == n // 4
            assert math.ceil((n - 9) / 4) == -((9 - n) // 4)
            assert math.trunc((n - 9) / 4) >= math.floor((n - 9) / 4)
        """,
    ),
    Trap(
        "ceil_wrong",
        """
        import math

        def kernel(n):
            assert math.ceil(n / 4) == n // 4
        """,
    ),
    Trap(
        "ceil_in_a_loop_bound_right",
        """
        import math

        def kernel(n):
            for i in range(math.ceil(n / 128)):
                assert 128 * i < n
        """,
    ),
    Trap(
        "round_of_a_quotient_wrong",
        """
        def kernel(n):
            assert round(n / 2) == (n + 1) // 2
        """,
    ),
    Trap(
        "round_of_an_int_right",
        """
        def kernel(n):
            assert round(n) == n
        """,
        decided=True,
    ),
    Trap(
        "round_to_tens_wrong",
        """
        def kernel(n):
            assert round(n, -1) == 0
        """,
    ),
    Trap(
        "square_root_wrong",
        """
        import math

        def kernel(n):
            assert math.sqrt(n) < 2
        """,
    ),
    Trap(
        "integer_square_root_wrong",
        """
        import math

        def kernel(n):
            assert math.isqrt(n) < 2
        """,
    ),
    Trap(
        "half_power_wrong",
        """
        def kernel(n):
            assert int(n ** 0.5) < 2
        """,
    ),
    Trap(
        "logarithm_wrong",
        """
        import math

        def kernel(n):
            assert math.log2(n + 1) <= 2
        """,
    ),
    Trap(
        "math_prod_wrong",
        """
        import math

        def kernel(n):
            assert math.prod([n, 2]) < 8
        """,
    ),
    Trap(
        "math_prod_right",
        """
        import math

        def kernel(n):
            assert math.prod((n, 2, n)) == 2 * n * n
        """,
    ),
    Trap(
        "math_sums_wrong",
        """
        import math

        def kernel(n):
            assert math.fsum([n, 1]) < 4
        """,
    ),
    Trap(
        "comb_and_factorial_wrong",
        """
        import math

        def kernel(n):
            assert math.factorial(n) < 6
        """,
    ),
    Trap(
        "product_with_a_float_wrong",
        """
        def kernel(n):
            assert n * 0.5 < 2
        """,
    ),
    Trap(
        "float_rounding_right_in_the_reals_only",
        """
        def kernel(n):
            assert n * 0.1 * 10 == n
        """,
    ),
    Trap(
        "float_rounding_of_a_third",
        """
        def kernel(n):
            assert int(n * (1 / 3) * 3) == n
        """,
        tried=range(60),
    ),
    Trap(
        "float_quotient_multiplied_back",
        """
        def kernel(n):
            assert int(n / 49 * 49) == n
        """,
        tried=range(120),
    ),
    Trap(
        "float_quotients_added",
        """
        def kernel(n):
            assert n / 10 + n / 5 == 3 * n / 10
        """,
        tried=range(60),
    ),
    Trap(
        "float_quotients_compared",
        """
        def kernel(n):
            assert n / 3 == (2 * n) / 6
        """,
    ),
    Trap(
        "large_float_loses_digits",
        """
        def kernel(n):
            if n == 3:
                x = n + 2 ** 53 - 2
                assert float(x) == x
                assert int(float(x)) == x
        """,
    ),
    Trap(
        "large_quotient_rounds_up",
        """
        def kernel(n):
            if n == 1:
                x = (2 ** 60 - n) / 2 ** 30
                assert int(x) < 2 ** 30
        """,
    ),
    Trap(
        "int_of_a_large_quotient_by_one",
        """
        def kernel(n):
            x = (n + 2 ** 62 + 1) / 1
            assert int(x) == n + 2 ** 62 + 1
        """,
    ),
    Trap(
        "quotient_plus_a_half",
        """
        def kernel(n):
            assert int(n / 2 + 0.5) == (n + 1) // 2
        """,
    ),
    Trap(
        "quotient_plus_a_half_wrong",
        """
        def kernel(n):
            assert int(n / 2 + 0.5) == n // 2
        """,
    ),
    Trap(
        "quotient_plus_a_large_integer",
        """
        def kernel(n):
            assert int(n / 3 + 2 ** 53) - 2 ** 53 == n // 3
        """,
    ),
    Trap(
        "quotient_minus_quotient",
        """
        import math

        def kernel(n):
            assert math.ceil(n / 3 - n / 3) == 0
        """,
    ),
    Trap(
        "ceil_of_a_quotient_plus_one",
        """
        import math

        def kernel(n):
            assert math.ceil(n / 3 + 1) == (n + 2) // 3 + 1
        """,
        tried=range(40),
    ),
    Trap(
        "comparison_with_a_float_right",
        """
        def kernel(n):
            if n < 2.5:
                assert n <= 2
            if n >= 2.5:
                assert n >= 3
            assert n < float("inf")
            assert n > -float("inf")
        """,
    ),
    Trap(
        "comparison_with_a_float_wrong",
        """
        def kernel(n):
            assert n != 3.0
        """,
        decided=True,
    ),
    Trap(
        "comparison_with_nan",
        """
        def kernel(n):
            assert not n < float("nan")
            assert not n == float("nan")
        """,
    ),
    Trap(
        "is_integer_wrong",
        """
        def kernel(n):
            assert (n / 2).is_integer()
        """,
    ),
    Trap(
        "is_integer_right",
        """
        def kernel(n):
            if n % 2 == 0:
                assert (n / 2).is_integer()
        """,
    ),
    Trap(
        "float_floor_division_wrong",
        """
        def kernel(n):
            assert n // 2.0 == n / 2
        """,
    ),
    Trap(
        "float_modulo_wrong",
        """
        def kernel(n):
            assert n % 2.0 == 0
        """,
    ),
    Trap(
        "fraction_right",
        """
        import fractions

        def kernel(n):
            assert fractions.Fraction(n, 2) * 2 == n
        """,
    ),
    Trap(
        "fraction_wrong",
        """
        import fractions

        def kernel(n):
            assert fractions.Fraction(n, 2) < 2
        """,
    ),
    Trap(
        "decimal_wrong",
        """
        import decimal

        def kernel(n):
            assert decimal.Decimal(n) < 3
        """,
    ),
    Trap(
        "complex_wrong",
        """
        def kernel(n):
            assert complex(n, 0) != 3
        """,
    ),
    Trap(
        "mean_wrong",
        """
        import statistics

        def kernel(n):
            assert statistics.mean([n, n]) < 3
        """,
    ),
    # truth values
    Trap(
        "bool_arithmetic_right",
        """
        def kernel(n):
            x = (n > 3) + (n > 5)
            assert 0 <= x <= 2
            if n == 5:
                assert x == 1
        """,
    ),
    Trap(
        "bool_arithmetic_wrong",
        """
        def kernel(n):
            assert (n > 3) + (n > 5) < 2
        """,
    ),
    Trap(
        "bool_times_int_right",
        """
        def kernel(n):
            assert (n > 3) * n == (n if n > 3 else 0)
        """,
    ),
    Trap(
        "bool_difference_wrong",
        """
        def kernel(n):
            assert (n > 3) - (n > 5) == 0
        """,
    ),
    Trap(
        "negated_bool_as_int_wrong",
        """
        def kernel(n):
            assert -(n > 3) == 0
        """,
    ),
    Trap(
        "inverted_bool_wrong",
        """
        def kernel(n):
            assert ~(n > 3) == -1
        """,
    ),
    Trap(
        "bool_divided_wrong",
        """
        def kernel(n):
            assert (n > 3) // 1 == 0
        """,
    ),
    Trap(
        "bool_ordered_wrong",
        """
        def kernel(n):
            assert (n > 3) <= (n > 5)
        """,
    ),
    Trap(
        "bool_ordered_right",
        """
        def kernel(n):
            assert (n > 5) <= (n > 3)
        """,
    ),
    Trap(
        "bool_compared_with_int_wrong",
        """
        def kernel(n):
            assert (n > 3) == 0
        """,
    ),
    Trap(
        "bool_compared_with_two_wrong",
        """
        def kernel(n):
            assert (n > 3) != 1
        """,
    ),
    Trap(
        "int_compared_with_bool_wrong",
        """
        def kernel(n):
            assert n != (n > 0)
        """,
    ),
    Trap(
        "bool_as_an_index_wrong",
        """
        def kernel(n):
            assert [0, 1][n > 3] == 0
        """,
    ),
    Trap(
        "bool_as_a_key_wrong",
        """
        def kernel(n):
            assert {False: 0, True: 1}[n > 3] == 0
        """,
    ),
    Trap(
        "bool_of_an_int_wrong",
        """
        def kernel(n):
            assert bool(n)
        """,
        decided=True,
    ),
    Trap(
        "truth_of_an_int_wrong",
        """
        def kernel(n):
            assert n
        """,
        decided=True,
    ),
    Trap(
        "truth_of_a_quotient_wrong",
        """
        def kernel(n):
            assert n / 2
        """,
        decided=True,
    ),
    Trap(
        "not_of_an_int_right",
        """
        def kernel(n):
            assert (not n) == (n == 0)
        """,
    ),
    Trap(
        "and_gives_an_operand_right",
        """
        def kernel(n):
            x = n and 7
            assert x == (7 if n else 0)
            y = n or 5
            assert y > 0
        """,
        decided=True,
    ),
    Trap(
        "and_gives_an_operand_wrong",
        """
        def kernel(n):
            x = n and 7
            assert x == 7
        """,
        decided=True,
    ),
    Trap(
        "short_circuit_right",
        """
        def kernel(n):
            assert n == 0 or n >= 1
            assert not (n > 2 and n < 3)
        """,
        decided=True,
    ),
    Trap(
        "xor_of_conditions_wrong",
        """
        def kernel(n):
            assert (n > 3) ^ (n > 5) == False
        """,
    ),
    Trap(
        "and_of_conditions_right",
        """
        def kernel(n):
            if (n > 3) & (n < 5):
                assert n == 4
            if (n > 3) | (n < 2):
                assert n != 2
        """,
    ),
    Trap(
        "and_of_a_condition_and_an_int_wrong",
        """
        def kernel(n):
            assert (n > 3) & n == 0
        """,
    ),
    Trap(
        "conditional_expression_wrong",
        """
        def kernel(n):
            x = 1 if n > 3 else 2
            assert x == 2
        """,
        decided=True,
    ),
    Trap(
        "condition_kept_in_a_name_right",
        """
        def kernel(n):
            small = n < 3
            if small:
                assert n < 3
            else:
                assert n >= 3
            assert small is True or small is False or True
        """,
    ),
    Trap(
        "condition_is_true_wrong",
        """
        def kernel(n):
            small = n < 3
            assert small is True
        """,
    ),
    Trap(
        "condition_is_not_true_wrong",
        """
        def kernel(n):
            small = n < 3
            assert small is not True
        """,
    ),
    Trap(
        "condition_is_false_in_a_branch_wrong",
        """
        def kernel(n):
            small = n < 3
            if small is False:
                assert n < 3
            assert n >= 0
        """,
    ),
    Trap(
        "condition_is_none_right",
        """
        def kernel(n):
            assert (n < 3) is not None
        """,
    ),
    Trap(
        "condition_changed_after_its_dimension_right",
        """
        def kernel(n):
            small = n < 3
            n = n + 5
            if small:
                assert n < 8
        """,
        decided=True,
    ),
    # types
    Trap(
        "type_is_int_right",
        """
        def kernel(n):
            assert type(n) is int
            assert type(n) == int
            assert type(n + 1) is int
        """,
    ),
    Trap(
        "type_is_int_wrong",
        """
        def kernel(n):
            assert type(n) is not int
        """,
    ),
    Trap(
        "type_of_a_loop_index_wrong",
        """
        def kernel(n):
            for i in range(n):
                assert type(i) is not int
        """,
    ),
    Trap(
        "type_of_a_quotient_wrong",
        """
        def kernel(n):
            assert type(n / 2) is int
        """,
    ),
    Trap(
        "type_of_a_condition_wrong",
        """
        def kernel(n):
            assert type(n > 2) is int
        """,
    ),
    Trap(
        "type_of_a_list_wrong",
        """
        def kernel(n):
            assert type([n]) is not list
        """,
    ),
    Trap(
        "type_of_a_range_wrong",
        """
        def kernel(n):
            assert type(range(n)) is not range
        """,
    ),
    Trap(
        "type_under_another_name_wrong",
        """
        kind_of = type

        def kernel(n):
            assert kind_of(n) is not int
        """,
    ),
    Trap(
        "type_passed_to_a_function_wrong",
        """
        def kernel(n):
            kinds = list(map(type, [n, 1]))
            assert kinds[0] is not int
        """,
    ),
    Trap(
        "type_as_a_key_wrong",
        """
        def kernel(n):
            names = {int: "int", float: "float"}
            assert names.get(type(n)) != "int"
        """,
    ),
    Trap(
        "isinstance_right",
        """
        def kernel(n):
            assert isinstance(n, int)
            assert not isinstance(n, float)
            assert not isinstance(n, (str, list))
            assert isinstance([n], list)
            assert isinstance(n > 3, bool)
            assert isinstance(n / 2, float)
            assert isinstance(range(n), range)
        """,
    ),
    Trap(
        "isinstance_of_bool_wrong",
        """
        def kernel(n):
            assert not isinstance(n > 3, int)
        """,
    ),
    Trap(
        "isinstance_of_abstract_classes_right",
        """
        import collections.abc
        import numbers

        def kernel(n):
            assert isinstance(n, numbers.Integral)
            assert isinstance([n], collections.abc.Sequence)
            assert isinstance(range(n), collections.abc.Sequence)
            assert not isinstance(n / 2, numbers.Integral)
            assert isinstance(n, collections.abc.Hashable)
            assert not isinstance([n], collections.abc.Hashable)
        """,
    ),
    Trap(
        "isinstance_of_abstract_classes_wrong",
        """
        import collections.abc
        import numbers

        def kernel(n):
            assert not isinstance(n, numbers.Integral)
        """,
    ),
    Trap(
        "isinstance_of_range_wrong",
        """
        import collections.abc

        def kernel(n):
            assert not isinstance(range(n), collections.abc.Sequence)
        """,
    ),
    Trap(
        "isinstance_under_another_name_wrong",
        """
        check = isinstance

        def kernel(n):
            assert not check(n, int)
        """,
    ),
    Trap(
        "isinstance_in_a_library_wrong",
        """
        import operator

        def kernel(n):
            assert not operator.call(isinstance, n, int) if hasattr(operator, "call") else not isinstance(n, int)
        """,
    ),
    Trap(
        "issubclass_of_type_wrong",
        """
        def kernel(n):
            assert not issubclass(type(n), int)
        """,
    ),
    Trap(
        "match_on_a_class_wrong",
        """
        def kernel(n):
            match n:
                case int():
                    kind = 1
                case _:
                    kind = 2
            assert kind == 2
        """,
    ),
    Trap(
        "match_on_a_value_wrong",
        """
        def kernel(n):
            match n:
                case 3:
                    kind = 1
                case _:
                    kind = 2
            assert kind == 2
        """,
    ),
    Trap(
        "match_on_a_sequence_wrong",
        """
        def kernel(n):
            match [n, 1]:
                case [x, 1]:
                    kind = 1
                case _:
                    kind = 2
            assert kind == 2
        """,
    ),
    Trap(
        "match_on_a_mapping_wrong",
        """
        def kernel(n):
            match {"a": n}:
                case {"a": 3}:
                    kind = 1
                case _:
                    kind = 2
            assert kind == 2
        """,
    ),
    Trap(
        "match_with_a_guard_right",
        """
        def kernel(n):
            match n:
                case x if x > 3:
                    assert n > 3
                case _:
                    assert n <= 3
        """,
        decided=True,
    ),
    Trap(
        "callable_wrong",
        """
        def kernel(n):
            assert callable(n)
        """,
    ),
    Trap(
        "int_of_text_right",
        """
        def kernel(n):
            assert int("12") == 12
            assert int(3.7) == 3
            assert int("ff", 16) + n >= 255
        """,
    ),
    Trap(
        "int_of_an_int_right",
        """
        def kernel(n):
            assert int(n) == n
            assert int() == 0
        """,
    ),
    Trap(
        "int_passed_to_a_function_right",
        """
        def kernel(n):
            values = list(map(int, [n, n / 2, True]))
            assert values[0] == n
        """,
    ),
    Trap(
        "int_passed_to_a_function_wrong",
        """
        def kernel(n):
            values = [convert(n / 2) for convert in (int, float)]
            assert values[0] == values[1]
        """,
    ),
    Trap(
        "int_of_a_condition_wrong",
        """
        def kernel(n):
            assert int(n > 3) == 0
        """,
    ),
    Trap(
        "float_of_an_int_wrong",
        """
        def kernel(n):
            assert float(n) != 3.0
        """,
    ),
    # text
    Trap(
        "text_compared_wrong",
        """
        def kernel(n):
            assert str(n) != "3"
        """,
    ),
    Trap(
        "f_string_compared_wrong",
        """
        def kernel(n):
            assert f"{n}" != "3"
        """,
    ),
    Trap(
        "f_string_with_text_compared_wrong",
        """
        def kernel(n):
            assert f"tile_{n}" != "tile_3"
        """,
    ),
    Trap(
        "f_string_of_an_expression_compared_wrong",
        """
        def kernel(n):
            assert f"{n + 1:>4}" != "   4"
        """,
    ),
    Trap(
        "f_string_with_debug_text_wrong",
        """
        def kernel(n):
            assert f"{n=}" != "n=3"
        """,
    ),
    Trap(
        "percent_formatting_wrong",
        """
        def kernel(n):
            assert "%d" % n != "3"
        """,
    ),
    Trap(
        "percent_formatting_of_text_wrong",
        """
        def kernel(n):
            assert "%s" % n != "3"
        """,
    ),
    Trap(
        "percent_formatting_by_a_function_wrong",
        """
        import operator
        def kernel(n):
            assert operator.mod("%s", n) != "3"
        """,
    ),
    Trap(
        "percent_formatting_in_place_wrong",
        """
        def kernel(n):
            text = "%s"
            text %= n
            assert text != "3"
        """,
    ),
    Trap(
        "percent_formatting_of_a_tuple_wrong",
        """
        def kernel(n):
            assert "%s-%s" % (n, 1) != "3-1"
        """,
    ),
    Trap(
        "percent_formatting_of_a_dict_wrong",
        """
        def kernel(n):
            assert "%(a)s" % {"a": n} != "3"
        """,
    ),
    Trap(
        "percent_formatting_repr_wrong",
        """
        def kernel(n):
            assert "%r" % n != "3"
        """,
    ),
    Trap(
        "format_method_wrong",
        """
        def kernel(n):
            assert "{}".format(n) != "3"
        """,
    ),
    Trap(
        "format_method_with_attribute_wrong",
        """
        def kernel(n):
            assert "{0.real}".format(n) != "3"
        """,
    ),
    Trap(
        "format_function_wrong",
        """
        def kernel(n):
            assert format(n, "d") != "3"
        """,
    ),
    Trap(
        "format_function_to_binary_wrong",
        """
        def kernel(n):
            assert format(n, "b") != "11"
        """,
    ),
    Trap(
        "bin_hex_oct_chr_wrong",
        """
        def kernel(n):
            assert bin(n) != "0b11"
        """,
    ),
    Trap(
        "chr_wrong",
        """
        def kernel(n):
            assert chr(n + 65) != "D"
        """,
    ),
    Trap(
        "repr_wrong",
        """
        def kernel(n):
            assert repr(n) != "3"
        """,
    ),
    Trap(
        "repr_of_a_list_wrong",
        """
        def kernel(n):
            assert repr([n]) != "[3]"
        """,
    ),
    Trap(
        "repr_of_a_tuple_wrong",
        """
        def kernel(n):
            assert repr((n,)) != "(3,)"
        """,
    ),
    Trap(
        "repr_of_a_dict_wrong",
        """
        def kernel(n):
            assert str({"a": n}) != "{'a': 3}"
        """,
    ),
    Trap(
        "repr_of_a_nested_tuple_wrong",
        """
        def kernel(n):
            assert str((1, (n, 2))) != "(1, (3, 2))"
        """,
    ),
    Trap(
        "repr_of_an_object_wrong",
        """
        import dataclasses

        @dataclasses.dataclass
        class Plan:
            rows: int

        def kernel(n):
            assert repr(Plan(n)) != "Plan(rows=3)"
        """,
    ),
    Trap(
        "repr_of_a_namedtuple_wrong",
        """
        import collections

        Point = collections.namedtuple("Point", "x")

        def kernel(n):
            assert repr(Point(n)) != "Point(x=3)"
        """,
    ),
    Trap(
        "repr_of_a_range_wrong",
        """
        def kernel(n):
            assert repr(range(n)) != "range(0, 3)"
        """,
    ),
    Trap(
        "repr_of_a_condition_wrong",
        """
        def kernel(n):
            assert str(n > 2) != "True"
        """,
    ),
    Trap(
        "repr_of_a_quotient_wrong",
        """
        def kernel(n):
            assert str(n / 2) != "1.5"
        """,
    ),
    Trap(
        "repr_of_a_slice_wrong",
        """
        def kernel(n):
            assert repr(slice(0, n)) != "slice(0, 3, None)"
        """,
    ),
    Trap(
        "repr_of_a_partial_wrong",
        """
        import functools

        def kernel(n):
            assert not repr(functools.partial(len, n)).endswith(", 3)")
        """,
    ),
    Trap(
        "text_joined_wrong",
        """
        def kernel(n):
            assert ",".join([str(n), "1"]) != "3,1"
        """,
    ),
    Trap(
        "text_joined_of_f_strings_wrong",
        """
        def kernel(n):
            assert "".join(f"{x}" for x in (n, 1)) != "31"
        """,
    ),
    Trap(
        "text_concatenated_wrong",
        """
        def kernel(n):
            assert "tile" + str(n) != "tile3"
        """,
    ),
    Trap(
        "text_concatenated_the_other_way_wrong",
        """
        def kernel(n):
            assert str(n) + "tile" != "3tile"
        """,
    ),
    Trap(
        "text_repeated_wrong",
        """
        def kernel(n):
            assert str(n) * 2 != "33"
        """,
    ),
    Trap(
        "length_of_text_wrong",
        """
        def kernel(n):
            assert len(str(n + 7)) == 1
        """,
    ),
    Trap(
        "digits_of_text_wrong",
        """
        def kernel(n):
            assert sum(int(digit) for digit in str(n)) < 4
        """,
    ),
    Trap(
        "text_methods_wrong",
        """
        def kernel(n):
            assert str(n).isdecimal() and str(n).zfill(2) != "03"
        """,
    ),
    Trap(
        "text_methods_count_wrong",
        """
        def kernel(n):
            assert str(n).count("3") == 0
        """,
    ),
    Trap(
        "text_methods_upper_wrong",
        """
        def kernel(n):
            assert str(n).upper() != "3"
        """,
    ),
    Trap(
        "text_methods_center_wrong",
        """
        def kernel(n):
            assert str(n).center(3) != " 3 "
        """,
    ),
    Trap(
        "text_methods_rjust_wrong",
        """
        def kernel(n):
            assert str(n).rjust(3, "0") != "003"
        """,
    ),
    Trap(
        "text_methods_partition_wrong",
        """
        def kernel(n):
            assert f"a-{n}".partition("-")[2] != "3"
        """,
    ),
    Trap(
        "text_methods_removeprefix_wrong",
        """
        def kernel(n):
            assert f"a{n}".removeprefix("a") != "3"
        """,
    ),
    Trap(
        "text_methods_translate_wrong",
        """
        def kernel(n):
            assert str(n).translate({}) != "3"
        """,
    ),
    Trap(
        "text_methods_splitlines_wrong",
        """
        def kernel(n):
            assert str(n).splitlines()[0] != "3"
        """,
    ),
    Trap(
        "text_methods_casefold_wrong",
        """
        def kernel(n):
            assert "3" != str(n).casefold()
        """,
    ),
    Trap(
        "text_on_the_right_compared_wrong",
        """
        def kernel(n):
            assert "3" != str(n)
        """,
    ),
    Trap(
        "text_in_text_wrong",
        """
        def kernel(n):
            assert str(n) not in "0123"
        """,
    ),
    Trap(
        "text_in_a_list_wrong",
        """
        def kernel(n):
            assert str(n) not in ["3", "4"]
        """,
    ),
    Trap(
        "text_in_a_tuple_wrong",
        """
        def kernel(n):
            assert "3" not in (str(n),)
        """,
    ),
    Trap(
        "text_as_a_key_wrong",
        """
        def kernel(n):
            assert str(n) not in {"3": 1}
        """,
    ),
    Trap(
        "text_as_an_attribute_name_wrong",
        """
        class Box:
            tile3 = 1

        def kernel(n):
            assert not hasattr(Box, f"tile{n}")
        """,
    ),
    Trap(
        "text_as_an_attribute_written_wrong",
        """
        class Box:
            pass

        def kernel(n):
            box = Box()
            for i in range(n):
                setattr(box, f"tile{i}", i)
            assert len(vars(box)) < 3
        """,
    ),
    Trap(
        "text_as_a_keyword_argument_wrong",
        """
        def take(**options):
            return options.get("a3", 0)

        def kernel(n):
            assert take(**{f"a{n}": 1}) == 0
        """,
    ),
    Trap(
        "text_matched_by_a_regular_expression_wrong",
        """
        import re

        def kernel(n):
            assert not re.match("3", str(n))
        """,
    ),
    Trap(
        "text_sorted_wrong",
        """
        def kernel(n):
            assert sorted([str(n), "2"])[0] == str(n)
        """,
    ),
    Trap(
        "text_of_max_wrong",
        """
        def kernel(n):
            assert max(str(n), "2") == "2"
        """,
    ),
    Trap(
        "text_as_bytes_wrong",
        """
        def kernel(n):
            assert str(n).encode() != b"3"
        """,
    ),
    Trap(
        "text_as_bytes_by_bytes_wrong",
        """
        def kernel(n):
            assert bytes(str(n), "ascii") != b"3"
        """,
    ),
    Trap(
        "text_in_a_match_wrong",
        """
        def kernel(n):
            match str(n):
                case "3":
                    kind = 1
                case _:
                    kind = 2
            assert kind == 2
        """,
    ),
    Trap(
        "text_truth_right",
        """
        def kernel(n):
            assert str(n)
        """,
    ),
    Trap(
        "int_of_symbolic_text_wrong",
        """
        def kernel(n):
            assert int(str(n)) < 3
        """,
    ),
    Trap(
        "eval_of_symbolic_text_wrong",
        """
        def kernel(n):
            assert eval(str(n)) < 3
        """,
    ),
    Trap(
        "literal_eval_of_symbolic_text_wrong",
        """
        import ast

        def kernel(n):
            assert ast.literal_eval(str(n)) < 3
        """,
    ),
    Trap(
        "json_of_a_symbolic_int_wrong",
        """
        import json

        def kernel(n):
            assert json.dumps([n]) != "[3]"
        """,
    ),
    Trap(
        "text_of_an_exception_wrong",
        """
        def kernel(n):
            try:
                raise ValueError(n)
            except ValueError as error:
                assert str(error) != "3"
        """,
    ),
    Trap(
        "text_of_an_exception_with_a_message_wrong",
        """
        def kernel(n):
            try:
                raise ValueError(f"bad {n}")
            except ValueError as error:
                assert str(error) != "bad 3"
        """,
    ),
    Trap(
        "text_of_an_exception_argument_wrong",
        """
        def kernel(n):
            try:
                raise ValueError(f"bad {n}")
            except ValueError as error:
                assert error.args[0] != "bad 3"
        """,
    ),
    Trap(
        "text_of_format_map_wrong",
        """
        def kernel(n):
            assert "{a}".format_map({"a": n}) != "3"
        """,
    ),
    Trap(
        "text_of_a_nested_format_wrong",
        """
        def kernel(n):
            assert f"{5:{n}}" != "  5"
        """,
    ),
    Trap(
        "text_of_an_object_in_an_f_string_wrong",
        """
        class Size:
            def __init__(self, n):
                self.n = n
            def __str__(self):
                return f"size {self.n}"

        def kernel(n):
            assert f"{Size(n)}" != "size 3"
        """,
    ),
    Trap(
        "print_right",
        """
        def kernel(n):
            for i in range(n):
                print("tile", i)
            assert n >= 0
        """,
        decided=True,
    ),
    Trap(
        "print_to_a_buffer_wrong",
        """
        import io

        def kernel(n):
            out = io.StringIO()
            print(n, file=out)
            assert out.getvalue() != "3\\\\n".replace("\\\\\\\\n", chr(10))
        """,
    ),
    Trap(
        "logging_right",
        """
        import logging

        def kernel(n):
            for i in range(n):
                logging.getLogger("trap").debug("tile %d of %d", i, n)
                assert i < n
        """,
    ),
    Trap(
        "warning_right",
        """
        import warnings

        def kernel(n):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for i in range(n):
                    warnings.warn(f"tile {i}")
                    assert i < n
        """,
    ),
    # NumPy
    Trap(
        "numpy_array_of_a_symbolic_int_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.array([n])[0] != 3
        """,
    ),
    Trap(
        "numpy_product_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.prod([n, 2]) < 6
        """,
    ),
    Trap(
        "numpy_integer_plus_a_symbolic_int_right",
        """
        import numpy as np

        def kernel(n):
            assert np.int64(2) + n == n + 2
            assert n * np.int32(3) == 3 * n
            assert np.int64(7) // (n + 1) <= 7
        """,
    ),
    Trap(
        "numpy_integer_plus_a_symbolic_int_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.int64(2) + n < 5
        """,
    ),
    Trap(
        "numpy_float_times_a_symbolic_int_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.float32(0.5) * n < 2
        """,
    ),
    Trap(
        "numpy_comparison_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.int64(3) != n
        """,
    ),
    Trap(
        "numpy_ceil_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.ceil(n / 2) < 2
        """,
    ),
    Trap(
        "numpy_floor_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.floor(n) < 2
        """,
    ),
    Trap(
        "numpy_sqrt_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.sqrt(n) < 2
        """,
    ),
    Trap(
        "numpy_log2_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.log2(n + 1) <= 2
        """,
    ),
    Trap(
        "numpy_arange_wrong",
        """
        import numpy as np

        def kernel(n):
            assert len(np.arange(n)) < 3
        """,
    ),
    Trap(
        "numpy_zeros_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.zeros(n).size < 3
        """,
    ),
    Trap(
        "numpy_minimum_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.minimum(n, 3) < 3
        """,
    ),
    Trap(
        "numpy_maximum_of_a_list_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.max([n, 2]) < 3
        """,
    ),
    Trap(
        "numpy_integer_wraps",
        """
        import numpy as np

        def kernel(n):
            x = np.int8(100)
            for i in range(n):
                assert x > 0
                x = np.int8(x + np.int8(0)) if i < 2 else np.int8(-1)
        """,
    ),
    Trap(
        "numpy_cast_of_a_symbolic_int_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.int32(n) < 3
        """,
    ),
    Trap(
        "numpy_iteration_right",
        """
        import numpy as np

        def kernel(n):
            total = 0
            for x in np.arange(3):
                total = total + x * n
            assert total == 3 * n
        """,
    ),
    Trap(
        "numpy_isscalar_wrong",
        """
        import numpy as np

        def kernel(n):
            assert not np.isscalar(n)
        """,
    ),
    Trap(
        "numpy_issubdtype_wrong",
        """
        import numpy as np

        def kernel(n):
            assert not isinstance(n, (int, np.integer))
        """,
    ),
    Trap(
        "numpy_ndim_and_shape_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.shape([n, n]) != (2,)
        """,
    ),
    Trap(
        "numpy_object_array_sum_wrong",
        """
        import numpy as np

        def kernel(n):
            assert np.sum(np.array([n, 1], dtype=object)) < 4
        """,
    ),
    # tensors
    Trap(
        "tensor_outside_indexed_inside_right",
        """
        def kernel(n):
            tensor = nl.ndarray((128, 4 * n + 4), dtype=nl.float32, buffer=nl.hbm)
            for i in range(n):
                part = tensor[0:128, 4 * i:4 * i + 4]
        """,
        decided=True,
    ),
    Trap(
        "tensor_outside_indexed_inside_wrong",
        """
        def kernel(n):
            tensor = nl.ndarray((128, 4 * n + 4), dtype=nl.float32, buffer=nl.hbm)
            for i in range(n):
                part = tensor[0:128, 4 * i + 4:4 * i + 9]
        """,
        decided=True,
    ),
    Trap(
        "tensor_of_the_size_of_the_index_right",
        """
        def kernel(n):
            for i in range(n):
                tile = nl.ndarray((128, i + 1), dtype=nl.float32, buffer=nl.sbuf)
                part = tile[0:128, i:i + 1]
                assert part.shape[1] == 1
        """,
        decided=True,
    ),
    Trap(
        "tensor_of_the_size_of_the_index_wrong",
        """
        def kernel(n):
            for i in range(n):
                tile = nl.ndarray((128, i), dtype=nl.float32, buffer=nl.sbuf)
                part = tile[0:128, 0:i]
        """,
    ),
    Trap(
        "tensor_with_too_many_partitions_wrong",
        """
        def kernel(n):
            tile = nl.ndarray((126 + n, 4), dtype=nl.float32, buffer=nl.sbuf)
        """,
        decided=True,
    ),
    Trap(
        "tensor_attributes_right",
        """
        def kernel(n):
            tile = nl.ndarray((128, n + 1), dtype=nl.float32, buffer=nl.sbuf)
            assert tile.shape[1] == n + 1
            assert len(tile.shape) == 2
            assert tile.dtype == nl.float32
            rows, columns = tile.shape
            assert columns == n + 1
        """,
        decided=True,
    ),
    Trap(
        "tensor_shape_compared_wrong",
        """
        def kernel(n):
            tile = nl.ndarray((128, n + 1), dtype=nl.float32, buffer=nl.sbuf)
            assert tile.shape != (128, 4)
        """,
        decided=True,
    ),
    Trap(
        "tensor_rebound_to_a_smaller_one_wrong",
        """
        def kernel(n):
            tile = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
            for i in range(n):
                part = tile[0:128, 0:8]
                tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        """,
    ),
    Trap(
        "tensor_narrowed_in_the_loop_wrong",
        """
        def kernel(n):
            tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            for i in range(n):
                tile = tile[0:128, 0:tile.shape[1] - 1]
                part = tile[0:128, 0:1]
        """,
    ),
    Trap(
        "tensor_identity_wrong",
        """
        def kernel(n):
            first = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            tile = first
            for i in range(n):
                assert tile is first
                tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        """,
    ),
    Trap(
        "tensor_attribute_kept_by_the_kernel_wrong",
        """
        def kernel(n):
            tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            widths = {id(tile): 4}
            for i in range(n):
                widths[id(tile)] = widths[id(tile)] - 1
                part = tile[0:128, 0:widths[id(tile)]]
        """,
    ),
    Trap(
        "text_of_a_number_is_true",
        """
        def kernel(n):
            name = f"tile{n}"
            assert (name or "unnamed") is name
            assert str(n)
            names = []
            names.append(name or "(unnamed)")
            assert len(names) == 1
        """,
        decided=True,
    ),
    Trap(
        "text_cut_to_nothing_is_false",
        """
        def kernel(n):
            name = f"{n}"
            if f"{name:.0}":
                assert n == 3
        """,
    ),
    Trap(
        "text_of_a_number_is_no_other_value",
        """
        def kernel(n):
            name = f"tile{n}"
            assert name != None
            assert not name == 5
            assert name is not None
        """,
        decided=True,
    ),
    # floats made of known numbers
    Trap(
        "known_numbers_times_floats_right",
        """
        def kernel(n):
            sizes = (128, 36864)
            assert float(sizes[0] * sizes[1]) * 2.5 <= 32.0 * 36864 * 36864
            assert 7 / 2 == 3.5
            assert 7.5 // 2 == 3.0
            assert 7 % 2.5 == 2.0
        """,
        decided=True,
    ),
    Trap(
        "quotient_of_known_numbers_wrong",
        """
        def kernel(n):
            assert (n - n + 1) / 3 * 3 != 1.0
        """,
        decided=True,
    ),
    Trap(
        "product_of_integers_as_floats_right",
        """
        def kernel(n):
            if n <= 1000:
                assert float(n * 128) * 128 <= 32.0 * 36864 * 36864
                assert float(n) * 2.0 == 2 * n
                assert int(float(n) * 3) == 3 * n
        """,
        decided=True,
    ),
    Trap(
        "product_of_integers_as_floats_wrong",
        """
        def kernel(n):
            if n <= 1000:
                assert float(n) * n < 25.0
        """,
        decided=True,
    ),
    Trap(
        "product_of_integers_that_a_float_rounds",
        """
        def kernel(n):
            if n == 3:
                assert float(n) * 9007199254740993 != float(n) * 9007199254740992
        """,
    ),
    Trap(
        "product_with_a_fraction_is_rounded",
        """
        def kernel(n):
            if n < 100:
                assert float(n) * 0.1 * 10 == n
        """,
        tried=range(100),
    ),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
