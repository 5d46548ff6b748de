"""Functions that are documented and not modelled: calls are refused by name, with the reason."""

from __future__ import annotations

from nkiverify.model.documented import unmodelled

__all__ = ["get_nc_sub_version"]


@unmodelled("the silicon revision is not known before the run")
def get_nc_sub_version() -> int:
    """The silicon revision, 0 or 1."""
    raise NotImplementedError
