"""Controls of contracts about selects, iota and affine patterns."""

import nki.isa as nisa
import nki.language as nl


def affine_select__sbuf__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0)


def affine_select__sbuf__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0)


def affine_select__count__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=dst, pattern=[[1, 2], [0, 4]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0
    )


def affine_select__count__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(dst=dst, pattern=[[1, 9]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0)


def affine_select__integers__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0, offset=-3
    )


def affine_select__integers__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0, offset=0.5
    )


def affine_select__false_fp32__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0)


def affine_select__false_fp32__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=None)


def affine_select__cmp__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=dst,
        pattern=[[1, 8]],
        channel_multiplier=1,
        on_true_tile=on_true_tile,
        on_false_value=0.0,
        cmp_op=nl.greater,
    )


def affine_select__cmp__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=dst, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=on_true_tile, on_false_value=0.0, cmp_op=nl.add
    )


def iota__sbuf__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst, [[1, 8]])


def iota__sbuf__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    nisa.iota(dst, [[1, 8]])


def iota__count__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst, [[1, 8]])


def iota__count__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst, [[1, 7]])


def iota__integers__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst, [[1, 8]], 1, 2)


def iota__integers__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst, [[1, 8]], 1, 0.5)


def range_select__gen3__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__gen3__wrong():
    """On trn1."""
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__shape__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__shape__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__ops__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__ops__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.not_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__bounds__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__bounds__wrong():
    bound0 = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__dtype__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__dtype__wrong():
    on_true_tile = nl.ndarray((2, 8), dtype=nl.int32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
    )


def range_select__false__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=...,
    )


def range_select__false__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=0.0,
    )


def range_select__reduce_op__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        reduce_op=nl.maximum,
    )


def range_select__reduce_op__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        reduce_op=nl.add,
    )


def range_select__start__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        range_start=16777208,
    )


def range_select__start__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.range_select(
        dst=dst,
        on_true_tile=on_true_tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=bound0,
        bound1=bound1,
        on_false_value=-3.4028235e38,
        range_start=16777209,
    )


def range_select__reduce_res__right():
    reduce_res = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
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


def range_select__reduce_res__wrong():
    reduce_res = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
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


def range_select__nan__right():
    dst = nl.ndarray((2, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    reduce_res = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
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


def range_select__nan__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    reduce_res = nl.ndarray((2, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
    on_true_tile = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    bound0 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    bound1 = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
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


def select_reduce__psum__right():
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__psum__wrong():
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.psum)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__shape__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__shape__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__on_false__right():
    on_false = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=on_false)


def select_reduce__on_false__wrong():
    on_false = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=on_false)


def select_reduce__dtypes__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__dtypes__wrong():
    on_true = nl.ndarray((2, 8), dtype=nl.tfloat32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__reduce_op__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0)


def select_reduce__reduce_op__wrong():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0, reduce_op=nl.add)


def select_reduce__reduce_res__right():
    reduce_res = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0, reduce_res=reduce_res)


def select_reduce__reduce_res__wrong():
    reduce_res = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    on_true = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=dst, predicate=predicate, on_true=on_true, on_false=0.0, reduce_res=reduce_res)


def tcp__shape__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__shape__wrong():
    dst = nl.ndarray((2, 9), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__pred_dtype__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__pred_dtype__wrong():
    predicate = nl.ndarray((2, 8), dtype=nl.int32, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__same_dtype__right():
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__same_dtype__wrong():
    src = nl.ndarray((2, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__psum__right():
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    predicate = nl.ndarray((2, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)


def tcp__psum__wrong():
    src = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.psum)
    predicate = nl.ndarray((2, 8), dtype=nl.uint32, buffer=nl.psum)
    dst = nl.ndarray((2, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy_predicated(dst=dst, src=src, predicate=predicate)
