"""What the kernels of the corpus compute, stated in NumPy and independently of the model (float64)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def matmul(stationary: Array, moving: Array) -> Array:
    return stationary.astype(np.float64).T @ moving.astype(np.float64)


def transposed_blocks(x: Array, shape2d: tuple[int, int]) -> Array:
    rows, columns = shape2d
    return x.reshape(len(x), rows, columns).swapaxes(1, 2).reshape(len(x), rows * columns)


def max_pool(x: Array, size: int) -> Array:
    height, width = x.shape
    views = [x[a : a + height - size + 1, b : b + width - size + 1] for a in range(size) for b in range(size)]
    return np.max(views, axis=0)


def doubled(x: Array, axis: int) -> Array:
    """Linear interpolation to twice the samples along one axis, corners not aligned."""
    lines = np.moveaxis(x.astype(np.float64), axis, -1)
    before = np.concatenate([lines[..., :1], lines[..., :-1]], axis=-1)
    after = np.concatenate([lines[..., 1:], lines[..., -1:]], axis=-1)
    result = np.stack([0.75 * lines + 0.25 * before, 0.75 * lines + 0.25 * after], axis=-1)
    return np.moveaxis(result.reshape(*lines.shape[:-1], -1), -1, axis)


def upsampled(x: Array) -> Array:
    """All axes after the first doubled."""
    for axis in range(1, x.ndim):
        x = doubled(x, axis)
    return x


def selective_scan(delta: Array, u: Array, A: Array, B: Array, C: Array) -> Array:
    delta, u, A, B, C = (part.astype(np.float64) for part in (delta, u, A, B, C))
    out = np.zeros_like(delta)
    for n in range(A.shape[1]):
        h = np.zeros(delta.shape[:2])
        for t in range(delta.shape[2]):
            h = np.exp(delta[:, :, t] * A[None, :, n]) * h + delta[:, :, t] * u[:, :, t] * B[:, None, n, t]
            out[:, :, t] += C[:, None, n, t] * h
    return out


def avg_pool(x: Array, size: int) -> Array:
    channels, height, width = x.shape[0], x.shape[1] // size, x.shape[2] // size
    cropped = x[:, : height * size, : width * size].astype(np.float64)
    return cropped.reshape(channels, height, size, width, size).mean(axis=(2, 4))


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def attention(q: Array, k: Array, v: Array) -> Array:
    q, k, v = (part.astype(np.float64) for part in (q, k, v))
    return softmax(q.T @ k) @ v.T


def flash_attention(q: Array, k: Array, v: Array, scale: float) -> Array:
    q, k, v = (part.astype(np.float64) for part in (q, k, v))
    return np.stack([softmax(scale * q[b].T @ k[b]) @ v[b] for b in range(len(q))])


def dequantised(values: Array, scales: Array) -> Array:
    """(K, F, 4) values, and one exponent for each 8 rows and column: a row of `scales` (K / 8, F)."""
    return values.astype(np.float64) * np.exp2(np.repeat(scales, 8, axis=0).astype(np.float64) - 127)[:, :, None]


def mx_product(stationary: Array, stationary_scales: Array, moving: Array, moving_scales: Array) -> Array:
    return np.einsum("pic,pjc->ij", dequantised(stationary, stationary_scales), dequantised(moving, moving_scales))
