"""Operations with side effects, not only writes to their tensors: what they read is used, whatever becomes of it."""

from __future__ import annotations

from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Tensor

#: Operations of one name at one line of the kernel: file, line, name.
Source = tuple[str, int, str]


def source_of(item: Executed) -> Source | None:
    """Where in the kernel an operation is; None where no kernel code executes it."""
    return (item.site.file, item.site.line, item.operation.name) if item.site is not None else None


def has_effect(operation: Operation) -> bool:
    """True if leaving the operation out may change more than the elements, and reduction registers, that it writes."""
    return (
        not operation.writes
        or operation.declared.behaviour.side_effect
        # What the body of a device loop writes, an iteration after it may read.
        or operation.body is not None
        or any(view.indirect_by is not None for view in operation.writes.values())
    )


def skips(operation: Operation) -> bool:
    """True if a DMA leaves out what is out of bounds, as its indices are known at run time only."""
    return getattr(operation.attributes.get("oob_mode"), "name", "") == "skip" and any(
        map(is_moved, (*operation.reads.values(), *operation.writes.values()))
    )


def is_moved(view: Tensor) -> bool:
    """True if an index moves a view to where it is not known."""
    return view.indirect_by is not None and not view.indirect_by.is_known
