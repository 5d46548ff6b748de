"""What a snapshot of a kernel's state holds."""

from __future__ import annotations

import numpy as np

from nkiverify.frontend.holders import follows_module
from nkiverify.frontend.numeric_modules import as_kernels_see
from nkiverify.frontend.snapshot import Snapshot


def test_what_stands_for_a_module_of_a_library_is_followed_as_that() -> None:
    seen = as_kernels_see(np)
    assert seen is not np
    assert not follows_module(seen)
    found = Snapshot(None, [seen])
    # A kernel can change its containers; its names nothing assigns.
    assert found.knows(np.typecodes)
    assert not found.knows(seen.add)
