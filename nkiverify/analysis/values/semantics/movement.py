"""Operations that move and fill (reference section c.1): values are copied, converted between dtypes, transposed."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step
from nkiverify.model.ops.tensor_engine import transposed

#: The order of axes of dma_transpose by rank ("dma_transpose.axes").
_TRANSPOSED = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
_QUADRANT = 32
#: The entry of a shuffle mask that leaves its partition alone ("shuffle.mask_len").
_UNTOUCHED = 255


@meaning("nl.store")
def store(step: Step) -> None:
    """As a copy; the legacy API repeats extents of 1 ("leg.assign_shape")."""
    if not step.has("value"):
        step.write("dst", step.constant("value", len(step.shape("dst")) + 1), broadcast=True)
    elif int(np.prod(step.shape("value"))) == int(np.prod(step.shape("dst"))):
        copy(step)
    else:
        step.write("dst", step.aligned("value", len(step.shape("dst")) + 1), broadcast=True)


@meaning("nisa.dma_copy", "nisa.tensor_copy", "nl.load", "nl.copy", "nl.static_cast")
def copy(step: Step) -> None:
    """Elements in row-major order; equal dtypes are copied bit by bit ("tensor_copy.cast")."""
    source, target = step.only_read, step.only_write
    same = step.dtype(source) == step.dtype(target)
    step.write(target, step.stored(source) if same else step.numbers(source), stored=same)


@meaning("nl.broadcast_to")
def broadcast(step: Step) -> None:
    """Extents of 1 repeated ("nl.broadcast_to")."""
    step.write(step.only_write, step.stored(step.only_read), stored=True, broadcast=True)


@meaning("setitem")
def assign(step: Step) -> None:
    """A tile broadcast to its destination, or a constant ("leg.assign_shape").

    What a running reduction gave joins what the destination holds ("L:loop_reduce").
    """
    rank = len(step.shape("dst")) + 1
    if not step.has("value"):
        step.write("dst", step.constant("value", rank), broadcast=True)
        return
    reduction = step.running_reduction("value")
    value = step.aligned("value", rank)
    if reduction is not None:
        value = step.n.binary(reduction, step.numbers("dst", previous=True), value)
    step.write("dst", value, broadcast=True)


_FILLS = {"nl.zeros": 0.0, "nl.zeros_like": 0.0, "nl.ones": 1.0}


@meaning("nisa.memset", "nl.full", *_FILLS)
def fill(step: Step) -> None:
    """One constant everywhere."""
    (target,) = step.written
    rank = len(step.shape(target)) + 1
    if step.name in _FILLS:
        value = step.n.constant(_FILLS[step.name], rank)
    else:
        value = step.constant("fill_value" if step.name == "nl.full" else "value", rank)
    step.write(target, value, broadcast=True)


@meaning("nl.load_transpose2d")
def load_transpose(step: Step) -> None:
    """(P, F) to (F, P)."""
    transposed(step)


@meaning("nisa.dma_transpose")
def dma_transpose(step: Step) -> None:
    """The axes in the one order each rank has."""
    same = step.dtype("src") == step.dtype("dst")
    data = step.stored("src") if same else step.numbers("src")
    order = _TRANSPOSED[data.ndim - 1]
    step.write("dst", data.transpose(0, *(axis + 1 for axis in order)), stored=same)


@meaning("nisa.dma_compute")
def dma_compute(step: Step) -> None:
    """The sum of all sources, in float32 ("dma_compute.dtype")."""
    total = None
    for name in step.read_names:
        part = step.numbers(name).reshape(step.n.lanes, -1)
        total = part if total is None else step.n.binary("add", total, part)
    assert total is not None
    step.write("dst", total)


@meaning("nisa.tensor_copy_predicated")
def copy_predicated(step: Step) -> None:
    """dst where the predicate is 0 (not 0 if reversed), else src."""
    condition = step.rows("predicate")
    source = step.rows("src") if step.has("src") else step.constant("src", 3)
    kept = step.rows("dst", previous=True)
    first, second = (kept, source) if step.flag("reverse_pred") else (source, kept)
    step.choose("dst", "predicate", condition, first, second)


@meaning("nisa.nc_stream_shuffle")
def stream_shuffle(step: Step) -> None:
    """In each quadrant, partition i takes what is in partition mask[i] ("shuffle.quadrant")."""
    same = step.dtype("src") == step.dtype("dst")
    source = step.rows("src", stored=same)
    result = step.rows("dst", stored=same, previous=True).copy()
    mask = [int(lane) for lane in step.attribute("shuffle_mask")]
    for start in range(0, result.shape[1], _QUADRANT):
        for lane, taken in enumerate(mask):
            at, origin = start + lane, start + taken
            if taken != _UNTOUCHED and at < result.shape[1] and origin < source.shape[1]:
                result[:, at] = source[:, origin]
    step.write("dst", result, stored=same)


@meaning("nl.shared_identity_matrix")
def identity(step: Step) -> None:
    """Ones on the diagonal."""
    target = step.written[0]
    ones = np.eye(step.shape(target)[0], dtype=np.float32)
    step.write(target, step.n.entered(ones, step.dtype(target)), stored=True)


@meaning("nl.shared_constant")
def shared_constant(step: Step) -> None:
    """The elements of a NumPy array."""
    target = step.only_write
    constant = np.asarray(step.attribute("constant"))
    step.write(target, step.n.entered(constant, step.dtype(target)), stored=True)


@meaning("nl.device_print")
def device_print(step: Step) -> None:
    """What the kernel asks to see goes to the standard output."""
    if not step.tracking:
        prefix = step.attribute("print_prefix", step.attribute("prefix", ""))
        print(prefix, *step.stored(step.only_read))


@meaning("nisa.core_barrier")
def core_barrier(step: Step) -> None:
    """Orders two cores. Here they run one after the other, so what they exchange would be missed."""
    if step.programs > 1:
        step.refuse("core_barrier of two cores, which are simulated one after the other")
