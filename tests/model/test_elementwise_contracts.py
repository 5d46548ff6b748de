"""Contracts of element-wise, activation and reduction instructions: last legal and first illegal use."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, bfloat16, float32, int32, tfloat32
from nkiverify.model.tensor import Tensor
from tests.model.stub_library import (
    Control,
    hbm,
    nisa,
    nl,
    old_nisa,
    old_nl,
    old_psum,
    old_sbuf,
    psum,
    sbuf,
    value,
)


def tensor_tensor(
    op: Any = nl.add,
    *,
    left: Tensor | None = None,
    right: Tensor | None = None,
    out: Tensor | None = None,
    dtype: DType = float32,
    **options: Any,
) -> None:
    """An operation on (4, 6) tiles."""
    given = [tensor if tensor is not None else sbuf(4, 6, dtype=dtype) for tensor in (out, left, right)]
    nisa.tensor_tensor(*given, op, **options)


def tensor_scalar(
    op0: Any = nl.multiply, operand0: Any = 2.0, *, out: Tensor | None = None, dtype: DType = float32, **options: Any
) -> None:
    """An operation on a (4, 6) tile and scalars."""
    result = sbuf(4, 6, dtype=dtype) if out is None else out
    nisa.tensor_scalar(result, sbuf(4, 6, dtype=dtype), op0, operand0, **options)


def activation(op: Any = nl.exp, *, out: Tensor | None = None, **options: Any) -> None:
    """An activation of a (4, 6) tile."""
    nisa.activation(sbuf(4, 6) if out is None else out, op, sbuf(4, 6), **options)


def reduce(
    op: Any = nl.add, axis: Any = 1, *, out: Tensor | None = None, data: Tensor | None = None, **more: Any
) -> None:
    """A reduction of a (4, 6) tile."""
    nisa.tensor_reduce(sbuf(4, 1) if out is None else out, op, sbuf(4, 6) if data is None else data, axis, **more)


def scalar_reduce(
    op0: Any = nl.multiply, operand0: Any = 2.0, reduce_op: Any = nl.add, *, out: Tensor | None = None, **more: Any
) -> None:
    """tensor_scalar_reduce of a (4, 6) tile."""
    nisa.tensor_scalar_reduce(sbuf(4, 6) if out is None else out, sbuf(4, 6), op0, operand0, reduce_op, **more)


def old_scalar_reduce(reduce_op: Any, reduce_res: Tensor) -> None:
    """The legacy form."""
    old_nisa.tensor_scalar_reduce(
        data=old_sbuf(4, 6), op0=old_nl.multiply, operand0=2.0, reduce_op=reduce_op, reduce_res=reduce_res
    )


def scan(
    initial: Any = 0.0, op0: Any = nl.multiply, *, left: Tensor | None = None, right: Tensor | None = None
) -> None:
    """A scan of (4, 6) tiles."""
    first = sbuf(4, 6) if left is None else left
    nisa.tensor_tensor_scan(sbuf(4, 6), first, sbuf(4, 6) if right is None else right, initial, op0, nl.add)


def combine(
    operand0: Any = 2.0, op0: Any = nl.multiply, *, data: Tensor | None = None, operand1: Tensor | None = None
) -> None:
    """scalar_tensor_tensor of (4, 6) tiles."""
    first = sbuf(4, 6) if data is None else data
    nisa.scalar_tensor_tensor(sbuf(4, 6), first, op0, operand0, nl.add, sbuf(4, 6) if operand1 is None else operand1)


SCALAR = {"engine": nisa.engine.scalar}
LOAD = nisa.reduce_cmd.load_reduce

CONTROLS = [
    Control("tensor_tensor.shape", lambda: tensor_tensor(right=sbuf(4, 2, 3)), lambda: tensor_tensor(right=sbuf(4, 2))),
    Control("tensor_tensor.broadcast", tensor_tensor, lambda: tensor_tensor(right=sbuf(4, 1))),
    Control("tensor_tensor.broadcast", tensor_tensor, lambda: tensor_tensor(left=sbuf(4, 1, 1))),
    Control("tensor_tensor.shape", tensor_tensor, lambda: tensor_tensor(right=sbuf(1, 6))),
    Control("tensor_tensor.shape", lambda: tensor_tensor(out=sbuf(4, 2, 3)), lambda: tensor_tensor(out=sbuf(5, 6))),
    Control(
        "tensor_tensor.psum_pair",
        lambda: tensor_tensor(left=psum(4, 6), out=psum(4, 6)),
        lambda: tensor_tensor(left=psum(4, 6), right=psum(4, 6)),
    ),
    Control(
        "tensor_tensor.power_gpsimd", lambda: tensor_tensor(nl.power), lambda: tensor_tensor(nl.power, out=psum(4, 6))
    ),
    Control("tensor_tensor.op", lambda: tensor_tensor(nl.logical_and), lambda: tensor_tensor(nl.abs)),
    Control("tensor_tensor.op", lambda: tensor_tensor(nl.subtract), lambda: tensor_tensor(nl.divide)),
    Control(
        "tensor_tensor.engine",
        lambda: tensor_tensor(engine=nisa.engine.vector),
        lambda: tensor_tensor(engine=nisa.engine.scalar),
    ),
    Control(
        "isa.bitvec_int", lambda: tensor_tensor(nl.bitwise_and, dtype=int32), lambda: tensor_tensor(nl.bitwise_and)
    ),
    Control(
        "isa.bitvec_int",
        lambda: tensor_tensor(nl.left_shift, dtype=int32),
        lambda: tensor_tensor(nl.left_shift, dtype=int32, out=sbuf(4, 6)),
    ),
    Control(
        "isa.operator_gen",
        lambda: tensor_tensor(nl.abs_max),
        lambda: tensor_tensor(nl.abs_max),
        hardware="trn2",
        legal_on="trn3",
    ),
    Control(
        "isa.operator_gen",
        lambda: tensor_scalar(nl.square, None),
        lambda: tensor_scalar(nl.square, None),
        hardware="trn1",
        legal_on="trn3",
    ),
    Control("isa.on_chip", tensor_tensor, lambda: tensor_tensor(left=hbm(4, 6))),
    Control("isa.alu_op", tensor_scalar, lambda: tensor_scalar(nl.divide)),
    Control(
        "tensor_scalar.operands", lambda: tensor_scalar(operand0=sbuf(4, 1)), lambda: tensor_scalar(operand0=sbuf(4, 2))
    ),
    Control(
        "tensor_scalar.operands", lambda: tensor_scalar(operand0=psum(4, 1)), lambda: tensor_scalar(operand0=sbuf(1, 1))
    ),
    Control(
        "tensor_scalar.operands", lambda: tensor_scalar(op1=nl.add, operand1=1.0), lambda: tensor_scalar(op1=nl.add)
    ),
    Control("tensor_scalar.operands", lambda: tensor_scalar(operand0=2), lambda: tensor_scalar(operand0="2")),
    Control(
        "tensor_scalar.operand_fp32",
        lambda: tensor_scalar(operand0=sbuf(4, 1)),
        lambda: tensor_scalar(operand0=sbuf(4, 1, dtype=bfloat16)),
    ),
    Control(
        "tensor_scalar.same_class",
        lambda: tensor_scalar(nl.bitwise_and, 1, op1=nl.bitwise_or, operand1=2, dtype=int32),
        lambda: tensor_scalar(nl.bitwise_and, 1, op1=nl.add, operand1=2, dtype=int32),
    ),
    Control("tensor_scalar.unused_none", tensor_scalar, lambda: tensor_scalar(operand1=1.0)),
    Control("tensor_scalar.unary_operand", lambda: tensor_scalar(nl.abs, 0), lambda: tensor_scalar(nl.abs, 1)),
    Control("tensor_scalar.shape", lambda: tensor_scalar(out=sbuf(4, 2, 3)), lambda: tensor_scalar(out=sbuf(4, 7))),
    Control(
        "tensor_scalar.engine",
        lambda: tensor_scalar(engine=nisa.engine.gpsimd),
        lambda: tensor_scalar(engine=nisa.engine.tensor),
    ),
    Control(
        "tensor_scalar.engine",
        lambda: tensor_scalar(nl.bitwise_and, 1, dtype=int32, engine=nisa.engine.vector),
        lambda: tensor_scalar(nl.bitwise_and, 1, dtype=int32, engine=nisa.engine.gpsimd),
    ),
    Control(
        "mem.gpsimd_no_psum",
        lambda: tensor_scalar(engine=nisa.engine.gpsimd),
        lambda: tensor_scalar(out=psum(4, 6), engine=nisa.engine.gpsimd),
    ),
    Control(
        "tensor_scalar.scalar_engine_trn2",
        lambda: tensor_scalar(op1=nl.add, operand1=1.0, **SCALAR),
        lambda: tensor_scalar(op1=nl.multiply, operand1=1.0, **SCALAR),
        hardware="trn2",
    ),
    Control(
        "tensor_scalar.scalar_engine_trn2",
        lambda: tensor_scalar(**SCALAR),
        lambda: tensor_scalar(**SCALAR),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control("stt.arith_only", combine, lambda: combine(2, nl.bitwise_and)),
    Control("stt.psum", lambda: combine(data=psum(4, 6)), lambda: combine(data=psum(4, 6), operand1=psum(4, 6))),
    Control("stt.shape", lambda: combine(operand1=sbuf(4, 2, 3)), lambda: combine(operand1=sbuf(4, 5))),
    Control("stt.shape", lambda: combine(sbuf(4, 1)), lambda: combine(sbuf(4, 2))),
    Control("scan.ops", lambda: scan(op0=nl.power), lambda: scan(op0=nl.abs)),
    Control("scan.ops", scan, lambda: scan(op0=nl.bitwise_or)),
    Control("scan.psum", lambda: scan(left=psum(4, 6)), lambda: scan(left=psum(4, 6), right=psum(4, 6))),
    Control("scan.shape", lambda: scan(right=sbuf(4, 6)), lambda: scan(right=sbuf(4, 5))),
    Control("scan.initial", lambda: scan(sbuf(4, 1)), lambda: scan(sbuf(4, 1, dtype=bfloat16))),
    Control("scan.initial", lambda: scan(psum(4, 1)), lambda: scan(sbuf(3, 1))),
    Control("activation.op", activation, lambda: activation(nl.add)),
    Control("activation.shape", lambda: activation(out=psum(4, 2, 3)), lambda: activation(out=sbuf(4, 7))),
    Control(
        "activation.scale", lambda: activation(scale=sbuf(4, 1)), lambda: activation(scale=sbuf(4, 1, dtype=bfloat16))
    ),
    Control("activation.scale", lambda: activation(scale=0.5), lambda: activation(scale=sbuf(4, 2))),
    Control(
        "activation.bias", lambda: activation(bias=sbuf(4, 1, dtype=bfloat16)), lambda: activation(bias=sbuf(4, 2))
    ),
    Control(
        "activation.bias", lambda: activation(bias=sbuf(4, 1)), lambda: activation(bias=sbuf(4, 1, dtype=tfloat32))
    ),
    Control(
        "activation.bias", lambda: activation(bias=1.0), lambda: activation(bias=1.0), hardware="trn1", legal_on="trn2"
    ),
    Control("activation.reduce_op", lambda: activation(reduce_op=nl.add), lambda: activation(reduce_op=nl.maximum)),
    Control(
        "activation.reduce_res",
        lambda: activation(reduce_op=nl.add, reduce_res=sbuf(4, 1)),
        lambda: activation(reduce_op=nl.add, reduce_res=sbuf(4, 2)),
    ),
    Control(
        "activation.reduce_cmd",
        lambda: activation(reduce_cmd=nisa.reduce_cmd.reduce),
        lambda: activation(reduce_cmd=LOAD),
    ),
    Control(
        "activation.reduce_op",
        lambda: nisa.activation_reduce(sbuf(4, 6), nl.exp, sbuf(4, 6), nl.add, psum(4, 1)),
        lambda: nisa.activation_reduce(sbuf(4, 6), nl.exp, sbuf(4, 6), nl.maximum, psum(4, 1)),
    ),
    Control(
        "act.recip_bias_gen2",
        lambda: activation(nl.reciprocal, bias=sbuf(4, 1)),
        lambda: activation(nl.reciprocal, bias=sbuf(4, 1)),
        hardware="trn1",
        legal_on="trn2",
    ),
    Control(
        "act.recip_bias_gen2",
        lambda: activation(nl.reciprocal),
        lambda: activation(nl.reciprocal, bias=sbuf(4, 1)),
        hardware="trn1",
    ),
    Control(
        "leg.activation.bias",
        lambda: old_nisa.activation(old_nl.exp, old_sbuf(4, 6), bias=old_sbuf(4, 1, dtype=bfloat16)),
        lambda: old_nisa.activation(old_nl.exp, old_sbuf(4, 6), bias=old_sbuf(4, 1, dtype=int32)),
    ),
    Control(
        "activation.bias",
        lambda: old_nisa.activation(old_nl.exp, old_sbuf(4, 6)),
        lambda: old_nisa.activation(old_nl.exp, old_sbuf(4, 6), bias=0.0),
    ),
    Control(
        "reciprocal.shape",
        lambda: nisa.reciprocal(sbuf(4, 6), psum(4, 6)),
        lambda: nisa.reciprocal(sbuf(4, 6), sbuf(4, 5)),
    ),
    Control("tsr.arith", scalar_reduce, lambda: scalar_reduce(nl.bitwise_and, 1)),
    Control("tsr.reduce_op", lambda: scalar_reduce(reduce_op=nl.minimum), lambda: scalar_reduce(reduce_op=nl.subtract)),
    Control(
        "tsr.reduce_op",
        lambda: old_scalar_reduce(old_nl.subtract, old_sbuf(4, 1)),
        lambda: old_scalar_reduce(old_nl.logical_and, old_sbuf(4, 1)),
    ),
    Control("tsr.shape", scalar_reduce, lambda: scalar_reduce(out=sbuf(4, 5))),
    Control("tsr.operand", lambda: scalar_reduce(operand0=sbuf(4, 1)), lambda: scalar_reduce(operand0=sbuf(4, 2))),
    Control(
        "tsr.reduce_res", lambda: scalar_reduce(reduce_res=psum(4, 1)), lambda: scalar_reduce(reduce_res=sbuf(4, 2))
    ),
    Control(
        "tsr.reduce_res",
        lambda: old_scalar_reduce(old_nl.add, old_sbuf(4, 1)),
        lambda: old_scalar_reduce(old_nl.add, old_sbuf(4, 6)),
    ),
    Control(
        "tsr.reduce_cmd",
        lambda: scalar_reduce(reduce_cmd=LOAD, reduce_init=0.0),
        lambda: scalar_reduce(reduce_cmd=LOAD),
    ),
    Control("tsr.reduce_cmd", scalar_reduce, lambda: scalar_reduce(reduce_cmd=nisa.reduce_cmd.idle)),
    Control("tsr.reverse0", lambda: scalar_reduce(reverse0=False), lambda: scalar_reduce(reverse0=True)),
    Control("tsr.unary", lambda: scalar_reduce(nl.abs, None), lambda: scalar_reduce(nl.abs, 2.0)),
    Control(
        "tensor_reduce.axis_last",
        lambda: reduce(axis=(2,), data=sbuf(4, 2, 3), out=sbuf(4, 2)),
        lambda: reduce(axis=(1,), data=sbuf(4, 2, 3), out=sbuf(4, 3)),
    ),
    Control(
        "tensor_reduce.axis_free",
        lambda: reduce(axis=[1, 2], data=sbuf(4, 2, 3)),
        lambda: reduce(axis=[0, 1, 2], data=sbuf(4, 2, 3)),
    ),
    Control("tensor_reduce.dst", lambda: reduce(out=psum(4, 1)), lambda: reduce(out=sbuf(4, 6))),
    Control("tensor_reduce.dst", reduce, lambda: reduce(out=sbuf(5, 1))),
    Control("tensor_reduce.op", lambda: reduce(nl.logical_or), lambda: reduce(nl.power)),
    Control("tensor_reduce.op", lambda: reduce(nl.maximum, negate=True), lambda: reduce(nl.abs_max, negate=True)),
    Control(
        "isa.bitvec_int",
        lambda: reduce(nl.bitwise_or, data=sbuf(4, 6, dtype=int32), out=sbuf(4, 1, dtype=int32)),
        lambda: reduce(nl.bitwise_or, data=sbuf(4, 6, dtype=int32)),
    ),
    Control("tensor_reduce.buffers", lambda: reduce(data=psum(4, 6)), lambda: reduce(data=hbm(4, 6))),
    Control(
        "leg.tensor_reduce.axis",
        lambda: old_nisa.tensor_reduce(old_nl.add, old_sbuf(4, 2, 3, 4), axis=[1, 2]),
        lambda: old_nisa.tensor_reduce(old_nl.add, old_sbuf(4, 2, 3, 4), axis=[2]),
    ),
    Control(
        "leg.reduce.axis",
        lambda: old_nisa.tensor_reduce(old_nl.add, old_sbuf(4, 6), axis=1),
        lambda: old_nisa.tensor_reduce(old_nl.add, old_sbuf(4, 6), axis=0),
    ),
    Control(
        "tensor_tensor.psum_pair",
        lambda: old_nisa.tensor_tensor(old_psum(4, 6), old_sbuf(4, 6), old_nl.add),
        lambda: old_nisa.tensor_tensor(old_psum(4, 6), old_psum(4, 6), old_nl.add),
    ),
    Control(
        "tensor_scalar.operand_fp32",
        lambda: old_nisa.tensor_scalar(old_sbuf(4, 6), old_nl.add, old_sbuf(4, 1)),
        lambda: old_nisa.tensor_scalar(old_sbuf(4, 6), old_nl.add, old_sbuf(4, 1, dtype=bfloat16)),
    ),
]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_the_contract_is_broken_by_the_first_illegal_use_only(control: Control) -> None:
    control.check()


@pytest.mark.parametrize("library", [nisa, old_nisa], ids=["current", "legacy"])
def test_a_wrong_call_is_told_of_under_the_name_of_the_operation(library: Any) -> None:
    with pytest.raises(TypeError, match=r"^tensor_tensor\(\): missing .* 'op'$"):
        value(lambda: library.tensor_tensor(*[sbuf(4, 6)] * (3 if library is nisa else 2)))


@pytest.mark.parametrize("library, tile", [(nl, sbuf), (old_nl, old_sbuf)], ids=["current", "legacy"])
def test_functions_of_the_language_are_named_too(library: Any, tile: Any) -> None:
    with pytest.raises(TypeError, match=r"^maximum\(\): missing .* 'y'$"):
        value(lambda: library.maximum(tile(4, 6)))


@pytest.mark.parametrize("legacy", [False, True], ids=["current", "legacy"])
def test_only_optional_operators_may_be_none(legacy: bool) -> None:
    def scaled(op: object) -> None:
        if legacy:
            old_nisa.tensor_scalar(old_sbuf(4, 6), op, 1.0, op1=None)
        else:
            nisa.tensor_scalar(sbuf(4, 6), sbuf(4, 6), op, 1.0, op1=None)

    value(lambda: scaled(old_nl.add if legacy else nl.add))
    with pytest.raises(UnsupportedConstruct, match="None as an operator"):
        value(lambda: scaled(None))
