"""Lowering a shape program to a program that ESBMC reads, with its loops and branches kept.

Every claim becomes an assertion that carries the claim's number, so that a verdict maps back to it. A loop takes one
of two forms. Either it is a loop of the lowered program, which ESBMC unwinds: then its unwinding checks ours. Or it is
its representative iteration, a block for one arbitrary index within the loop's bounds. A loop of a shape program
carries no state from one iteration to the next, so what holds in that block holds in every iteration: that is exact.

Where something cannot be said with 64-bit integers, a hypothesis is left out, which can only make claims fail, and a
claim is left open; `Lowered.too_wide` lists the claims. What fails is checked over the integers afterwards.

Claims of a block with the same condition and no hypothesis between them are one assertion (`Lowered.alike`).
"""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Collection, Iterable

from nkiverify.engines.esbmc.atom_ranges import AtomRanges, writable
from nkiverify.engines.esbmc.dialects import CDialect, Dialect, PythonDialect, one_line
from nkiverify.engines.esbmc.hints import facts_about, facts_of, products
from nkiverify.engines.esbmc.naming import place, readable
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Block, Branch, Claim, Item, Loop, Program
from nkiverify.ir.walk import Visitor, of_kind
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Condition, condition_key


class TargetLanguage(enum.Enum):
    """The language of the lowered program."""

    C = "C"
    PYTHON = "Python"


class Arithmetic(enum.Enum):
    """The arithmetic that ESBMC uses for the integers of the lowered program."""

    BIT_VECTORS = "64-bit integers"
    INTEGERS = "unbounded integers"


class LoopForm(enum.Enum):
    """The form in which a loop is lowered."""

    UNWOUND = "unwound"
    REPRESENTATIVE = "representative"
    INDUCTIVE = "by induction"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to lower.

    Loops of fewer than `unwind` iterations are kept as loops, with `induction` all of them are. `of_division`: that no
    division so far was by zero is a hypothesis of what follows it, as it is for all claims but those about divisions.
    """

    language: TargetLanguage
    arithmetic: Arithmetic
    unwind: int = 1
    induction: bool = False
    of_division: bool = True


@dataclass(frozen=True, slots=True)
class LoweredLoop:
    """The form that a loop has, and the numbers of the claims in it that were asked for."""

    form: LoopForm
    claims: frozenset[int]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered program.

    `asserted` are the numbers of the claims in it, `too_wide` of those that do not fit. `same_claims` are the claims,
    by the number of the first, that the assertion of that one answers for as well. `variables` are the atoms whose
    values ESBMC chooses, by the names of their variables, but for the indices of loops that are loops there. `loops`
    are what became of the loops, by the identity of each.
    """

    text: str
    suffix: str
    asserted: frozenset[int]
    too_wide: frozenset[int]
    same_claims: dict[int, list[int]]
    variables: dict[str, Atom]
    loops: dict[int, LoweredLoop]

    @property
    def assertions(self) -> int:
        """The number of different assertions of claims."""
        return len(self.asserted) - sum(map(len, self.same_claims.values()))

    @property
    def forms(self) -> dict[LoopForm, int]:
        """The number of loops of each form."""
        return dict(Counter(loop.form for loop in self.loops.values()))

    def commented(self, comment: str) -> str:
        """The text behind a comment."""
        return f"{'#' if self.suffix == PythonDialect.suffix else '//'} {one_line(comment)}\n{self.text}"


def lower(program: Program, numbers: Collection[int], plan: Plan, title: str, reachable: bool = False) -> Lowered:
    """The lowered `program` with the claims of these `numbers`. `title` says in its first line what it is about.

    With `reachable` it asserts besides, as claim 0, that the domain has no values: a program whose assumptions
    contradict each other would prove everything.
    """
    return _Lowering(program, frozenset(numbers), plan, reachable).result(title)


