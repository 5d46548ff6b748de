"""Asking the sets about boxes of a kernel's result: which of them are defined for all values of its dimensions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nkiverify.analysis.sets import flow
from nkiverify.analysis.sets.coordinates import jumps_of
from nkiverify.analysis.sets.regions import Regions
from nkiverify.foundation.budget import SetsBudget
from nkiverify.ir.program import Block, Branch, Program
from nkiverify.ir.walk import items
from nkiverify.model.recorded import Executed, Returned

#: From row, to row, from column, to column.
Box = tuple[int, int, int, int]


class _Boxes(flow._Walk):
    """A walk that answers for each box by itself whether it is defined."""

    answers: list[list[bool]]

    def _output(self, wanted: Any, found: Any, context: Any) -> None:
        before = len(self._proof.open)
        super()._output(wanted, found, context)
        self.answers[-1].append(len(self._proof.open) == before)

    def _returned(self, item: Returned, state: Any) -> None:
        self.answers.append([])
        super()._returned(item, state)


def proved_boxes(program: Program, generation: int, boxes: Sequence[Box], seconds: float) -> list[bool]:
    """Of which boxes of what it returns all claims about `program` are shown, for all values of its dimensions, in so
    many seconds for each try."""
    _cut(program.body, boxes)
    found = [False] * len(boxes)
    jumps = jumps_of(item.operation for item in items(program.body) if isinstance(item, Executed))
    regions = Regions.of_program(program)
    for each in (regions, regions.finer(jumps)) if any(jumps.values()) else (regions,):
        walk = _Boxes(program, each, generation, time.monotonic() + seconds, frozenset())
        walk.answers = []
        proof = flow._walked(walk, SetsBudget.OPERATIONS)
        if walk.answers and all(claim.contract == "df.output_written" for claim in proof.open):
            found = [old or all(new) for old, new in zip(found, zip(*walk.answers, strict=True), strict=True)]
        if all(found):
            break
    return found


def _cut(block: Block, boxes: Sequence[Box]) -> None:
    """Let a program return boxes of its one result."""
    for number, item in enumerate(block.items):
        if isinstance(item, Branch):
            _cut(item.then, boxes)
            _cut(item.orelse, boxes)
        elif isinstance(item, Returned):
            (tensor,) = item.tensors
            cut = (
                tensor.with_layout(
                    (high - low, right - left),
                    tensor.strides,
                    moved_by=((low, tensor.strides[0]), (left, tensor.strides[1])),
                )
                for low, high, left, right in boxes
            )
            block.items[number] = replace(item, tensors=tuple(cut))
