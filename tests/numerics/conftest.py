"""Fixtures that the tests of phase 5 share with those of `nkiverify check`."""

from tests.check.conftest import check

__all__ = ["check"]
