"""Instructions that reduce: tensor_reduce and its relatives."""

from __future__ import annotations

from nkiverify.model.contracts import require
from nkiverify.model.tensor import Tensor


def last_axes(contract: str, data: Tensor, axis: object) -> int:
    """How many last dimensions `axis` names; that it names the last contiguous free ones is claimed as `contract`."""
    rank = data.ndim
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    numbers = sorted(part + rank if part < 0 else part for part in axes if isinstance(part, int))
    legal = len(numbers) == len(axes) > 0 and numbers == list(range(rank - len(numbers), rank)) and numbers[0] >= 1
    require(contract, legal, axis=axis, shape=data.shape)
    if not legal:
        raise ValueError(f"axes {axis!r} are not the last free dimensions of a tensor of {rank} dimensions")
    return len(numbers)
