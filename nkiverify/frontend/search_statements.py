"""A `while` statement that makes a number smaller until it fits: `while N % w or w * 4 > 128: w -= 1`.

Each round that is unrolled asks one more question about the first number, of which none is forgotten; where that number
is a dimension, no bound is enough. So the body is run once, for any numbers that the names may have at a test, from 1
to their first ones; and what follows is run for any such numbers with which the loop ends. At the end of the body it is
examined that

    each number is at least 1 and not larger than before, and one is smaller      (so the loop ends)
    nothing else within reach has changed                                         (so nothing else is handed on)

Where that is not seen, the loop is unrolled. More numbers are examined than the loop may come to: what is proved
holds, and what is refuted is confirmed by Python itself or left open.

All programs of a launch come to the same numbers where no program is mentioned by what leads to the statement, by what
is asked in it, or by a number in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.foundation.source import Site
from nkiverify.frontend.loops import PlainWhile
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.ir.program import Assume
from nkiverify.model.launch import is_program
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.values import as_term

if TYPE_CHECKING:
    from nkiverify.frontend.explorer import SymbolicExecution


def may_be_search(run: SymbolicExecution, site: Site, frame: FrameType, names: Collection[str]) -> bool:
    """True if the `while` statement about to run may make numbers smaller of which one depends on a dimension."""
    if not names or site in run.unrolled or run.depth > 1 or run.try_depth > 0:
        return False
    values = [_number(frame, name) for name in names]
    known = [value for value in values if value is not None]
    symbolic = any(value.constant is None for value in known)
    return symbolic and len(known) == len(names) and all(_holds(run, _at_most(1, value)) for value in known)


class SearchStatement(PlainWhile):
    """Drives such a statement: its first test is one of any round, and a second one ends the path."""

    def __init__(self, run: SymbolicExecution, site: Site, frame: FrameType, steps: Mapping[str, int]) -> None:
        self._run = run
        self._site = site
        self._frame = frame
        run.program.searches.setdefault(site, True)
        self._mentioned(*run.context.hypotheses)
        #: The numbers at the beginning of a round.
        self._values = {name: self._any_up_to(name, _number(frame, name), step) for name, step in steps.items()}
        self._before = Snapshot(frame, (run.model,))
        self._tested = False
        run.asked_within = self._mentioned

    @property
    def restoring(self) -> bool:  # type: ignore[override]
        """True before the first test."""
        return not self._tested

    def has(self, name: str) -> bool:
        """True: each has a value."""
        return name in self._values

    def get(self, name: str) -> object:
        """The value the local `name` is to have now."""
        return self._values[name]

    def test(self, condition: Any) -> bool:
        """The truth value of the condition, for any round; the round after it is not run."""
        if self._tested:
            self._end_round()
        self._tested = True
        goes_on = super().test(condition)
        if not goes_on:
            self._run.asked_within = None
        return goes_on

    def leave(self) -> None:
        """The loop is left by `break` or `return`."""
        self._mentioned(*(_number(self._frame, name) for name in self._values))
        self._run.asked_within = None

    def _mentioned(self, *found: Condition | Term | bool | None) -> None:
        """Note that the numbers may depend on these."""
        for one in found:
            indices = one.indices() if isinstance(one, Condition) else ()
            atoms = terms.all_atoms(one) if isinstance(one, Term) else indices
            if any(isinstance(atom, Index) and is_program(atom) for atom in atoms):
                self._run.program.searches[self._site] = False

    def _any_up_to(self, name: str, first: Term | None, step: int) -> Term:
        """Any number from 1 to the first one; one of its multiples of `step`, if it is such itself."""
        assert first is not None, "a number, as `may_be_search` says"
        run = self._run
        self._mentioned(first)
        steps = terms.divide(first, terms.constant(step))
        if not _holds(run, conditions.equals_zero(terms.add(first, terms.scale(steps, -step)))):
            step, steps = 1, first
        number = as_term(run.fresh_index(name, terms.add(steps, terms.constant(1)), least=1))  # type: ignore[arg-type]
        assert number is not None
        for bound in (_at_most(1, number), _at_most(number, steps)):
            run.assume(bound, f"`{name}` at line {self._site.line}")
        return terms.scale(number, step)

    def _end_round(self) -> NoReturn:
        run = self._run
        change = next(self._before.changes(), None)
        if change is not None:
            self._give_up(f"it changes {change.describe()}")
        smaller = False
        for name, before in self._values.items():
            after = _number(self._frame, name)
            self._mentioned(after)
            if after is None or not _holds(run, _at_most(1, after)) or not _holds(run, _at_most(after, before)):
                self._give_up(f"`{name}` may grow, or come to less than 1")
            smaller = smaller or _holds(run, _at_most(terms.add(after, terms.constant(1)), before))
        if not smaller:
            self._give_up("it may go on without end")
        run.record(Assume(False, "the round after"))
        raise run.end_path()

    def _give_up(self, reason: str) -> NoReturn:
        raise self._run.give_up_loop(self._site, reason)


def _number(frame: FrameType, name: str) -> Term | None:
    """The integer that a local name has, if it has one."""
    value = frame.f_locals.get(name)
    return None if isinstance(value, bool) else as_term(value)


def _at_most(one: Term | int, two: Term) -> Condition | bool:
    least = terms.constant(one) if isinstance(one, int) else one
    return conditions.at_most_zero(terms.add(least, two, -1))


def _holds(run: SymbolicExecution, condition: Condition | bool) -> bool:
    return condition if isinstance(condition, bool) else run.holds(condition)
