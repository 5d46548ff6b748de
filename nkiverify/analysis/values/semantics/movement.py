"""Operations that move elements by predicates and across partitions, and what orders or prints."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step

_QUADRANT = 32
#: The entry of a shuffle mask that leaves its partition alone ("shuffle.mask_len").
_UNTOUCHED = 255


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
