"""How many bytes of a partition allocations take, as terms in the dimensions and loop indices."""

from __future__ import annotations

from nkiverify.analysis.lifetimes.live_intervals import Point, Tenant
from nkiverify.analysis.lifetimes.usage import Allocated
from nkiverify.ir.program import Loop
from nkiverify.model.legacy_tensor import tiles_of
from nkiverify.model.tensor import Storage
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Index, Min, Term
from nkiverify.symbolic.values import as_term


class NoBound(Exception):
    """No bound is known for a size that differs from iteration to iteration."""

    def __init__(self, allocated: Allocated) -> None:
        place = f" at line {allocated.site.line}" if allocated.site is not None else ""
        super().__init__(f"tensors kept by a list, whose sizes{place} differ from iteration to iteration")


def bytes_of(storage: Storage) -> Term:
    """Bytes a storage takes in each of its partitions, all blocks of a legacy tensor together ("mem.shape_bytes").

    Of a tensor that an allocator of the legacy API places it is those of the physical tiles.
    """
    size = terms.constant(storage.dtype.itemsize)
    for extent in storage.shape[storage.block_dims + 1 :]:
        size = terms.multiply(size, _term(extent))
    for count in tiles_of(storage):
        size = terms.multiply(size, _term(count))
    return size


def weight(tenant: Tenant, point: Point) -> Term:
    """The bytes that a tenant takes at a point, at most. Raises `NoBound`."""
    allocated = tenant.allocated
    size = bytes_of(allocated.storage)
    if not allocated.escapes:
        return size
    inside = any(frame is allocated.frame for frame in point.frame.chain)
    if not tenant.others:
        if inside:
            return size
        return terms.constant(0) if allocated.fixed else _upper(size, allocated)
    if allocated.fixed:
        # The instance of the last iteration is not there before: in the loop it is the present one.
        gone = inside and all(_is_last(indices, allocated) for indices in allocated.fixed.values())
        return terms.constant(0) if gone else terms.scale(_upper(size, allocated), len(allocated.fixed))
    every = size
    for loop in allocated.crossed:
        every = terms.multiply(every, loop.extent)
    total = _upper(every, allocated)
    return terms.add(total, _upper(size, allocated), -1)


def _is_last(indices: tuple[Term, ...], allocated: Allocated) -> bool:
    """True if indices name the last iteration of every loop that the allocation escapes."""
    named = indices[allocated.shared :]
    return all(
        index is terms.add(loop.extent, terms.constant(-1))
        for index, loop in zip(named, allocated.crossed, strict=True)
    )


def _upper(size: Term, allocated: Allocated) -> Term:
    """A bound of `size` in all iterations of the loops that the allocation escapes."""
    for loop in reversed(allocated.crossed):
        if loop.index in terms.all_atoms(size):
            size = _largest(size, loop, allocated)
    return size


def _largest(size: Term, loop: Loop, allocated: Allocated) -> Term:
    index = loop.index
    without = _without_minima(size, index)
    split = terms.coefficient_of(without, index)
    if split is None or any(index in terms.all_atoms(part) for part in split):
        raise NoBound(allocated)
    factor, rest = split
    reach = terms.multiply(factor, terms.add(loop.extent, terms.constant(-1)))
    constant = factor.constant
    if constant is not None:
        return terms.add(rest, reach) if constant > 0 else rest
    return terms.add(rest, terms.maximum([terms.constant(0), reach]))


def _without_minima(size: Term, index: Index) -> Term:
    """`size` with each minimum over terms in `index` bounded by one of its terms without it."""
    replaced: dict[Atom, Term] = {}
    for monomial, coefficient in size.monomials.items():
        for atom in monomial:
            if isinstance(atom, Min) and coefficient > 0 and index in terms.all_atoms(terms.of_atom(atom)):
                free = [part for part in atom.terms if index not in terms.all_atoms(part)]
                if free:
                    replaced[atom] = next((part for part in free if part.constant is not None), free[0])
    if not replaced:
        return size
    total = terms.constant(0)
    for monomial, coefficient in size.monomials.items():
        product = terms.constant(coefficient)
        for atom in monomial:
            bounded = replaced.get(atom) if coefficient > 0 else None
            product = terms.multiply(product, bounded if bounded is not None else terms.of_atom(atom))
        total = terms.add(total, product)
    return total


def _term(extent: object) -> Term:
    found = as_term(extent)
    assert found is not None
    return found
