"""`nl.tile_size`: the limits of the hardware the kernel is checked for (reference section a.3, page TS)."""

from __future__ import annotations

from nkiverify.run import current_run


class TileSize:
    """Limits as attributes; names ending in `_bytes` are bytes, `_fmax` elements per partition."""

    @property
    def pmax(self) -> int:
        """Most partitions of a tile."""
        return current_run().hardware.partitions

    @property
    def psum_bank_fmax(self) -> int:
        """float32 elements of a PSUM bank, per partition."""
        return current_run().hardware.psum_bank_fmax

    @property
    def psum_fmax(self) -> int:
        """Deprecated name of `psum_bank_fmax`."""
        return current_run().hardware.psum_bank_fmax

    @property
    def psum_bank_fmax_bytes(self) -> int:
        """Bytes of a PSUM bank, per partition."""
        return current_run().hardware.psum_bank_bytes

    @property
    def psum_num_banks(self) -> int:
        """PSUM banks."""
        return current_run().hardware.psum_banks

    @property
    def gemm_stationary_fmax(self) -> int:
        """Most columns of a matmul's stationary operand."""
        return current_run().hardware.gemm_stationary_fmax

    @property
    def gemm_moving_fmax(self) -> int:
        """Most columns of a matmul's moving operand, as this page has it for every generation."""
        return current_run().hardware.gemm_moving_fmax

    @property
    def bn_stats_fmax(self) -> int:
        """Most elements per partition of the input of bn_stats."""
        return current_run().hardware.bn_stats_fmax

    @property
    def psum_min_align(self) -> int:
        """Alignment of addresses in PSUM, in bytes."""
        return current_run().hardware.psum_min_align

    @property
    def sbuf_min_align(self) -> int:
        """Alignment of addresses in SBUF, in bytes."""
        return current_run().hardware.sbuf_min_align

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of SBUF, all partitions."""
        return current_run().hardware.sbuf_size_bytes

    @property
    def sbuf_fmax_bytes(self) -> int:
        """Usable bytes of SBUF per partition."""
        return current_run().hardware.sbuf_usable_bytes

    @property
    def sbuf_fmax(self) -> int:
        """The same in float32 elements."""
        return current_run().hardware.sbuf_usable_bytes // 4

    @property
    def total_available_sbuf_size(self) -> int:
        """Deprecated name of `sbuf_fmax_bytes`, per partition in spite of its name."""
        return current_run().hardware.sbuf_usable_bytes
