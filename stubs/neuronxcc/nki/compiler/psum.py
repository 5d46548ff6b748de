"""Placing tensors in PSUM."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import Allocator
from nkiverify.model.memory import PSUM, MemoryRegion


@legacy_documented
def alloc(func: Any) -> Allocator:
    """Place by `func(idx, pdim_size, fdim_size)`: (bank, start partition, byte address)."""
    return Allocator(PSUM, func)


@legacy_documented
def mod_alloc(
    *,
    base_bank: Any,
    base_addr: Any = 0,
    base_partition: Any = 0,
    num_bank_tiles: Any = (),
    num_par_tiles: Any = (),
    num_free_tiles: Any = (),
) -> Allocator:
    """Place blocks round robin in a number of banks."""
    tiles = {
        "num_bank_tiles": tuple(num_bank_tiles),
        "num_par_tiles": tuple(num_par_tiles),
        "num_free_tiles": tuple(num_free_tiles),
    }
    return Allocator(PSUM, (base_bank, base_partition, base_addr), tiles)


@legacy_documented
def auto_alloc() -> MemoryRegion:
    """The compiler places."""
    return PSUM
