"""Loops that a concrete run may begin at any iteration: those that leave nothing in Python for another iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import FromIterations
from nkiverify.frontend.paths import Limits
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.exploration import explore
from tests.dataflow.subject import Subject, rows_and_columns

KERNEL = """
class Box:
    def __init__(self):
        self.value = 0

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    count, seen, box, before, table = 0, [], Box(), None, {{"last": 0}}
    for row in range(rows):
        tile = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[row : row + 1, :])
        nisa.dma_copy(dst=out[row : row + 1, :], src=tile)
        {statement}
    return out
"""


@pytest.mark.parametrize(
    ("statement", "independent"),
    [
        ("pass", True),
        ("last = row * columns", True),
        ("box.value = 3 - 3", True),
        ("count += 1", False),
        ("count = max(count, row)", False),
        ("seen.append(tile)", False),
        ("box.value = box.value + 1", False),
        ("box.value = row", False),
        ("before = tile", False),
        ("table['last'] = row", False),
        ("if row == 2: break", False),
    ],
)
def test_a_loop_is_independent_where_nothing_is_left(tmp_path: Path, statement: str, independent: bool) -> None:
    text = KERNEL.format(statement=statement)
    if statement == "before = tile":
        text = text.replace("src=tile)", "src=before if before is not None else tile)")
    subject = Subject.of(tmp_path, text, rows_and_columns)
    found = explore(subject.target, hardware_named("trn2"), Limits(unwind=2), SHAPE_PHASES).run.program.independent
    assert list(found.values()) == [independent]


def test_a_statement_that_another_loop_leaves_something_for_is_not_independent(tmp_path: Path) -> None:
    text = KERNEL.format(statement="pass") + (
        "\ndef walk(count, found):\n    for number in range(count):\n        found.append(number)\n"
    )
    text = text.replace(
        "    return out\n", "    walk(rows, seen)\n    walk(2, seen)\n    walk(columns, seen)\n    return out\n", 1
    )
    subject = Subject.of(tmp_path, text, rows_and_columns)
    found = explore(subject.target, hardware_named("trn2"), Limits(), SHAPE_PHASES).run.program.independent
    assert sorted(found.values()) == [False, True]


def test_a_statement_within_itself_begins_at_one_number_after_the_other() -> None:
    site, other = Site("kernel.py", 3), Site("kernel.py", 4)
    order = FromIterations({site: [2, 1]})
    assert list(order.iterated(range(5), site)) == [2, 3, 4]
    assert order.iterated([7, 8], site) == [8]
    # None is left out of a loop that has fewer, nor of what is no sequence.
    assert order.iterated((9,), site) == (9,)
    assert order.iterated(range(5), other) == range(5)
    unread = iter((1, 2))
    assert order.iterated(unread, site) is unread
