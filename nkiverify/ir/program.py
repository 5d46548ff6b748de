"""The shape program: what running a kernel over symbolic shapes records, and what engines decide.

    program  := domain: Dimensions and Assumes, then a Block
    Block    := Item*
    Item     := Assume(condition)                  holds from here to the end of the block
              | Claim(contract, condition)         must hold here
              | Loop(index, extent, bounds, body)  the body for every index with `bounds`; no state is carried
              | Branch(condition, then, orelse)    the last item of its block: the paths do not meet again in it
             | Recorded                           an operation, an allocation, what is returned (`model.recorded`)
             | ParallelLoop, Iteration            a loop without an order that is run iteration by iteration
             | Drawn                              elements of such a loop's range are taken outside the loop

Those from Recorded on are recorded only where a phase asks for them; engines pass over them.

A block's items are in program order. Within a block, what follows an `Assume` may use it; what follows a `Branch` is
inside its arms, and the program after the loop around it continues behind the `Loop`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field
from typing import Protocol

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Decided
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract, Severity
from nkiverify.symbolic import Extent, conditions, terms
from nkiverify.symbolic.atoms import Dimension, Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import INT32_MAX

#: Why what an iteration of a loop of the legacy API does is not known: its body is traced once.
CARRIED = "variables of Python that an iteration of a legacy loop leaves for others, whose body is traced once"


#: Why claims behind a `while` statement that makes a number smaller may be too many.
SEARCHED = "a number that a `while` statement makes smaller until it fits, of which only its range is known"


@dataclass(frozen=True, slots=True, eq=False)
class Assume:
    """`condition` holds from here on. `text` says who promised it: the domain, an assert that was passed, …

    `of_division`: the divisor of a division is not zero, or Python had raised. Claims about later divisions do without
    it, so that every division by the same zero is reported. `of_number`: it is about a number that is loaded at run
    time, whatever leads here.
    """

    condition: Condition | bool
    text: str = ""
    of_division: bool = False
    of_number: bool = False


@dataclass(frozen=True, slots=True)
class SetProof:
    """The proof by sets of a claim about all elements of a tensor: it holds, or why it is `open`."""

    open: str = ""


class Assumed(Protocol):
    """Something that is taken for granted where a claim is stated; what comes after may show that it is `wrong`."""

    @property
    def wrong(self) -> str:
        """The proof that it is wrong; empty while nothing does."""


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """`condition` must hold whenever execution comes here.

    `site` is the place in the kernel, None where no kernel code is executing (the output contract);
    `stub` is the function that states it. `quantities` are the named values a message shows. `unwinding` claims say
    that a loop was unrolled far enough: refuting one refutes nothing, it bounds the verdict. A `sufficient` one may ask
    for more than its contract: refuting one proves nothing until a concrete run breaks the contract. One decided
    `by_sets` has no condition that an engine could be asked about. `severity` says whether the verdict depends on it.
    `open` is what to say where the condition does not hold and nobody can tell whether the contract does: the claim is
    undecided then, not refuted. Nothing is decided of one that `rests_on` what has turned out to be wrong.
    """

    number: int
    contract: Contract
    condition: Condition | bool
    phase: int
    site: Site | None
    stub: str
    quantities: tuple[tuple[str, object], ...] = ()
    unwinding: bool = False
    sufficient: bool = False
    by_sets: SetProof | None = None
    severity: Severity = Severity.CLAIM
    open: str = ""
    rests_on: frozenset[Assumed] = frozenset()

    @property
    def decides(self) -> bool:
        """True if the verdict depends on it."""
        return self.severity is Severity.CLAIM

    @property
    def of_exception(self) -> bool:
        """True if it says that the kernel raises nothing."""
        return self.contract.id == "kernel.exception"

    @property
    def of_division(self) -> bool:
        """True if it says that a divisor is not zero."""
        return self.contract.id == "host.division_by_zero"

    @property
    def void(self) -> str:
        """Why its condition says nothing, as something that it rests on has turned out to be wrong; empty if not."""
        return next((assumed.wrong for assumed in self.rests_on if assumed.wrong), "")


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`body` runs for every value of `index` for which `bounds` hold (0 <= index, and below `extent`).

    The iterations of a `parallel` one have no order (legacy `affine_range`). If it `counts`, numbers of the host change
    from one iteration to the next, though its body is traced once. How often one goes round that is not `counted`
    nobody knows: perhaps not at all.
    """

    index: Index
    extent: Term
    bounds: tuple[Condition | bool, ...]
    body: Block
    site: Site | None
    parallel: bool = False
    counts: bool = False
    counted: bool = True

    @property
    def runs_twice(self) -> Condition | bool:
        """The condition that it has a second iteration."""
        return conditions.at_most_zero(terms.add(terms.constant(2), self.extent, -1))


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """The paths on which `condition` holds go on in `then`, the others in `orelse`."""

    condition: Condition
    then: Block
    orelse: Block
    site: Site | None

    @property
    def arms(self) -> tuple[tuple[Condition, Block], tuple[Condition, Block]]:
        """Both blocks, each with the condition on which paths go on in it."""
        return (self.condition, self.then), (self.condition.negation(), self.orelse)


