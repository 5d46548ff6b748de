"""Controls of contracts about the Tensor Engine."""

import nki.isa as nisa
import nki.language as nl


def nc_matmul__buffers__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__buffers__wrong():
    dst = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    stationary = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    moving = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__k_equal__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__k_equal__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((63, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__k_le_128__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(64, 128))


def nc_matmul__k_le_128__wrong():
    stationary = nl.ndarray((65, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((65, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(64, 128))


def nc_matmul__m_le_128__right():
    stationary = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((64, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(128, 64))


def nc_matmul__m_le_128__wrong():
    stationary = nl.ndarray((128, 65), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((65, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(128, 64))


def nc_matmul__n_le_512__right():
    """On trn1."""
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__n_le_512__wrong():
    """On trn1."""
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 513), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 513), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__n_gen4__right():
    """On trn3."""
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 4096), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 4096), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__n_gen4__wrong():
    """On trn3."""
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 4097), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 4097), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__out_shape__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__out_shape__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((33, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__dst_dtype__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__dst_dtype__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__in_dtype__right():
    stationary = nl.ndarray((64, 32), dtype=nl.float8_e5m2, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.float8_e5m2, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__in_dtype__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.int8, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.int8, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__fp32_pair__right():
    stationary = nl.ndarray((64, 32), dtype=nl.float16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__fp32_pair__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.float32, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__e4m3_mix__right():
    """On trn3."""
    stationary = nl.ndarray((64, 32), dtype=nl.float8_e4m3fn, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.float8_e5m2, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__e4m3_mix__wrong():
    """On trn3."""
    stationary = nl.ndarray((64, 32), dtype=nl.float8_e4m3fn, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__double_row_gen__right():
    stationary = nl.ndarray((128, 2, 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, 2, 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__double_row_gen__wrong():
    """On trn1."""
    stationary = nl.ndarray((128, 2, 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, 2, 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__double_row_shape__right():
    stationary = nl.ndarray((128, 2, 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, 2, 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__double_row_shape__wrong():
    stationary = nl.ndarray((128, 1, 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, 1, 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__tiling_both__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(64, 64))


def nc_matmul__tiling_both__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_size=(64, 64))


def nc_matmul__tiling_sizes__right():
    stationary = nl.ndarray((32, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((32, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(32, 128))


def nc_matmul__tiling_sizes__wrong():
    """On trn1."""
    stationary = nl.ndarray((32, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((32, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(32, 128))


def nc_matmul__tiling_pos__right():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(64, 0), tile_size=(64, 128))


def nc_matmul__tiling_pos__wrong():
    stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(32, 0), tile_size=(64, 128))


def nc_transpose__shape__right():
    dst = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__shape__wrong():
    dst = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__tensor__right():
    data = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst, data, engine=nisa.engine.tensor)


def nc_transpose__tensor__wrong():
    data = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data, engine=nisa.engine.tensor)


def nc_transpose__vector__right():
    dst = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__vector__wrong():
    dst = nl.ndarray((33, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 33), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__same_dtype__right():
    dst = nl.ndarray((8, 8), dtype=nl.bfloat16, buffer=nl.psum)
    data = nl.ndarray((8, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__same_dtype__wrong():
    dst = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((8, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__engine__right():
    dst = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data, nisa.engine.vector)


def nc_transpose__engine__wrong():
    dst = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data, nisa.engine.gpsimd)


def nl__matmul__x__right():
    tile = nl.ndarray((8, 128), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


def nl__matmul__x__wrong():
    """Also breaks nc_matmul.m_le_128."""
    tile = nl.ndarray((8, 129), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


def nl__matmul__y__right():
    tile = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 512), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


def nl__matmul__y__wrong():
    """Also breaks nc_matmul.n_le_512."""
    tile = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 513), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


def nl__transpose__2d__right():
    tile = nl.ndarray((8, 128), dtype=nl.float32, buffer=nl.sbuf)
    nl.transpose(tile)


def nl__transpose__2d__wrong():
    tile = nl.ndarray((8, 129), dtype=nl.float32, buffer=nl.sbuf)
    nl.transpose(tile)


def nl__matmul__transpose_x__right():
    x = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(x, y, transpose_x=True)


def nl__matmul__transpose_x__wrong():
    x = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(x, y)
