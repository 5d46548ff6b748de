"""Operations that do something besides writing to their tensors: what they read is used, whatever becomes of it."""

from __future__ import annotations

from nkiverify.ir.program import Operation as Executed
from nkiverify.model.operation import Operation

#: Operations of one name at one line of the kernel: file, line, name.
Source = tuple[str, int, str]


def source_of(item: Executed) -> Source | None:
    """Where in the kernel an operation is; None where no kernel code executes it."""
    return (item.site.file, item.site.line, item.operation.name) if item.site is not None else None


#: They change the state of a random generator, exchange data with another core, or hand numbers to the host's program.
_BESIDE = frozenset(
    f"nisa.{name}"
    for name in (
        "rng", "rand2", "rand_get_state", "rand_set_state", "set_rng_seed", "dropout", "sendrecv", "core_barrier",
        "register_alloc", "register_load", "register_move", "register_store", "sequence_bounds",
    )
) | frozenset(f"nl.{name}" for name in ("rand", "random_seed", "dropout", "device_print", "loop_reduce"))  # fmt: skip


def has_effect(operation: Operation) -> bool:
    """Whether leaving the operation out may change more than the elements, and reduction registers, that it writes."""
    return (
        not operation.writes
        or operation.name in _BESIDE
        or not operation.name.startswith(("nisa.", "nl.", "setitem"))
        # What the body of a device loop writes, an iteration after it may read.
        or operation.body is not None
        or any(view.indirect_by is not None for view in operation.writes.values())
    )


def skips(operation: Operation) -> bool:
    """Whether a DMA leaves out what is out of bounds, as its indices are known at run time only."""
    return getattr(operation.attributes.get("oob_mode"), "name", "") == "skip" and any(
        view.indirect_by is not None for view in (*operation.reads.values(), *operation.writes.values())
    )
