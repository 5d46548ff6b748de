"""The bytes of HBM that a concrete run reads and writes, counted one by one: what formulas are compared with."""

from __future__ import annotations

from nkiverify.analysis.masks import touched
from nkiverify.foundation.late import numpy as np
from nkiverify.ir.program import Program
from nkiverify.ir.walk import of_kind
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.products.cost.counting import figures_of, hbm_views
from nkiverify.products.cost.formulas import NoNumber

#: Bytes of tensors in HBM that are marked one by one at most.
MOST_BYTES = 1 << 28


def bytes_of_run(program: Program) -> dict[str, int]:
    """The bytes that a concrete run reads and writes, and those that it does at all, by name. Raises `NoNumber` where
    it is not known which, and `UnknownCost`."""
    marks: dict[tuple[object, bool], tuple[Storage, object]] = {}
    found = {"hbm_read": 0, "hbm_written": 0, "hbm_read_once": 0, "hbm_written_once": 0}
    for executed in of_kind(program.body, Executed):
        figures_of(executed.operation)
        for writes, argument, view in hbm_views(executed.operation):
            part = touched(executed.operation, argument, writes=writes)
            if view.indirect_by is not None or not part.exact:
                raise NoNumber("elements that no shape decides")
            # A constant is one tensor for all programs of a launch.
            storage = view.storage
            key = (storage.site if storage.constant else id(storage), writes)
            if key not in marks:
                size = int(view.storage.size) * view.storage.dtype.itemsize
                if size > MOST_BYTES:
                    raise NoNumber(f"a tensor of {size} bytes")
                marks[key] = view.storage, np.zeros(size, bool)
            flat = marks[key][1]
            size = view.itemsize
            shape = (*(int(extent) for extent in view.shape), size)
            strides = (*(int(stride) * size for stride in view.strides), 1)
            first = int(view.offset) * size
            places = np.full(shape, first, np.int64)
            for axis, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
                steps = np.arange(extent, dtype=np.int64) * stride
                places += steps.reshape([-1 if at == axis else 1 for at in range(len(shape))])
            if part.may is not None:
                places = places[np.broadcast_to(part.may, shape[:-1])]
            flat[places.reshape(-1)] = True  # type: ignore[index]
            found["hbm_written" if writes else "hbm_read"] += places.size
    for (_, writes), (_, flat) in marks.items():
        found["hbm_written_once" if writes else "hbm_read_once"] += int(np.count_nonzero(flat))  # type: ignore[call-overload]
    return found
