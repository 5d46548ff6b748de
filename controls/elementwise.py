"""Controls of contracts about element-wise instructions."""

import nki.isa as nisa
import nki.language as nl

dst = data1 = data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


def tensor_tensor__shape():
    data2 = nl.ndarray(either(right=(4, 2, 3), wrong=(4, 2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__broadcast():
    data2 = nl.ndarray((4, either(right=6, wrong=1)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__psum_pair():
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf))
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__power_gpsimd():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_tensor(dst, data1, data2, nl.power)


def tensor_tensor__op():
    nisa.tensor_tensor(dst, data1, data2, either(right=nl.logical_and, wrong=nl.abs))


def tensor_tensor__engine():
    nisa.tensor_tensor(dst, data1, data2, nl.add, engine=either(right=nisa.engine.vector, wrong=nisa.engine.scalar))


data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


def tensor_scalar__operands():
    operand0 = nl.ndarray((4, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__operand_fp32():
    operand0 = nl.ndarray((4, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__same_class():
    dst = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.bitwise_and, 1, op1=either(right=nl.bitwise_or, wrong=nl.add), operand1=2)


def tensor_scalar__unused_none():
    either(
        right=nisa.tensor_scalar(dst, data, nl.multiply, 2.0),
        wrong=nisa.tensor_scalar(dst, data, nl.multiply, 2.0, operand1=1.0),
    )


def tensor_scalar__unary_operand():
    nisa.tensor_scalar(dst, data, nl.abs, either(right=0, wrong=1))


def tensor_scalar__shape():
    dst = nl.ndarray(either(right=(4, 2, 3), wrong=(4, 7)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0)


def tensor_scalar__engine():
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=either(right=nisa.engine.gpsimd, wrong=nisa.engine.tensor))


def tensor_scalar__scalar_engine_trn2():
    nisa.tensor_scalar(
        dst,
        data,
        nl.multiply,
        2.0,
        op1=either(right=nl.add, wrong=nl.multiply),
        operand1=1.0,
        engine=nisa.engine.scalar,
    )


def stt__arith_only():
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(
        dst, data, either(right=nl.multiply, wrong=nl.bitwise_and), either(right=2.0, wrong=2), nl.add, operand1
    )


def stt__psum():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def stt__shape():
    operand1 = nl.ndarray(either(right=(4, 2, 3), wrong=(4, 5)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


def scan__ops():
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, either(right=nl.power, wrong=nl.abs), nl.add)


def scan__psum():
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__shape():
    data1 = nl.ndarray((4, either(right=6, wrong=5)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__initial():
    initial = nl.ndarray((4, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, initial, nl.multiply, nl.add)


def activation__op():
    nisa.activation(dst, either(right=nl.exp, wrong=nl.add), data)


def activation__shape():
    dst = nl.ndarray(
        either(right=(4, 2, 3), wrong=(4, 7)), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf)
    )
    nisa.activation(dst, nl.exp, data)


def activation__scale():
    scale = nl.ndarray((4, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, scale=scale)


def activation__bias():
    bias = nl.ndarray((4, either(right=1, wrong=2)), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, bias=bias)


def activation__reduce_op():
    nisa.activation(dst, nl.exp, data, reduce_op=either(right=nl.add, wrong=nl.maximum))


def activation__reduce_res():
    reduce_res = nl.ndarray((4, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_op=nl.add, reduce_res=reduce_res)


def activation__reduce_cmd():
    nisa.activation(
        dst, nl.exp, data, reduce_cmd=either(right=nisa.reduce_cmd.reduce, wrong=nisa.reduce_cmd.load_reduce)
    )


@control(on=either(right="trn2", wrong="trn1"))
def act__recip_bias_gen2():
    bias = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.reciprocal, data, bias=bias)


def reciprocal__shape():
    data = nl.ndarray((4, either(right=6, wrong=5)), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf))
    nisa.reciprocal(dst, data)


def tsr__arith():
    nisa.tensor_scalar_reduce(
        dst, data, either(right=nl.multiply, wrong=nl.bitwise_and), either(right=2.0, wrong=1), nl.add
    )


def tsr__reduce_op():
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, either(right=nl.minimum, wrong=nl.subtract))


def tsr__shape():
    dst = nl.ndarray((4, either(right=6, wrong=5)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add)


def tsr__operand():
    operand0 = nl.ndarray((4, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, operand0, nl.add)


def tsr__reduce_res():
    reduce_res = nl.ndarray(
        (4, either(right=1, wrong=2)), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf)
    )
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reduce_res=reduce_res)


def tsr__reduce_cmd():
    either(
        right=nisa.tensor_scalar_reduce(
            dst, data, nl.multiply, 2.0, nl.add, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=0.0
        ),
        wrong=nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reduce_cmd=nisa.reduce_cmd.load_reduce),
    )


def tsr__reverse0():
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reverse0=either(right=False, wrong=True))


def tsr__unary():
    nisa.tensor_scalar_reduce(dst, data, nl.abs, either(right=None, wrong=2.0), nl.add)
