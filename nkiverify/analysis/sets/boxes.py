"""Elements as boxes: along each coordinate those from a first one on, so many of them. A form of the walk without isl.

Bounds are affine terms, and boxes are never more or less than what they stand for: where a question has another answer
than "surely", or an operand is no box, the walk ends here (`NotSimple`), and isl's sets are asked from the beginning.
What follows of affine bounds isl sees as well, so a program that is proved here is proved there, with the same claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.sets.coordinates import apart_in, as_term
from nkiverify.analysis.sets.form import NotSimple, Partly
from nkiverify.analysis.sets.keys import indices_of
from nkiverify.analysis.sets.placement import Places, axes_of, joined_axes, layout_of, start_of
from nkiverify.analysis.sets.products import Products
from nkiverify.analysis.sets.structure import bounds_of, programs, views_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import identity
from nkiverify.ir.program import Program, items
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import constant_value, terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Term
from nkiverify.symbolic.conditions import Condition, at_most_zero
from nkiverify.symbolic.prover import Prover

#: Boxes of an allocation that are told apart.
_MOST = 32


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The values of a coordinate: `extent` of them, from `start` on."""

    start: Term
    extent: Term

    @property
    def end(self) -> Term:
        """The value behind the last one."""
        return terms.add(self.start, self.extent)

    def mentions(self, atom: Atom) -> bool:
        """True if it depends on an atom."""
        return any(atom in terms.all_atoms(term) for term in (self.start, self.extent))

    def shifted(self, atom: Atom, value: Term) -> Span:
        """The same for another value of an atom."""
        mapping = {atom: value}
        return Span(terms.substitute(self.start, mapping), terms.substitute(self.extent, mapping))


