"""Controls of contracts about microscaled matmul and quantisation."""

import nki.isa as nisa
import nki.language as nl

dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def matmul_mx__gen4():
    stationary = nl.ndarray((128, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__buffers():
    dst = nl.ndarray(either(right=(128, 512), wrong=(2, 2)), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray(either(right=(128, 128), wrong=(32, 2)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray(either(right=(128, 512), wrong=(32, 2)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray(
        either(right=(128, 128), wrong=(4, 2)), dtype=nl.uint8, buffer=either(right=nl.sbuf, wrong=nl.psum)
    )
    moving_scale = nl.ndarray(either(right=(128, 512), wrong=(4, 2)), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__dtypes():
    stationary = nl.ndarray((128, 128), dtype=either(right=nl.float4_e2m1fn_x4, wrong=nl.float8_e5m2), buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=either(right=nl.float4_e2m1fn_x4, wrong=nl.float8_e5m2), buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__k():
    stationary = nl.ndarray((either(right=96, wrong=80), 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((either(right=96, wrong=80), 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((either(right=96, wrong=80), 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((either(right=96, wrong=80), 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__m_even():
    dst = nl.ndarray((either(right=2, wrong=3), 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, either(right=2, wrong=3)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, either(right=2, wrong=3)), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__n():
    dst = nl.ndarray((128, either(right=4096, wrong=4097)), dtype=nl.float32, buffer=nl.psum)
    moving = nl.ndarray((32, either(right=4096, wrong=4097)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((4, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((4, either(right=4096, wrong=4097)), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__out():
    dst = nl.ndarray((2, either(right=4, wrong=5)), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 2), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__scale_shape():
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((either(right=4, wrong=3), 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((either(right=4, wrong=3), 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__scale_rows():
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((either(right=32, wrong=33), 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


@control(on="trn3")
def matmul_mx__row_tiling():
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(
        dst,
        stationary,
        moving,
        stationary_scale,
        moving_scale,
        tile_position=either(right=(96, 0), wrong=(0, 32)),
        tile_size=(32, 128),
    )


dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)


@control(on=either(right="trn3", wrong="trn2"))
def quantize_mx__gen4():
    nisa.quantize_mx(dst, src, dst_scale)


@control(on="trn3")
def quantize_mx__sbuf():
    dst = nl.ndarray((32, either(right=16, wrong=2)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, either(right=64, wrong=8)), dtype=nl.bfloat16, buffer=either(right=nl.sbuf, wrong=nl.psum))
    dst_scale = nl.ndarray((4, either(right=16, wrong=2)), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


@control(on="trn3")
def quantize_mx__dtypes():
    src = nl.ndarray((32, 64), dtype=either(right=nl.float16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


@control(on="trn3")
def quantize_mx__shape():
    dst = nl.ndarray((32, either(right=16, wrong=32)), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, either(right=16, wrong=32)), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)
