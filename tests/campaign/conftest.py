"""What campaigns try kernels in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.subject import Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A folder for kernels."""
    made = Bench()
    yield made
    made.close()
