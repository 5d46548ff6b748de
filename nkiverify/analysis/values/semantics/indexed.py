"""Operations that choose elements: selects, patterns, gathers (reference sections c.1 and c.3)."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Array, Step

#: The least finite float32, with which range_select fills ("range_select.false").
_LEAST = -3.4028234663852886e38
_GROUP = 16
_COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


def _pattern(step: Step, partitions: int) -> Array:
    """offset + partition * channel_multiplier + pattern, as integers (P, F)."""
    offset, factor = step.integer("offset"), step.integer("channel_multiplier")
    total = np.zeros((1,), dtype=np.int64)
    for stride, count in step.attribute("pattern"):
        total = (total[:, None] + np.arange(int(count), dtype=np.int64) * int(stride)).ravel()
    return np.asarray(offset + np.arange(partitions, dtype=np.int64)[:, None] * factor + total[None, :])


@meaning("nisa.iota")
def iota(step: Step) -> None:
    """Integers of 32 bits, converted to the dtype of dst ("iota.i32")."""
    values = _pattern(step, step.shape("dst")[0]).astype(np.int32)
    step.write_integers("dst", values)


@meaning("nisa.affine_select")
def affine_select(step: Step) -> None:
    """on_true_tile where the pattern compares to 0, else a constant ("affine_select.pred")."""
    data = step.rows("on_true_tile")
    holds = _COMPARE[step.operator("cmp_op").name](_pattern(step, data.shape[1]), 0)
    step.write("dst", np.where(holds[None], data, step.constant("on_false_value", 3)))


@meaning("nisa.range_select")
def range_select(step: Step) -> None:
    """on_true_tile where range_start + position compares to both bounds, else the least float32."""
    data = step.rows("on_true_tile")
    numbers = step.n
    positions = step.entered(np.arange(data.shape[2], dtype=np.int32)[None, :] + step.integer("range_start"))
    first = numbers.binary(step.operator("comp_op0").name, positions, step.required_column("bound0"))
    second = numbers.binary(step.operator("comp_op1").name, positions, step.required_column("bound1"))
    inside = numbers.binary("logical_and", first, second)
    result = numbers.choose(inside, data, numbers.constant(_LEAST, 3))
    step.write("dst", result)
    step.accumulate("vector", result, operator="maximum")


@meaning("nisa.select_reduce")
def select_reduce(step: Step) -> None:
    """on_true where the predicate is not 0 (0 if reversed), else on_false; and its maximum."""
    condition = step.rows("predicate")
    chosen, other = step.rows("on_true"), step.required_column("on_false")
    if step.flag("reverse_pred"):
        chosen, other = np.broadcast_arrays(other, chosen)
    result = step.choose("dst", "predicate", condition, chosen, other)
    step.accumulate("vector", result, operator="maximum")


@meaning("nl.where")
def where(step: Step) -> None:
    """x where the condition holds, else y."""
    (target,) = step.written
    rank = len(step.shape(target)) + 1
    condition = step.aligned("condition", rank)
    first, second = (step.aligned(name, rank) if step.has(name) else step.constant(name, rank) for name in ("x", "y"))
    step.choose(target, "condition", condition, first, second)


@meaning("nisa.local_gather")
def local_gather(step: Step) -> None:
    """Groups of elements of each partition; the indices of 16 partitions are shared, column by column."""
    same = step.dtype("src_buffer") == step.dtype("dst")
    data, indices = step.rows("src_buffer", stored=same), step.indices("index")
    size = int(step.attribute("num_elem_per_idx", 1) or 1)
    target = step.shape("dst")
    elements = int(np.prod(target[1:]))
    valid = step.attribute("num_valid_indices", None)
    result = np.zeros((data.shape[0], data.shape[1], elements), dtype=data.dtype)
    for start in range(0, data.shape[1], _GROUP):
        order = indices[start : start + _GROUP].T.ravel()
        order = order[: elements // size if valid is None else int(valid)]
        places = (order[:, None] * size + np.arange(size)).ravel()[:elements]
        step.check_places("index", places, data.shape[2])
        result[:, start : start + _GROUP, : len(places)] = data[:, start : start + _GROUP, places]
        if step.tracking:
            chosen_by = step.rows("index")[0, start : start + _GROUP].T.ravel()[: len(order)]
            marks = np.repeat(chosen_by, size)[: len(places)]
            taken = result[:, start : start + _GROUP, : len(places)]
            np.maximum(taken, marks, out=taken)
    step.write("dst", result, stored=same)


@meaning("nisa.nc_n_gather", "nl.gather_flattened")
def n_gather(step: Step) -> None:
    """Elements of each partition by an index of its own for each."""
    (target,) = step.written
    same = step.dtype("data") == step.dtype(target)
    data, indices = step.rows("data", stored=same), step.indices("indices")
    step.check_places("indices", indices, data.shape[2])
    found = np.take_along_axis(data, np.broadcast_to(indices[None], (data.shape[0], *indices.shape)), axis=2)
    if step.tracking:
        found = np.maximum(found, step.rows("indices"))
    step.write(target, found, stored=same)


@meaning("nisa.register_alloc")
def register_alloc(step: Step) -> None:
    """A new register takes a constant, if one is given."""
    number = step.register_or_number("x")
    if number is not None:
        step.set_register("result", number)


@meaning("nisa.register_move")
def register_move(step: Step) -> None:
    """A register takes a constant or another register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.set_register("dst", number)


@meaning("nisa.register_load")
def register_load(step: Step) -> None:
    """A register takes the one element of a tensor."""
    step.set_register("dst", int(step.indices("src").ravel()[0]))


@meaning("nisa.register_store")
def register_store(step: Step) -> None:
    """The one element of a tensor takes a register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.write_integers("dst", np.array([number], dtype=np.int64))
