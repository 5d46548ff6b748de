"""Element-wise instructions."""

from __future__ import annotations

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import (
    any_in_psum,
    claim_available,
    claim_integers,
    claim_same_layout,
    member,
    on_chip,
    tile,
)


def tensor_tensor(dst: object, data1: object, data2: object, op: Operator, engine: object = isa.engine.unknown) -> None:
    """dst = data1 op data2, element by element."""
    result, left, right = tile(dst, "dst"), tile(data1, "data1"), tile(data2, "data2")
    runs_on = member(engine, isa.engine, "engine")
    require("tensor_tensor.op", op.arity == 2, op=op)
    claim_available(op)
    claim_integers(op, result, left, right)
    require("isa.on_chip", on_chip(result, left, right), dst=result.buffer, data1=left.buffer, data2=right.buffer)
    require(
        "tensor_tensor.psum_pair", not (any_in_psum(left) and any_in_psum(right)), data1=left.buffer, data2=right.buffer
    )
    claim_same_layout("tensor_tensor.shape", dst=result, data1=left, data2=right)
    if op.name == "power":
        require("tensor_tensor.power_gpsimd", not any_in_psum(result, left, right), dst=result.buffer)
    if runs_on is not isa.engine.unknown:
        require("tensor_tensor.engine", runs_on in (isa.engine.vector, isa.engine.gpsimd), engine=runs_on)
    if runs_on is isa.engine.gpsimd:
        require("mem.gpsimd_no_psum", not any_in_psum(result, left, right), dst=result.buffer, data1=left.buffer)
