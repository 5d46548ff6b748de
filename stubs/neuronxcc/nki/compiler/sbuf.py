"""Placing tensors in SBUF."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import Allocator
from nkiverify.model.memory import SBUF, MemoryRegion


@legacy_documented
def alloc(func: Any) -> Allocator:
    """Place by `func(idx, pdim_size, fdim_size)`: (start partition, byte address)."""
    return Allocator(SBUF, func)


@legacy_documented
def mod_alloc(
    *, base_addr: Any, base_partition: Any = 0, num_par_tiles: Any = (), num_free_tiles: Any = ()
) -> Allocator:
    """Place blocks round robin in a number of physical tiles."""
    tiles = {"num_par_tiles": tuple(num_par_tiles), "num_free_tiles": tuple(num_free_tiles)}
    return Allocator(SBUF, (base_partition, base_addr), tiles)


@legacy_documented
def auto_alloc() -> MemoryRegion:
    """The compiler places."""
    return SBUF