class _Scope:
    """The declarations and facts of a block of the lowered program, and how a hypothesis is stated in it."""

    __slots__ = ("checked", "declared", "facts", "hinted", "in_loop", "instances", "ranged", "ranges")

    def __init__(self, outer: _Scope | None = None) -> None:
        self.declared: set[Atom] = set(outer.declared) if outer is not None else set()
        self.ranged: set[Index] = set(outer.ranged) if outer is not None else set()
        self.ranges: AtomRanges = AtomRanges(outer.ranges if outer is not None else None)
        #: Whether the innermost enclosing loop is one of the lowered program.
        self.in_loop: bool = outer.in_loop if outer is not None else False
        #: How often the block is executed when all loops around it are unwound.
        self.instances: int = outer.instances if outer is not None else 1
        #: Terms that are at least zero, to multiply with each other; pairs of which the product has been stated.
        self.facts: list[Term] = list(outer.facts) if outer is not None else []
        self.hinted: set[tuple[int, int]] = set(outer.hinted) if outer is not None else set()
        #: The claim that asserts a condition, in this block and under the hypotheses there are now.
        self.checked: dict[str, int] = {}

    def learn(self, condition: Condition | bool) -> None:
        """Take `condition` as a hypothesis from here on."""
        self.ranges.learn(condition)
        self.facts.extend(facts_of(condition))


class _Items(Visitor[None]):
    """Lowers the items of one block, up to the last claim that is wanted; the blocks inside are lowered by others."""

    def __init__(self, lowering: _Lowering, scope: _Scope, block: Block, *, domain: bool = False) -> None:
        self._lowering = lowering
        self._scope = scope
        self._left = len(lowering.wanted(block))
        #: Whether it is still to be said that the domain has values, behind the assumptions it begins with.
        self._domain = domain

    def assume(self, item: Assume) -> Iterable[None]:
        if self._left or self._domain:
            self._lowering.assume(item, self._scope)
        return ()

    def claim(self, item: Claim) -> Iterable[None]:
        if self._wanted(int(item.number in self._lowering.numbers)):
            self._lowering.claim(item, self._scope)
        return ()

    def recorded(self, item: Item) -> Iterable[None]:
        self._wanted(0)
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        if self._wanted(len(self._lowering.wanted(item.body))):
            self._lowering.loop(item, self._scope)
        return ()

    def branch(self, item: Branch) -> Iterable[None]:
        if self._wanted(sum(len(self._lowering.wanted(arm)) for _, arm in item.arms)):
            self._lowering.branch(item, self._scope)
        return self.end(item.orelse)

    def end(self, block: Block) -> Iterable[None]:
        self._wanted(0)
        return ()

    def _wanted(self, count: int) -> bool:
        """True if an item, which is no assumption, has claims that are wanted."""
        if self._domain:
            self._lowering.domain_has_values(self._scope)
        self._domain = False
        self._left -= count
        return count > 0


