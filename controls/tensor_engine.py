"""Controls of contracts about the Tensor Engine."""

import nki.isa as nisa
import nki.language as nl

stationary = nl.ndarray((64, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
dst = nl.ndarray((32, 16), dtype=nl.float32, buffer=nl.psum)
moving = nl.ndarray((64, 16), dtype=nl.bfloat16, buffer=nl.sbuf)


def nc_matmul__buffers():
    stationary = nl.ndarray(
        either(right=(64, 32), wrong=(8, 8)), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf
    )
    moving = nl.ndarray(
        either(right=(64, 16), wrong=(8, 8)), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.sbuf
    )
    dst = nl.ndarray(
        either(right=(32, 16), wrong=(8, 8)), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf)
    )
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__k_equal():
    moving = nl.ndarray((either(right=64, wrong=63), 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__k_le_128():
    stationary = nl.ndarray((either(right=64, wrong=65), 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((either(right=64, wrong=65), 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(64, 128))


def nc_matmul__m_le_128():
    stationary = nl.ndarray((128, either(right=64, wrong=65)), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((either(right=64, wrong=65), 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(128, 64))


@control(on="trn1")
def nc_matmul__n_le_512():
    moving = nl.ndarray((64, either(right=512, wrong=513)), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, either(right=512, wrong=513)), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


@control(on="trn3")
def nc_matmul__n_gen4():
    moving = nl.ndarray((64, either(right=4096, wrong=4097)), dtype=nl.bfloat16, buffer=nl.sbuf)
    dst = nl.ndarray((32, either(right=4096, wrong=4097)), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__out_shape():
    dst = nl.ndarray((either(right=32, wrong=33), 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__dst_dtype():
    dst = nl.ndarray((32, 16), dtype=either(right=nl.float32, wrong=nl.bfloat16), buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__in_dtype():
    stationary = nl.ndarray((64, 32), dtype=either(right=nl.float8_e5m2, wrong=nl.int8), buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=either(right=nl.float8_e5m2, wrong=nl.int8), buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving)


def nc_matmul__fp32_pair():
    stationary = nl.ndarray((64, 32), dtype=either(right=nl.float16, wrong=nl.float32), buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving)


@control(on="trn3")
def nc_matmul__e4m3_mix():
    stationary = nl.ndarray((64, 32), dtype=nl.float8_e4m3fn, buffer=nl.sbuf)
    moving = nl.ndarray((64, 16), dtype=either(right=nl.float8_e5m2, wrong=nl.float8_e4m3), buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving)


@control(on=either(right="trn2", wrong="trn1"))
def nc_matmul__double_row_gen():
    stationary = nl.ndarray((128, 2, 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, 2, 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__double_row_shape():
    stationary = nl.ndarray((128, either(right=2, wrong=1), 128), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    moving = nl.ndarray((128, either(right=2, wrong=1), 512), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    dst = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst, stationary, moving, perf_mode=nisa.matmul_perf_mode.double_row)


def nc_matmul__tiling_both():
    either(
        right=nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(64, 64)),
        wrong=nisa.nc_matmul(dst, stationary, moving, tile_size=(64, 64)),
    )


@control(on=either(right="trn2", wrong="trn1"))
def nc_matmul__tiling_sizes():
    stationary = nl.ndarray((32, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
    moving = nl.ndarray((32, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_matmul(dst, stationary, moving, tile_position=(0, 0), tile_size=(32, 128))


def nc_matmul__tiling_pos():
    nisa.nc_matmul(dst, stationary, moving, tile_position=(either(right=64, wrong=32), 0), tile_size=(64, 128))


def nc_transpose__shape():
    dst = nl.ndarray(either(right=(16, 8), wrong=(8, 16)), dtype=nl.float32, buffer=nl.psum)
    data = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__tensor():
    data = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    dst = nl.ndarray((64, 128), dtype=nl.float32, buffer=either(right=nl.psum, wrong=nl.sbuf))
    nisa.nc_transpose(dst, data, engine=nisa.engine.tensor)


def nc_transpose__vector():
    dst = nl.ndarray((either(right=32, wrong=33), 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, either(right=32, wrong=33)), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__same_dtype():
    dst = nl.ndarray((8, 8), dtype=either(right=nl.bfloat16, wrong=nl.float32), buffer=nl.psum)
    data = nl.ndarray((8, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data)


def nc_transpose__engine():
    dst = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    data = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst, data, either(right=nisa.engine.vector, wrong=nisa.engine.gpsimd))


@control(also=("nc_matmul.m_le_128",))
def nl__matmul__x():
    tile = nl.ndarray((8, either(right=128, wrong=129)), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


@control(also=("nc_matmul.n_le_512",))
def nl__matmul__y():
    tile = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, either(right=512, wrong=513)), dtype=nl.float32, buffer=nl.sbuf)
    nl.matmul(tile, y, True)


def nl__matmul__transpose_x():
    x = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)
    either(right=nl.matmul(x, y, transpose_x=True), wrong=nl.matmul(x, y))


def nl__transpose__2d():
    tile = nl.ndarray((8, either(right=128, wrong=129)), dtype=nl.float32, buffer=nl.sbuf)
    nl.transpose(tile)
