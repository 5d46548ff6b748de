"""`while` statements that make numbers smaller until they fit (`nkiverify.frontend.searches`)."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from nkiverify.symbolic.prover import BUDGETS
from tests.soundness.trap import Trap, complaints

TRAPS = [
    Trap(
        "divisor_of_two_conditions_right",
        """
        def kernel(n, g):
            first = g
            while n % g or g * 4 > 32:
                g -= 1
            assert n % g == 0 and g <= 8 and g <= first
        """,
        low=1,
        decided=True,
        seconds=60.0,
    ),
    Trap(
        "divisor_wrong",
        """
        def kernel(n, w):
            while n % w:
                w -= 1
            assert w > 1
        """,
        low=1,
        seconds=60.0,
    ),
    Trap(
        "divisor_wrong_for_a_large_first_one_only",
        """
        def kernel(n, w):
            first = w
            while n % w:
                w -= 1
            assert not (first == 9 and w == 2)
        """,
        low=1,
        seconds=60.0,
        tried=range(1, 12),
    ),
    Trap(
        "greatest_divisor_right",
        """
        def kernel(n, w):
            first = w
            while n % w:
                w -= 1
            if w < first:
                assert n % (w + 1)
        """,
        low=1,
        seconds=60.0,
    ),
    Trap(
        "division_by_zero_in_a_later_round_wrong",
        """
        def kernel(n, w):
            while n % w:
                w -= 2
        """,
        low=1,
        seconds=1.0,
        phase=2,
        tried=range(1, 10),
    ),
    Trap(
        "halves_the_larger_right",
        """
        def kernel(w, h):
            while w * h > 64:
                if w > h:
                    w //= 2
                else:
                    h = h // 2
            assert w * h <= 64 and w >= 1 and h >= 1
        """,
        low=1,
        tried=range(1, 30, 4),
        decided=True,
        seconds=60.0,
    ),
    Trap(
        "multiples_stay_multiples_right",
        """
        def kernel(n, m):
            w = m * 8
            while n * 8 % w:
                w -= 8
            assert w % 8 == 0 and w >= 8
        """,
        low=1,
        tried=range(1, 12),
        decided=True,
        seconds=60.0,
    ),
    Trap(
        "not_a_multiple_wrong",
        """
        def kernel(n, m):
            w = m * 8 + 4
            while n * 8 % w and w > 8:
                w -= 8
            assert w % 8 == 0
        """,
        low=1,
        seconds=60.0,
        tried=range(1, 12),
    ),
    Trap(
        "break_right",
        """
        def kernel(n, w):
            while True:
                if n % w == 0:
                    break
                w -= 1
            assert n % w == 0
        """,
        low=1,
        decided=True,
        seconds=60.0,
    ),
    Trap(
        "break_in_the_middle_wrong",
        """
        def kernel(n, w):
            while n % w:
                w -= 1
                if w < 4:
                    break
            assert n % w == 0
        """,
        low=1,
        seconds=60.0,
    ),
    Trap(
        "counts_rounds_wrong",
        """
        def kernel(n, w):
            rounds = 1
            while n % w:
                w -= 1
                rounds += 1
            assert rounds < 6
        """,
        low=1,
        seconds=1.0,
        tried=range(1, 14),
    ),
    Trap(
        "leaves_something_behind_wrong",
        """
        def kernel(n, w):
            seen = Box()
            while n % w:
                w -= seen.one
            assert seen.times < 6

        class Box:
            def __init__(self):
                self.times = 0

            @property
            def one(self):
                self.times += 1
                return 1
        """,
        low=1,
        seconds=1.0,
        tried=range(1, 14),
    ),
    Trap(
        "captured_by_a_function_wrong",
        """
        def kernel(n, w):
            now = lambda: w
            while n % w:
                w -= 1
            assert now() < 5
        """,
        low=1,
        seconds=1.0,
        tried=range(1, 14),
    ),
    Trap(
        "in_a_loop_wrong",
        """
        def kernel(n, w):
            total = 0
            for i in range(n):
                v = w
                while (n + i) % v:
                    v -= 1
                total += v
            assert total <= 4 * n
        """,
        low=1,
        seconds=2.0,
        tried=range(1, 10),
    ),
    Trap(
        "handled_wrong",
        """
        def kernel(n, w):
            try:
                while n % w:
                    w -= 2
            except ZeroDivisionError:
                assert False
        """,
        low=1,
        seconds=1.0,
        tried=range(1, 10),
    ),
]


#: Are decided, or found to be undecided, with a hundredth of Z3's steps.
EASY = {
    "divisor_of_two_conditions_right", "divisor_wrong", "divisor_wrong_for_a_large_first_one_only",
    "greatest_divisor_right", "multiples_stay_multiples_right", "not_a_multiple_wrong", "break_right",
    "break_in_the_middle_wrong",
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if trap.name in EASY:
        for field in fields(BUDGETS):
            monkeypatch.setattr(BUDGETS, field.name, 10)
    assert complaints(trap, tmp_path) == []
