"""Controls of contracts about selects, iota and affine patterns."""

import nki.isa as nisa
import nki.language as nl

on_true_tile = dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


def affine_select__sbuf():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.affine_select(dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0)


def affine_select__count():
    nisa.affine_select(
        dst=dst,
        pattern=either(right=[[1, 2], [0, 4]], wrong=[[1, 9]]),
        channel_multiplier=1,
        on_true_tile=on_true_tile,
        on_false_value=0.0,
    )


def affine_select__integers():
    nisa.affine_select(
        dst=dst,
        pattern=[[1, 8]],
        channel_multiplier=1,
        on_true_tile=on_true_tile,
        on_false_value=0.0,
        offset=either(right=-3, wrong=0.5),
    )


def affine_select__false_fp32():
    nisa.affine_select(
        dst=dst,
        pattern=[[1, 8]],
        channel_multiplier=1,
        on_true_tile=on_true_tile,
        on_false_value=either(right=0.0, wrong=None),
    )


def affine_select__cmp():
    nisa.affine_select(
        dst=dst,
        pattern=[[1, 8]],
        channel_multiplier=1,
        on_true_tile=on_true_tile,
        on_false_value=0.0,
        cmp_op=either(right=nl.greater, wrong=nl.add),
    )


def iota__sbuf():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.iota(dst, [[1, 8]])


def iota__count():
    nisa.iota(dst, [[1, either(right=8, wrong=7)]])


def iota__integers():
    nisa.iota(dst, [[1, 8]], 1, either(right=2, wrong=0.5))


bound0 = bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)


@control(on=either(right="trn2", wrong="trn1"))
def range_select__gen3():
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__ops():
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=either(right=nl.equal, wrong=nl.not_equal),
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__bounds():
    bound0 = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__dtype():
    on_true_tile = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.int32), buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__false():
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=either(right=..., wrong=0.0),
    )


def range_select__reduce_op():
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        reduce_op=either(right=nl.maximum, wrong=nl.add),
    )


def range_select__start():
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        range_start=either(right=16777208, wrong=16777209),
    )


def range_select__reduce_res():
    reduce_res = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        reduce_res=reduce_res,
    )


def range_select__nan():
    dst = nl.ndarray((2, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    reduce_res = nl.ndarray((2, 1), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        reduce_res=reduce_res,
    )


on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)


def select_reduce__psum():
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=either(right=nl.sbuf, wrong=nl.psum))
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__on_false():
    on_false = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=on_false)


def select_reduce__dtypes():
    on_true = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.tfloat32), buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__reduce_op():
    either(
        right=nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0),
        wrong=nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0, reduce_op=nl.add),
    )


def select_reduce__reduce_res():
    reduce_res = nl.ndarray((2, either(right=1, wrong=2)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0, reduce_res=reduce_res)


src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)


def tcp__shape():
    dst = nl.ndarray((2, either(right=8, wrong=9)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__pred_dtype():
    predicate = nl.ndarray((2, 8), dtype=either(right=nl.uint8, wrong=nl.int32), buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__same_dtype():
    src = nl.ndarray((2, 8), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__psum():
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    predicate = nl.ndarray(
        (2, 8), dtype=either(right=nl.uint8, wrong=nl.uint32), buffer=either(right=nl.sbuf, wrong=nl.psum)
    )
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)
