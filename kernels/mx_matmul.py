"""Matmul of microscaled operands, and their quantisation (gen4).

An element of an x4 dtype packs four values along the contraction dimension, and one scale holds for 8 partitions of it:
scales of P partitions and F packed columns are (P / 8, F) in HBM. In SBUF, the scales of 32 partitions lie in the first
4 of the quadrant these partitions make up.
"""

import nki
import nki.isa as nisa
import nki.language as nl

QUADRANT = 32
PARTITIONS_PER_SCALE = 8
SCALES_PER_QUADRANT = QUADRANT // PARTITIONS_PER_SCALE
PACKED = 4
K = 128
M = 128
N = 512


# ----------------------------------------------------------------------------------- operands quantised beforehand


@nki.jit
def mx_offline_matmul(stationary, stationary_scale, moving, moving_scale, dtype):
    """stationary.T @ moving for data that hold (128, 128) and (128, 512) elements of x4 `dtype`."""
    return _offline_matmul(stationary, stationary_scale, moving, moving_scale, dtype, QUADRANT)


@nki.jit
def mx_offline_matmul_buggy(stationary, stationary_scale, moving, moving_scale, dtype):
    """Control: the scales of one quadrant and of the next lie two quadrants apart."""
    return _offline_matmul(stationary, stationary_scale, moving, moving_scale, dtype, 2 * QUADRANT)


@nki.jit
def mx_offline_matmul_swapped(stationary, stationary_scale, moving, moving_scale, dtype):
    """Control: the operands are exchanged."""
    return _offline_matmul(moving, moving_scale, stationary, stationary_scale, dtype, QUADRANT)


def _offline_matmul(stationary, stationary_scale, moving, moving_scale, dtype, quadrant_stride):
    """The matmul; `quadrant_stride` is how many partitions apart the scales of two quadrants are put."""
    stationary_tile = _load_packed(stationary, (K, M), dtype)
    moving_tile = _load_packed(moving, (K, N), dtype)
    stationary_scale_tile = _scatter_scales(stationary_tile, stationary_scale, quadrant_stride)
    moving_scale_tile = _scatter_scales(moving_tile, moving_scale, quadrant_stride)
    return _multiply(stationary_tile, stationary_scale_tile, moving_tile, moving_scale_tile)


# --------------------------------------------------------------------------------------- one operand quantised here


@nki.jit
def mx_on_device_quantize_matmul(stationary, stationary_scale, moving, stationary_dtype, moving_dtype):
    """stationary.T @ moving for stationary data of (128, 128) elements of x4 `stationary_dtype`, moving (128, 2048)."""
    return _on_device_matmul(stationary, stationary_scale, moving, stationary_dtype, moving_dtype, PACKED)


