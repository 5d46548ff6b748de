"""Batches of a campaign: every result arrives, and a process that dies is told of."""

from __future__ import annotations

import os

from lab.batches import in_batches


def _texts(numbers: range) -> list[str]:
    if 5 in numbers:
        os._exit(3)
    if 7 in numbers:
        raise MemoryError
    # More than a pipe holds.
    return [str(number) * 100_000 for number in numbers]


def test_results_come_in_order_and_a_process_that_dies_has_none() -> None:
    found = [
        (one.numbers, one.result and [text[0] for text in one.result], one.status)
        for one in in_batches(range(2, 11), 2, _texts)
    ]
    assert found == [
        (range(2, 4), ["2", "3"], 0),
        (range(4, 6), None, 3),
        (range(6, 8), None, 1),
        (range(8, 10), ["8", "9"], 0),
        (range(10, 11), ["1"], 0),
    ]
