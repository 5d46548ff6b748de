"""The kernels of the library."""

from __future__ import annotations

import logging

import nki
import nki.isa as nisa
import nki.language as nl

from . import config as configuration
from .allocators import Allocator, Psum, RingAllocator, StackAllocator, make_allocator
from .config import (
    MOVING,
    PMAX,
    AttentionConfig,
    Gate,
    MlpConfig,
    Norm,
    Placement,
    Tiling,
    check_multiple,
    check_shapes,
)
from .norms import normalised, softmax_rows
from .views import Axis, Span, TiledMatrix, transposed

logger = logging.getLogger(__name__)

DEFAULT_MLP = MlpConfig()
STACKED_MLP = MlpConfig(gate="gelu", placement=Placement.STACK, tiling="prefill")
PLAIN_MLP = MlpConfig(gate=Gate.NONE, norm=Norm.NONE)
DEFAULT_ATTENTION = AttentionConfig()


def _columns_of_weights(weights, columns, allocator, compute_dtype):
    """All tiles of 128 rows of a weight matrix, for one span of its columns."""
    tiles = []
    depth = Axis(weights.shape[0], PMAX)
    for index in range(depth.count):
        rows = depth.span(index)
        tile = allocator.tile((PMAX, columns.size), weights.dtype, name=f"w_{index}")
        nisa.dma_copy(dst=tile, src=weights[rows.slice, columns.slice])
        tiles.append(tile)
    return tiles


def _product(stationary, moving, psum, rows, columns):
    """The sum of products of two lists of tiles."""
    total = psum.tile(rows, columns)
    for left, right in zip(stationary, moving):
        nisa.nc_matmul(dst=total, stationary=left, moving=right)
    return total


