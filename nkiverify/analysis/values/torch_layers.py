"""Layers and losses of PyTorch in NumPy's functions; `like` makes arrays of numbers of anything."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from nkiverify.foundation.errors import UnsupportedConstruct


def refused(construct: str) -> NoReturn:
    """Say that something has no meaning on these numbers."""
    raise UnsupportedConstruct(f"{construct}, in the reference")


def plain(key: Any) -> Any:
    """Indices and masks that PyTorch holds, as NumPy's."""
    if isinstance(key, tuple | list):
        return type(key)(map(plain, key))
    return key.numpy() if hasattr(key, "numpy") else key


def _normalised(x: Any, normalized_shape: Any, centred: bool, eps: Any) -> Any:
    axes = tuple(range(-len(tuple(normalized_shape)), 0))
    apart = x - x.mean(axes, True) if centred else x
    return apart / np.sqrt((apart * apart).mean(axes, True) + eps)


def layer_norm(like: Any, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """The last axes with mean 0 and variance 1, scaled and moved."""
    found = _normalised(like.of(x), shape, True, eps)
    found = found if weight is None else found * weight
    return found if bias is None else found + bias


def rms_norm(like: Any, x: Any, shape: Any, weight: Any = None, eps: Any = None) -> Any:
    """The last axes over the root of their mean square, scaled."""
    found = _normalised(like.of(x), shape, False, sys.float_info.epsilon if eps is None else eps)
    return found if weight is None else found * weight


def linear(like: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    """x times the transpose of `weight`, and a bias."""
    found = like.of(x) @ np.transpose(like.of(weight))
    return found if bias is None else found + bias


def attention(
    like: Any, q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: Any = 0.0, is_causal: bool = False,
    scale: Any = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """softmax(q k^T / sqrt(d)) v."""
    if dropout_p or enable_gqa:
        refused("attention with dropout, or groups of heads")
    q, k, v = map(like.of, (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    mask = np.tri(*scores.shape[-2:]) > 0 if is_causal else attn_mask
    if mask is not None:
        mask = like.of(plain(mask))
        scores = np.where(mask, scores, -math.inf) if mask.boolean else scores + mask
    return scores.softmax(-1) @ v


def _defaults(options: dict[str, Any]) -> bool:
    """True if the options of a loss change nothing."""
    return all(value in (None, False, 0.0, -100) for value in options.values())


def cross_entropy(like: Any, x: Any, target: Any, reduction: str = "mean", **options: Any) -> Any:
    """The negative logarithm of the softmax at the targets, row by row."""
    if not _defaults(options) or x.ndim != 2:
        refused("cross_entropy of more than rows, or with options")
    found: Any = -np.take_along_axis(x.log_softmax(-1), plain(target)[:, None], axis=-1)[:, 0]
    return {"mean": found.mean, "sum": found.sum, "none": lambda: found}[reduction]()


def mse_loss(like: Any, x: Any, y: Any, reduction: str = "mean", **options: Any) -> Any:
    """The squares of the differences."""
    if not _defaults(options):
        refused("mse_loss with options")
    found: Any = np.square(like.of(x) - like.of(y))
    return {"mean": found.mean, "sum": found.sum, "none": lambda: found}[reduction]()


def pad(like: Any, x: Any, pad: Sequence[int], mode: str = "constant", value: Any = None) -> Any:
    """Padded with a value; widths begin with the last axis."""
    if mode != "constant":
        refused(f"padding by {mode}")
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[0::2], pad[1::2], strict=True))[::-1]
    filled = like.of(
        np.full([before + n + after for (before, after), n in zip(widths, x.shape, strict=True)], value or 0.0)
    )
    filled[tuple(slice(before, before + n) for (before, _), n in zip(widths, x.shape, strict=True))] = x
    return filled


def conv(
    like: Any, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """A convolution over the last axes: (N, C, …) with (M, C / groups, …)."""
    x, weight = like.of(x), like.of(weight)
    over = weight.ndim - 2
    if isinstance(padding, str) or x.ndim != weight.ndim:
        refused(f"a convolution of {x.ndim} axes with padding {padding!r}")
    steps, pads, gaps = (
        (value,) * over if isinstance(value, int) else tuple(value) for value in (stride, padding, dilation)
    )
    x = pad(like, x, [width for each in reversed(pads) for width in (each, each)])
    taps = weight.shape[2:]
    extents = [
        (n - gap * (k - 1) - 1) // step + 1 for n, k, step, gap in zip(x.shape[2:], taps, steps, gaps, strict=True)
    ]
    found = []
    for inputs, weights in zip(np.split(x, groups, axis=1), np.split(weight, groups, axis=0), strict=True):
        total: Any = 0.0
        for tap in np.ndindex(*taps):
            window: list[Any] = [
                slice(place * gap, place * gap + (n - 1) * step + 1, step)
                for place, gap, n, step in zip(tap, gaps, extents, steps, strict=True)
            ]
            here, at = (Ellipsis, *window), (Ellipsis, *tap)
            total = total + np.einsum("nc...,mc->nm...", inputs[here], weights[at])
        found.append(total)
    result = np.concatenate(found, axis=1)
    return result if bias is None else result + np.reshape(like.of(bias), (-1, *(1,) * over))
