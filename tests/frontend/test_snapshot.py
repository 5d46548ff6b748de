"""What a snapshot of a kernel's state holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.frontend.holders import follows_module
from nkiverify.frontend.numeric_modules import as_kernels_see
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.model.stub import stub


def test_what_stands_for_a_module_of_a_library_is_followed_as_that() -> None:
    seen = as_kernels_see(np)
    assert seen is not np
    assert not follows_module(seen)
    found = Snapshot(None, [seen])
    # A kernel can change its containers; its names nothing assigns.
    assert found.knows(np.typecodes)
    assert not found.knows(seen.add)


def test_preparing_a_stub_is_no_state_that_an_iteration_leaves() -> None:
    """A stub is prepared when it is called first: loops in which that was were unrolled, as if they left something."""

    def add(x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> Any: ...

    add.__module__ = "nki.language"
    add = stub(add)
    found = Snapshot(None, [add])
    assert found.opaque is None
    assert add(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32)).sum() == 8
    assert list(found.changes()) == []
