"""Where a target's dimensions get their values: from a symbolic run, or from one concrete choice."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from types import FrameType

from nkiverify.foundation.source import Site
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.target import OutsideDomain
from nkiverify.ir.program import DomainDimension
from nkiverify.model.hardware import REVISION_UNKNOWN
from nkiverify.symbolic import constant_value
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.integers import Extent
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.values import as_term


class SymbolicBinding:
    """Dimensions are symbolic, choices split the run."""

    def __init__(self, run: SymbolicExecution, manifest: str = "") -> None:
        self._run = run
        self._manifest = manifest
        #: What the target assumed, as text.
        self.assumptions: dict[str, None] = {}
        #: Those of every domain, where they keep shapes out of this one.
        self.of_every_domain: dict[str, None] = {}
        self._assumed_at: dict[Site, None] = {}
        self._asserts: Mapping[tuple[str, int], str] = {}

    @property
    def assumed_at(self) -> tuple[Site, ...]:
        """The lines that restrict the domain: of the target, and of the kernel's asserts that are assumed."""
        first: dict[str, Site] = {}
        for (file, line), text in self._asserts.items():
            if text in self.assumptions:
                first.setdefault(text, Site(file, line))
        return (*self._assumed_at, *first.values())

    def dimension(self, described: DomainDimension) -> Extent:
        """The symbolic value of a dimension."""
        return self._run.dimension(described)  # type: ignore[return-value]

    def choose(self, described: DomainDimension) -> int:
        """The option of this path."""
        value = self.dimension(described)
        last = len(described.choices) - 1
        for option in range(last):
            if value == option:
                return option
        return last

    def revision(self, described: DomainDimension) -> Extent:
        """Either."""
        return self.dimension(described)

    def number(self, value: Extent) -> Extent:
        """A symbolic constant, for a plain number."""
        return as_term(value)  # type: ignore[return-value]

    def integers(self, name: str, low: Extent, high: Extent) -> int | None:
        """Any of the range."""
        return None

    def assume(self, condition: object, text: str = "") -> None:
        """Restrict the domain; `text` is what is reported of an assumption of every domain."""
        follows = isinstance(condition, bool | Condition) and self._run.entails(condition)
        if text:
            if follows:
                return
            self.of_every_domain[text] = None
        elif not follows:
            self.assumptions[str(condition)] = None
            place = _place_in(self._manifest)
            if place is not None:
                self._assumed_at[place] = None
        # Shapes are searched for in what the target says: most that any domain leaves out are far too large to run.
        self._run.assume(condition, "any domain" if text else "domain")

    def possible(self) -> bool:
        """True if the present path may be one of some values."""
        return self._run.context.with_conditions((), BUDGETS.domain).satisfiable() is not Answer.NO

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """The conditions of the kernel's asserts at these lines are part of the domain."""
        self._asserts = lines
        self._run.preconditions = lines
        self._run.assumed_asserts = self.assumptions


def _place_in(file: str) -> Site | None:
    """The line of `file` that is executing."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return Site(frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


class ConcreteBinding:
    """Dimensions have the given values; `OutsideDomain` where the target excludes them.

    A value of `name[:]` is that of all elements of an argument whose integers have a declared range.
    """

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values = values
        #: The arguments whose integers have a range, of more than one, with its ends.
        self.ranged: dict[str, tuple[int, int]] = {}
        #: Every dimension the target asked for, with the value it got.
        self.used: dict[str, DomainDimension] = {}
        #: Lines of the kernel's asserts that are part of the domain.
        self._asserts: Mapping[tuple[str, int], str] = {}

    def dimension(self, described: DomainDimension) -> int:
        """The chosen value, or the smallest one for a dimension that was not chosen."""
        name = described.atom.name
        self.used[name] = described
        value = self._values.get(name, described.smallest)
        if not described.low <= value <= described.greatest or value % described.multiple_of:
            raise OutsideDomain(f"{name} = {value}")
        return value

    def choose(self, described: DomainDimension) -> int:
        """The chosen option."""
        return int(self.dimension(described))

    def revision(self, described: DomainDimension) -> Extent:
        """The given one. A run that is given none says nothing: it would be one about one of the two."""
        self.used[described.atom.name] = described
        if described.atom.name not in self._values:
            raise unsupported(REVISION_UNKNOWN)
        return self._values[described.atom.name]

    def number(self, value: Extent) -> Extent:
        """The number itself."""
        return value

    def integers(self, name: str, low: Extent, high: Extent) -> int | None:
        """The integer that is given for all elements, or the only one of the range; any of the range where none is."""
        least, most = constant_value(low), constant_value(high)
        if least is None or most is None:
            return None
        if least == most:
            return least
        self.ranged[name] = least, most
        given = self._values.get(f"{name}[:]")
        if given is not None and not least <= given <= most:
            raise OutsideDomain(f"{name}[:] = {given}")
        return given

    def assume(self, condition: object, text: str = "") -> None:
        """Check that the values are in the domain."""
        if not condition:
            raise OutsideDomain(f"it is assumed that {text}" if text else "an assumption of the target does not hold")

    def possible(self) -> bool:
        """The values are there."""
        return True

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """The conditions of the kernel's asserts at these lines are part of the domain: `excludes` knows where one
        raises."""
        self._asserts = lines

    def excludes(self, error: BaseException) -> bool:
        """True if the kernel has raised `error` because an assert that is part of the domain does not hold."""
        if not isinstance(error, AssertionError):
            return False
        frames = traceback.walk_tb(error.__traceback__)
        return any((frame.f_code.co_filename, line) in self._asserts for frame, line in frames)
