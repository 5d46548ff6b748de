"""Operations that are documented and have no model: they can be looked up, and calls are refused with the reason."""

from __future__ import annotations

from nkiverify.model.legacy_enums import engine as engines
from nkiverify.model.registry import refused

_NOTHING_SAID = "its page says nothing of it"
_PLACE_UNKNOWN = "the place is known at run time only"


@refused("nisa.builtin_custom_op").legacy_refused(_NOTHING_SAID)
def _(
    function_name: object,
    lib_file_name: object,
    ulib_to_ucode_version: object,
    ulib_to_isa_version: object,
    srcs: object,
    dsts: object,
    **kwargs: object,
) -> None:
    """Listed without a description."""


@refused("nisa.tensor_copy_dynamic_dst").legacy_refused(_PLACE_UNKNOWN)
def _(
    *,
    dst: object,
    src: object,
    mask: object = None,
    dtype: object = None,
    engine: object = engines.unknown,
    **kwargs: object,
) -> None:
    """A copy to a place known at run time."""


@refused("nisa.tensor_copy_dynamic_src").legacy_refused(_PLACE_UNKNOWN)
def _(
    src: object, *, mask: object = None, dtype: object = None, engine: object = engines.unknown, **kwargs: object
) -> None:
    """A copy from a place known at run time."""


@refused("nisa.dma_engine").legacy_refused(_NOTHING_SAID)
def _() -> None:
    """A constant listed without a description."""


@refused("nl.all_reduce").legacy_refused("when its result is there is not documented")
def _(
    x: object,
    op: object,
    program_axes: object,
    *,
    dtype: object = None,
    mask: object = None,
    parallel_reduce: object = True,
    asynchronous: object = False,
    **kwargs: object,
) -> None:
    """A reduction over the programs of a launch."""


@refused("nl.finfo").legacy_refused(_NOTHING_SAID)
def _(dtype: object) -> None:
    """Limits of a dtype."""


@refused("nl.gemm_grid").legacy_refused(_NOTHING_SAID)
def _() -> None:
    """Listed without a description."""


@refused("nl.gemm_stationary_grid").legacy_refused(_NOTHING_SAID)
def _() -> None:
    """Listed without a description."""
