"""The records of an execution in the shape program for analyses, which engines pass over."""

from __future__ import annotations

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Block, Recorded
from nkiverify.ir.walk import of_kind
from nkiverify.model.operation import Operation
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Index, Term


@dataclass(frozen=True, slots=True, eq=False)
class Executed(Recorded):
    """An operation is executed at `site`; `calls` are the kernel's calls that lead to it, outermost first."""

    operation: Operation
    site: Site | None
    calls: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Allocation(Recorded):
    """A storage is allocated at `site`, by the program of a launch grid with these coordinates."""

    storage: Storage
    site: Site | None
    program: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DeviceLoop(Recorded):
    """The body of a device loop begins or ends: what is between is executed once in each of its rounds."""

    body: LoopBody
    begins: bool


@dataclass(frozen=True, slots=True, eq=False)
class Returned(Recorded):
    """The kernel returned these tensors.

    `by_parameter`: it is no kernel of a decorator whose kernels return what they write ("df.output_parameter").
    """

    tensors: tuple[Tensor, ...]
    by_parameter: bool = False


def programs(block: Block) -> tuple[Index, ...]:
    """The coordinates of the program that stands for all of a launch."""
    found: dict[Index, None] = {}
    for item in of_kind(block, Executed):
        for coordinate in item.operation.program:
            if isinstance(coordinate, Term):
                found.update(dict.fromkeys(atom for atom in coordinate.atoms if isinstance(atom, Index)))
    return tuple(found)
