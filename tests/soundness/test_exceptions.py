"""Exceptions in and around loops, and handlers that could swallow what is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from tests.soundness.trap import Trap, complaints, make_target, verdict

TRAPS = [
    Trap(
        "list_comprehension_left_by_an_exception_wrong",
        """
        def number(i):
            if i == 2:
                raise ValueError
            return i
        def length(n):
            try:
                return n + len([number(i) for i in (0, 1, 2)])
            except ValueError:
                return n
        def kernel(n):
            assert len([j for j in range(length(n))]) <= 3
        """,
    ),
    Trap(
        "name_that_some_iteration_has_bound_read_after_it_in_a_try_wrong",
        """
        def bound(n):
            for i in range(n):
                if i == 2:
                    q = n
            try:
                return q
            except UnboundLocalError:
                return 0
        def kernel(n):
            assert bound(n) < 4
        """,
    ),
    # what an exception holds
    Trap(
        "what_an_exception_holds_counts_right",
        """
        def kernel(n):
            held = ValueError(0)
            held.seen = 0
            for i in range(n):
                held.args = (held.args[0] + 1,)
                held.seen = held.seen + i
            assert held.args[0] == n and 2 * held.seen == n * n - n
        """,
    ),
    Trap(
        "what_an_exception_holds_counts_wrong",
        """
        def kernel(n):
            held = StopIteration(0)
            for i in range(n):
                held.value = held.value + 1
            assert held.value < 3
        """,
    ),
    # raised in a loop
    Trap(
        "raise_in_some_iteration_wrong",
        """
        def kernel(n):
            for i in range(n):
                if i == 3:
                    raise ValueError("three")
        """,
        decided=True,
    ),
    Trap(
        "raise_in_no_iteration_right",
        """
        def kernel(n):
            for i in range(n):
                if i >= n:
                    raise ValueError("never")
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "raise_in_every_iteration_wrong",
        """
        def kernel(n):
            for i in range(n):
                raise ValueError("always")
        """,
        decided=True,
    ),
    Trap(
        "raise_in_every_iteration_of_an_inner_loop",
        """
        def kernel(n, m):
            for i in range(n):
                for j in range(m):
                    raise ValueError("always")
            assert n * m == 0
        """,
        decided=True,
    ),
    Trap(
        "raise_in_the_loop_handled_outside_right",
        """
        def kernel(n):
            found = -1
            try:
                for i in range(n):
                    if i == 3:
                        raise ValueError("three")
            except ValueError:
                found = 3
            assert found == 3 or n <= 3
        """,
    ),
    Trap(
        "raise_in_the_loop_handled_outside_wrong",
        """
        def kernel(n):
            found = -1
            try:
                for i in range(n):
                    if i == 3:
                        raise ValueError("three")
            except ValueError:
                found = 3
            assert found != 3
        """,
    ),
    Trap(
        "raise_in_the_loop_handled_inside_right",
        """
        def kernel(n):
            for i in range(n):
                try:
                    if i == 3:
                        raise ValueError("three")
                    seen = 0
                except ValueError:
                    seen = 1
                assert seen == (1 if i == 3 else 0)
        """,
        decided=True,
    ),
    Trap(
        "raise_in_the_loop_handled_inside_wrong",
        """
        def kernel(n):
            for i in range(n):
                try:
                    if i == 3:
                        raise ValueError("three")
                    seen = 0
                except ValueError:
                    seen = 1
                assert seen == 0
        """,
        decided=True,
    ),
    Trap(
        "raise_handled_by_the_caller_wrong",
        """
        def search(n):
            for i in range(n):
                if i == 2:
                    raise KeyError(i)
            return -1

        def kernel(n):
            try:
                found = search(n)
            except KeyError:
                found = 2
            assert found == -1
        """,
    ),
    Trap(
        "value_carried_by_an_exception_wrong",
        """
        def kernel(n):
            found = 0
            try:
                for i in range(n):
                    if i * i > n:
                        raise ValueError(i)
            except ValueError as error:
                found = error.args[0]
            assert found == 0
        """,
    ),
    Trap(
        "stop_iteration_as_control_flow_wrong",
        """
        def kernel(n):
            count = 0
            try:
                for i in range(n):
                    if i == 2:
                        raise StopIteration
                    count += 1
            except StopIteration:
                pass
            assert count == n
        """,
    ),
    Trap(
        "division_by_zero_in_one_iteration_handled_wrong",
        """
        def kernel(n):
            for i in range(n):
                try:
                    x = 12 // (3 - i)
                except ZeroDivisionError:
                    x = -1
                assert x >= 0
        """,
    ),
    Trap(
        "division_by_zero_in_one_iteration_handled_right",
        """
        def kernel(n):
            for i in range(n):
                try:
                    x = 12 // (3 - i)
                except ZeroDivisionError:
                    x = 0
                assert x <= 12
        """,
    ),
    Trap(
        "division_by_a_plain_zero_wrong",
        """
        def kernel(n):
            if n == 3:
                1 // 0
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "division_by_zero_wrong",
        """
        def kernel(n):
            x = 12 // (n - 3)
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "division_by_zero_in_one_iteration_wrong",
        """
        def kernel(n):
            for i in range(n):
                x = 12 % (3 - i)
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "division_by_zero_before_an_assert_wrong",
        """
        def kernel(n):
            if n < 100:
                x = 12 // n
                assert n != 0
        """,
        decided=True,
        phase=2,
    ),
    Trap(
        "division_by_zero_handled_wrong",
        """
        def kernel(n):
            try:
                x = 12 // (n - 3)
            except ZeroDivisionError:
                x = 100
            assert x < 100
        """,
    ),
    Trap(
        "division_by_zero_in_the_handler_wrong",
        """
        def kernel(n):
            try:
                x = 12 // (n - 3)
            except ZeroDivisionError:
                assert n < 3
            assert n >= 0
        """,
    ),
    Trap(
        "modulo_by_zero_handled_in_a_loop_wrong",
        """
        def kernel(n):
            zeros = 0
            for i in range(n):
                try:
                    x = 12 % (3 - i)
                except ZeroDivisionError:
                    zeros = 1
            assert zeros == 0
        """,
    ),
    Trap(
        "true_division_by_zero_handled_wrong",
        """
        def kernel(n):
            known = True
            try:
                x = 12 / (n - 3)
            except ZeroDivisionError:
                known = False
            assert known
        """,
    ),
    Trap(
        "divmod_by_zero_handled_wrong",
        """
        def kernel(n):
            known = True
            try:
                x, y = divmod(12, n - 3)
            except ArithmeticError:
                known = False
            assert known
        """,
    ),
    Trap(
        "division_by_zero_under_suppress_wrong",
        """
        import contextlib

        def kernel(n):
            known = False
            with contextlib.suppress(ZeroDivisionError):
                x = 12 // (n - 3)
                known = True
            assert known
        """,
    ),
    Trap(
        "division_by_zero_with_finally_that_returns_wrong",
        """
        def divides(n):
            result = False
            try:
                x = 12 // (n - 3)
                result = True
            finally:
                return result

        def kernel(n):
            assert divides(n)
        """,
    ),
    Trap(
        "division_by_zero_handled_by_the_caller_wrong",
        """
        def divide(n):
            return 12 // (n - 3)

        def kernel(n):
            known = True
            try:
                divide(n)
            except ZeroDivisionError:
                known = False
            assert known
        """,
    ),
    Trap(
        "division_by_zero_swallowed_by_finally_wrong",
        """
        def divide(n):
            try:
                return 12 // (n - 3)
            finally:
                return 100

        def kernel(n):
            assert divide(n) < 100
        """,
    ),
    Trap(
        "true_division_by_zero_wrong",
        """
        import math

        def kernel(n):
            x = math.ceil(12 / (n - 3))
        """,
        decided=True,
        phase=2,
    ),
    # handlers that catch too much
    Trap(
        "bare_except_around_a_failing_assert_wrong",
        """
        def kernel(n):
            ok = True
            try:
                assert n < 4
            except:
                ok = False
            assert ok
        """,
    ),
    Trap(
        "bare_except_around_a_failing_assert_right",
        """
        def kernel(n):
            try:
                assert n < 4
            except:
                assert n >= 4
        """,
    ),
    Trap(
        "except_exception_around_a_failing_call",
        """
        def fail(n):
            if n == 3:
                raise RuntimeError("three")
            return n

        def kernel(n):
            try:
                x = fail(n)
            except Exception:
                x = -1
            assert x >= 0
        """,
    ),
    Trap(
        "except_exception_around_an_unsupported_construct",
        """
        def kernel(n):
            x = 0
            try:
                x = float(n) ** 0.5
                x = int(x)
            except Exception:
                pass
            assert x == 0
        """,
    ),
    Trap(
        "bare_except_around_an_unsupported_construct",
        """
        def kernel(n):
            x = 0
            try:
                x = {n: 1}[n]
            except:
                pass
            assert x == 0
        """,
    ),
    Trap(
        "base_exception_around_an_unsupported_construct",
        """
        def kernel(n):
            x = 0
            try:
                x = n ^ 1
            except BaseException:
                x = 0
            assert x == 0
        """,
    ),
    Trap(
        "unsupported_construct_swallowed_by_finally",
        """
        def attempt(n):
            try:
                return n ^ 1
            finally:
                return 0

        def kernel(n):
            x = attempt(n)
            assert x == 0
            y = n ^ 1
            assert y == n + 1
        """,
    ),
    Trap(
        "unsupported_construct_swallowed_by_suppress",
        """
        import contextlib

        def kernel(n):
            x = 0
            with contextlib.suppress(BaseException):
                x = n ^ 1
            assert x == 0
        """,
    ),
    Trap(
        "unsupported_construct_swallowed_by_an_own_context_manager",
        """
        class Swallow:
            def __enter__(self):
                return self
            def __exit__(self, *details):
                return True

        def kernel(n):
            x = 0
            with Swallow():
                x = n ^ 1
            assert x == 0
        """,
    ),
    Trap(
        "assert_swallowed_by_an_own_context_manager_wrong",
        """
        class Swallow:
            def __enter__(self):
                return self
            def __exit__(self, *details):
                return True

        def kernel(n):
            x = 0
            with Swallow():
                assert n < 3
                x = 1
            assert x == 1
        """,
    ),
    Trap(
        "assert_swallowed_by_suppress_wrong",
        """
        import contextlib

        def kernel(n):
            x = 0
            with contextlib.suppress(AssertionError):
                assert n < 3
                x = 1
            assert x == 1
        """,
    ),
    Trap(
        "assert_swallowed_by_finally_wrong",
        """
        def attempt(n):
            try:
                assert n < 3
                return 1
            finally:
                return 0 if n >= 3 else 1

        def kernel(n):
            assert attempt(n) == 1
        """,
    ),
    Trap(
        "assert_in_a_loop_swallowed_by_finally_wrong",
        """
        def attempt(n):
            result = 1
            try:
                for i in range(n):
                    assert i < 3
                result = 2
            finally:
                return result

        def kernel(n):
            assert attempt(n) == 2
        """,
    ),
    Trap(
        "exception_in_a_loop_swallowed_by_finally_wrong",
        """
        def attempt(n):
            result = 1
            try:
                for i in range(n):
                    if i == 3:
                        raise ValueError
                result = 2
            finally:
                return result

        def kernel(n):
            assert attempt(n) == 2
        """,
    ),
    Trap(
        "exception_in_a_loop_swallowed_by_finally_that_breaks_wrong",
        """
        def kernel(n):
            result = 1
            while True:
                try:
                    for i in range(n):
                        if i == 3:
                            raise ValueError
                    result = 2
                finally:
                    break
            assert result == 2
        """,
    ),
    Trap(
        "exception_in_a_loop_swallowed_by_suppress_wrong",
        """
        import contextlib

        def kernel(n):
            result = 1
            with contextlib.suppress(ValueError):
                for i in range(n):
                    if i == 3:
                        raise ValueError
                result = 2
            assert result == 2
        """,
    ),
    Trap(
        "exception_in_the_body_swallowed_by_suppress_wrong",
        """
        import contextlib

        def kernel(n):
            for i in range(n):
                result = 1
                with contextlib.suppress(ValueError):
                    if i == 3:
                        raise ValueError
                    result = 2
                assert result == 2
        """,
    ),
    Trap(
        "exception_in_the_body_swallowed_by_suppress_right",
        """
        import contextlib

        def kernel(n):
            for i in range(n):
                result = 1
                with contextlib.suppress(ValueError):
                    if i == 3:
                        raise ValueError
                    result = 2
                assert result == (1 if i == 3 else 2)
        """,
    ),
    Trap(
        "carried_name_read_in_a_try_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                try:
                    x = x * 2 + 1
                except NameError:
                    x = 1
                assert x == 1
        """,
    ),
    Trap(
        "carried_name_read_in_a_try_with_bare_except_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                try:
                    y = x * x + 1
                except:
                    y = 1
                assert y == 1
                x = y
        """,
    ),
    Trap(
        "carried_name_read_under_suppress_wrong",
        """
        import contextlib

        def kernel(n):
            x = 0
            for i in range(n):
                y = 1
                with contextlib.suppress(Exception):
                    y = x * x + 1
                assert y == 1
                x = y
        """,
    ),
    Trap(
        "carried_name_read_under_finally_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                y = 1
                try:
                    y = x * x + 1
                finally:
                    assert y == 1
                    x = y
                    continue
        """,
    ),
    Trap(
        "carried_name_read_in_a_closure_in_a_try_wrong",
        """
        def kernel(n):
            x = 0
            def step():
                return x * x + 1
            for i in range(n):
                try:
                    y = step()
                except NameError:
                    y = 1
                assert y == 1
                x = y
        """,
    ),
    Trap(
        "name_of_the_loop_read_after_it_in_a_try_wrong",
        """
        def kernel(n):
            x = 7
            for i in range(n):
                x = x * x
            try:
                y = x
            except NameError:
                y = 7
            assert y == 7
        """,
    ),
    Trap(
        "name_of_the_loop_read_after_it_by_a_closure_wrong",
        """
        def kernel(n):
            x = 7
            def read():
                try:
                    return x
                except NameError:
                    return 7
            for i in range(n):
                x = x * x
            assert read() == 7
        """,
    ),
    Trap(
        "unbound_name_handled_right",
        """
        def kernel(n):
            for i in range(n):
                x = i
            try:
                y = x
            except NameError:
                y = 0
            assert y <= n
        """,
    ),
    Trap(
        "unbound_name_handled_wrong",
        """
        def kernel(n):
            for i in range(n):
                x = i
            try:
                y = x
            except NameError:
                y = 100
            assert y <= n
        """,
    ),
    Trap(
        "name_deleted_and_read_in_a_try_wrong",
        """
        def kernel(n):
            x = 0
            for i in range(n):
                try:
                    y = x
                    del x
                except NameError:
                    y = 1
                assert y == 0
        """,
    ),
    Trap(
        "type_error_on_a_symbolic_value_handled",
        """
        def kernel(n):
            try:
                x = n + "text"
            except TypeError:
                x = 0
            assert x == 0
        """,
    ),
    Trap(
        "attribute_error_on_a_symbolic_value_handled",
        """
        def kernel(n):
            try:
                x = n.to_bytes(4, "little")
            except AttributeError:
                x = 0
            assert x != 0
        """,
    ),
    Trap(
        "hasattr_of_a_symbolic_value",
        """
        def kernel(n):
            assert hasattr(n, "to_bytes")
        """,
    ),
    Trap(
        "hasattr_of_what_int_does_not_have",
        """
        def kernel(n):
            assert not hasattr(n, "monomials")
            assert not hasattr(n, "constant")
        """,
    ),
    Trap(
        "attribute_error_on_a_symbolic_value_handled_wrong",
        """
        def kernel(n):
            try:
                x = n.to_bytes(4, "little")
            except AttributeError:
                x = 0
            assert x == 0
        """,
    ),
    Trap(
        "hasattr_of_a_symbolic_condition_wrong",
        """
        def kernel(n):
            condition = n > 3
            assert not hasattr(condition, "to_bytes")
        """,
    ),
    Trap(
        "hasattr_of_a_list_wrong",
        """
        def kernel(n):
            values = [i for i in range(n)]
            assert hasattr(values, "parts")
        """,
    ),
    Trap(
        "hasattr_of_a_quotient_wrong",
        """
        def kernel(n):
            assert hasattr(n / 2, "top")
        """,
    ),
    Trap(
        "hasattr_of_a_range_wrong",
        """
        def kernel(n):
            assert not hasattr(range(n), "index")
        """,
    ),
    Trap(
        "getattr_with_default",
        """
        def kernel(n):
            x = getattr(n, "atoms", None)
            assert x is None
        """,
    ),
    Trap(
        "getattr_of_bit_count",
        """
        def kernel(n):
            count = getattr(n, "bit_count", lambda: 0)()
            assert count <= 1
        """,
    ),
    # finally and else
    Trap(
        "finally_that_returns_wrong",
        """
        def attempt(n):
            for i in range(n):
                try:
                    if i == 3:
                        raise ValueError
                finally:
                    return i
            return -1

        def kernel(n):
            assert attempt(n) == -1
        """,
    ),
    Trap(
        "finally_that_continues_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                try:
                    if i == 3:
                        raise ValueError
                finally:
                    count += 1
                    continue
            assert count == n
        """,
    ),
    Trap(
        "finally_that_continues_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                try:
                    if i == 3:
                        raise ValueError
                    count += 1
                finally:
                    continue
            assert count == n
        """,
    ),
    Trap(
        "finally_that_breaks_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                try:
                    count += 1
                finally:
                    break
            assert count == n
        """,
    ),
    Trap(
        "finally_that_counts_right",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                try:
                    assert count == i
                finally:
                    count += 1
            assert count == n
        """,
    ),
    Trap(
        "finally_that_counts_wrong",
        """
        def kernel(n):
            count = 0
            for i in range(n):
                try:
                    assert count < 3
                finally:
                    count += 1
        """,
    ),
    Trap(
        "try_else_wrong",
        """
        def kernel(n):
            for i in range(n):
                try:
                    if i == 2:
                        raise ValueError
                except ValueError:
                    kind = 1
                else:
                    kind = 2
                finally:
                    last = i
                assert kind == 2
        """,
    ),
    Trap(
        "handler_that_counts_wrong",
        """
        def kernel(n):
            failures = 0
            for i in range(n):
                try:
                    if i % 2 == 1:
                        raise ValueError
                except ValueError:
                    failures += 1
            assert failures <= 1
        """,
    ),
    Trap(
        "exception_kept_after_the_loop_wrong",
        """
        def kernel(n):
            kept = None
            for i in range(n):
                try:
                    if i == 2:
                        raise ValueError(i)
                except ValueError as error:
                    kept = error
            assert kept is None
        """,
    ),
    Trap(
        "raise_from_and_reraise_wrong",
        """
        def kernel(n):
            for i in range(n):
                try:
                    if i == 2:
                        raise ValueError(i)
                except ValueError as error:
                    raise RuntimeError("again") from error
        """,
    ),
    Trap(
        "reraised_and_handled_by_the_caller_wrong",
        """
        def step(i):
            try:
                if i == 2:
                    raise ValueError(i)
            except ValueError:
                raise
            return 0

        def kernel(n):
            for i in range(n):
                x = 0
                try:
                    x = step(i)
                except ValueError:
                    x = 1
                assert x == 0
        """,
    ),
    Trap(
        "own_exception_class_wrong",
        """
        class Found(Exception):
            def __init__(self, where):
                self.where = where

        def kernel(n):
            where = -1
            try:
                for i in range(n):
                    if 2 * i > n:
                        raise Found(i)
            except Found as found:
                where = found.where
            assert where <= 2
        """,
    ),
    Trap(
        "exception_group_of_iterations",
        """
        def kernel(n):
            errors = []
            for i in range(n):
                try:
                    if i == 2:
                        raise ValueError(i)
                except ValueError as error:
                    errors.append(error)
            assert not errors
        """,
    ),
    Trap(
        "assert_false_in_a_branch_never_taken_right",
        """
        def kernel(n):
            for i in range(n):
                if i * i < 0:
                    assert False
                assert i < n
        """,
        decided=True,
    ),
    Trap(
        "assert_with_a_message_with_effect_wrong",
        """
        def kernel(n):
            log = []
            try:
                assert n < 3, log.append(1)
            except AssertionError:
                pass
            assert not log
        """,
    ),
    Trap(
        "assert_of_a_walrus_right",
        """
        def kernel(n):
            assert (m := n + 1) > n
            assert m == n + 1
        """,
        decided=True,
    ),
    Trap(
        "assert_of_a_chain_with_effects",
        """
        def kernel(n):
            calls = []
            def middle():
                calls.append(1)
                return n
            assert -1 < middle() < n + 1
            assert len(calls) == 1
        """,
    ),
    Trap(
        "assert_of_a_short_circuit_right",
        """
        def kernel(n):
            assert n == 0 or 12 // n >= 0
            assert n < 5 and 7 // (5 - n) > 0 or n >= 5
        """,
    ),
    Trap(
        "assert_relied_on_by_what_follows_right",
        """
        def kernel(n):
            if n < 5:
                assert n < 10
                assert n < 7
        """,
        decided=True,
    ),
    Trap(
        "assert_in_the_loop_does_not_bind_after_it_wrong",
        """
        def kernel(n, m):
            for i in range(n):
                if i == 2:
                    assert m < 4
            assert m < 4
        """,
        decided=True,
    ),
    Trap(
        "raise_none_wrong",
        """
        def kernel(n):
            if n == 3:
                raise
        """,
    ),
    Trap(
        "generator_close_swallows_wrong",
        """
        def numbers(n):
            try:
                for i in range(n):
                    yield i
            finally:
                pass

        def kernel(n):
            total = 0
            for i in numbers(n):
                if i == 3:
                    break
                total += 1
            assert total <= 2
        """,
    ),
    Trap(
        "recursion_error_handled",
        """
        def endless(n):
            return endless(n + 1)

        def kernel(n):
            try:
                x = endless(n)
            except RecursionError:
                x = 0
            assert x == 0
        """,
    ),
]


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []


@pytest.mark.parametrize("signal", ["errors import UnsupportedConstruct", "paths import PathEnded"])
@pytest.mark.parametrize("around", ["if n > 3", "for i in range(n)"])
def test_a_signal_of_ours_that_the_kernel_raises_proves_nothing(signal: str, around: str, tmp_path: Path) -> None:
    package = "foundation" if signal.startswith("errors") else "frontend"
    lines = (f"from nkiverify.{package}.{signal} as end", "def kernel(n):", "    assert n >= 0", f"    {around}:")
    text = "\n".join((*lines, "        raise end('')"))
    (tmp_path / "kernel.py").write_text(text)
    run = verdict(make_target(lambda v: v.call(v.dim("n", 0)), tmp_path))
    assert run.verdict in (Verdict.UNKNOWN, Verdict.ERROR)
