"""`NkiTensor.rearrange`: dimensions split, permuted and merged as two patterns of names say.

A pattern is a tuple of names, one per dimension; a tuple of names in it is one dimension made of several, outermost
first, as in `rearrange(("p", ("a", "b")), ("p", "b", "a"), {"a": 4})`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeVar

from nkiverify.model import views
from nkiverify.model.contracts import require
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, equal, product
from nkiverify.symbolic.execution import unsupported

TensorT = TypeVar("TensorT", bound="Tensor")

#: One dimension of a pattern: the names it is made of.
Group = tuple[str, ...]


def rearrange(tensor: TensorT, src_pattern: object, dst_pattern: object, fixed_sizes: object) -> TensorT:
    """The view whose dimensions are those of `dst_pattern`, where those of `tensor` are called as in `src_pattern`."""
    source, target = _groups(src_pattern), _groups(dst_pattern)
    names = [name for group in source for name in group]
    wanted = [name for group in target for name in group]
    if len(source) != tensor.ndim or len(set(names)) != len(names) or sorted(names) != sorted(wanted):
        _reject(src_pattern, dst_pattern, tensor)
    sizes = _sizes(tensor, source, fixed_sizes, src_pattern, dst_pattern)
    view = tensor
    for dimension in range(len(source) - 1, -1, -1):
        group = source[dimension]
        if len(group) > 1:
            view = views.reshape_dim(view, dimension, [sizes[name] for name in group])
    if names != wanted:
        view = views.permute(view, [names.index(name) for name in wanted])
    for position, group in enumerate(target):
        if len(group) > 1:
            view = views.flatten_dims(view, position, position + len(group) - 1)
    return view


def _groups(pattern: object) -> list[Group]:
    if isinstance(pattern, str) or not is_sequence(pattern):
        raise unsupported("NkiTensor.rearrange with a pattern that is no tuple of names")
    groups: list[Group] = []
    for part in pattern:
        group = (part,) if isinstance(part, str) else tuple(part) if is_sequence(part) else ()
        if not group or not all(isinstance(name, str) for name in group):
            raise unsupported("NkiTensor.rearrange with a pattern that is no tuple of names")
        groups.append(group)
    return groups


def _sizes(
    tensor: Tensor, source: list[Group], fixed_sizes: object, src_pattern: object, dst_pattern: object
) -> dict[str, Extent]:
    """The extent of every name: given, or what is left of its dimension for the only one not given."""
    given: Mapping[str, object] = fixed_sizes if isinstance(fixed_sizes, Mapping) else {}
    if fixed_sizes is not None and not isinstance(fixed_sizes, Mapping):
        raise unsupported("NkiTensor.rearrange with fixed_sizes that is no dictionary")
    sizes: dict[str, Extent] = {}
    for group, extent in zip(source, tensor.shape, strict=True):
        known = {name: size for name in group if name in given and (size := as_extent(given[name])) is not None}
        open_names = [name for name in group if name not in known]
        if len(open_names) > 1:
            _reject(src_pattern, dst_pattern, tensor)
        inner = product(known.values())
        for name in open_names:
            known[name] = extent if len(group) == 1 else extent // inner
        require("view.rearrange", equal(product(known.values()), extent), sizes=dict(known), extent=extent)
        sizes.update(known)
    return sizes


def _reject(src_pattern: object, dst_pattern: object, tensor: Tensor) -> NoReturn:
    require("view.rearrange", False, src=src_pattern, dst=dst_pattern, shape=tensor.shape)
    raise ValueError(f"rearrange cannot take {src_pattern!r} to {dst_pattern!r}")
