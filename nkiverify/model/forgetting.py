"""Numbers that an operation makes unknown, because it does not say what it writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from nkiverify.model.access import Access
from nkiverify.model.contents import overwritten, tracked
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import is_sequence
from nkiverify.model.operation import WRITTEN
from nkiverify.model.tensor import Tensor


def forgetting(function: Callable[..., Any], *, makes_result: bool) -> Callable[..., Any]:
    """`function`, after which the numbers are unknown in all that it writes without saying what: in its operands and,
    where it `makes_result`, in the tile it returns."""
    names = tuple(inspect.signature(function).parameters)
    written = tuple((position, name) for position, name in enumerate(names) if name in WRITTEN)
    if not written and not makes_result:
        return function

    def execute(*args: Any, **kwargs: Any) -> Any:
        operands = [
            operand
            for position, name in written
            for operand in _integers(args[position] if position < len(args) else kwargs.get(name))
        ]
        model = current_execution().model
        before = [model.read(operand.storage) for operand in operands]
        result = function(*args, **kwargs)
        for operand, value in zip(operands, before, strict=True):
            if model.read(operand.storage) is value:
                overwritten(operand)
        if makes_result and isinstance(result, Tensor) and model.read(result.storage) is None:
            overwritten(result)
        return result

    return execute


def _integers(value: Any) -> Iterator[Tensor]:
    """The tensors of integers among the views, or sequences of them, given for a parameter."""
    if isinstance(value, Access):
        value = value.tensor
    if isinstance(value, Tensor):
        if tracked(value.storage):
            yield value
    elif is_sequence(value):
        for part in value:
            yield from _integers(part)
