"""Paths through a kernel: which decisions were taken, and what holds after them.

Where a condition on symbolic values can go both ways, the run is split: the path continues with True, and the other
side is explored by executing again from the start of the innermost scope (the whole target, or one loop body) with the
decisions so far replayed. Equal terms are the same object and contexts remember what was found out, so a replay decides
as before; where it does not, the kernel depends on something outside it and nothing can be concluded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import field
from typing import TYPE_CHECKING

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site, kernel_site
from nkiverify.ir import program
from nkiverify.ir.program import Assume, Block, Branch, Program
from nkiverify.model.state import ModelState
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.path_conditions import Context

if TYPE_CHECKING:
    from nkiverify.frontend.carried_contents import CarriedByRounds

# Control flow of the exploration itself: a kernel must not catch it, so it is no `Exception`.


class PathEnded(BaseException):
    """This path cannot be continued: an assumption does not hold on it, or it ended in a claim that must fail."""


#: Why a run stops whose kernel has got at one of these.
SIGNAL_OF_OURS = "a signal of nkiverify's that the kernel raises"


class RunAgain(BaseException):
    """The run is to be made again, in another way."""


class LoopNotSummarised(RunAgain):
    """A loop carries state that has no closed form: explore again, unrolling it."""

    def __init__(self, site: Site, reason: str) -> None:
        super().__init__(reason)
        self.site = site
        self.reason = reason


class LoopSearches(RunAgain):
    """A `while` statement continues for long: explore again, taking it for a search."""

    def __init__(self, site: Site) -> None:
        super().__init__(f"a search at {site}")
        self.site = site


class PathsMultiply(RunAgain):
    """There are many paths: explore again, summarising arms of `if` statements."""


class ArmNotMerged(RunAgain):
    """An arm of an `if` statement leaves something in Python: the path is split."""


class FloatsMatter(RunAgain):
    """Numbers of floats are asked for: run again, following them from the beginning."""


class RoundsCarry(RunAgain):
    """A round of a device loop finds what another one has left: run again, with a guess of what that is."""


@dataclass(frozen=True, slots=True)
class LostName:
    """A local name that has no value after a loop, as it is another one after each iteration."""

    name: str
    site: Site
    trips: Term

    @property
    def iterations(self) -> int | None:
        """How often the loop runs, if that is known."""
        return self.trips.constant

    def __str__(self) -> str:
        return f"`{self.name}`, bound in the loop at line {self.site.line},"


@dataclass(frozen=True, slots=True)
class Limits:
    """Where an exploration stops and says so."""

    unwind: int = 8
    seconds: float = 60.0
    decisions: int = 20_000
    #: Claims that a concrete launch may state concretely; None: any number.
    claims: int | None = None
    #: Operations and allocations after which a concrete launch is to stop concretely where it repeats itself;
    #: None: it continues.
    repeats_after: int | None = None
    #: Contracts for each claim after which it does so; None: as many as there are claims.
    repeats_claims: int | None = None
    #: Contracts, decisions and rounds of loops that a symbolic run may come to.
    steps: float = float("inf")
    #: The seconds that were asked for, of which `seconds` are a share; the same if not said.
    asked: float | None = None


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that ended the exploration, with its place."""

    construct: str
    advice: str
    site: Site | None


@dataclass(slots=True)
class _Decision:
    branch: Branch
    value: bool
    pending: bool


@dataclass(slots=True)
class Scope:
    """One level of exploration: the whole target, or the body of one loop."""

    block: Block
    context: Context
    key: tuple[int, ...]
    indices: tuple[Term, ...] = ()
    site: Site | None = None
    trail: list[_Decision] = field(default_factory=list)
    position: int = 0
    ordinal: int = 0
    #: Decisions on the present path, but for those within loops whose bodies are scopes of their own.
    decisions: int = 0

    def next_path(self) -> bool:
        """Turn to the next unexplored path; False when there is none."""
        while self.trail and not self.trail[-1].pending:
            self.trail.pop()
        if not self.trail:
            return False
        last = self.trail[-1]
        last.value, last.pending = False, False
        return True


@dataclass(slots=True, eq=False)
class Unordered:
    """A loop without an order that is run iteration by iteration in a scope so deep; `key` is the same on all paths."""

    key: object
    depth: int