@nki.jit
def mx_on_device_quantize_matmul_buggy(stationary, stationary_scale, moving, stationary_dtype, moving_dtype):
    """Control: the tile for the quantised operand is allocated as if an element packed two values."""
    return _on_device_matmul(stationary, stationary_scale, moving, stationary_dtype, moving_dtype, PACKED // 2)


def _on_device_matmul(stationary, stationary_scale, moving, stationary_dtype, moving_dtype, packed):
    """The matmul; `packed` values of the moving operand are taken to make up one quantised element."""
    _check_quantised_dtype(moving_dtype)
    assert moving.shape == (K, N * PACKED), f"moving must be ({K}, {N * PACKED})"
    stationary_tile = _load_packed(stationary, (K, M), stationary_dtype)
    stationary_scale_tile = _scatter_scales(stationary_tile, stationary_scale, QUADRANT)

    values = nl.ndarray(moving.shape, dtype=moving.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=values, src=moving)
    moving_tile, moving_scale_tile = _allocate_mx_tiles(values.shape, moving_dtype, packed)
    nisa.quantize_mx(dst=moving_tile, src=values, dst_scale=moving_scale_tile)
    return _multiply(stationary_tile, stationary_scale_tile, moving_tile, moving_scale_tile)


# --------------------------------------------------------------------------- both operands interleaved and quantised


@nki.jit
def mx_copy_strided(stationary, moving, dtype, use_tensor_copy=True):
    """stationary.T @ moving for (512, 128) and (512, 512), both interleaved by a tensor copy or by the loading DMA."""
    stationary_values, moving_values = _interleave_operands(stationary, moving, dtype, use_tensor_copy, 0)
    stationary_tile, stationary_scale = _quantise(stationary_values, dtype)
    moving_tile, moving_scale = _quantise(moving_values, dtype)
    return _multiply(stationary_tile, stationary_scale, moving_tile, moving_scale)


@nki.jit
def mx_copy_strided_buggy(stationary, moving, dtype, use_tensor_copy=True):
    """Control: the view of the stationary operand steps from partition to partition one element short."""
    stationary_values, moving_values = _interleave_operands(stationary, moving, dtype, use_tensor_copy, 1)
    stationary_tile, stationary_scale = _quantise(stationary_values, dtype)
    moving_tile, moving_scale = _quantise(moving_values, dtype)
    return _multiply(stationary_tile, stationary_scale, moving_tile, moving_scale)


@nki.jit
def mx_packed_scale(stationary, moving, dtype, use_tensor_copy=True):
    """As `mx_copy_strided`, with the scales of both operands in one tile, four partitions apart."""
    stationary_values, moving_values = _interleave_operands(stationary, moving, dtype, use_tensor_copy, 0)
    stationary_tile = nl.ndarray((K, M), dtype=dtype, buffer=nl.sbuf)
    moving_tile = nl.ndarray((K, N), dtype=dtype, buffer=nl.sbuf)
    scales = nl.ndarray((K, N), dtype=nl.uint8, buffer=nl.sbuf)
    stationary_scale = scales[0:, 0:M]
    moving_scale = scales[SCALES_PER_QUADRANT:, :]
    nisa.quantize_mx(dst=stationary_tile, src=stationary_values, dst_scale=stationary_scale)
    nisa.quantize_mx(dst=moving_tile, src=moving_values, dst_scale=moving_scale)
    return _multiply(stationary_tile, stationary_scale, moving_tile, moving_scale)


def _interleave_operands(stationary, moving, dtype, use_tensor_copy, missing_step):
    """Both operands in SBUF, four rows of HBM interleaved in each partition, and the preconditions."""
    _check_quantised_dtype(dtype)
    assert stationary.shape == (K * PACKED, M), f"stationary must be ({K * PACKED}, {M})"
    assert moving.shape == (K * PACKED, N), f"moving must be ({K * PACKED}, {N})"
    assert stationary.buffer == moving.buffer, "both operands must be in the same kind of HBM"
    if use_tensor_copy:
        return _interleave_by_copy(stationary, missing_step), _interleave_by_copy(moving, 0)
    return _interleave_by_dma(stationary), _interleave_by_dma(moving)


def _interleave_by_copy(x, missing_step):
    """SBUF tile (R / 4, 4 * F) of x (R, F) with tile[p, 4 * f + j] = x[j * R / 4 + p, f], interleaved by a tensor copy.

    `missing_step` is taken off the step from partition to partition of the view that is copied from.
    """
    P, F = x.shape[0] // PACKED, x.shape[1]
    rows = _load_tiles(x)
    interleaved = nl.ndarray((P, F, PACKED), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=interleaved, src=rows.ap([[PACKED * F - missing_step, P], [1, F], [F, PACKED]]))
    return interleaved.reshape((P, F * PACKED))


def _interleave_by_dma(x):
    """The same tile, interleaved by the DMA that loads it."""
    P, F = x.shape[0] // PACKED, x.shape[1]
    interleaved = nl.ndarray((P, F, PACKED), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=interleaved, src=x.ap([[F, P], [1, F], [P * F, PACKED]]))
    return interleaved.reshape((P, F * PACKED))


def _load_tiles(x):
    """SBUF tile (R / 4, 4, F) of x (R, F): the four quarters of its rows side by side."""
    P, F = x.shape[0] // PACKED, x.shape[1]
    rows = nl.ndarray((P, PACKED, F), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=x.ap([[F, P], [P * F, PACKED], [1, F]]))
    return rows


# ------------------------------------------------------------------------------------------------ quantisation alone


@nki.jit
def mx_quantize(x, dtype):
    """Quantise x (P, F) to x4 `dtype`: data (P, F / 4), and scales (P / 8, F / 4) as they are kept in HBM."""
    P, F = x.shape
    _check_quantised_dtype(dtype)
    values = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=values, src=x)
    data_tile, scale_tile = _quantise(values, dtype)

    data = nl.ndarray((P, F // PACKED), dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=data, src=data_tile)
    scale = nl.ndarray((P // PARTITIONS_PER_SCALE, F // PACKED), dtype=nl.uint8, buffer=nl.shared_hbm)
    if P > QUADRANT:
        for quadrant in range(P // QUADRANT):
            nisa.dma_copy(
                dst=scale[quadrant * SCALES_PER_QUADRANT : (quadrant + 1) * SCALES_PER_QUADRANT, :],
                src=scale_tile[quadrant * QUADRANT : quadrant * QUADRANT + SCALES_PER_QUADRANT, :],
            )
    else:
        nisa.dma_copy(dst=scale, src=scale_tile)
    return data, scale


# ------------------------------------------------------------------------------------------------------- shared parts


def _check_quantised_dtype(dtype):
    """What the Vector Engine can quantise to."""
    assert dtype != nl.float4_e2m1fn_x4, "values cannot be quantised to FP4"


def _load_packed(data, shape, dtype):
    """Load the packed integers `data` as an SBUF tile of `shape` elements of x4 `dtype`."""
    rows, columns = shape
    packed = data.ap([[columns, rows], [1, columns]], dtype=dtype)
    assert packed.shape == shape
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=packed)
    return tile


def _scatter_scales(data_tile, scale, quadrant_stride):
    """Load the scales of `data_tile` (P, F) from `scale` (P / 8, F) to where the Tensor Engine expects them."""
    P = data_tile.shape[0]
    rows, F = scale.shape
    assert P % QUADRANT == 0, f"the number of partitions must be a multiple of {QUADRANT}"
    assert P <= 128, "there are 128 partitions"
    assert rows == P // PARTITIONS_PER_SCALE, f"one row of scales is needed for {PARTITIONS_PER_SCALE} partitions"
    if P <= QUADRANT:
        scale_tile = nl.ndarray((rows, F), dtype=scale.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=scale_tile, src=scale)
        return scale_tile

    scale_tile = nl.ndarray((P, F), dtype=scale.dtype, buffer=nl.sbuf)
    nisa.memset(dst=scale_tile, value=0)
    for quadrant in range(P // QUADRANT):
        pattern = [[F, SCALES_PER_QUADRANT], [1, F]]
        nisa.dma_copy(
            dst=scale_tile.ap(pattern, offset=quadrant * quadrant_stride * F),
            src=scale.ap(pattern, offset=quadrant * SCALES_PER_QUADRANT * F),
        )
    return scale_tile


def _allocate_mx_tiles(shape, dtype, packed):
    """Tiles for (P, F) values quantised to x4 `dtype`, `packed` values to an element, and for their scales."""
    P, F = shape
    data = nl.ndarray((P, F // packed), dtype=dtype, buffer=nl.sbuf)
    scale_rows = P // PARTITIONS_PER_SCALE if P <= QUADRANT else P
    scale = nl.ndarray((scale_rows, F // PACKED), dtype=nl.uint8, buffer=nl.sbuf)
    return data, scale


def _quantise(values, dtype):
    """Quantise an SBUF tile (P, F): data (P, F / 4) and scales."""
    data, scale = _allocate_mx_tiles(values.shape, dtype, PACKED)
    nisa.quantize_mx(dst=data, src=values, dst_scale=scale)
    return data, scale


def _multiply(stationary, stationary_scale, moving, moving_scale):
    """Multiply SBUF tiles, and return the product in HBM."""
    shape = (stationary.shape[1], moving.shape[1])
    product = nl.ndarray(shape, dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_matmul_mx(
        dst=product,
        stationary=stationary,
        moving=moving,
        stationary_scale=stationary_scale,
        moving_scale=moving_scale,
    )
    result_tile = nl.ndarray(shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result_tile, src=product)
    result = nl.ndarray(shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=result, src=result_tile)
    return result
