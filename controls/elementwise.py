"""Controls of contracts about element-wise instructions."""

import nki.isa as nisa
import nki.language as nl


def tensor_tensor__shape__right():
    data2 = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__shape__wrong():
    data2 = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__psum_pair__right():
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__psum_pair__wrong():
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add)


def tensor_tensor__power_gpsimd__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.power)


def tensor_tensor__power_gpsimd__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.power)


def tensor_tensor__op__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.logical_and)


def tensor_tensor__op__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.abs)


def tensor_tensor__engine__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add, engine=nisa.engine.vector)


def tensor_tensor__engine__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data2 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst, data1, data2, nl.add, engine=nisa.engine.scalar)


def tensor_scalar__operands__right():
    operand0 = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__operands__wrong():
    operand0 = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__operand_fp32__right():
    operand0 = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__operand_fp32__wrong():
    operand0 = nl.ndarray((4, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, operand0)


def tensor_scalar__same_class__right():
    dst = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.bitwise_and, 1, op1=nl.bitwise_or, operand1=2)


def tensor_scalar__same_class__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.bitwise_and, 1, op1=nl.add, operand1=2)


def tensor_scalar__unused_none__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0)


def tensor_scalar__unused_none__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, operand1=1.0)


def tensor_scalar__unary_operand__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.abs, 0)


def tensor_scalar__unary_operand__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.abs, 1)


def tensor_scalar__shape__right():
    dst = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0)


def tensor_scalar__shape__wrong():
    dst = nl.ndarray((4, 7), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0)


def tensor_scalar__engine__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.gpsimd)


def tensor_scalar__engine__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, engine=nisa.engine.tensor)


def tensor_scalar__scalar_engine_trn2__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, op1=nl.add, operand1=1.0, engine=nisa.engine.scalar)


def tensor_scalar__scalar_engine_trn2__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst, data, nl.multiply, 2.0, op1=nl.multiply, operand1=1.0, engine=nisa.engine.scalar)


def stt__arith_only__right():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def stt__arith_only__wrong():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.bitwise_and, 2, nl.add, operand1)


def stt__psum__right():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def stt__psum__wrong():
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    operand1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def stt__shape__right():
    operand1 = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def stt__shape__wrong():
    operand1 = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.scalar_tensor_tensor(dst, data, nl.multiply, 2.0, nl.add, operand1)


def scan__ops__right():
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.power, nl.add)


def scan__ops__wrong():
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.abs, nl.add)


def scan__psum__right():
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__psum__wrong():
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__shape__right():
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__shape__wrong():
    data1 = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, 0.0, nl.multiply, nl.add)


def scan__initial__right():
    initial = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, initial, nl.multiply, nl.add)


def scan__initial__wrong():
    initial = nl.ndarray((4, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    data0 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data1 = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor_scan(dst, data0, data1, initial, nl.multiply, nl.add)


def activation__op__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data)


def activation__op__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.add, data)


def activation__shape__right():
    dst = nl.ndarray((4, 2, 3), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data)


def activation__shape__wrong():
    dst = nl.ndarray((4, 7), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data)


def activation__scale__right():
    scale = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, scale=scale)


def activation__scale__wrong():
    scale = nl.ndarray((4, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, scale=scale)


def activation__bias__right():
    bias = nl.ndarray((4, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, bias=bias)


def activation__bias__wrong():
    bias = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, bias=bias)


def activation__reduce_op__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_op=nl.add)


def activation__reduce_op__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_op=nl.maximum)


def activation__reduce_res__right():
    reduce_res = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_op=nl.add, reduce_res=reduce_res)


def activation__reduce_res__wrong():
    reduce_res = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_op=nl.add, reduce_res=reduce_res)


def activation__reduce_cmd__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_cmd=nisa.reduce_cmd.reduce)


def activation__reduce_cmd__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.exp, data, reduce_cmd=nisa.reduce_cmd.load_reduce)


def act__recip_bias_gen2__right():
    bias = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.reciprocal, data, bias=bias)


def act__recip_bias_gen2__wrong():
    """On trn1."""
    bias = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst, nl.reciprocal, data, bias=bias)


def reciprocal__shape__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
    nisa.reciprocal(dst, data)


def reciprocal__shape__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst, data)


def tsr__arith__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add)


def tsr__arith__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.bitwise_and, 1, nl.add)


def tsr__reduce_op__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.minimum)


def tsr__reduce_op__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.subtract)


def tsr__shape__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add)


def tsr__shape__wrong():
    dst = nl.ndarray((4, 5), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add)


def tsr__operand__right():
    operand0 = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, operand0, nl.add)


def tsr__operand__wrong():
    operand0 = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, operand0, nl.add)


def tsr__reduce_res__right():
    reduce_res = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reduce_res=reduce_res)


def tsr__reduce_res__wrong():
    reduce_res = nl.ndarray((4, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reduce_res=reduce_res)


def tsr__reduce_cmd__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(
        dst, data, nl.multiply, 2.0, nl.add, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=0.0
    )


def tsr__reduce_cmd__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reduce_cmd=nisa.reduce_cmd.load_reduce)


def tsr__reverse0__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reverse0=False)


def tsr__reverse0__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.multiply, 2.0, nl.add, reverse0=True)


def tsr__unary__right():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.abs, None, nl.add)


def tsr__unary__wrong():
    dst = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_reduce(dst, data, nl.abs, 2.0, nl.add)
