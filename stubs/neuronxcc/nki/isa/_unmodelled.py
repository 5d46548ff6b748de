"""Functions that are documented and not modelled: calls are refused by name, with the reason."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import unmodelled

from . import engine

__all__: list[str] = [
    "builtin_custom_op",
    "dma_engine",
    "dma_transpose",
    "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
]


@unmodelled("its page says nothing of it")
def builtin_custom_op(
    function_name: Any,
    lib_file_name: Any,
    ulib_to_ucode_version: Any,
    ulib_to_isa_version: Any,
    srcs: Any,
    dsts: Any,
    **kwargs: Any,
) -> Any:
    """Listed without a description."""


@unmodelled("its page does not say which shapes and memories are legal")
def dma_transpose(src: Any, *, axes: Any = None, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """A DMA that transposes."""


@unmodelled("the place is known at run time only")
def tensor_copy_dynamic_dst(
    *, dst: Any, src: Any, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **kwargs: Any
) -> Any:
    """A copy to a place known at run time."""


@unmodelled("the place is known at run time only")
def tensor_copy_dynamic_src(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **kwargs: Any
) -> Any:
    """A copy from a place known at run time."""


@unmodelled("its page says nothing of it")
def dma_engine() -> Any:
    """A constant listed without a description."""
