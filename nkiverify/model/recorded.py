"""The records of an execution in the shape program for analyses, which engines pass over."""

from __future__ import annotations

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Recorded
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent


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
class Returned(Recorded):
    """The kernel returned these tensors.

    `by_parameter`: it is no kernel of a decorator whose kernels return what they write ("df.output_parameter").
    """

    tensors: tuple[Tensor, ...]
    by_parameter: bool = False
