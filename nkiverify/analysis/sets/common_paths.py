"""Paths that all programs of a launch take together: a barrier on one of them is on the path of every program.

Below `if N > 128` a barrier is had by all programs or by none, as N is the same in each. So what follows such a branch
is walked for each arm by itself, on the condition of the arm: there the barrier has no branch around it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nkiverify.foundation.budget import SetsBudget
from nkiverify.ir.program import Assume, Block, Branch, Claim, Item, Loop, Program
from nkiverify.ir.walk import Visitor, ways_to
from nkiverify.model.recorded import Executed
from nkiverify.symbolic.atoms import Atom, Dimension
from nkiverify.symbolic.conditions import Condition


def apart(program: Program) -> list[Program]:
    """The program on each of the paths that barriers are on; the program itself where there is one such path, or too
    many."""
    dimensions = {one.atom for one in program.dimensions}
    common: set[Branch] = set()
    for path, item in ways_to(program.body, Executed):
        if item.operation.declared.behaviour.barrier:
            common.update(branch for branch in path.branches if _is_common(branch.condition, dimensions))
    if not common:
        return [program]
    paths = _CommonPaths(common)
    paths.visit(program.body)
    if len(paths.found) > SetsBudget.SPLITS:
        return [program]
    return [replace(program, body=Block(items)) for items in paths.found]


def _is_common(condition: Condition, dimensions: Collection[Atom]) -> bool:
    """True if a condition is the same for all programs: it is about dimensions of the domain alone."""
    numbers = (atom for atom in condition.atoms() if isinstance(atom, Dimension))
    return not condition.indices() and all(number in dimensions for number in numbers)


class _CommonPaths(Visitor[None]):
    """The items on each path through branches that are `common` to all programs."""

    def __init__(self, common: Collection[Branch]) -> None:
        self.found: list[list[Item]] = [[]]
        self._common = common

    def recorded(self, item: Item) -> tuple[()]:
        for path in self.found:
            path.append(item)
        return ()

    def assume(self, item: Assume) -> tuple[()]:
        return self.recorded(item)

    def claim(self, item: Claim) -> tuple[()]:
        return self.recorded(item)

    def loop(self, item: Loop) -> tuple[()]:
        return self.recorded(item)

    def branch(self, item: Branch) -> tuple[()]:
        if item not in self._common:
            return self.recorded(item)
        before, after = self.found, []
        for condition, block in item.arms:
            self.found = [[*path, Assume(condition)] for path in before]
            self.visit(block)
            after += self.found
        self.found = after
        return ()
