"""Generations of the hardware and their limits.

Numbers are those of the architecture pages (A2: Trainium/Inferentia2, A3: Trainium2, A4: Trainium3) and of the
`nl.tile_size` page (TS). The usable part of an SBUF partition is not printed there: 180224 bytes on gen2 is documented
for the legacy allocators (LDA), the values for gen3 and gen4 are the ones the compiler's public front end uses. The
memory of a device, 32, 96 and 144 GiB, is that of the device pages (DP: "Device memory"; A3: "4 HBM stacks with a total
device memory capacity of 96GiB").
"""

from __future__ import annotations

import re

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError

_KIB = 1024
_GIB = 2**30

#: The name of the silicon revision among the dimensions of a run, which no kernel's dimension can have; and what to say
#: of a run that has no value for it.
REVISION = "nisa.get_nc_sub_version()"
REVISION_UNKNOWN = "the silicon revision, which is not known before the run"


@dataclass(frozen=True, slots=True)
class Rates:
    """Documented rates of one core: with the fastest the documents name, a bound of time is a lower one.

    Sources: the device pages of the Neuron documentation ("AWS Trainium, Trainium2, Trainium3: compute", DP), divided
    by the cores of a device; DMA engines and their bandwidth ("Introduction to DMA with NKI", DMA); clocks and elements
    a cycle (A2, A3, A4: the tables "Compute Engine Specifications").
    """

    #: Floating-point operations a second of the tensor engine on 2-byte operands, 2 for each multiplication (DP).
    tensor_flops: float
    #: DMA engines of a core (DMA).
    dma_engines: int
    #: Bytes that one of them moves in a second (DMA).
    dma_engine_bytes: float
    #: Cycles a second (A2 to A4).
    vector_hertz: float
    scalar_hertz: float
    gpsimd_hertz: float
    #: Elements of a partition that the vector and the scalar engine take in a cycle at most: those of 2 bytes, on trn3
    #: of one byte as well (A2; A3, "performance mode"; A4).
    vector_elements: int
    scalar_elements: int = 1

    @property
    def columns(self) -> float:
        """Columns of a moving operand of 128 partitions that the tensor engine takes in a second."""
        return self.tensor_flops / (2 * 128 * 128)

    @property
    def dma_bytes(self) -> float:
        """Bytes a second that all DMA engines of a core move."""
        return self.dma_engines * self.dma_engine_bytes


@dataclass(frozen=True, slots=True)
class Hardware:
    """One generation. Sizes ending in `_bytes` are in bytes, `_fmax` in elements of the free axes per partition."""

    name: str
    generation: int
    aliases: tuple[str, ...]
    sbuf_partition_bytes: int
    sbuf_usable_bytes: int
    #: Most columns of a matmul's moving operand into a 4-byte destination, and into a 2-byte one.
    matmul_moving_fmax: tuple[int, int]
    #: HBM of a device, of all its cores.
    device_memory_bytes: int
    rates: Rates
    partitions: int = 128
    psum_banks: int = 8
    psum_bank_bytes: int = 2 * _KIB
    gemm_stationary_fmax: int = 128
    gemm_moving_fmax: int = 512
    bn_stats_fmax: int = 512
    psum_min_align: int = 4
    sbuf_min_align: int = 1

    def moving_fmax(self, destination_itemsize: int) -> int:
        """Most columns of a matmul's moving operand where the result has elements of this size (in bytes)."""
        wide, narrow = self.matmul_moving_fmax
        return narrow if destination_itemsize == 2 else wide

    @property
    def psum_bank_fmax(self) -> int:
        """float32 elements of one PSUM bank, per partition."""
        return self.psum_bank_bytes // 4

    @property
    def psum_partition_bytes(self) -> int:
        """Bytes of PSUM per partition, all banks."""
        return self.psum_banks * self.psum_bank_bytes

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of SBUF, all partitions."""
        return self.partitions * self.sbuf_partition_bytes

    def __str__(self) -> str:
        return self.name


TRN1 = Hardware(
    "trn1",
    2,
    ("inf2", "gen2"),
    sbuf_partition_bytes=192 * _KIB,
    sbuf_usable_bytes=176 * _KIB,
    matmul_moving_fmax=(512, 512),
    device_memory_bytes=32 * _GIB,
    rates=Rates(
        190e12 / 2,
        16,
        27.2e9,
        vector_hertz=1.12e9,
        scalar_hertz=1.4e9,
        gpsimd_hertz=1.4e9,
        vector_elements=1,
    ),
)
TRN2 = Hardware(
    "trn2",
    3,
    ("gen3",),
    sbuf_partition_bytes=224 * _KIB,
    sbuf_usable_bytes=224 * _KIB - 16 * _KIB - 8,
    matmul_moving_fmax=(512, 512),
    device_memory_bytes=96 * _GIB,
    rates=Rates(
        667e12 / 8,
        16,
        27.2e9,
        vector_hertz=0.96e9,
        scalar_hertz=1.2e9,
        gpsimd_hertz=1.2e9,
        vector_elements=4,
    ),
)
TRN3 = Hardware(
    "trn3",
    4,
    ("gen4",),
    sbuf_partition_bytes=256 * _KIB,
    sbuf_usable_bytes=256 * _KIB - 16 * _KIB - 8,
    matmul_moving_fmax=(4096, 8192),
    device_memory_bytes=144 * _GIB,
    rates=Rates(
        671e12 / 8,
        16,
        38.4e9,
        vector_hertz=1.2e9,
        scalar_hertz=1.2e9,
        gpsimd_hertz=1.2e9,
        vector_elements=4,
        scalar_elements=2,
    ),
)

#: Every generation, oldest first.
ALL_HARDWARE: tuple[Hardware, ...] = (TRN1, TRN2, TRN3)
DEFAULT_HARDWARE = TRN2


def hardware_named(name: str) -> Hardware:
    """The generation with this name or alias ("trn2", "gen3", "inf2"); `UsageError` where there is none."""
    for hardware in ALL_HARDWARE:
        if name == hardware.name or name in hardware.aliases:
            return hardware
    known = ", ".join(hardware.name for hardware in ALL_HARDWARE)
    raise UsageError(f"unknown hardware generation {name!r}: choose one of {known}")


def hardware_asked_for(contract: str, message: str) -> str:
    """The oldest hardware that has what a contract like `quantize_mx.gen4` asks for by its id, where the message of its
    violation says that it is broken on an older one; empty for any other violation."""
    needed, present = re.search(r"[._]gen(\d+)$", contract), re.search(r"\bgeneration = (\d+)", message)
    if needed is None or present is None or int(needed[1]) <= int(present[1]):
        return ""
    return next((one.name for one in ALL_HARDWARE if one.generation >= int(needed[1])), "")