@nki.jit
def gated_mlp(x, gate_weights, up_weights, down_weights, config=DEFAULT_MLP):
    """`down(act(gate(norm(x))) * up(norm(x)))`: x (T, H), weights (H, I), (H, I), (I, H)."""
    tokens, hidden = x.shape
    _, inner = gate_weights.shape
    check_multiple(tokens, PMAX, "the number of tokens")
    check_multiple(hidden, MOVING, "the hidden size")
    check_multiple(inner, MOVING, "the inner size")
    check_shapes(
        up=(up_weights, (hidden, inner)), down=(down_weights, (inner, hidden)), gate=(gate_weights, (hidden, None))
    )
    logger.info("gated_mlp with %s", config.describe())

    out = nl.ndarray((tokens, hidden), dtype=x.dtype, buffer=nl.shared_hbm)
    activation = config.gate.operator()
    for row in range(tokens // PMAX):
        allocator = Allocator()
        psum = Psum(config.accumulate_dtype)
        rows = Span(row * PMAX, PMAX)
        tile = allocator.tile((PMAX, hidden), x.dtype, name="x")
        nisa.dma_copy(dst=tile, src=x[rows.slice, :])
        tile = normalised(tile, config, allocator)
        stationary = []
        for part in range(hidden // PMAX):
            stationary.append(transposed(tile[:, part * PMAX : (part + 1) * PMAX], allocator, psum))

        inner_tiles = []
        for column in range(inner // MOVING):
            columns = Span(column * MOVING, MOVING)
            up = _product(stationary, _columns_of_weights(up_weights, columns, allocator, x.dtype), psum, PMAX, MOVING)
            combined = allocator.tile((PMAX, MOVING), config.compute_dtype, name="combined")
            if config.gate.is_gated:
                weights = _columns_of_weights(gate_weights, columns, allocator, x.dtype)
                gate = _product(stationary, weights, psum, PMAX, MOVING)
                acted = allocator.tile((PMAX, MOVING), nl.float32)
                nisa.activation(dst=acted, op=activation, data=gate)
                nisa.tensor_tensor(dst=combined, data1=acted, data2=up, op=nl.multiply)
            else:
                nisa.tensor_copy(dst=combined, src=up)
            for part in range(MOVING // PMAX):
                inner_tiles.append(transposed(combined[:, part * PMAX : (part + 1) * PMAX], allocator, psum))

        for column in range(hidden // MOVING):
            columns = Span(column * MOVING, MOVING)
            down = _product(
                inner_tiles, _columns_of_weights(down_weights, columns, allocator, x.dtype), psum, PMAX, MOVING
            )
            result = allocator.tile((PMAX, MOVING), x.dtype)
            if config.fused_residual:
                nisa.tensor_tensor(dst=result, data1=down, data2=tile[:, columns.slice], op=nl.add)
            else:
                nisa.tensor_copy(dst=result, src=down)
            nisa.dma_copy(dst=out[rows.slice, columns.slice], src=result)
    return out


@nki.jit
def scaled_copy(x, factor=1.0, tiling="prefill", placement=Placement.AUTOMATIC):
    """`x * factor` by tiles of any matrix, the last tiles being short; rotating buffers."""
    tiling = Tiling.named(tiling) if isinstance(tiling, str) else tiling
    matrix = TiledMatrix(x, tiling.rows, tiling.columns)
    result = nl.ndarray(tuple(x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    out = TiledMatrix(result, tiling.rows, tiling.columns)
    for row in range(matrix.rows.count):
        for column in range(matrix.columns.count):
            allocator = make_allocator(placement)
            allocator.open()
            tile = matrix.load(row, column, allocator, name=f"tile_{tiling.unroll}")
            scaled = allocator.tile(tuple(tile.shape), x.dtype)
            nisa.tensor_scalar(dst=scaled, data=tile, op0=nl.multiply, operand0=factor)
            out.store(row, column, scaled)
            allocator.close()
    return result


@nki.jit
def embedding(ids, table):
    """Rows of `table` (V, D) by `ids` (T, 1), 128 at a time."""
    tokens, _ = ids.shape
    _, width = table.shape
    result = nl.ndarray((tokens, width), dtype=table.dtype, buffer=nl.shared_hbm)
    axis = Axis(tokens, PMAX)
    for index in range(axis.count):
        span = axis.span(index)
        chosen = nl.ndarray((span.size, 1), dtype=ids.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=chosen, src=ids[span.slice, :])
        rows = nl.ndarray((span.size, width), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=rows, src=table.vector_select(0, chosen))
        nisa.dma_copy(dst=result[span.slice, :], src=rows)
    return result


@nki.jit
def attention(q, k, v, config=DEFAULT_ATTENTION):
    """One head: q (D, Sq), k (D, Sk), v (Sk, D) with Sk in tiles of 128; all keys at once."""
    d_head, queries = q.shape
    _, keys = k.shape
    assert d_head <= PMAX, f"a head of {d_head} is wider than {PMAX}"
    check_multiple(queries, PMAX, "the number of queries")
    check_multiple(keys, MOVING, "the number of keys")
    check_shapes(k=(k, (d_head, keys)), v=(v, (keys, d_head)))
    scale = config.softmax_scale(d_head)
    result = nl.ndarray((queries, d_head), dtype=q.dtype, buffer=nl.shared_hbm)
    for block in range(queries // PMAX):
        allocator, psum = Allocator(), Psum()
        wanted = allocator.tile((d_head, PMAX), q.dtype)
        nisa.dma_copy(dst=wanted, src=q[:, block * PMAX : (block + 1) * PMAX])
        scores = allocator.tile((PMAX, keys), nl.float32)
        for column in range(keys // MOVING):
            columns = Span(column * MOVING, MOVING)
            part = allocator.tile((d_head, MOVING), k.dtype)
            nisa.dma_copy(dst=part, src=k[:, columns.slice])
            product = psum.tile(PMAX, MOVING)
            nisa.nc_matmul(dst=product, stationary=wanted, moving=part)
            nisa.tensor_copy(dst=scores[:, columns.slice], src=product)
        weights, inverse = softmax_rows(scores, scale, allocator)
        total = psum.tile(PMAX, d_head)
        for part in range(keys // PMAX):
            span = Span(part * PMAX, PMAX)
            turned = transposed(weights[:, span.slice], allocator, psum)
            values = allocator.tile((PMAX, d_head), v.dtype)
            nisa.dma_copy(dst=values, src=v[span.slice, :])
            nisa.nc_matmul(dst=total, stationary=turned, moving=values)
        finished = allocator.tile((PMAX, d_head), q.dtype)
        nisa.tensor_scalar(dst=finished, data=total, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=result[block * PMAX : (block + 1) * PMAX, :], src=finished)
    return result


@nki.jit
def summed_on_two_cores(x, weights):
    """`x.T @ weights` with the depth split between two cores that exchange their halves: x (K, M), weights (K, N)."""
    depth, rows = x.shape
    _, columns = weights.shape
    cores = nl.num_programs(0)
    core = nl.program_id(0)
    check_multiple(depth, 2 * PMAX, "the depth")
    assert rows <= PMAX and columns <= MOVING, f"({rows}, {columns}) is more than one tile"
    check_shapes(weights=(weights, (depth, None)))
    share = depth // 2 if cores == 2 else depth
    first = core * share
    total = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
    for part in range(share // PMAX):
        start = first + part * PMAX
        left = nl.ndarray((PMAX, rows), dtype=x.dtype, buffer=nl.sbuf)
        right = nl.ndarray((PMAX, columns), dtype=weights.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=x[start : start + PMAX, :])
        nisa.dma_copy(dst=right, src=weights[start : start + PMAX, :])
        nisa.nc_matmul(dst=total, stationary=left, moving=right)
    mine = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=mine, src=total)
    if cores == 2:
        theirs = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
        nisa.tensor_tensor(dst=mine, data1=mine, data2=theirs, op=nl.add)
    result = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    if cores == 1 or core == 0:
        nisa.dma_copy(dst=result, src=mine)
    return result


def blocks_of(length, sizes=(512, 256, 128)):
    """`length` in blocks of falling sizes: (start, size)."""
    blocks, start, choice = [], 0, 0
    while start < length:
        if choice >= len(sizes):
            break
        size = sizes[choice]
        if start + size > length:
            choice += 1
            continue
        blocks.append((start, size))
        start += size
    return blocks


@nki.jit
def decode_blocks(x, lengths, limit=2048):
    """Copies blocks of `x` (P, limit), of falling sizes, by a ring of buffers, and a column chosen at run time."""
    rows, columns = x.shape
    assert rows <= PMAX, f"{rows} rows"
    assert columns == limit, f"{columns} columns, expected {limit}"
    assert lengths.shape == (1, 1), f"one length, not {lengths.shape}"
    result = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    stack = StackAllocator()
    stack.open()
    ring = RingAllocator((rows, 512), x.dtype, 3, stack)
    names = {}
    for index, (start, size) in enumerate(blocks_of(limit - 128)):
        tile = ring.take()
        nisa.dma_copy(dst=tile[:, :size], src=x[:, start : start + size])
        nisa.dma_copy(dst=result[:, start : start + size], src=tile[:, :size])
        names[f"block_{index}"] = (start, size)
    covered = sum(size for _, size in names.values())
    logger.debug("covered %d of %d", covered, limit)
    assert covered <= limit, f"{covered} > {limit}"
    stack.close()
    assert stack.top == 0 and stack.peak <= stack.budget, f"peak {stack.peak}"

    length = nl.ndarray((1, 1), dtype=lengths.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=length, src=lengths)
    last = nisa.register_alloc()
    nisa.register_load(last, length)
    column = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.sbuf)
    chosen = x.ap(pattern=[[columns, rows], [1, 1]], offset=0, scalar_offset=last, indirect_dim=1)
    nisa.dma_copy(dst=column, src=chosen)
    nisa.dma_copy(dst=result[:, limit - 1 : limit], src=column)
    return result


@nki.jit
def rope_tables(positions, frequencies):
    """Angles of rotary embeddings: positions (T, 1), frequencies (1, D) broadcast by a product, by generation."""
    tokens, _ = positions.shape
    _, width = frequencies.shape
    assert width <= MOVING, f"{width} frequencies"
    generation = configuration.hardware_generation()
    result = nl.ndarray((tokens, width), dtype=nl.float32, buffer=nl.shared_hbm)
    rows = Axis(tokens, PMAX)
    factors = nl.ndarray((1, width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=factors, src=frequencies)
    for index in range(rows.count):
        span = rows.span(index)
        places = nl.ndarray((1, span.size), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=places, src=positions.reshape((1, tokens))[:, span.slice])
        product = nl.ndarray((span.size, width), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=product, stationary=places, moving=factors)
        angles = nl.ndarray((span.size, width), dtype=nl.float32, buffer=nl.sbuf)
        if generation >= 3:
            nisa.tensor_copy(dst=angles, src=product)
        else:
            nisa.activation(dst=angles, op=nl.copy, data=product)
        nisa.dma_copy(dst=result[span.slice, :], src=angles)
    return result
