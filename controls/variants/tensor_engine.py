"""Further controls of contracts of the Tensor Engine."""

import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _old_psum, _old_sbuf, _psum, _sbuf


def _matmul(
    k=64, m=32, n=16, *, dtype=nl.bfloat16, moving_dtype=None, moving_k=None, out=None, out_dtype=nl.float32, **options
):
    """A product of a (k, m) and a (k, n) tile."""
    stationary = _sbuf(k, m, dtype=dtype)
    moving = _sbuf(k if moving_k is None else moving_k, n, dtype=dtype if moving_dtype is None else moving_dtype)
    nisa.nc_matmul(_psum(*(out or (m, n)), dtype=out_dtype), stationary, moving, **options)


def _double_row(pairs=2, dtype=nl.float8_e4m3):
    """A product of two rows at a time."""
    stationary, moving = (_sbuf(128, pairs, 128, dtype=dtype), _sbuf(128, pairs, 512, dtype=dtype))
    nisa.nc_matmul(_psum(128, 512), stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def _mx(
    k=128,
    m=128,
    n=512,
    *,
    dtype=nl.float8_e5m2_x4,
    scale_dtype=nl.uint8,
    scale_rows=None,
    out=None,
    out_dtype=nl.float32,
    scale=None,
    **options,
):
    """A microscaled product of a (k, m) and a (k, n) tile of packed elements."""
    rows = k if scale_rows is None else scale_rows
    nisa.nc_matmul_mx(
        _psum(*(out or (m, n)), dtype=out_dtype),
        _sbuf(k, m, dtype=dtype),
        _sbuf(k, n, dtype=dtype),
        _sbuf(rows, m, dtype=scale_dtype) if scale is None else scale,
        _sbuf(rows, n, dtype=scale_dtype),
        **options,
    )


def _quantize(
    p=32, f=64, *, dtype=nl.bfloat16, out_dtype=nl.float8_e5m2_x4, out=None, scale_rows=4, scale_dtype=nl.uint8
):
    """Quantisation of a (p, f) tile."""
    columns = f // 4 if out is None else out
    nisa.quantize_mx(
        _sbuf(p, columns, dtype=out_dtype), _sbuf(p, f, dtype=dtype), _sbuf(scale_rows, columns, dtype=scale_dtype)
    )


def nc_matmul__buffers__2():
    either(right=_matmul(), wrong=nisa.nc_matmul(_psum(8, 8), _psum(8, 8), _sbuf(8, 8)))


def nc_matmul__buffers__3():
    either(right=_matmul(), wrong=nisa.nc_matmul(_psum(8, 8), _sbuf(8, 8), _hbm(8, 8)))


def nc_matmul__k_le_128__2():
    _matmul(k=either(right=64, wrong=65), tile_position=(0, 0), tile_size=(64, 128))


def nc_matmul__m_le_128__2():
    _matmul(m=either(right=64, wrong=65), tile_position=(0, 64), tile_size=(128, 64))


def nc_matmul__n_le_512__2():
    _matmul(n=either(right=512, wrong=513))


@control(on="trn3")
def nc_matmul__n_gen4__2():
    _matmul(n=either(right=8192, wrong=8193), out_dtype=nl.bfloat16)


def nc_matmul__out_shape__2():
    _matmul(m=32, n=16, out=(32, 4, either(right=4, wrong=5)))


@control(on="trn3")
def nc_matmul__dst_dtype__2():
    _matmul(out_dtype=either(right=nl.bfloat16, wrong=nl.float16))


@control(on=either(right="trn2", wrong="trn1"))
def nc_matmul__dst_dtype__3():
    _matmul(out_dtype=nl.bfloat16, is_transpose=True)


@control(on=either(right="trn3", wrong="trn2"))
def nc_matmul__in_dtype__2():
    _matmul(dtype=nl.float8_e4m3fn)


def nc_matmul__double_row_gen__2():
    either(right=_double_row(), wrong=_double_row(dtype=nl.bfloat16))


def nc_matmul__tiling_sizes__2():
    _matmul(tile_position=(0, 0), tile_size=(either(right=64, wrong=96), 128))


def nc_matmul__tiling_pos__2():
    _matmul(tile_position=(either(right=64, wrong=128), 0), tile_size=(64, 128))


def nc_matmul__k_equal__2():
    old_nisa.nc_matmul(_old_sbuf(8, 8), _old_sbuf(either(right=8, wrong=9), 8))


def nc_matmul__m_le_128__3():
    old_nisa.nc_matmul(_old_sbuf(8, either(right=128, wrong=129)), _old_sbuf(8, 8))


def nc_matmul__n_le_512__3():
    old_nisa.nc_matmul(_old_sbuf(8, 8), _old_sbuf(8, either(right=512, wrong=513)))


def nc_transpose__tensor__2():
    nisa.nc_transpose(either(right=_psum, wrong=_sbuf)(64, 8), _sbuf(8, 64), nisa.engine.tensor)


def nc_transpose__vector__2():
    nisa.nc_transpose(_sbuf(8, either(right=32, wrong=33)), _psum(either(right=32, wrong=33), 8))


def nc_transpose__vector__3():
    nisa.nc_transpose(_psum(either(right=32, wrong=33), 8), _sbuf(8, either(right=32, wrong=33)), nisa.engine.vector)


def nc_transpose__tensor__3():
    old_nisa.nc_transpose(_old_sbuf(8, either(right=128, wrong=129)))


def nc_transpose__vector__4():
    old_nisa.nc_transpose(_old_psum(8, either(right=32, wrong=33)))


@control(also=("leg.matmul.shape",))
def nl__matmul__x__2():
    old_nl.matmul(_old_sbuf(8, either(right=128, wrong=129)), _old_sbuf(128, 4))


def nl__matmul__y__2():
    old_nl.matmul(_old_sbuf(8, 4), _old_sbuf(8, either(right=512, wrong=513)), transpose_x=True)


def nc_matmul__k_equal__3():
    nl.matmul(_sbuf(8, 8), _sbuf(either(right=8, wrong=7), 8), True)


def leg__matmul__shape__2():
    old_nl.matmul(_old_sbuf(8, 16), _old_sbuf(either(right=8, wrong=16), 4), transpose_x=True)


def nl__transpose__2d__2():
    nl.transpose(either(right=_sbuf(8, 16), wrong=_sbuf(8, 4, 4)))


@control(on="trn3")
def matmul_mx__dtypes__2():
    _mx(scale_dtype=either(right=nl.float8_e8m0fnu, wrong=nl.int8))


@control(on="trn3")
def matmul_mx__dtypes__3():
    _mx(out_dtype=either(right=nl.bfloat16, wrong=nl.float16))


@control(on="trn3")
def matmul_mx__scale_shape__2():
    _mx(k=128, scale_rows=either(right=100, wrong=99))


@control(on="trn3")
def matmul_mx__scale_shape__3():
    _mx(scale=_sbuf(128, either(right=128, wrong=32), dtype=nl.uint8))


@control(on="trn3")
def quantize_mx__dtypes__2():
    either(right=_quantize(), wrong=_quantize(out_dtype=nl.float4_e2m1fn_x4))


@control(on="trn3")
def quantize_mx__shape__2():
    _quantize(f=either(right=64, wrong=66))


@control(on="trn3")
def quantize_mx__shape__3():
    either(right=_quantize(p=32), wrong=_quantize(p=48, scale_rows=20))


@control(on="trn3")
def matmul_mx__scale_shape__4():
    _quantize(p=64, scale_rows=either(right=36, wrong=8))
