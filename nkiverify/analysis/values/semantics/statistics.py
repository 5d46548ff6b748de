"""Statistics, searches and orderings (reference section c.3)."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Array, Step
from nkiverify.model.ops.arithmetic import difference, mean

_FOUND = 8


@meaning("nisa.bn_stats")
def bn_stats(step: Step) -> None:
    """Count, mean and variance times count of the even, then of the odd positions ("bn_stats.dst6")."""
    data = step.rows("data")
    numbers = step.n
    parts: list[Array] = []
    for first in (0, 1):
        half = data[..., first::2]
        count = half.shape[-1]
        if count == 0:
            parts += [step.n.constant(0, 3) + np.zeros_like(data[..., :1])] * 3
            continue
        middle = mean(numbers, half, count)
        away = difference(numbers, half, middle)
        squares = numbers.reduce("add", numbers.binary("multiply", away, away))
        counts = np.broadcast_to(numbers.constant(count, 3), middle.shape)
        parts += [counts, middle, squares]
    step.write("dst", np.concatenate([part.astype(parts[1].dtype) for part in parts], axis=2))


@meaning("nisa.bn_aggr")
def bn_aggr(step: Step) -> None:
    """Mean and variance of triples of count, mean and variance times count ("bn_aggr.mod3")."""
    data = step.rows("data")
    numbers = step.n
    counts, means, squares = (np.ascontiguousarray(data[..., part::3]) for part in range(3))
    inverse = numbers.unary("reciprocal", numbers.reduce("add", counts))
    weighted = numbers.reduce("add", numbers.binary("multiply", counts, means))
    middle = numbers.binary("multiply", weighted, inverse)
    away = difference(numbers, means, middle)
    spread = numbers.binary("multiply", counts, numbers.binary("multiply", away, away))
    total = numbers.binary("add", numbers.reduce("add", squares), numbers.reduce("add", spread))
    step.write("dst", np.concatenate([middle, numbers.binary("multiply", total, inverse)], axis=2))


@meaning("nisa.max8")
def max8(step: Step) -> None:
    """The 8 greatest elements of each partition, descending ("max8.n")."""
    step.n.wants("max8")
    data = step.rows("src")
    step.write_rows("dst", -np.sort(-step.actual("src", data), axis=-1)[..., :_FOUND], undefined_from=("src",))


@meaning("nisa.nc_find_index8")
def find_index8(step: Step) -> None:
    """The first position of each of 8 values; all ones for an absent one. Equal values find successive ones."""
    step.n.wants("nc_find_index8")
    data, wanted = step.actual("data", step.rows("data")), step.actual("vals", step.rows("vals"))
    absent = float(2 ** (8 * step.dtype("dst").itemsize) - 1)
    places, _ = _matched(data[0], wanted[0], range(_FOUND))
    found = np.where(places < 0, absent, places).astype(np.int64)
    step.write_integers("dst", found)


@meaning("nisa.nc_match_replace8")
def match_replace8(step: Step) -> None:
    """data with each of 8 values, from the last one down, replaced where it is first ("match8.vals")."""
    step.n.wants("nc_match_replace8")
    data, wanted = step.actual("data", step.rows("data")), step.actual("vals", step.rows("vals"))
    places, taken = _matched(data[0], wanted[0], range(_FOUND - 1, -1, -1))
    replaced = np.where(taken, np.float32(step.attribute("imm")), data[0])[None]
    step.write_rows("dst", replaced, undefined_from=("data", "vals"))
    if step.writes("dst_idx"):
        absent = 2 ** (8 * step.dtype("dst_idx").itemsize) - 1
        step.write_integers("dst_idx", np.where(places < 0, absent, places).astype(np.int64))


def _matched(data: Array, wanted: Array, order: range) -> tuple[Array, Array]:
    """Where each wanted value of a row is first, among elements not taken by one before it; and what is taken."""
    taken = np.zeros(data.shape, dtype=bool)
    places = np.full(wanted.shape, -1, dtype=np.int64)
    rows = np.arange(data.shape[0])
    for column in order:
        free = (data == wanted[:, column : column + 1]) & ~taken
        first = free.argmax(axis=1)
        present = free[rows, first]
        places[present, column] = first[present]
        taken[rows[present], first[present]] = True
    return places, taken


@meaning("nisa.sequence_bounds")
def sequence_bounds(step: Step) -> None:
    """First position and one past the last of each position's segment; padding (id 0) gives (n, -1)."""
    ids = step.indices("segment_ids").ravel()
    count = len(ids)
    starts, ends = np.full(count, count, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    for identity in set(ids.tolist()) - {0}:
        inside = np.flatnonzero(ids == identity)
        starts[inside], ends[inside] = inside[0], inside[-1] + 1
    step.write_integers("dst", np.stack([starts, ends]))


@meaning("nisa.nonzero_with_count")
def nonzero_with_count(step: Step) -> None:
    """Positions of the elements that are not 0, padding, and their count last; only of partitions 0, 16, …, 112."""
    step.n.wants("nonzero_with_count")
    data = step.actual("src", step.rows("src"))[0]
    shift, padding = step.integer("index_offset"), step.integer("padding_val")
    result = step.indices("dst", previous=True).reshape(data.shape[0], -1).copy()
    for row in range(0, data.shape[0], 16):
        found = np.flatnonzero(data[row])
        result[row] = padding
        result[row, : len(found)] = found + shift
        result[row, -1] = len(found)
    if not step.tracking:
        step.write_integers("dst", result)
        return
    marks = step.rows("dst", previous=True).copy()
    marks[:, ::16] = step.rows("src")[:, ::16].max(axis=2, keepdims=True)
    step.write("dst", marks)


@meaning("nisa.topk")
def topk(step: Step) -> None:
    """Refused: the documentation contradicts itself on the layout ("topk.shape")."""
    step.refuse("the values of topk: its documentation contradicts itself on the layout of the elements")


@meaning("nl.dropout", "nisa.dropout", "nl.rand", "nisa.rng", "nisa.rand2")
def random(step: Step) -> None:
    """Refused: which numbers come is not documented."""
    step.refuse(f"the values of {step.name}: random numbers are not documented")
