"""Tensors of the current API: what kernels can do with a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.model import access_patterns, indexing, indirection, operators_on_tiles, views
from nkiverify.model.contents import is_whole
from nkiverify.model.current_execution import execution_in_progress
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import Extent
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from typing_extensions import Self


class NkiTensor(Tensor):
    """`nki.language.NkiTensor`: views of it, and what Python's protocols mean on it."""

    __slots__ = ()

    def __getitem__(self, key: object) -> Any:
        return indexing.index(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        operators_on_tiles.assign(self[key], value)

    # Views.

    def permute(self, dims: Sequence[int]) -> Self:
        """Dimensions in another order."""
        return views.permute(self, dims)

    def broadcast(self, dim: int, size: Extent) -> Self:
        """Dimension `dim`, of extent 1, repeated `size` times without a copy."""
        return views.broadcast(self, dim, size)

    def expand_dim(self, dim: int) -> Self:
        """A dimension of extent 1 inserted at `dim`."""
        return views.expand_dim(self, dim)

    def squeeze_dim(self, dim: int) -> Self:
        """Dimension `dim`, of extent 1, removed."""
        return views.squeeze_dim(self, dim)

    def reshape_dim(self, dim: int, shape: Sequence[Extent]) -> Self:
        """Dimension `dim` split into several."""
        return views.reshape_dim(self, dim, shape)

    def flatten_dims(self, start_dim: int, end_dim: int) -> Self:
        """Dimensions `start_dim` to `end_dim`, both included, merged into one."""
        return views.flatten_dims(self, start_dim, end_dim)

    def reshape(self, shape: Sequence[Extent]) -> Self:
        """The same elements in another shape."""
        return views.reshape(self, shape)

    def rearrange(self, src_pattern: object, dst_pattern: object, fixed_sizes: object = None) -> Self:
        """Dimensions split, permuted and merged as two patterns of names say."""
        from nkiverify.model.rearrangement import rearrange  # as late as this: few kernels ask for it

        return rearrange(self, src_pattern, dst_pattern, fixed_sizes)

    def slice(self, dim: int, start: Extent, end: Extent, step: Extent = 1) -> Self:
        """Elements `start` to `end` (excluded) of dimension `dim`, every `step`-th."""
        return views.slice_dim(self, dim, start, end, step)

    def select(self, dim: int, index: object) -> Self:
        """Element `index` of dimension `dim`, which goes away."""
        return views.select(self, dim, index)

    def vector_select(self, dim: int, vector_offset: object) -> Self:
        """Rows chosen by a tensor of indices."""
        return indirection.vector_select(self, dim, vector_offset)

    def ap(
        self,
        pattern: Sequence[Sequence[Extent]],
        offset: Extent | None = None,
        scalar_offset: object = None,
        vector_offset: object = None,
        indirect_dim: int = 0,
        dtype: object = None,
    ) -> Self:
        """The storage seen through an access pattern: pairs of step and count, in elements of `dtype`."""
        element = self.dtype if dtype is None else declared_dtype(dtype)
        return access_patterns.access_pattern(
            self, pattern, offset, scalar_offset, vector_offset, indirect_dim, element
        )

    def view(self, dtype: object) -> Self:
        """The same bytes as elements of another dtype."""
        return views.reinterpret(self, declared_dtype(dtype))

    def reinterpret_cast(self, *args: object, **kwargs: object) -> NoReturn:
        """Listed without a description."""
        raise unsupported("NkiTensor.reinterpret_cast", "use view(dtype)")

    def indirect(self, index: object, num_elem: object = None) -> Self:
        """Free elements chosen by a tensor of indices (gen4)."""
        return indirection.indirect(self, index, num_elem)

    def is_contiguous(self) -> Any:
        """True if the elements lie without gaps in row-major order; on chip, inside each partition."""
        return views.is_contiguous(self)

    def is_indirect(self) -> bool:
        """True if the view's place depends on a tensor or register of indices."""
        return self.indirect_by is not None

    def get_pattern(self) -> list[list[Extent]]:
        """Pairs of stride and count, dimension by dimension."""
        return [[stride, count] for stride, count in zip(self.strides, self.shape, strict=True)]

    @property
    def base_tensor(self) -> Self:
        """The tensor that this is a view of: no page names it, and published kernels ask whole tensors for it."""
        if not is_whole(self):
            raise unsupported("NkiTensor.base_tensor of a view, which is not documented")
        return self

    # Python protocols that would go wrong quietly.

    def __iter__(self) -> NoReturn:
        raise unsupported("iterating over a tensor", "index it in a loop over a range")

    def __len__(self) -> NoReturn:
        raise unsupported("len() of a tensor", "use its shape")

    def __bool__(self) -> bool:
        # No page gives it a truth value, or a length: it is true as any object, and kernels ask whether one was given.
        return True

    def __repr__(self) -> str:
        run = execution_in_progress()
        return super().__repr__() + ("" if run is None else run.elements.shown(self))


def _no_operator(symbol: str) -> Any:
    def operator(self: NkiTensor, other: object = None) -> NoReturn:
        raise unsupported(f"the operator {symbol} on a tensor of the current API", "use an nki.isa instruction")

    return operator


for _name, _symbol in (
    ("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("mod", "%"), ("pow", "**"), ("and", "&"), ("or", "|"),
    ("xor", "^"), ("lshift", "<<"), ("rshift", ">>"), ("matmul", "@"),
):  # fmt: skip
    setattr(NkiTensor, f"__{_name}__", _no_operator(_symbol))
    setattr(NkiTensor, f"__r{_name}__", _no_operator(_symbol))
for _name, _symbol in (("neg", "-"), ("invert", "~"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    setattr(NkiTensor, f"__{_name}__", _no_operator(_symbol))
