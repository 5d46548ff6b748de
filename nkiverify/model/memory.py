"""The memories a tensor can be in."""

from __future__ import annotations

import enum


class MemoryRegion(enum.Enum):
    """Where a tensor is stored (page "nki.language constants", where `hbm` is another name of `private_hbm`)."""

    sbuf = "sbuf"
    psum = "psum"
    private_hbm = "private_hbm"
    shared_hbm = "shared_hbm"

    def __str__(self) -> str:
        return self.value

    @property
    def on_chip(self) -> bool:
        """True if dimension 0 of a tensor there is spread over partitions."""
        return self is SBUF or self is PSUM


SBUF = MemoryRegion.sbuf
PSUM = MemoryRegion.psum
PRIVATE_HBM = MemoryRegion.private_hbm
SHARED_HBM = MemoryRegion.shared_hbm
