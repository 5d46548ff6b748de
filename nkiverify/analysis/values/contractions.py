"""Products of arrays of numbers as NumPy has them: what they sum over, by the names of their axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nkiverify.foundation.errors import UnsupportedConstruct


def matmul(x: Any, y: Any) -> Any:
    """np.matmul of arrays of numbers."""
    letters = "abcdefgh"
    if x.ndim == 1 or y.ndim == 1:
        left, right = ("k" if x.ndim == 1 else letters[: x.ndim - 1] + "k"), "k" if y.ndim == 1 else "kn"
        if y.ndim > 2 or x.ndim > 8:
            raise UnsupportedConstruct("a product of a vector and several matrices in the reference")
        return einsum(f"{left},{right}->{left.replace('k', '')}{right.replace('k', '')}", x, y)
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = (np.broadcast_to(part, (*batch, *part.shape[-2:])) for part in (x, y))
    names = letters[: len(batch)]
    return einsum(f"{names}mk,{names}kn->{names}mn", x, y)


def dot(x: Any, y: Any) -> Any:
    """np.dot of at most two axes each."""
    if x.ndim > 2 or y.ndim > 2:
        raise UnsupportedConstruct("np.dot of more than two axes in the reference: np.matmul or np.einsum")
    return matmul(x, y)


def einsum(subscripts: str, *operands: Any, optimize: Any = None) -> Any:
    """np.einsum without a letter twice in one operand."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    names = inputs.split(",")
    if "." in text and arrow and len(names) == len(operands):
        names, output = _without_ellipsis(names, output, [np.ndim(part) for part in operands])
    if not arrow:
        output = "".join(sorted(name for name in set(inputs) - {","} if inputs.count(name) == 1))
    twice = any(len(set(name)) != len(name) for name in names)
    if "." in "".join((*names, output)) or twice or len(names) != len(operands):
        raise UnsupportedConstruct(f"np.einsum({subscripts!r}) in the reference")
    first = next(part for part in operands if hasattr(part, "contracted"))
    found, known = first.of(operands[0]), names[0]
    for position in range(1, len(operands)):
        wanted = set(output).union(*names[position + 1 :])
        found, known = _pair(found, known, first.of(operands[position]), names[position], wanted)
    found, known = _summed(found, known, set(output))
    return np.transpose(found, [known.index(name) for name in output]) if output else found


def _without_ellipsis(names: Sequence[str], output: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Subscripts with digits in place of an ellipsis, counted from its end."""
    digits = "9876543210"
    dots = [rank - len(name.replace("...", "")) for name, rank in zip(names, ranks, strict=True)]
    longest = max(extra for name, extra in zip(names, dots, strict=True) if "..." in name)
    given = [
        name.replace("...", digits[len(digits) - extra :] if extra else "")
        for name, extra in zip(names, dots, strict=True)
    ]
    return given, output.replace("...", digits[len(digits) - longest :] if longest else "")


def _summed(x: Any, names: str, wanted: set[str]) -> tuple[Any, str]:
    """The axes summed over that nobody wants."""
    axes = tuple(place for place, name in enumerate(names) if name not in wanted)
    return (np.sum(x, axis=axes) if axes else x), "".join(name for name in names if name in wanted)


def _pair(x: Any, one: str, y: Any, other: str, wanted: set[str]) -> tuple[Any, str]:
    x, one = _summed(x, one, wanted | set(other))
    y, other = _summed(y, other, wanted | set(one))
    both = [name for name in one if name in other]
    batch, inner = [name for name in both if name in wanted], [name for name in both if name not in wanted]
    rows, columns = [name for name in one if name not in both], [name for name in other if name not in both]
    extents = dict(zip(one, x.shape, strict=True))
    if any(extents.setdefault(name, extent) != extent for name, extent in zip(other, y.shape, strict=True)):
        raise UnsupportedConstruct("np.einsum of axes that differ in extent, in the reference")

    def size(part: list[str]) -> int:
        return math.prod(extents[name] for name in part)

    def arranged(part: Any, names: str, rest: list[str]) -> Any:
        turned = np.transpose(part, [names.index(name) for name in (*batch, *inner, *rest)])
        return np.reshape(turned, (size(batch), size(inner), size(rest)))

    order = [*batch, *rows, *columns]
    product = arranged(x, one, rows).contracted(arranged(y, other, columns))
    return np.reshape(product, [extents[name] for name in order]), "".join(order)
