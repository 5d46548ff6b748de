"""Enumerations of the legacy instruction set, with the documented members and values."""

from __future__ import annotations

import enum

from nkiverify.model import isa_enums


class engine(enum.IntEnum):  # noqa: N801
    """The engine an instruction runs on."""

    tensor = 1
    vector = 5
    scalar = 2
    gpsimd = 3
    sync = 6
    unknown = 0


class reduce_cmd(enum.IntEnum):  # noqa: N801
    """The command to the reduction registers of an instruction."""

    idle = 0
    reset = 1
    reset_reduce = 3
    reduce = 2
    #: In no page of the legacy API; its later releases have it, with the value of the current API.
    load_reduce = 4


class dge_mode(enum.IntEnum):  # noqa: N801
    """How the descriptors of a DMA are generated."""

    none = 0
    swdge = 1
    hwdge = 2
    unknown = 3


class oob_mode(enum.IntEnum):  # noqa: N801
    """The behaviour of a DMA at an index out of bounds that is known at run time only."""

    error = 0
    skip = 1


class nc_version(enum.IntEnum):  # noqa: N801
    """Generations of the NeuronCore."""

    gen2 = 2
    gen3 = 3
    # In no page of the legacy API: published kernels of it are launched there as well ("leg.generation").
    gen4 = 4


def as_engine(value: object) -> isa_enums.engine:
    """The engine that a member of `engine`, or its number, stands for."""
    if not isinstance(value, int):
        raise TypeError(f"engine is a member of nki.isa.engine, not {value!r}")
    return isa_enums.engine(int(value))


def as_reduce_cmd(value: object) -> object:
    """The command that a member of `reduce_cmd`, or its number, stands for; anything else as it is."""
    return isa_enums.reduce_cmd(int(value)) if isinstance(value, int) else value
