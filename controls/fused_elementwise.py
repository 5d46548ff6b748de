"""Controls of contracts about fused element-wise instructions."""

import nki.isa as nisa
import nki.language as nl


def activate2__gen4__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__gen4__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__combos__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.bypass)


def activate2__combos__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.add, op1=nl.add)


def activate2__imm__right():
    """On trn3."""
    imm0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=imm0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__imm__wrong():
    """On trn3."""
    imm0 = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=imm0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__relu_param__right():
    """On trn3."""
    relu_param = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, relu_param=relu_param
    )


def activate2__relu_param__wrong():
    """On trn3."""
    relu_param = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, relu_param=relu_param
    )


def activate2__reduce_op__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_op=nl.abs_max)


def activate2__reduce_op__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_op=nl.multiply
    )


def activate2__reduce_res__right():
    """On trn3."""
    reduce_res = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_res=reduce_res
    )


def activate2__reduce_res__wrong():
    """On trn3."""
    reduce_res = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_res=reduce_res
    )


def activate2__reduce_cmd__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__reduce_cmd__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst,
        op=nl.exp,
        data=data,
        imm0=1.0,
        imm1=0.0,
        op0=nl.multiply,
        op1=nl.add,
        reduce_cmd=nisa.reduce_cmd.load_reduce,
    )


def activate2__shape__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def activate2__shape__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


def exponential__gen4__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__gen4__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__shape__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__shape__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__rank__right():
    """On trn3."""
    dst = nl.ndarray((2, 2, 2, 2), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__rank__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 2, 2, 2, 1), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__max__right():
    """On trn3."""
    max_value = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, max_value=max_value)


def exponential__max__wrong():
    """On trn3."""
    max_value = nl.ndarray((2, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, max_value=max_value)


def exponential__dtypes__right():
    """On trn3."""
    src = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__dtypes__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


def exponential__reduce_res__right():
    """On trn3."""
    reduce_res = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, reduce_res=reduce_res)


def exponential__reduce_res__wrong():
    """On trn3."""
    reduce_res = nl.ndarray((2, 1), dtype=nl.int32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, reduce_res=reduce_res)


def exponential__init__right():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=1.0)


def exponential__init__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, reduce_init=1.0)


def tsc__ops__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.subtract, imm0=1.0)


def tsc__ops__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.power, imm0=1.0)


def tsc__shape__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__shape__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__dtypes__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__dtypes__wrong():
    src = nl.ndarray((2, 8), dtype=nl.tfloat32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__imm__right():
    imm0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=imm0)


def tsc__imm__wrong():
    imm0 = nl.ndarray((2, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=imm0)


def tsc__load__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(
        dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=nisa.reduce_cmd.load_reduce, imm1=0.0
    )


def tsc__load__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(
        dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=nisa.reduce_cmd.load_reduce
    )