class _Lowering:
    def __init__(self, program: Program, numbers: frozenset[int], plan: Plan, reachable: bool) -> None:
        self._program = program
        self.numbers = numbers
        self._plan = plan
        self._reachable = reachable
        self._write: Dialect = _dialect(plan)
        self._names: dict[Atom, str] = {}
        self._taken: set[str] = set(self._write.reserved)
        self._wanted: dict[int, frozenset[int]] = {}
        self._variables: dict[str, Atom] = {}
        self._asserted: set[int] = set()
        self._too_wide: set[int] = set()
        self._same_claims: dict[int, list[int]] = {}
        self._loops: dict[int, LoweredLoop] = {}
        self._instances = 0

    def result(self, title: str) -> Lowered:
        scope = _Scope()
        for dimension in self._program.dimensions:
            self._declare(dimension.atom, scope)
        _Items(self, scope, self._program.body, domain=self._reachable).visit(self._program.body)
        by = f"Lowered by nkiverify for ESBMC: {self._plan.language.value}, {self._plan.arithmetic.value}."
        lines = self._write.program([title, by])
        return Lowered(
            text="\n".join(lines) + "\n",
            suffix=self._write.suffix,
            asserted=frozenset(self._asserted),
            too_wide=frozenset(self._too_wide),
            same_claims=self._same_claims,
            variables=self._variables,
            loops=self._loops,
        )

    # --- items ---

    def domain_has_values(self, scope: _Scope) -> None:
        """An assertion that fails, unless the domain is empty."""
        # In a block of its own, which nothing behind it comes from: that it fails can take nothing away from the rest.
        with self._write.when(self._either(), "the domain"):
            self._check(0, False, _Scope(scope), "must fail: the domain has values")

    def _block(self, block: Block, scope: _Scope) -> None:
        _Items(self, scope, block).visit(block)

    def wanted(self, block: Block) -> frozenset[int]:
        """The numbers of the claims asked for in a block."""
        found = self._wanted.get(id(block))
        if found is None:
            numbers = (claim.number for claim in of_kind(block, Claim))
            found = self._wanted[id(block)] = frozenset(number for number in numbers if number in self.numbers)
        return found

    def claim(self, claim: Claim, scope: _Scope) -> None:
        """Assert what a claim says."""
        condition = claim.condition
        if not self._exactly_sayable(condition, scope):
            self._too_wide.add(claim.number)
            self._write.comment(f"left out, since it does not fit 64 bits: claim {claim.number}, {claim.condition!r}")
            return
        note = ", ".join(filter(None, (claim.contract.id, place(claim.site))))
        self._check(claim.number, condition, scope, note)

    def _check(self, number: int, condition: Condition | bool, scope: _Scope, note: str) -> None:
        for index in self._unranged(condition, scope):
            self._declare(index, scope)
        indices = self._unranged(condition, scope)
        self._define_for(condition, scope)
        if self._plan.arithmetic is Arithmetic.INTEGERS:
            self._hint(condition, scope)
        text = self._write.condition(condition, self._name)
        if indices:
            premises = [self._within(index, scope) for index in indices]
            text = self._write.implies(self._write.all_of(premises), text)
        self._asserted.add(number)
        first = scope.checked.setdefault(text, number)
        if first != number:
            self._same_claims.setdefault(first, []).append(number)
            self._write.comment(f"claim {number}, {note}: as claim {first}")
            return
        self._write.check(number, text, note)

    def _hint(self, condition: Condition | bool, scope: _Scope) -> None:
        """State the products of facts that may help with a claim."""
        for one, other in products(scope.facts, condition):
            if (one.uid, other.uid) not in scope.hinted:
                scope.hinted.add((one.uid, other.uid))
                self._define(one, scope)
                self._define(other, scope)
                self._write.hint(self._write.term(one, self._name), self._write.term(other, self._name))

    def assume(self, item: Assume, scope: _Scope) -> None:
        """Assume what holds from here on."""
        condition, note = item.condition, item.text
        if condition is True or (item.of_division and not self._plan.of_division):
            return
        if not self._sayable(condition, scope):
            self._write.comment(f"left out, since it does not fit 64 bits: assume {condition!r}")
            return
        self._range_indices(condition, scope)
        self._define_for(condition, scope)
        self._state(self._write.condition(condition, self._name), scope, note)
        scope.learn(condition)

    def _state(self, condition: str, scope: _Scope, note: str = "") -> None:
        """Make `condition` a hypothesis of the rest of the block, and of nothing behind it."""
        scope.checked = {}
        if scope.in_loop:
            self._write.next_unless(condition, note)
        else:
            # Around a representative iteration, the paths that do not enter it go on without the hypothesis.
            self._write.assume(condition, note)

    def branch(self, branch: Branch, scope: _Scope) -> None:
        """The arms of a branch in which claims are wanted."""
        condition: Condition | None = branch.condition
        if condition is None or not self._sayable(condition, scope):
            self._write.comment(f"any of the two, since it does not fit 64 bits: if {branch.condition!r}")
            text, condition = self._either(), None
        else:
            self._range_indices(condition, scope)
            self._define_for(condition, scope)
            text = self._write.condition(condition, self._name)
        then, orelse = _Scope(scope), _Scope(scope)
        if condition is not None:
            then.learn(condition)
            orelse.learn(condition.negation())
        with self._write.when(text, place(branch.site)):
            if self.wanted(branch.then):
                self._block(branch.then, then)
        if self.wanted(branch.orelse):
            with self._write.otherwise():
                self._block(branch.orelse, orelse)

    def _either(self) -> str:
        """A condition that may hold or not."""
        name = self._fresh("either")
        self._write.arbitrary(name)
        return f"{name} == 0"

    # --- loops ---

    def loop(self, loop: Loop, scope: _Scope) -> None:
        """A loop, unwound or for any one iteration."""
        trips = scope.ranges.term(loop.extent)[1]
        counting = self._is_counting(loop) and self._extent_sayable(loop, scope)
        form = LoopForm.REPRESENTATIVE
        if counting and not any(self._unranged(bound, scope) for bound in loop.bounds):
            if self._plan.induction:
                form = LoopForm.INDUCTIVE
            elif trips < self._plan.unwind and self._afford(loop, scope, int(trips)):
                form = LoopForm.UNWOUND
        self._loops[id(loop)] = LoweredLoop(form, self.wanted(loop.body))
        if form is LoopForm.REPRESENTATIVE:
            self._representative(loop, scope, counting)
            return
        self._define(loop.extent, scope)
        inner = _Scope(scope)
        inner.in_loop = True
        inner.instances = 1 if math.isinf(trips) else scope.instances * max(1, int(trips))
        inner.declared.add(loop.index)
        inner.ranges.learn_range(loop.index, 0, trips - 1)
        inner.facts.extend([terms.of_atom(loop.index), terms.scale(_last_less(loop), -1)])
        extent = self._write.term(loop.extent, self._name)
        with self._write.loop(self._name(loop.index), extent, place(loop.site)):
            self._block(loop.body, inner)

    def _extent_sayable(self, loop: Loop, scope: _Scope) -> bool:
        if self._plan.arithmetic is Arithmetic.INTEGERS:
            return all(map(writable, loop.bounds))
        return scope.ranges.term_fits(loop.extent)

    def _afford(self, loop: Loop, scope: _Scope, trips: int) -> bool:
        """True if the assertions that unwinding `loop` adds are few enough; they are then added."""
        added = scope.instances * max(0, trips - 1) * len(self.wanted(loop.body))
        if self._instances + added > SecondEngineBudget.INSTANCES:
            return False
        self._instances += added
        return True

    def _is_counting(self, loop: Loop) -> bool:
        """True if the bounds say 0 <= index < extent and nothing else."""
        low = conditions.at_most_zero(terms.scale(terms.of_atom(loop.index), -1))
        high = conditions.at_most_zero(_last_less(loop))
        said, counting = (
            {condition_key(one) for one in bounds if one is not True} for bounds in (loop.bounds, (low, high))
        )
        return said == counting

    def _representative(self, loop: Loop, scope: _Scope, counting: bool) -> None:
        write = self._write
        self._declare(loop.index, scope)
        entered: list[str] = []
        inner = _Scope(scope)
        inner.in_loop = False
        for bound in loop.bounds:
            # Indices stand for elements inside the loop alone: behind it, their ranges may be empty.
            for index in self._unranged(bound, inner):
                entered.append(self._within(index, scope))
                inner.ranged.add(index)
        if counting:
            self._define(loop.extent, scope)
            name = self._name(loop.index)
            entered += [f"0 <= {name}", f"{name} < {write.term(loop.extent, self._name)}"]
        stated = _Scope(inner)
        for bound in loop.bounds:
            if counting or self._sayable(bound, stated):
                stated.learn(bound)
            else:
                write.comment(f"left out, since it does not fit 64 bits: {bound!r}")
                continue
            if not counting and bound is not True:
                self._define_for(bound, scope)
                entered.append(write.condition(bound, self._name))
        # What the bounds need has been declared around the block meanwhile.
        stated.declared |= scope.declared
        brought = sorted(scope.declared - inner.declared, key=lambda atom: atom.uid)
        stated.facts += [fact for atom in brought for fact in facts_about(atom)]
        note = ", ".join(filter(None, ("any one iteration", place(loop.site))))
        with write.when(write.all_of(entered), note):
            self._block(loop.body, stated)

    # --- atoms ---

    def _sayable(self, condition: Condition | bool, scope: _Scope) -> bool:
        """True if `condition` can be stated as a hypothesis."""
        if self._plan.arithmetic is Arithmetic.INTEGERS:
            return writable(condition)
        return scope.ranges.hypothesis_fits(condition)

    def _exactly_sayable(self, condition: Condition | bool, scope: _Scope) -> bool:
        """True if `condition` can be claimed."""
        return writable(condition) if self._plan.arithmetic is Arithmetic.INTEGERS else scope.ranges.fits(condition)

    def _unranged(self, condition: Condition | bool, scope: _Scope) -> list[Index]:
        """The representative indices in `condition` whose range is no hypothesis yet."""
        if isinstance(condition, bool):
            return []
        found = {atom for atom in condition.atoms() if isinstance(atom, Index) and atom.representative}
        return sorted(found - scope.ranged, key=lambda atom: atom.uid)

    def _range_indices(self, condition: Condition | bool, scope: _Scope) -> None:
        """State the ranges of the representative indices in `condition`."""
        self._range_indices_of(self._unranged(condition, scope), scope)

    def _range_indices_of(self, indices: list[Index], scope: _Scope) -> None:
        for index in indices:
            scope.ranged.add(index)
            self._state(self._within(index, scope), scope, f"{index.name} stands for every element")

    def _within(self, index: Index, scope: _Scope) -> str:
        """That a representative index is within its range."""
        self._declare(index, scope)
        self._define(index.extent, scope)
        name, extent = self._name(index), self._write.term(index.extent, self._name)
        return self._write.all_of([f"0 <= {name}", f"{name} < {extent}"])

    def _define_for(self, condition: Condition | bool, scope: _Scope) -> None:
        if not isinstance(condition, bool):
            for term in condition.terms():
                self._define(term, scope)

    def _define(self, term: Term, scope: _Scope) -> None:
        """Declare the variables that `term` needs."""
        for atom in sorted(term.atoms, key=lambda atom: atom.uid):
            if atom not in scope.declared:
                for argument in () if isinstance(atom, Index) else atom.arguments():
                    self._define(argument, scope)
                self._declare(atom, scope)

    def _declare(self, atom: Atom, scope: _Scope) -> None:
        if atom in scope.declared:
            return
        scope.declared.add(atom)
        scope.facts.extend(facts_about(atom))
        name, write = self._name(atom), self._write
        if isinstance(atom, Div):
            low, high = scope.ranges.term(atom.denominator)
            write.define_floor(
                name,
                write.term(atom.numerator, self._name),
                write.term(atom.denominator, self._name),
                added=scope.ranges.positive_division(atom),
                nonzero=low > 0 or high < 0,
            )
        elif isinstance(atom, Min):
            first, *others = (write.term(term, self._name) for term in atom.terms)
            write.define(name, first)
            for other in others:
                with write.when(f"{other} < {name}"):
                    write.assign(name, other)
        elif isinstance(atom, Select):
            write.define(name, write.term(atom.when_false, self._name))
            with write.when(write.condition(atom.condition, self._name)):
                write.assign(name, write.term(atom.when_true, self._name))
        else:
            self._variables[name] = atom
            write.arbitrary(name)
            if isinstance(atom, Index) and atom.representative and scope.ranges.term(atom.extent)[0] >= 1:
                # There surely is such an element: to say so at once takes nothing away from any path.
                self._range_indices_of([atom], scope)

    def _name(self, atom: Atom) -> str:
        name = self._names.get(atom)
        if name is None:
            name = self._names[atom] = self._fresh(readable(atom))
        return name

    def _fresh(self, wish: str) -> str:
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name


def _last_less(loop: Loop) -> Term:
    """`index - (extent - 1)`, at most zero inside the loop."""
    return terms.add(terms.add(terms.of_atom(loop.index), loop.extent, -1), terms.constant(1))


def _dialect(plan: Plan) -> Dialect:
    if plan.language is TargetLanguage.C:
        return CDialect()
    return PythonDialect(native=plan.arithmetic is Arithmetic.BIT_VECTORS)
