"""Further controls of contracts of element-wise, activation and reduction instructions."""

import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _old_psum, _old_sbuf, _psum, _sbuf


def _tensor_tensor(op=nl.add, *, left=None, right=None, out=None, dtype=nl.float32, **options):
    """An operation on (4, 6) tiles."""
    given = [tensor if tensor is not None else _sbuf(4, 6, dtype=dtype) for tensor in (out, left, right)]
    nisa.tensor_tensor(*given, op, **options)


def _tensor_scalar(op0=nl.multiply, operand0=2.0, *, out=None, dtype=nl.float32, **options):
    """An operation on a (4, 6) tile and scalars."""
    result = _sbuf(4, 6, dtype=dtype) if out is None else out
    nisa.tensor_scalar(result, _sbuf(4, 6, dtype=dtype), op0, operand0, **options)


def _activation(op=nl.exp, *, out=None, **options):
    """An activation of a (4, 6) tile."""
    nisa.activation(_sbuf(4, 6) if out is None else out, op, _sbuf(4, 6), **options)


def _reduce(op=nl.add, axis=1, *, out=None, data=None, **more):
    """A reduction of a (4, 6) tile."""
    nisa.tensor_reduce(_sbuf(4, 1) if out is None else out, op, _sbuf(4, 6) if data is None else data, axis, **more)


def _scalar_reduce(op0=nl.multiply, operand0=2.0, reduce_op=nl.add, *, out=None, **more):
    """tensor_scalar_reduce of a (4, 6) tile."""
    nisa.tensor_scalar_reduce(_sbuf(4, 6) if out is None else out, _sbuf(4, 6), op0, operand0, reduce_op, **more)


def _old_scalar_reduce(reduce_op, reduce_res):
    """The legacy form."""
    old_nisa.tensor_scalar_reduce(
        data=_old_sbuf(4, 6), op0=old_nl.multiply, operand0=2.0, reduce_op=reduce_op, reduce_res=reduce_res
    )


def _scan(initial=0.0, op0=nl.multiply, *, left=None, right=None):
    """A scan of (4, 6) tiles."""
    first = _sbuf(4, 6) if left is None else left
    nisa.tensor_tensor_scan(_sbuf(4, 6), first, _sbuf(4, 6) if right is None else right, initial, op0, nl.add)


def _combine(operand0=2.0, op0=nl.multiply, *, data=None, operand1=None):
    """scalar_tensor_tensor of (4, 6) tiles."""
    first = _sbuf(4, 6) if data is None else data
    nisa.scalar_tensor_tensor(_sbuf(4, 6), first, op0, operand0, nl.add, _sbuf(4, 6) if operand1 is None else operand1)


def tensor_tensor__broadcast__2():
    either(right=_tensor_tensor(), wrong=_tensor_tensor(left=_sbuf(4, 1, 1)))


def tensor_tensor__shape__2():
    either(right=_tensor_tensor(), wrong=_tensor_tensor(right=_sbuf(1, 6)))


def tensor_tensor__shape__3():
    _tensor_tensor(out=either(right=_sbuf(4, 2, 3), wrong=_sbuf(5, 6)))


def tensor_tensor__op__2():
    _tensor_tensor(either(right=nl.subtract, wrong=nl.divide))


def isa__bitvec_int__2():
    either(
        right=_tensor_tensor(nl.left_shift, dtype=nl.int32),
        wrong=_tensor_tensor(nl.left_shift, dtype=nl.int32, out=_sbuf(4, 6)),
    )


@control(on=either(right="trn3", wrong="trn1"))
def isa__operator_gen__2():
    _tensor_scalar(nl.square, None)


def isa__on_chip__2():
    either(right=_tensor_tensor(), wrong=_tensor_tensor(left=_hbm(4, 6)))


def tensor_scalar__operands__2():
    _tensor_scalar(operand0=either(right=_psum, wrong=_sbuf)(either(right=4, wrong=1), 1))


def tensor_scalar__operands__3():
    either(right=_tensor_scalar(op1=nl.add, operand1=1.0), wrong=_tensor_scalar(op1=nl.add))


def tensor_scalar__operands__4():
    _tensor_scalar(operand0=either(right=2, wrong="2"))


def tensor_scalar__engine__2():
    _tensor_scalar(nl.bitwise_and, 1, dtype=nl.int32, engine=either(right=nisa.engine.vector, wrong=nisa.engine.gpsimd))


@control(on=either(right="trn2", wrong="trn1"))
def tensor_scalar__scalar_engine_trn2__2():
    _tensor_scalar(engine=nisa.engine.scalar)


def stt__shape__2():
    _combine(_sbuf(4, either(right=1, wrong=2)))


def scan__ops__2():
    either(right=_scan(), wrong=_scan(op0=nl.bitwise_or))


def scan__initial__2():
    _scan(either(right=_psum, wrong=_sbuf)(either(right=4, wrong=3), 1))


def activation__scale__2():
    _activation(scale=either(right=0.5, wrong=_sbuf(4, 2)))


def activation__bias__2():
    _activation(bias=either(right=_sbuf(4, 1), wrong=_sbuf(4, 1, dtype=nl.tfloat32)))


@control(on=either(right="trn2", wrong="trn1"))
def activation__bias__3():
    _activation(bias=1.0)


def activation__reduce_op__2():
    nisa.activation_reduce(_sbuf(4, 6), nl.exp, _sbuf(4, 6), either(right=nl.add, wrong=nl.maximum), _psum(4, 1))


@control(on="trn1")
def act__recip_bias_gen2__2():
    either(right=_activation(nl.reciprocal), wrong=_activation(nl.reciprocal, bias=_sbuf(4, 1)))


def activation__bias__4():
    either(
        right=old_nisa.activation(old_nl.exp, _old_sbuf(4, 6)),
        wrong=old_nisa.activation(old_nl.exp, _old_sbuf(4, 6), bias=0.0),
    )


def tsr__reduce_op__2():
    _old_scalar_reduce(either(right=old_nl.subtract, wrong=old_nl.logical_and), _old_sbuf(4, 1))


def tsr__reduce_res__2():
    _old_scalar_reduce(old_nl.add, _old_sbuf(4, either(right=1, wrong=6)))


def tsr__reduce_cmd__2():
    either(right=_scalar_reduce(), wrong=_scalar_reduce(reduce_cmd=nisa.reduce_cmd.idle))


def tensor_reduce__dst__2():
    either(right=_reduce(), wrong=_reduce(out=_sbuf(5, 1)))


def tensor_reduce__op__2():
    _reduce(either(right=nl.maximum, wrong=nl.abs_max), negate=True)


def isa__bitvec_int__3():
    either(
        right=_reduce(nl.bitwise_or, data=_sbuf(4, 6, dtype=nl.int32), out=_sbuf(4, 1, dtype=nl.int32)),
        wrong=_reduce(nl.bitwise_or, data=_sbuf(4, 6, dtype=nl.int32)),
    )


def tensor_tensor__psum_pair__2():
    old_nisa.tensor_tensor(_old_psum(4, 6), either(right=_old_sbuf, wrong=_old_psum)(4, 6), old_nl.add)


def tensor_scalar__operand_fp32__2():
    old_nisa.tensor_scalar(
        _old_sbuf(4, 6), old_nl.add, either(right=_old_sbuf(4, 1), wrong=_old_sbuf(4, 1, dtype=nl.bfloat16))
    )
