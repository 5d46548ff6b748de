"""Loops that run as they are, or unrolled up to a bound; and how a `for` statement is run: so, or summarised
(`nkiverify.frontend.summaries`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.source import Site
from nkiverify.frontend.iterators import OverSequence
from nkiverify.frontend.ranges import SymbolicSequence, as_sequence, symbolic_sequence
from nkiverify.frontend.source_names import LoopNames
from nkiverify.frontend.summaries import SummarisedLoop
from nkiverify.ir.program import Iteration
from nkiverify.symbolic import conditions, terms

if TYPE_CHECKING:
    from nkiverify.frontend.drawn_loops import DrawnLoop
    from nkiverify.frontend.explorer import SymbolicExecution


class PlainLoop:
    """A loop that runs as Python runs it."""

    restoring = False

    def __init__(self, iterable: Iterable[Any]) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def has(self, name: str) -> bool:
        """Never asked: nothing is restored."""
        return False

    def get(self, name: str) -> object:
        """Never asked: nothing is restored."""
        return None

    def leave(self) -> None:
        """The loop is left by `break` or `return`; an iterator that nobody else has is closed as the statement ends."""
        self._iterable = ()

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path."""
        return False


class PlainWhile:
    """A `while` statement outside a symbolic run."""

    restoring = False
    #: Whether the condition is evaluated before the body is run.
    testing = True
    _over = False

    def goes_on(self) -> bool:
        """True if there is another round, or another path through the body."""
        return not self._over

    def test(self, condition: Any) -> bool:
        """The truth value of the condition; if it is false, the loop is over."""
        self._over = not condition
        return not self._over

    def test_of_break(self, condition: Any) -> bool:
        """True if the loop continues where it is left on a condition, at the beginning of an iteration."""
        is_symbolic = isinstance(condition, conditions.Condition)
        return self.test(conditions.negate(condition) if is_symbolic else not condition)

    def has(self, name: str) -> bool:
        """Never asked: nothing is restored."""
        return False

    def get(self, name: str) -> object:
        """Never asked: nothing is restored."""
        return None

    def leave(self) -> None:
        """The loop is left by `break` or `return`."""

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path."""
        return False


class _IterationByIteration(PlainLoop):
    """A loop of a symbolic run whose iterations are run one by one; what belongs to which is recorded if they have no
    order. `drawn`: they are run as somebody else asks for them (`Iteration.drawn`)."""

    def __init__(self, sequence: SymbolicSequence, run: SymbolicExecution, drawn: bool) -> None:
        self._sequence = sequence
        self._run = run
        self._drawn = drawn

    def __iter__(self) -> Iterator[Any]:
        return self._recorded() if self._sequence.parallel else self._elements()

    def _elements(self) -> Iterator[Any]:
        raise NotImplementedError

    def _recorded(self) -> Iterator[Any]:
        loop = self._run.begin_unordered()
        try:
            for number, value in enumerate(self._elements()):
                self._run.record(Iteration(loop.key, number, self._drawn))
                yield value
        finally:
            self._run.end_unordered(loop)


class ConstantLoop(_IterationByIteration):
    """A loop over a range of known length in a symbolic run: the numbers are symbolic constants, so arithmetic on them
    is seen."""

    def __init__(self, sequence: SymbolicSequence, length: int, run: SymbolicExecution, drawn: bool) -> None:
        super().__init__(sequence, run, drawn)
        self._length = length

    def _elements(self) -> Iterator[Any]:
        for position in range(self._length):
            self._run.check_time()
            yield self._sequence.element(terms.constant(position))


class UnrolledLoop(_IterationByIteration):
    """A loop of unknown length, run iteration by iteration up to the unwinding bound, with a claim that it is
    enough."""

    def __init__(self, sequence: SymbolicSequence, run: SymbolicExecution, site: Site, drawn: bool) -> None:
        super().__init__(sequence, run, drawn)
        self._site = site

    def _elements(self) -> Iterator[Any]:
        run = self._run
        bound = run.limits.unwind
        for position in range(bound):
            index = terms.constant(position)
            if not bool(conditions.conjunction(self._sequence.bounds(index))):
                return
            yield self._sequence.element(index)
        over = conditions.conjunction(self._sequence.bounds(terms.constant(bound)))
        run.claim_unwinding(conditions.negate(over), self._site, bound)


def loop_over(
    iterable: Any,
    run: SymbolicExecution,
    site: Site,
    frame: FrameType,
    names: LoopNames,
    name: str,
) -> PlainLoop | SummarisedLoop | DrawnLoop:
    """How to run a `for` statement over `iterable`, whose target has this `name`."""
    known, run.program.independent[site] = run.program.independent.get(site, True), False
    sequence = symbolic_sequence(iterable)
    if sequence is None and isinstance(iterable, range):
        sequence = as_sequence(iterable)
    if sequence is None:
        from nkiverify.frontend.builtins import sym_iter

        iterator = sym_iter(iterable)
        if not isinstance(iterator, OverSequence) or iterator.advanced:
            # As late as this, and below: few kernels have a generator.
            from nkiverify.frontend.drawn_loops import DrawnLoop, drawn_from

            if drawn_from(iterator):
                return DrawnLoop(iterator, run, frame, names)
            return PlainLoop(iterator)
        sequence = iterator.take()
    # The cheap prover decides whether a loop is short: a longer one is summarised, which is right for every length.
    length = run.context.facts.value_of(sequence.trip_count())
    short = ExploringBudget.SHORT_LOOP if not sequence.traced else 0
    consumers: tuple[DrawnLoop, ...] | None = ()
    if names.drawn:
        from nkiverify.frontend.drawn_loops import consumers_of

        consumers = None if sequence.parallel or sequence.traced else consumers_of(run, frame)
    unrolled = not names.summarise or site in run.unrolled or consumers is None
    run.program.carries |= unrolled and sequence.traced and not sequence.parallel
    if length is not None and (length <= short or unrolled):
        return ConstantLoop(sequence, length, run, names.drawn)
    if unrolled:
        return UnrolledLoop(sequence, run, site, names.drawn)
    assert consumers is not None
    run.program.independent[site] = known
    return SummarisedLoop(sequence, run, site, frame, names, name, consumers)
