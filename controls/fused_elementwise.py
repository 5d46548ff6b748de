"""Controls of contracts about fused element-wise instructions."""

import nki.isa as nisa
import nki.language as nl

dst = data = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def activate2__gen4():
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


@control(on="trn3")
def activate2__combos():
    nisa.activate2(
        dst=dst,
        op=nl.exp,
        data=data,
        imm0=1.0,
        imm1=0.0,
        op0=either(right=nl.multiply, wrong=nl.add),
        op1=either(right=nl.bypass, wrong=nl.add),
    )


@control(on="trn3")
def activate2__imm():
    imm0 = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=imm0, imm1=0.0, op0=nl.multiply, op1=nl.add)


@control(on="trn3")
def activate2__relu_param():
    relu_param = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, relu_param=relu_param
    )


@control(on="trn3")
def activate2__reduce_op():
    nisa.activate2(
        dst=dst,
        op=nl.exp,
        data=data,
        imm0=1.0,
        imm1=0.0,
        op0=nl.multiply,
        op1=nl.add,
        reduce_op=either(right=nl.abs_max, wrong=nl.multiply),
    )


@control(on="trn3")
def activate2__reduce_res():
    reduce_res = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add, reduce_res=reduce_res
    )


@control(on="trn3")
def activate2__reduce_cmd():
    either(
        right=nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add),
        wrong=nisa.activate2(
            dst=dst,
            op=nl.exp,
            data=data,
            imm0=1.0,
            imm1=0.0,
            op0=nl.multiply,
            op1=nl.add,
            reduce_cmd=nisa.reduce_cmd.load_reduce,
        ),
    )


@control(on="trn3")
def activate2__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(dst=dst, op=nl.exp, data=data, imm0=1.0, imm1=0.0, op0=nl.multiply, op1=nl.add)


src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def exponential__gen4():
    nisa.exponential(dst=dst, src=src)


@control(on="trn3")
def exponential__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


@control(on="trn3")
def exponential__rank():
    dst = nl.ndarray(either(right=(2, 2, 2, 2), wrong=(2, 2, 2, 2, 1)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


@control(on="trn3")
def exponential__max():
    max_value = nl.ndarray((2, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, max_value=max_value)


@control(on="trn3")
def exponential__dtypes():
    src = nl.ndarray((2, 8), dtype=either(right=nl.uint32, wrong=nl.float32), buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.uint32), buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src)


@control(on="trn3")
def exponential__reduce_res():
    reduce_res = nl.ndarray((2, 1), dtype=either(right=nl.float32, wrong=nl.int32), buffer=nl.sbuf)
    nisa.exponential(dst=dst, src=src, reduce_res=reduce_res)


@control(on="trn3")
def exponential__init():
    either(
        right=nisa.exponential(dst=dst, src=src, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=1.0),
        wrong=nisa.exponential(dst=dst, src=src, reduce_init=1.0),
    )


def tsc__ops():
    nisa.tensor_scalar_cumulative(
        dst=dst, src=src, op0=nl.multiply, op1=either(right=nl.subtract, wrong=nl.power), imm0=1.0
    )


def tsc__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__dtypes():
    src = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.tfloat32), buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0)


def tsc__imm():
    imm0 = nl.ndarray((2, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=imm0)


def tsc__load():
    either(
        right=nisa.tensor_scalar_cumulative(
            dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=nisa.reduce_cmd.load_reduce, imm1=0.0
        ),
        wrong=nisa.tensor_scalar_cumulative(
            dst=dst, src=src, op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=nisa.reduce_cmd.load_reduce
        ),
    )
