"""How elements of a storage are named: by coordinates, one for each of its dimensions, or finer ones.

A dimension of extent `128 * tiles * blocks` that is addressed as `128 * tiles * b + 128 * t + lane` is not affine in
the dimension's own index, and is so in two coordinates: `b` below `blocks`, and `128 * t + lane` below `128 * tiles`.
Coordinates within their extents name an element in one way only, so whichever ones are chosen, all views of the
storage agree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.analysis.sets.products import Products
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, constant_value, product
from nkiverify.symbolic.atoms import Div, Index, Monomial, Term
from nkiverify.symbolic.terms import add, constant, make, multiply, without

#: Numbers of dimensions.
Apart = Collection[int]
#: Products at which the addresses of an allocation jump, with the greatest number that divides all coefficients.
Jumps = Mapping[Monomial, int]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The extents of the coordinates of a storage, and the elements from one value of each to the next."""

    extents: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    #: Whether there are more of them than dimensions.
    finer: bool = False

    @staticmethod
    def of(storage: Storage, jumps: Jumps | None, products: Products, apart: Apart | None = None) -> Coordinates:
        """The coordinates of `storage`, finer ones at `jumps`; where there are none, dimensions that no view tells
        `apart` from the next one have a coordinate with it."""
        lead = _grouped(storage)
        rest = storage.shape[lead:]
        extents = [*storage.shape[:lead], *([product(rest)] if rest else [])]
        if not jumps and apart is not None and not storage.buffer.on_chip:
            extents = _together(extents, apart)
        strides: list[Extent] = [1]
        for extent in reversed(extents[1:]):
            strides.append(strides[-1] * extent)
        strides = strides[::-1][: len(extents)] if extents else []
        if not jumps:
            return Coordinates(tuple(extents), tuple(strides))
        finer: list[Extent] = []
        steps: list[Extent] = []
        for extent, stride in zip(extents, strides, strict=True):
            parts = _factors(as_term(extent), as_term(stride), jumps, products)
            step = as_term(stride)
            at = len(finer)
            for part in reversed(parts):
                finer.insert(at, part)  # type: ignore[arg-type]
                steps.insert(at, step)  # type: ignore[arg-type]
                step = multiply(step, part)
        return Coordinates(tuple(finer), tuple(steps), len(finer) > len(extents))

    def decomposed(self, distance: Extent | Term) -> list[Extent] | None:
        """A distance in elements as one in each coordinate; None if it is none."""
        rest = as_term(distance)
        parts: list[Extent] = []
        for each in self.strides:
            factor = _multiple(rest, as_term(each))
            parts.append(factor)  # type: ignore[arg-type]
            rest = add(rest, multiply(as_term(each), factor), -1)
        return parts if rest.constant == 0 else None

    def along_one(self, distance: Extent | Term) -> list[Extent] | None:
        """A distance as one along a single coordinate, the outermost possible; None if it is none.

        `(rows - 1) * columns` is `rows - 1` rows, and not a plane ahead and a row back.
        """
        for at, each in enumerate(self.strides):
            factor = _multiple(as_term(distance), as_term(each))
            if multiply(factor, as_term(each)) is as_term(distance):
                return [factor if other == at else 0 for other in range(len(self.strides))]  # type: ignore[misc]
        return None

    def digits(self, extent: Extent, stride: Extent) -> list[tuple[Extent, Extent]] | None:
        """An axis that runs through several coordinates as one axis for each, the outermost first; None if it is none.

        The axis has `extent` positions that are `stride` elements apart; so have the axes returned, as pairs.
        """
        at = next((at for at, each in enumerate(self.strides) if as_term(each) is as_term(stride)), None)
        rest = as_term(extent)
        found: list[tuple[Extent, Extent]] = []
        while at is not None and at > 0 and rest is not as_term(self.extents[at]):
            quotient = _quotient(rest, as_term(self.extents[at]))
            if quotient is None:
                return None
            found.insert(0, (self.extents[at], self.strides[at]))
            rest, at = quotient, at - 1
        if not found or at is None:
            return None
        return [(rest, self.strides[at]), *found]  # type: ignore[list-item]


def jumps_of(operations: Iterable[Operation]) -> Mapping[Key, Jumps]:
    """The products of dimensions by which the addresses of each allocation jump from one iteration to the next."""
    found: dict[Key, dict[Monomial, int]] = {}
    for operation in operations:
        for view in (*operation.reads.values(), *operation.writes.values()):
            here = found.setdefault(key_of(view.storage), {})
            distances = [multiply(as_term(start), as_term(stride)) for start, stride in view.offset_terms]
            for distance in (*distances, *map(as_term, view.strides)):
                for monomial, coefficient in distance.monomials.items():
                    jump = tuple(atom for atom in monomial if not isinstance(atom, Index))
                    if jump:
                        here[jump] = gcd(here.get(jump, 0), coefficient)
    return found


