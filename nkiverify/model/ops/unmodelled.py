"""Operations that are documented and have no model: they can be looked up, and calls are refused with the reason."""

from __future__ import annotations

from nkiverify.model.registry import refused

_NOTHING_SAID = "its page says nothing of it"


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


@refused("nl.gemm_grid").legacy_refused(_NOTHING_SAID)
def _() -> None:
    """Listed without a description."""


@refused("nl.gemm_stationary_grid").legacy_refused(_NOTHING_SAID)
def _() -> None:
    """Listed without a description."""
