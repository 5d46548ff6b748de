"""Direct definitions as kernels: what the kernels of the corpus compute, without tiling or reuse."""

import nki.isa as nisa
import nki.language as nl


def bilinear(src):
    """2 x up-scaling of (P, H, W), one pixel of the result at a time from its four neighbours."""
    P, H, W = src.shape
    out = nl.ndarray((P, 2 * H, 2 * W), dtype=src.dtype, buffer=nl.shared_hbm)
    image, result = nl.load(src), nl.ndarray((P, 2 * H, 2 * W), dtype=src.dtype, buffer=nl.sbuf)
    for row in range(2 * H):
        for column in range(2 * W):
            pixel = result[:, row : row + 1, column : column + 1]
            nisa.memset(pixel, 0.0)
            for h, row_weight in _neighbours(row, H):
                for w, column_weight in _neighbours(column, W):
                    nisa.scalar_tensor_tensor(
                        dst=pixel,
                        data=image[:, h : h + 1, w : w + 1],
                        op0=nl.multiply,
                        operand0=row_weight * column_weight,
                        op1=nl.add,
                        operand1=pixel,
                    )
    nl.store(out, result)
    return out


def _neighbours(position, extent):
    near = position // 2
    far = max(near - 1, 0) if position % 2 == 0 else min(near + 1, extent - 1)
    return ((near, 0.75), (far, 0.25))


def attention(q, k, v):
    """softmax(q.T @ k) @ v.T of (128, S), one tile of queries at a time, the weights divided at the end."""
    d, S = q.shape
    out = nl.ndarray((S, d), dtype=q.dtype, buffer=nl.shared_hbm)
    queries, keys, values = nl.load(q), nl.load(k), nl.load(v)
    for i in range(S // 128):
        scores = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
        for j in range(S // 128):
            product = nl.matmul(queries[:, 128 * i : 128 * i + 128], keys[:, 128 * j : 128 * j + 128], transpose_x=True)
            nisa.tensor_copy(scores[:, 128 * j : 128 * j + 128], product)
        shifted = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(shifted, scores, nl.subtract, nl.max(scores, axis=1, keepdims=True))
        powers = nl.exp(shifted)
        total = nl.ndarray((128, d), dtype=nl.float32, buffer=nl.psum)
        for j in range(S // 128):
            block = slice(128 * j, 128 * j + 128)
            weights = nl.copy(nl.transpose(powers[:, block]))
            nisa.nc_matmul(total, weights, nl.copy(nl.transpose(values[:, block])))
        divided = nl.ndarray((128, d), dtype=q.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(divided, total, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True)))
        nl.store(out[128 * i : 128 * i + 128, :], divided)
    return out