def apart_in(views: Iterable[Tensor]) -> Mapping[Key, Apart]:
    """The dimensions of each allocation outside the chip that one of `views` tells apart from the next dimension.

    One of extents (rows, planes, columns) that is only seen as (rows * planes, columns) has a coordinate less: what is
    affine in `row * planes + plane` is not so in both of them.
    """
    found: dict[Key, set[int]] = {}
    for view in views:
        storage = view.storage
        if storage.buffer.on_chip:
            continue
        here = found.setdefault(key_of(storage), set())
        distances = [multiply(as_term(start), as_term(stride)) for start, stride in view.offset_terms]
        distances += [stride for _, stride in _contiguous(view)]
        for number in range(len(storage.shape) - 1):
            step = as_term(product(storage.shape[number + 1 :]))
            if any(_multiple(distance, step).monomials for distance in distances):
                here.add(number)
    return found


def _contiguous(view: Tensor) -> list[tuple[Term, Term]]:
    """The axes of a view, extents and strides, fewer where one continues where the next one ends."""
    found: list[tuple[Term, Term]] = []
    for extent, stride in zip(view.shape, view.strides, strict=True):
        if constant_value(extent) == 1:
            continue
        count, step = as_term(extent), as_term(stride)
        if found and found[-1][1] is multiply(count, step):
            count = multiply(found.pop()[0], count)
        found.append((count, step))
    return found


def _together(extents: Sequence[Extent], apart: Apart) -> list[Extent]:
    """The extents of dimensions, those that are not kept `apart` from the next one as a product with it."""
    found: list[Extent] = []
    goes_on = False
    for number, extent in enumerate(extents):
        if goes_on:
            found[-1] = found[-1] * extent
        else:
            found.append(extent)
        goes_on = number not in apart
    return found


def _grouped(storage: Storage) -> int:
    """How many leading dimensions have a coordinate of their own; those after them, if any, count as one.

    On chip the free dimensions are one coordinate as far as their strides are plain numbers.
    """
    if not storage.buffer.on_chip:
        return len(storage.shape)
    at, fixed = len(storage.shape), storage.block_dims + 1
    while at > fixed and constant_value(storage.shape[at - 1]) is not None:
        at -= 1
    return max(fixed, at - 1)


def as_term(value: Extent | Term) -> Term:
    """A term, also of a plain number."""
    return value if isinstance(value, Term) else constant(int(value))


def _by_name(monomial: Monomial) -> tuple[int, list[str]]:
    """An order of products that does not depend on what this process has verified before."""
    return len(monomial), sorted(map(str, monomial))


def _factors(extent: Term, stride: Term, jumps: Jumps, products: Products) -> list[Term]:
    """`extent` as a product, outermost factor first, so that each jump goes from one value of a factor to the next.

    All factors are products of atoms that are never negative: two negative ones would have no coordinates.
    """
    if len(extent.monomials) != 1 or len(stride.monomials) != 1:
        return [extent]
    ((whole, count),) = extent.monomials.items()
    ((unit, each),) = stride.monomials.items()
    for atom in whole:
        equal = products.equal.get(atom, ())
        if any(factor in jump for jump in jumps for factor in equal if isinstance(factor, Div)):
            # `group * (heads // groups) + head` is affine in a group and a head, and in no number below `heads`.
            rest = without(whole, (atom,)) or ()
            (whole,) = multiply(make({rest: 1}), make({equal: 1})).monomials
    if count <= 0 or not all(map(products.is_natural, whole)):
        return [extent]
    sizes: list[tuple[Monomial, int]] = [((), 1)]
    for jump in sorted(jumps, key=_by_name):
        size, number = without(jump, unit), jumps[jump] // each
        last, times = sizes[-1]
        fits = size and jumps[jump] % each == 0 and without(whole, size) is not None and count % number == 0
        if fits and (size, number) != (whole, count) and without(size, last) and number % times == 0:  # type: ignore[arg-type]
            sizes.append((size, number))  # type: ignore[arg-type]
    sizes.append((whole, count))
    factors: list[Term] = []
    for (last, times), (size, number) in pairwise(sizes):
        factors.insert(0, make({without(size, last): number // times}))  # type: ignore[dict-item]
    return factors


def _multiple(value: Term, unit: Term) -> Term:
    """How often `unit` is in `value`, by its leading product."""
    monomials = unit.monomials
    # Names take long: most units are one product.
    leading = max(monomials, key=_by_name, default=()) if len(monomials) != 1 else next(iter(monomials))
    weight = unit.monomials.get(leading, 1)
    found: dict[Monomial, int] = {}
    for monomial, coefficient in value.monomials.items():
        rest = without(monomial, leading)
        if rest is not None and (coefficient % weight == 0 or not monomial):
            found[rest] = coefficient // weight
    return make({monomial: factor for monomial, factor in found.items() if factor})


def _quotient(value: Term, divisor: Term) -> Term | None:
    """`value` divided by `divisor`, both products; None where a rest is left."""
    if len(value.monomials) != 1 or len(divisor.monomials) != 1:
        return None
    ((whole, count),) = value.monomials.items()
    ((part, number),) = divisor.monomials.items()
    rest = without(whole, part)
    return make({rest: count // number}) if rest is not None and count % number == 0 else None