class Paths:
    """The path that is being executed: the scopes it is in, what holds on it, and where it records."""

    def __init__(self, limits: Limits, unrolled: Mapping[Site, str], known: Context | None = None) -> None:
        """`known` is the beginning of all paths, with what an exploration before this one has found out."""
        self.limits = limits
        #: Loops that turned out to carry state, with the reason: they are unrolled.
        self.unrolled = unrolled
        #: The `while` statements that are taken for searches (`nkiverify.frontend.search_statements`).
        self.searched: Set[Site] = frozenset()
        #: Whether arms of `if` statements are summarised, and those that are not as they leave something.
        self.merges = False
        self.split_arms: set[tuple[Site, bool]] = set()
        #: What rounds of device loops are guessed to find, by the identity of the loop's index.
        self.by_rounds: dict[int, CarriedByRounds] = {}
        #: Who hears of each condition that is asked about while a search runs.
        self.asked_within: Callable[[Condition], None] | None = None
        self.program = Program()
        #: What the model keeps between two operations. A path begins with what there was when its scope was opened.
        self.model = ModelState()
        self.unsupported_construct: Unsupported | None = None
        self._given_up: RunAgain | None = None
        root = known or Context()
        self._scopes = [Scope(self.program.body, root, ())]
        #: Per open loop scope, where its outer scope was recording.
        self._suspended: list[tuple[Block, Context]] = []
        self._block = self.program.body
        self._context = root
        self._dead = False
        #: Loops without an order that are running on the present path.
        self._unordered: list[Unordered] = []
        #: How often a path has been split.
        self._branches = 0
        self._steps = 0
        self._deadline = now() + limits.seconds

    @property
    def context(self) -> Context:
        """The conditions of the present path."""
        return self._context

    @property
    def depth(self) -> int:
        """How many scopes are open."""
        return len(self._scopes)

    def truncate(self, depth: int) -> None:
        """Leave the scopes opened since `depth`: an exception ended what they explored."""
        if len(self._scopes) > depth:
            # A loop statement closes its scope itself. A comprehension cannot: the paths through it that have not been
            # explored are lost.
            site = self._scopes[depth].site
            assert site is not None
            raise self.give_up_loop(site, "evaluating an element may end early")

    def give_up_loop(self, site: Site, reason: str) -> RunAgain:
        """Remember that the loop at `site` must be unrolled, and return the signal to raise."""
        return self._again(LoopNotSummarised(site, reason))

    def search(self, site: Site) -> RunAgain:
        """Remember that the `while` at `site` is to be taken for a search, and return the signal to raise."""
        return self._again(LoopSearches(site))

    def arm_splits(self) -> RunAgain:
        """Remember that an arm of an `if` statement is not to be summarised, and return the signal to raise."""
        return self._again(ArmNotMerged())

    def floats_matter(self) -> RunAgain:
        """Remember that floats have to be followed, and return the signal to raise."""
        return self._again(FloatsMatter())

    def rounds_carry(self) -> RunAgain:
        """Remember that rounds of a device loop find what others have left, and return the signal to raise."""
        return self._again(RoundsCarry())

    def _again(self, signal: RunAgain) -> RunAgain:
        """Remember why the run is made again, whatever the kernel does with the signal: the first reason."""
        self._given_up = self._given_up or signal
        return self._given_up

    def unroll_for(self, term: Term, use: str) -> BaseException | None:
        """Give up an open loop that is short and of known length, and whose index `term` depends on."""
        found = terms.all_atoms(term)
        for scope in reversed(self._scopes):
            for index in scope.indices[-1:]:
                (atom,) = index.atoms
                extent = atom.extent.constant if isinstance(atom, Index) else None
                if (
                    atom in found
                    and extent is not None
                    and extent <= ExploringBudget.UNROLLED_FOR_VALUES
                    and scope.site is not None
                ):
                    return self.give_up_loop(scope.site, f"{use} depends on its index")
        return None

    @property
    def scope_key(self) -> tuple[int, ...]:
        """Identifies the innermost scope."""
        return self._scopes[-1].key

    def open_scope(self, context: Context, index: Term, key: int, site: Site) -> Scope:
        """Start exploring the body of the loop at `site` in its own block, with `context` holding in it."""
        outer = self._scopes[-1]
        scope = Scope(Block(), context, (*outer.key, key), (*outer.indices, index), site)
        self._suspended.append((self._block, self._context))
        self._scopes.append(scope)
        return scope

    def begin_path(self, scope: Scope) -> None:
        """Start a path of `scope`, which is the innermost one."""
        scope.position = 0
        scope.ordinal = 0
        scope.decisions = 0
        if len(self._scopes) == 1:
            self.asked_within = None
        self._block = scope.block
        self._context = scope.context
        self._dead = False
        self._forget_unordered(len(self._scopes))

    def close_scope(self) -> Scope:
        """End the innermost scope; the path continues where it was opened."""
        self._forget_unordered(len(self._scopes))
        scope = self._scopes.pop()
        self._block, self._context = self._suspended.pop()
        self._dead = False
        return scope

    def begin_unordered(self) -> Unordered:
        """A loop without an order begins, whose iterations will be recorded one by one."""
        loop = Unordered((*self.scope_key, self.next_ordinal()), len(self._scopes))
        self._unordered.append(loop)
        self.record(program.ParallelLoop(loop.key, begins=True))
        return loop

    def end_unordered(self, loop: Unordered) -> None:
        """It ends, unless the path it is on has ended before: Python may put that off."""
        if loop in self._unordered:
            self._unordered.remove(loop)
            self.record(program.ParallelLoop(loop.key, begins=False))

    def _forget_unordered(self, depth: int) -> None:
        """Loops in scopes so deep belong to a path that has ended."""
        self._unordered = [loop for loop in self._unordered if loop.depth < depth]

    def next_ordinal(self) -> int:
        """A number that is the same whenever the present path comes here."""
        scope = self._scopes[-1]
        scope.ordinal += 1
        return scope.ordinal

    def check_time(self) -> None:
        """End the run where its time is over, or it has made the steps that it may."""
        self.count_step()
        self.check_deadline()

    def check_deadline(self) -> None:
        """End the run where its time is over."""
        if now() > self._deadline:
            asked = self.limits.seconds if self.limits.asked is None else self.limits.asked
            raise self.unsupported(f"the time limit of {asked:g} s", "raise --timeout")

    def count_step(self) -> None:
        """Count a step of the run, and end it where that is one too many."""
        self._steps += 1
        if self._steps > self.limits.steps:
            raise self.unsupported(f"more than {self.limits.steps:g} steps")

    def check_alive(self) -> None:
        """A handler of the kernel may have swallowed the signal that ended the path or the run: repeat it."""
        if self.unsupported_construct is not None:
            raise UnsupportedConstruct(self.unsupported_construct.construct)
        if self._given_up is not None:
            raise self._given_up
        if self._dead:
            raise PathEnded

    @property
    def path_has_ended(self) -> bool:
        """True if a `PathEnded` is ours: a kernel can raise one too."""
        return self._dead

    def end_path(self) -> PathEnded:
        """Nothing after this happens on the present path; raise what is returned."""
        self._dead = True
        return PathEnded()

    @property
    def recording(self) -> bool:
        """True if the present path is past what earlier paths have recorded."""
        if self._dead:
            return False
        for scope in self._scopes:  # noqa: SIM110 (every claim asks: a generator takes twice as long)
            if scope.position != len(scope.trail):
                return False
        return True

    def record(self, item: program.Item) -> None:
        """Append to the shape program."""
        if self.recording:
            self._block.items.append(item)

    def decide(self, condition: Condition) -> bool:
        """The truth value of `condition` on this path; where both are possible, the run is split."""
        self.check_alive()
        scope = self._scopes[-1]
        scope.decisions += 1
        if scope.decisions > self.limits.decisions:
            # One path through a body: how many there are is up to time, and to how often they split.
            raise self.unsupported(f"more than {self.limits.decisions} decisions", "bound the dimensions")
        self.check_time()
        if self.asked_within is not None:
            self.asked_within(condition)
        known = self._context.truth(condition)
        if known is not None:
            return known
        if scope.position < len(scope.trail):
            decision = scope.trail[scope.position]
            if decision.branch.condition is not condition:
                raise self.unsupported("a kernel that behaves differently when it is run again")
        else:
            branch = Branch(condition, Block(), Block(), kernel_site(2))
            self.record(branch)
            decision = _Decision(branch, value=True, pending=True)
            scope.trail.append(decision)
            self._branches += 1
            if self._branches > ExploringBudget.BRANCHES_BEFORE_MERGING and not self.merges:
                raise self._again(PathsMultiply())
        scope.position += 1
        self._block = decision.branch.then if decision.value else decision.branch.orelse
        chosen = condition if decision.value else condition.negation()
        self._context = self._context.with_condition(chosen)
        return decision.value

    def holds(self, condition: Condition) -> bool:
        """True if `condition` surely holds on this path; False is "not known"."""
        self.check_alive()
        if self.asked_within is not None:
            self.asked_within(condition)
        return self._context.truth(condition) is True

    def entails(self, condition: Condition | bool) -> bool:
        """True if the simplifier sees at once that `condition` holds on this path; False is "not seen"."""
        return self._context.entails(condition)

    def forced_value(self, term: Term) -> int | None:
        """The one value the path leaves for `term`, if there is only one."""
        self.check_alive()
        return self._context.value(term)

    def assume(self, condition: object, text: str = "") -> None:
        """From here on, `condition` holds on this path."""
        self.check_alive()
        if condition is True:
            return
        if not isinstance(condition, Condition):
            raise self.excluded(text)
        self.record(Assume(condition, text))
        self._context = self._context.with_condition(condition)
        if self._context.facts.contradictory:
            raise self.excluded(text)

    def excluded(self, text: str) -> PathEnded:
        """The end of a path that an assumption excludes, which is recorded: a path that nobody has run to its end has
        nothing recorded either."""
        self.record(Assume(False, text))
        return self.end_path()

    def unsupported(self, construct: str, advice: str = "", at: Site | None = None) -> UnsupportedConstruct:
        """Remember that the run cannot conclude anything, and return the exception to raise; `at` says where, if the
        kernel's code has been left."""
        site = at or kernel_site(2)
        if self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(construct, advice, site)
        return UnsupportedConstruct(construct, advice, site)

    def stopped(self, limit: UnsupportedConstruct) -> None:
        """The run has ended at a construct that is not understood, or that the kernel says is not."""
        if self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(limit.construct, limit.advice, limit.site)
