"""Kernels whose operations go through tiles in parts, each with a variant that breaks: `broken=True`."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE = 128


def tile(shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


@nki.jit
def attention_by_tiles(q, k, v, broken=False):
    """128 queries, and keys tile by tile: the sums and the products are rescaled to each new maximum."""
    depth, keys = k.shape
    queries = tile((depth, TILE), q.dtype)
    nisa.dma_copy(dst=queries, src=q)
    best, sums, total = tile((TILE, 1)), tile((TILE, 1)), tile((TILE, depth))
    nisa.memset(best, float("-inf"))
    nisa.memset(sums, 0.0)
    nisa.memset(total, 0.0)
    for part in range(keys // TILE):
        columns, rows = tile((depth, TILE), k.dtype), tile((TILE, depth), v.dtype)
        nisa.dma_copy(dst=columns, src=k[:, part * TILE : (part + 1) * TILE])
        nisa.dma_copy(dst=rows, src=v[part * TILE : (part + 1) * TILE, :])
        scores = tile((TILE, TILE), nl.float32, nl.psum)
        nisa.nc_matmul(dst=scores, stationary=queries, moving=columns)
        found, better, kept, added = tile((TILE, 1)), tile((TILE, 1)), tile((TILE, 1)), tile((TILE, 1))
        nisa.tensor_reduce(dst=found, op=nl.maximum, data=scores, axis=1)
        nisa.tensor_scalar(dst=found, data=found, op0=nl.multiply, operand0=0.125)
        nisa.tensor_tensor(dst=better, data1=best, data2=found, op=nl.maximum)
        nisa.tensor_tensor(dst=kept, data1=better if broken else best, data2=best if broken else better, op=nl.subtract)
        nisa.activation(dst=kept, op=nl.exp, data=kept)
        less = tile((TILE, 1))
        nisa.tensor_scalar(dst=less, data=better, op0=nl.multiply, operand0=-1.0)
        weights = tile((TILE, TILE), nl.bfloat16)
        nisa.activation_reduce(
            dst=weights, op=nl.exp, data=scores, bias=less, scale=0.125, reduce_op=nl.add, reduce_res=added
        )
        nisa.tensor_scalar(dst=sums, data=sums, op0=nl.multiply, operand0=kept, op1=nl.add, operand1=added)
        turned, flipped = tile((TILE, TILE), nl.bfloat16, nl.psum), tile((TILE, TILE), nl.bfloat16)
        nisa.nc_transpose(dst=turned, data=weights)
        nisa.tensor_copy(dst=flipped, src=turned)
        product = tile((TILE, depth), nl.float32, nl.psum)
        nisa.nc_matmul(dst=product, stationary=flipped, moving=rows)
        nisa.tensor_scalar(dst=total, data=total, op0=nl.multiply, operand0=kept)
        nisa.tensor_tensor(dst=total, data1=total, data2=product, op=nl.add)
        nisa.tensor_copy(dst=best, src=better)
    nisa.reciprocal(dst=sums, data=sums)
    nisa.tensor_scalar(dst=total, data=total, op0=nl.multiply, operand0=sums)
    out = nl.ndarray((TILE, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    result = tile((TILE, depth), q.dtype)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def norm_by_chunks(x, broken=False):
    rows, columns = x.shape
    data = tile((rows, columns))
    nisa.dma_copy(dst=data, src=x)
    chunks = columns // 512
    statistics, moments, spread = tile((rows, 6 * chunks)), tile((rows, 2)), tile((rows, 1))
    for part in range(chunks):
        nisa.bn_stats(dst=statistics[:, part * 6 : (part + 1) * 6], data=data[:, part * 512 : (part + 1) * 512])
    nisa.bn_aggr(dst=moments, data=statistics)
    # Broken: the mean for the variance.
    column = 0 if broken else 1
    nisa.tensor_scalar(dst=spread, data=moments[:, column : column + 1], op0=nl.add, operand0=1e-5)
    nisa.activation(dst=spread, op=nl.rsqrt, data=spread)
    nisa.tensor_scalar(dst=data, data=data, op0=nl.subtract, operand0=moments[:, 0:1], op1=nl.multiply, operand1=spread)
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=data)
    return out


@nki.jit
def gathered_inverse(x, places, broken=False):
    data, at, found = tile(x.shape), tile(places.shape, nl.uint32), tile(places.shape)
    nisa.dma_copy(dst=data, src=x)
    nisa.dma_copy(dst=at, src=places)
    nisa.nc_n_gather(dst=found, data=data, indices=at)
    if not broken:
        nisa.tensor_scalar(dst=found, data=found, op0=nl.maximum, operand0=0.5)
    nisa.reciprocal(dst=found, data=found)
    out = nl.ndarray(places.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=found)
    return out
