"""Controls of contracts about microscaled matmul and quantisation."""

import nki.isa as nisa
import nki.language as nl


def matmul_mx__gen4__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__gen4__wrong():
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__buffers__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__buffers__wrong():
    """On trn3."""
    stationary_scale = nl.ndarray((4, 2), dtype=nl.uint8, buffer=nl.psum)
    dst = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving_scale = nl.ndarray((4, 2), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__dtypes__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 128), dtype=nl.float4_e2m1fn_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float4_e2m1fn_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__dtypes__wrong():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 128), dtype=nl.float8_e5m2, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__k__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((96, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((96, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((96, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((96, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__k__wrong():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((80, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((80, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((80, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((80, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__m_even__right():
    """On trn3."""
    dst = nl.ndarray((2, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 2), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__m_even__wrong():
    """On trn3."""
    dst = nl.ndarray((3, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 3), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 3), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__n__right():
    """On trn3."""
    dst = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 4096), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((4, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((4, 4096), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__n__wrong():
    """On trn3."""
    dst = nl.ndarray((128, 4097), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 4097), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((4, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((4, 4097), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__out__right():
    """On trn3."""
    dst = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 2), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__out__wrong():
    """On trn3."""
    dst = nl.ndarray((2, 5), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((128, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((128, 4), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((128, 2), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((128, 4), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__scale_shape__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((4, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((4, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__scale_shape__wrong():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((3, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((3, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale)


def matmul_mx__row_tiling__right():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(
        dst, stationary, moving, stationary_scale, moving_scale, tile_position=(96, 0), tile_size=(32, 128)
    )


def matmul_mx__row_tiling__wrong():
    """On trn3."""
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    stationary = nl.ndarray((32, 128), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    moving = nl.ndarray((32, 512), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    stationary_scale = nl.ndarray((32, 128), dtype=nl.uint8, buffer=nl.sbuf)
    moving_scale = nl.ndarray((32, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.nc_matmul_mx(
        dst, stationary, moving, stationary_scale, moving_scale, tile_position=(0, 32), tile_size=(32, 128)
    )


def quantize_mx__gen4__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__gen4__wrong():
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__sbuf__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__sbuf__wrong():
    """On trn3."""
    dst = nl.ndarray((32, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 8), dtype=nl.bfloat16, buffer=nl.psum)
    dst_scale = nl.ndarray((4, 2), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__dtypes__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.float16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__dtypes__wrong():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__shape__right():
    """On trn3."""
    dst = nl.ndarray((32, 16), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)


def quantize_mx__shape__wrong():
    """On trn3."""
    dst = nl.ndarray((32, 32), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    src = nl.ndarray((32, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst_scale = nl.ndarray((4, 32), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst, src, dst_scale)
