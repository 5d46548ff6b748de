"""Places of a kernel that serve nothing where a condition holds that the kernel does not check.

A loop over tiles is written to go round more than once, a branch to be taken and not to be. Where a condition that
would keep a fault out makes either impossible, the kernel was meant for the sizes beyond it: what is wrong is in its
text, and no assert mends it. It errs on the side of silence: what the solver leaves open is not dead, nor is what would
be without the condition, as where the kernel's own asserts say that a loop goes round once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.source import Site
from nkiverify.frontend.trees import parse
from nkiverify.ir.program import Branch, Loop, Program
from nkiverify.ir.walk import items, ways_to
from nkiverify.model.recorded import Executed, Returned
from nkiverify.model.tensor import Storage
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Dimension, Index, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Relation
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.values import as_term


@dataclass(frozen=True, slots=True)
class Dead:
    """A place of the kernel, and what is so of it: "the loop goes round at most once"."""

    site: Site
    text: str


@dataclass(frozen=True, slots=True)
class _Way:
    """A loop that goes round twice, or an arm that is taken, with the conditions that lead there."""

    site: Site
    text: str
    conditions: tuple[Condition | bool, ...]


def dead_where(program: Program, condition: Condition, known: Sequence[Condition | bool]) -> Iterator[Dead]:
    """The places that no shape with `condition` comes to, though some with what is `known` does.

    A loop or a branch that stands on several paths through the kernel is dead where it is on all of them.
    """
    ways: dict[tuple[Site, str], list[_Way]] = {}
    for way in _ways(program):
        ways.setdefault((way.site, way.text), []).append(way)
    about = {atom for atom in condition.atoms() if isinstance(atom, Dimension)}
    within, before = Prover([*known, condition], BUDGETS.statement), Prover(known, BUDGETS.statement)
    for (site, text), reached_by in list(ways.items())[: DerivingBudget.PLACES]:
        reported = [part for way in reached_by for part in way.conditions if isinstance(part, Condition)]
        if about.isdisjoint(atom for part in reported for atom in _atoms(part)):
            continue
        if any(within.with_conditions(way.conditions).satisfiable() is not Answer.NO for way in reached_by):
            continue
        if any(before.with_conditions(way.conditions).satisfiable() is Answer.YES for way in reached_by):
            yield Dead(site, text)


def square_where(program: Program, condition: Condition, site: Site | None) -> Iterator[Dead]:
    """The place that asks for a tensor to be square, where a condition says it is: of one that is read as `[M, N]` and
    returned as `[N, M]`, or that the kernel calls so, rows and columns are two things, which it exchanges."""
    if site is None or not isinstance(condition, Comparison) or condition.relation is not Relation.EQUAL:
        return
    one = [atom for atom in condition.term.atoms if isinstance(atom, Dimension)]
    if len(one) != 2 or condition.term.constant_part or set(condition.term.monomials.values()) != {1, -1}:
        return
    first, second = map(terms.of_atom, one)
    taken, given = set[bool](), set[bool]()
    read: dict[str, None] = {}
    for item in items(program.body):
        if isinstance(item, Executed):
            for view in item.operation.reads.values():
                orders = _orders([view.storage], first, second)
                taken |= orders
                if orders and view.storage.name:
                    read[view.storage.name] = None
        elif isinstance(item, Returned):
            given |= _orders([tensor.storage for tensor in item.tensors], first, second)
    if len(taken) == 1 and given == {not order for order in taken}:
        yield Dead(site, "what is transposed would have to be square")
    elif read:
        yield Dead(site, f"{' and '.join(read)} would have to be square")


def _orders(storages: Iterable[Storage], first: Term, second: Term) -> set[bool]:
    """The orders of two extents in tensors of HBM that have both: true if the first one comes first."""
    found = set()
    for one in storages:
        extents = [] if one.buffer.on_chip else [as_term(extent) for extent in one.shape]
        places = [[at for at, extent in enumerate(extents) if extent is term] for term in (first, second)]
        if all(places):
            found.add(places[0] < places[1])
    return found


def _atoms(condition: Condition) -> Iterator[object]:
    """All atoms of a condition, those inside others included."""
    for term in condition.terms():
        yield from terms.all_atoms(term)


def _ways(program: Program) -> Iterator[_Way]:
    for path, loop in ways_to(program.body, Loop):
        if loop.site is not None and not _has_index(loop.extent):
            yield _Way(loop.site, "the loop goes round at most once", (*path.conditions, loop.runs_twice))
    for path, branch in ways_to(program.body, Branch):
        both_go_on = not (branch.then.ends or branch.orelse.ends)
        about_sizes = not any(isinstance(atom, Index) for atom in _atoms(branch.condition))
        if branch.site is not None and both_go_on and about_sizes and _is_written(branch.site):
            for (condition, _), word in zip(branch.arms, ("never", "always"), strict=True):
                yield _Way(branch.site, f"the condition {word} holds", (*path.conditions, condition))


def _has_index(extent: Term) -> bool:
    return any(isinstance(atom, Index) for atom in terms.all_atoms(extent))


def _is_written(site: Site) -> bool:
    """True if the kernel's text has a condition in this line: whether a loop goes round at all is a branch as well."""
    with suppress(UsageError):
        for node in ast.walk(parse(Path(site.file))):
            if isinstance(node, ast.If | ast.IfExp) and node.test.lineno <= site.line <= (node.test.end_lineno or 0):
                return True
    return False
