"""`nl.tile_size`: the limits of the hardware the kernel is checked for (reference section a.3, page TS)."""

from __future__ import annotations

from nkiverify.foundation.errors import UsageError
from nkiverify.model.contracts import claim_version
from nkiverify.model.current_execution import execution_in_progress
from nkiverify.model.hardware import ALL_HARDWARE


def _limit(name: str) -> int:
    """A limit of the hardware. Kernel modules read some when they are imported, before it is known for which hardware:
    `UsageError` there for one that generations differ in."""
    run = execution_in_progress()
    known = {getattr(hardware, name) for hardware in (ALL_HARDWARE if run is None else (run.hardware,))}
    if len(known) > 1:
        raise UsageError(f"{name} differs between generations of the hardware: read it in the kernel")
    (value,) = known
    return int(value)


def _claim_since(name: str, since: str) -> None:
    if execution_in_progress() is not None:
        claim_version(f"nl.tile_size.{name}", since)


class TileSize:
    """Limits as attributes; names ending in `_bytes` are bytes, `_fmax` elements per partition."""

    @property
    def pmax(self) -> int:
        """Most partitions of a tile."""
        return _limit("partitions")

    @property
    def psum_bank_fmax(self) -> int:
        """float32 elements of a PSUM bank, per partition."""
        _claim_since("psum_bank_fmax", "0.4")
        return _limit("psum_bank_fmax")

    @property
    def psum_fmax(self) -> int:
        """Deprecated name of `psum_bank_fmax`."""
        return _limit("psum_bank_fmax")

    @property
    def psum_bank_fmax_bytes(self) -> int:
        """Bytes of a PSUM bank, per partition."""
        return _limit("psum_bank_bytes")

    @property
    def psum_num_banks(self) -> int:
        """PSUM banks."""
        return _limit("psum_banks")

    @property
    def gemm_stationary_fmax(self) -> int:
        """Most columns of a matmul's stationary operand."""
        return _limit("gemm_stationary_fmax")

    @property
    def gemm_moving_fmax(self) -> int:
        """Most columns of a matmul's moving operand, as this page has it for every generation."""
        return _limit("gemm_moving_fmax")

    @property
    def bn_stats_fmax(self) -> int:
        """Most elements per partition of the input of bn_stats."""
        return _limit("bn_stats_fmax")

    @property
    def psum_min_align(self) -> int:
        """Alignment of addresses in PSUM, in bytes."""
        return _limit("psum_min_align")

    @property
    def sbuf_min_align(self) -> int:
        """Alignment of addresses in SBUF, in bytes."""
        return _limit("sbuf_min_align")

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of SBUF, all partitions."""
        _claim_since("sbuf_size_bytes", "0.4")
        return _limit("sbuf_size_bytes")

    @property
    def sbuf_fmax_bytes(self) -> int:
        """Usable bytes of SBUF per partition."""
        return _limit("sbuf_usable_bytes")

    @property
    def sbuf_fmax(self) -> int:
        """The same in float32 elements."""
        return _limit("sbuf_usable_bytes") // 4

    @property
    def total_available_sbuf_size(self) -> int:
        """Deprecated name of `sbuf_fmax_bytes`, per partition in spite of its name."""
        return _limit("sbuf_usable_bytes")
