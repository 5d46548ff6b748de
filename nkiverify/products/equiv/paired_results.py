"""The results of two kernels, tensor by tensor."""

from __future__ import annotations

import enum
from collections import deque
from typing import Any

import numpy as np

from nkiverify.analysis.values.asked_kernel import AskedKernel, contents
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import DType
from nkiverify.model.returned import Above, Leaf, Path, ambiguous, leaves, uniquely_named
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.substitution import is_plain

#: Containers that are leaves of a result, as nothing is in them.
_EMPTY = (tuple, list, dict, set, frozenset, deque)


@dataclass(frozen=True, slots=True)
class Output:
    """One tensor of the results of each kernel, by its name; the second one is seen in the shape of the first."""

    name: str
    tensors: tuple[Tensor, Tensor]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first one."""
        return tuple(map(int, self.tensors[0].shape))

    @property
    def other_shape(self) -> tuple[int, ...]:
        """The shape of the second one."""
        return tuple(map(int, self.tensors[1].shape))

    def elements(self, both: tuple[AskedKernel, AskedKernel]) -> tuple[Array, Array]:
        """The stored elements in both kernels, (lanes, *shape)."""
        one, two = (
            contents(execution.elements, tensor)[0] for execution, tensor in zip(both, self.tensors, strict=True)
        )
        return one, two.reshape(two.shape[0], *self.shape)

    def marks(self, both: tuple[AskedKernel, AskedKernel]) -> tuple[Array, Array]:
        """The marks of both kernels: 0 where an element is defined."""
        one, two = (_marks(execution, tensor) for execution, tensor in zip(both, self.tensors, strict=True))
        return one, two.reshape(self.shape)

    def defined(self, both: tuple[AskedKernel, AskedKernel]) -> Array:
        """Where both kernels define it."""
        one, two = self.marks(both)
        return np.asarray((one == 0) & (two == 0))


class OtherResults(Exception):
    """The results of the kernels differ in something else than the elements of tensors."""


def outputs_of_reference(both: tuple[AskedKernel, AskedKernel]) -> list[Output]:
    """The results that the kernel leaves behind, in order, with what a reference returned. Raises `OtherResults`."""
    mine, other = both[0].outputs(), both[1].results()
    if len(mine) != len(other):
        raise OtherResults(f"the kernel leaves {len(mine)} tensors, and the reference returns {len(other)}")
    return [Output(name, (one, two)) for (name, one), (_, two) in zip(mine, other, strict=True)]


def outputs_of(both: tuple[AskedKernel, AskedKernel]) -> list[Output]:
    """The results of the kernels at the same place, then what either of them did to its arguments.

    An argument that only one of them wrote is an output of both: the other one leaves it as it was. Raises
    `OtherResults`, and `UnsupportedConstruct` where results cannot be looked into.
    """
    first, second = (_by_path(execution.result) for execution in both)
    for mine, other, which in ((first, second, "first"), (second, first, "second")):
        for path, leaf in mine.items():
            if path not in other:
                raise OtherResults(f"only the {which} kernel returns {leaf.place}")
    for path, leaf in first.items():
        _compare_but_for_elements(leaf, second[path].value)
    tensors = [leaf for leaf in first.values() if isinstance(leaf.value, Tensor)]
    found = [
        Output(name, (one, second[leaf.path].value))
        for (name, one), leaf in zip(uniquely_named("result", tensors), tensors, strict=True)
    ]
    others = both[0].written ^ both[1].written
    for execution in both:
        outputs = [*(leaf.value for leaf in _by_path(execution.result).values()), *dict(execution.changed()).values()]
        others |= {
            position
            for position, tensor in enumerate(execution.arguments.values())
            if any(tensor is output for output in outputs)
        }
    arguments = zip(both[0].changed(others), both[1].changed(others), strict=True)
    return found + [Output(name, (one, two)) for (name, one), (_, two) in arguments]


def _by_path(result: Any) -> dict[Path, Leaf]:
    """The results of a kernel, by the way to it."""
    found: dict[Path, Leaf] = {}
    for leaf in leaves(result):
        if found.setdefault(leaf.path, leaf) is not leaf:
            raise ambiguous(leaf)
    return found


def _compare_but_for_elements(leaf: Leaf, other: Any) -> None:
    """Raise unless both are tensors, or the same plain value."""
    one = leaf.value
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        if not (isinstance(one, Tensor) and isinstance(other, Tensor)):
            raise OtherResults(f"{leaf.place} is a tensor in one of the kernels only")
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.dtype != other.dtype or not np.array_equal(one, other):
            raise OtherResults(f"{leaf.place} is another array")
    elif type(one) is type(other) and (is_plain(one) or isinstance(one, Above | DType)):
        if one != other and not (one != one and other != other):
            raise OtherResults(f"{leaf.place} is {one!r} and {other!r}")
    elif is_plain(one) and is_plain(other) and not isinstance(one, enum.Enum):
        raise OtherResults(f"{leaf.place} is {one!r} and {other!r}")
    elif not (isinstance(one, _EMPTY) and isinstance(other, _EMPTY)):
        raise unsupported(f"{leaf.place} in what the kernels return: comparing objects of type {type(one).__name__}")


def _marks(execution: AskedKernel, tensor: Tensor) -> Array:
    marks = contents(execution.elements, tensor)[1]
    return np.zeros(tuple(map(int, tensor.shape)), dtype=np.uint32) if marks is None else marks