class Where:
    """Values of dimensions and indices: those of `around` for which some more conditions hold."""

    __slots__ = ("_prover", "added", "around", "uids")

    def __init__(self, around: Where | None = None, added: tuple[Condition, ...] = ()) -> None:
        self.around = around
        self.added = added
        self.uids: frozenset[int] = frozenset(one.uid for one in added) | (around.uids if around else frozenset())
        self._prover: Prover | None = None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All that holds."""
        return self.added if self.around is None else (*self.around.conditions, *self.added)

    @property
    def prover(self) -> Prover:
        """Answers what follows; asked for what it sees itself, never for what Z3 does."""
        if self._prover is None:
            self._prover = Prover((), 0) if self.around is None else self.around.prover.with_conditions(self.added)
        return self._prover


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """The elements with each coordinate in its span, those of the loops around the allocation first, where `when`
    holds. Equal ones of a program are the same object."""

    spans: tuple[Span, ...]
    when: Where


#: The elements of some boxes.
Elements = tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Touched:
    """The elements that an operand touches."""

    elements: Elements


class Boxes:
    """The boxes of a program."""

    def __init__(self, program: Program) -> None:
        self.everywhere = Where()
        self._products = Products(program.dimensions)
        self._places = Places(self._products, {}, apart_in(views_of(program)))
        self._wheres: dict[tuple[Where, tuple[int, ...]], Where] = {}
        self._boxes: dict[tuple[tuple[int, ...], Where], Box] = {}
        #: Boxes of views by their identity, which the views are kept for, and by all that they depend on.
        self._views: dict[int, tuple[Tensor, Box]] = {}
        self._forms: dict[tuple[object, ...], Box] = {}
        self._affine: set[int] = set()
        #: What has been shown.
        self._shown: set[tuple[object, ...]] = set()

    @staticmethod
    def may_do(program: Program) -> bool:
        """False where it is known beforehand that not all is in boxes."""
        if programs(program.body):
            return False
        operations = (item.operation for item in items(program.body) if isinstance(item, Executed))
        return not any(operation.mask is not None for operation in operations)

    # --- values of dimensions and indices -----------------------------------------------------------------------------

    def parameters_where(self, conditions: Iterable[Condition | bool]) -> Where:
        """Values for which all `conditions` hold."""
        return self._and(self.everywhere, [one for one in conditions if one is not True])

    def stated(self, condition: Condition | bool) -> Where:
        """Values for which a condition holds."""
        return self.parameters_where([condition])

    def completed(self, context: Where, *_about: Where) -> Where:
        """`context`: what terms are defined to be is known of them anyway."""
        return context

    def both(self, found: Where, other: Where) -> Where:
        """The values in two sets of them."""
        return other if found is self.everywhere else self._and(found, other.conditions)

    def _and(self, found: Where, conditions: Iterable[Condition | bool]) -> Where:
        added: dict[int, Condition] = {}
        for one in conditions:
            if isinstance(one, bool):
                raise NotSimple("what never holds")
            if one.uid not in found.uids:
                added[one.uid] = one
        if not added:
            return found
        key = found, tuple(added)
        if key not in self._wheres:
            for one in added.values():
                self._check(*one.terms())
            self._wheres[key] = Where(found, tuple(added.values()))
        return self._wheres[key]

    def is_implied(self, stated: Where, known: Where) -> bool:
        """True if all values that are `known` are in another set."""
        return stated.uids <= known.uids or all(map(known.prover.entails, stated.conditions))

    def is_empty(self, found: Where) -> bool:
        """False, as some values are known."""
        if found.prover.known_sample() is None:
            raise NotSimple("what may never hold")
        return False

    def is_common(self, context: Where, everywhere: Where, atoms: Iterable[Index]) -> NoReturn:
        """Not answered."""
        raise NotSimple("programs of a launch")

    def _check(self, *stated: Term) -> None:
        """Raise `NotSimple` where terms are not affine."""
        for term in stated:
            if term.uid in self._affine:
                continue
            for monomial in term.monomials:
                if len(monomial) > 1:
                    raise NotSimple("a product")
                for atom in monomial:
                    if isinstance(atom, Div) and (atom.denominator.constant or 0) <= 0:
                        raise NotSimple("a quotient")
                    if isinstance(atom, Index) and atom.representative:
                        raise NotSimple("an element of a grid")
                    self._check(*atom.arguments())
            self._affine.add(term.uid)

    # --- elements -----------------------------------------------------------------------------------------------------

    def touched(self, effect: Effect, context: Where) -> Touched:
        """The elements that an effect touches."""
        if effect.rows is not None or effect.operation.mask is not None:
            raise NotSimple("elements that are left out")
        return Touched(self.seen(effect.view, context))

    def seen(self, view: Tensor, context: Where) -> Elements:
        """The elements of a view, which are all in its storage."""
        known = self._views.get(identity(view))
        if known is None:
            form = self._places.form(view)
            if form not in self._forms:
                self._forms[form] = self._box_of(view)
            known = self._views[identity(view)] = view, self._forms[form]
        box = known[1]
        self._once("inside", box, context, show=lambda: self._is_inside(box, view.storage, context))
        return (box,)

    def whole(self, storage: Storage) -> Elements:
        """All elements of a storage."""
        spans = [Span(index, terms.constant(1)) for index in indices_of(storage)]
        extents = self._places.coordinates(storage).extents
        spans += [Span(terms.constant(0), as_term(extent)) for extent in extents]
        return (self._box(spans, self.everywhere),)

    def _box_of(self, view: Tensor) -> Box:
        layout = layout_of(view) if view.indirect_by is None else None
        coordinates = self._places.coordinates(view.storage)
        places = start_of(layout, coordinates) if layout is not None else None
        known = axes_of(layout, coordinates, self._products) if layout is not None else None
        if places is None or known is None:
            raise NotSimple("a view that is not affine")
        axes, starts = joined_axes(known[0], places)
        along: dict[int, Term] = {}
        for axis in axes:
            if axis.coordinate in along or axis.slanted or constant_value(axis.step) != 1:
                raise NotSimple("a view with gaps")
            along[axis.coordinate] = as_term(axis.extent)
        spans = [Span(index, terms.constant(1)) for index in indices_of(view.storage)]
        spans += [Span(start, along.get(at, terms.constant(1))) for at, start in enumerate(starts)]
        reached = [at_most_zero(terms.add(terms.constant(1), as_term(extent), -1)) for extent in view.shape]
        return self._box(spans, self.parameters_where(reached))

    def _is_inside(self, box: Box, storage: Storage, context: Where) -> bool:
        """True if a box is within the extents of its storage."""
        here = self.both(context, box.when)
        beside = len(indices_of(storage))
        return all(
            _at_most(terms.constant(0), span.start, here) and _at_most(span.end, whole.extent, here)
            for span, whole in list(zip(box.spans, self.whole(storage)[0].spans, strict=True))[beside:]
        )

    def _box(self, spans: Iterable[Span], when: Where) -> Box:
        spans = tuple(spans)
        key = tuple(term.uid for span in spans for term in (span.start, span.extent)), when
        if key not in self._boxes:
            for span in spans:
                self._check(span.start, span.extent)
            self._boxes[key] = Box(spans, when)
        return self._boxes[key]

    def where(self, found: Elements, context: Where) -> Elements:
        """The elements of boxes for the values in `context`."""
        if context is self.everywhere:
            return found
        return tuple(self._box(box.spans, self.both(box.when, context)) for box in found)

    def joined(self, found: Elements, more: Elements) -> Elements:
        """The elements of two sets."""
        added = [box for box in more if box not in found]
        if len(found) + len(added) > _MOST:
            raise NotSimple("many boxes")
        return (*found, *added) if added else found

    def together(self, found: Elements, more: Elements) -> Elements:
        """The elements of two sets."""
        return self.joined(found, more)

    def common(self, found: Elements, other: Elements) -> Elements:
        """The elements of two sets that are the same."""
        if found != other:
            raise NotSimple("what is in two sets")
        return found

    def less(self, found: Elements, fewer: Elements) -> Elements:
        """The elements of boxes without some that are the whole of one, or have none of it."""
        kept = []
        for box in found:
            if any(_same_spans(box, other) and other.when.uids <= box.when.uids for other in fewer):
                continue
            if not all(self._is_apart(box, other, self.everywhere) for other in fewer):
                raise NotSimple("a part of a box")
            kept.append(box)
        return tuple(kept)

    def empty(self, found: Elements, _context: Where) -> bool:
        """True if there are no boxes."""
        if found:
            raise NotSimple("a box that may have no elements")
        return True

    def within(self, found: Elements, known: Elements | None, context: Where) -> bool:
        """True, as each box is in one of those that are `known`, for the values in `context`."""
        for box in found:
            self._once("within", box, known, context, show=lambda: self._is_held(box, known or (), context))  # noqa: B023
        return True

    def _is_held(self, box: Box, known: Elements, context: Where) -> bool:
        here = self.both(context, box.when)
        return any(one is box or (_same_spans(one, box) and one.when.uids <= here.uids) for one in known) or any(
            all(
                _at_most(outer.start, span.start, here) and _at_most(span.end, outer.end, here)
                for outer, span in zip(one.spans, box.spans, strict=True)
            )
            and self.is_implied(one.when, here)
            for one in known
        )

    def meet(self, found: Elements, other: Elements, context: Where) -> bool:
        """False, as no two boxes have an element in common, for the values in `context`."""
        if not all(self._is_apart(one, two, context) for one in found for two in other):
            raise NotSimple("boxes that may meet")
        return False

    def _is_apart(self, one: Box, two: Box, context: Where) -> bool:
        pairs = zip(one.spans, two.spans, strict=True)
        return any(
            _at_most(span.end, other.start, context) or _at_most(other.end, span.start, context)
            for span, other in pairs
            if span.start is not other.start
        )

    def meet_elsewhere(self, found: Elements, other: Elements, atoms: Sequence[Index], context: Where) -> bool:
        """False, as no element of a box is one of the others for another value of an index."""
        (index,) = atoms
        for one in found:
            for two in other:
                pairs = list(zip(one.spans, two.spans, strict=True))
                if not any(_moves_apart(span, last, index, context) for span, last in pairs):
                    raise NotSimple("boxes that may meet")
        return False

    def iterations(self, index: Index, bounds: Where, context: Where) -> BoxIterations:
        """The iterations of a loop, for whose index `bounds` hold. `context` is what holds where it begins."""
        if bounds is not self.parameters_where(bounds_of(index)):
            raise NotSimple("a loop with other bounds")
        return BoxIterations(self, index, bounds, context)

    def swept(self, box: Box, index: Index, count: Term, context: Where) -> Box:
        """The elements of a box for all values of an index from 0 on, so many; `context` holds for each of them."""
        if any(index in one.atoms() for one in box.when.conditions):
            raise NotSimple("what holds in some iterations")
        here = self.both(context, box.when)
        moved = [at for at, span in enumerate(box.spans) if span.mentions(index)]
        spans = list(box.spans)
        if len(moved) > 1:
            raise NotSimple("a box that moves along several coordinates")
        for at in moved:
            if not self._goes_on(spans[at], index, here):
                raise NotSimple("iterations that leave gaps")
            first = spans[at].shifted(index, terms.constant(0)).start
            end = spans[at].shifted(index, terms.add(count, terms.constant(1), -1)).end
            spans[at] = Span(first, terms.add(end, first, -1))
        some = self.parameters_where([at_most_zero(terms.add(terms.constant(1), count, -1))])
        return self._box(spans, self.both(box.when, some))

    def _goes_on(self, span: Span, index: Index, context: Where) -> bool:
        """True if a span begins in each iteration where the one before has come to at most, and comes further."""
        parts = terms.coefficient_of(span.start, index)
        step = parts[0].constant if parts is not None else None
        if step is None or step <= 0:
            return False
        if index not in terms.all_atoms(span.extent):
            return _at_most(terms.constant(step), span.extent, context)
        later = self._and(context, [at_most_zero(terms.add(terms.constant(1), terms.of_atom(index), -1))])
        before = span.shifted(index, terms.add(terms.of_atom(index), terms.constant(1), -1))
        return (
            _at_most(terms.constant(0), span.extent, context)
            and _at_most(span.start, before.end, later)
            and _at_most(before.end, span.end, later)
        )

    def defined(
        self, _operation: Operation, _argument: str, _region: Any, _operands: Mapping[str, Partly | None]
    ) -> NoReturn:
        """Not answered."""
        raise NotSimple("what is defined in part")

    def _once(self, *about: object, show: Callable[[], bool]) -> None:
        """Raise `NotSimple` unless it can be shown; asked once about the same."""
        if about not in self._shown:
            if not show():
                raise NotSimple("what cannot be shown")
            self._shown.add(about)


class BoxIterations:
    """The iterations of a loop, of what they do in boxes: for surely and perhaps the same, as nothing is left out."""

    def __init__(self, boxes: Boxes, index: Index, bounds: Where, context: Where) -> None:
        self.bounds = bounds
        self._boxes = boxes
        self._index = index
        self._context = boxes.both(context, bounds)

    def all_surely(self, found: Elements) -> Elements:
        """The effect that all iterations have together."""
        return self._swept(found, self._index.extent)

    def before_surely(self, found: Elements) -> Elements:
        """The effect that the iterations before this one had."""
        return self._swept(found, terms.of_atom(self._index))

    all_perhaps = all_surely
    before_perhaps = before_surely

    def _swept(self, found: Elements, count: Term) -> Elements:
        return tuple(self._boxes.swept(box, self._index, count, self._context) for box in found)


def _same_spans(one: Box, other: Box) -> bool:
    return all(
        span.start is two.start and span.extent is two.extent for span, two in zip(one.spans, other.spans, strict=True)
    )


def _at_most(one: Term, other: Term, here: Where) -> bool:
    """True if it follows that a term is at most another one."""
    return one is other or here.prover.entails(at_most_zero(terms.add(one, other, -1)))


def _moves_apart(span: Span, other: Span, index: Index, context: Where) -> bool:
    """True if an index moves two spans so far that none comes to where the other is for another value of it."""
    parts = terms.coefficient_of(span.start, index)
    distance = terms.add(other.start, span.start, -1)
    step = parts[0].constant if parts is not None else None
    if not step or index in terms.all_atoms(distance):
        return False
    room = terms.constant(abs(step))
    return _at_most(span.extent, terms.add(room, distance), context) and _at_most(
        other.extent, terms.add(room, distance, -1), context
    )