class Recorded:
    """Something that is recorded for analyses: an operation, an allocation, what is returned."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """A loop whose iterations have no order (legacy `affine_range`) continues with its iteration `number`.

    `loop` identifies this execution of the loop, in the program of a launch grid with these coordinates. What is
    executed from here to its next iteration, or its end, belongs to the iteration. `drawn`: the number was drawn by
    something else than a `for` statement, and one for which nothing is executed may be used in another iteration.
    """

    loop: object
    number: int
    drawn: bool = False
    program: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ParallelLoop:
    """Such a loop begins or ends; `left`: before all its numbers were asked for."""

    loop: object
    begins: bool
    program: tuple[Extent, ...] = ()
    left: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Elements of a range whose iterations have no order are taken at `site`: what is done for them is not known."""

    site: Site | None
    program: tuple[Extent, ...] = ()


#: What is recorded of iterations that have no order, where they are run one by one.
Unordered = Iteration | ParallelLoop | Drawn
Item = Assume | Claim | Loop | Branch | Recorded | Unordered


@dataclass(slots=True, eq=False)
class Block:
    """Items in program order. `stated` identifies the claims among them: stating one again adds nothing."""

    items: list[Item] = field(default_factory=list)
    stated: set[tuple[object, ...]] = field(default_factory=set)

    @property
    def ends(self) -> bool:
        """True if a path ends here: an assert rejects what comes to it, or the kernel raises."""
        return all(isinstance(item, Assume) or (isinstance(item, Claim) and item.of_exception) for item in self.items)

    @property
    def idle(self) -> bool:
        """True if nothing is executed, or claimed, in it: an assumption excludes it, or nobody has come here."""
        return all(isinstance(item, Assume) for item in self.items)

    @property
    def loops(self) -> list[Loop]:
        """The loops that stand in it, but for those within another item."""
        return [item for item in self.items if isinstance(item, Loop)]

    def is_excluded(self, texts: Collection[str]) -> bool:
        """True if an assumption with one of `texts` ends it: nothing of the domain comes here. Another block that is
        idle may not have been explored."""
        return any(isinstance(item, Assume) and item.condition is False and item.text in texts for item in self.items)


@dataclass(frozen=True, slots=True, eq=False)
class DomainDimension:
    """A named integer of the domain with its inclusive range; `high` None means the largest 32-bit integer.

    Values are `multiple_of * 1, 2, …`; `choices`, where given, name the options that the values 0, 1, … stand for.
    """

    atom: Dimension
    low: int
    high: int | None
    multiple_of: int = 1
    choices: tuple[str, ...] = ()

    @property
    def smallest(self) -> int:
        """The least value in the range; an assumption of the target may exclude it."""
        return -(-self.low // self.multiple_of) * self.multiple_of

    @property
    def greatest(self) -> int:
        """The end of the range."""
        return INT32_MAX if self.high is None else self.high

    def equals(self, value: int) -> Condition | bool:
        """The condition that the dimension is `value`."""
        return conditions.equals_zero(terms.add(terms.of_atom(self.atom), terms.constant(-value)))

    def at_most(self, value: int) -> Condition | bool:
        """The condition that the dimension is at most `value`."""
        return conditions.at_most_zero(terms.add(terms.of_atom(self.atom), terms.constant(-value)))

    def at_least(self, value: int) -> Condition | bool:
        """The condition that the dimension is at least `value`."""
        return conditions.at_most_zero(terms.add(terms.constant(value), terms.of_atom(self.atom), -1))

    def is_multiple(self, of: int) -> Condition | bool:
        """The condition that the dimension is a multiple of `of`."""
        term = terms.of_atom(self.atom)
        return conditions.equals_zero(terms.add(term, terms.scale(terms.divide(term, terms.constant(of)), -of)))


@dataclass(slots=True, eq=False)
class Program:
    """A shape program with the domain it is about.

    It `carries` where iterations of a loop with an order are recorded one by one, though its body is traced once. Where
    it `searches`, what follows these `while` statements is about more numbers than they may end with; True for those
    that end with the same ones in all programs of a launch. `independent` says of `for` statements whether no iteration
    leaves anything in Python for another one, wherever they run.
    """

    dimensions: list[DomainDimension] = field(default_factory=list)
    body: Block = field(default_factory=Block)
    paths: int = 0
    carries: bool = False
    searches: dict[Site, bool] = field(default_factory=dict)
    independent: dict[Site, bool] = field(default_factory=dict)

    @property
    def assumptions(self) -> list[Assume]:
        """The assumptions at the top of the program, on every path."""
        return [item for item in self.body.items if isinstance(item, Assume)]

    @property
    def assumed(self) -> list[Condition | bool]:
        """The conditions of these assumptions."""
        return [item.condition for item in self.assumptions]

    @property
    def domain(self) -> list[Condition | bool]:
        """The conditions that are assumed before anything else happens."""
        return [item.condition for item in self.body.items[: self._beginning] if isinstance(item, Assume)]

    def state_first(self, claims: Iterable[Claim]) -> None:
        """Put claims before anything else that happens."""
        self.body.items[self._beginning : self._beginning] = claims

    @property
    def _beginning(self) -> int:
        items = self.body.items
        return next((at for at, item in enumerate(items) if not isinstance(item, Assume)), len(items))


def decided_lines(outcomes: Iterable[tuple[Claim, str, str]]) -> tuple[Decided, ...]:
    """The claims, each with its outcome and what decided it, put together by everything but their lines."""
    groups: dict[tuple[str, str, str, str], list[int]] = {}
    for claim, outcome, by in outcomes:
        file, line = (claim.site.file, claim.site.line) if claim.site is not None else ("", 0)
        groups.setdefault((file, claim.contract.id, outcome, by), []).append(line)
    return tuple(Decided(*group, lines=tuple(sorted(lines))) for group, lines in sorted(groups.items()))
