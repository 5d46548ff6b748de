"""Enumerations of the current instruction set, with the documented members and values (page nki.isa)."""

from __future__ import annotations

import enum
import functools


class engine(enum.Enum):  # noqa: N801 (the documented name)
    """The engine an instruction runs on; `unknown` leaves the choice to the compiler."""

    tensor = 1
    vector = 5
    scalar = 2
    gpsimd = 3
    dma = 4
    sync = 6
    unknown = 0

    def __str__(self) -> str:
        return self.name


class reduce_cmd(enum.Enum):  # noqa: N801
    """The command to the reduction registers of an instruction."""

    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3
    load_reduce = 4

    def __str__(self) -> str:
        return self.name


class dge_mode(enum.Enum):  # noqa: N801
    """How the descriptors of a DMA are generated."""

    unknown = 0
    swdge = 1
    hwdge = 2
    none = 3

    def __str__(self) -> str:
        return self.name


class oob_mode(enum.Enum):  # noqa: N801
    """The behaviour of a DMA at an index out of bounds that is known at run time only."""

    error = 0
    skip = 1

    def __str__(self) -> str:
        return self.name


def member_name(value: object) -> str:
    """The name of a member of an enumeration, given as such or by name ("isa.enum_members"); else "none"."""
    return value if isinstance(value, str) else str(getattr(value, "name", "none"))


class matmul_perf_mode(enum.Enum):  # noqa: N801
    """Performance modes of the Tensor Engine."""

    none = "none"
    double_row = "double_row"

    def __str__(self) -> str:
        return self.name


@functools.total_ordering
class nc_version(enum.Enum):  # noqa: N801
    """Generations of the NeuronCore, the older one the lesser. They compare with one another, and with no number."""

    gen2 = 2
    gen3 = 3
    gen4 = 4

    def __str__(self) -> str:
        return self.name

    def __lt__(self, other: object) -> bool:
        return self.value < other.value if isinstance(other, nc_version) else NotImplemented


class dma_engine(enum.Enum):  # noqa: N801
    """The engine that moves the data of a sendrecv."""

    dma = 1
    gpsimd_dma = 2

    def __str__(self) -> str:
        return self.name
