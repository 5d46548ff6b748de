"""The extents of the tensor arguments that are dimensions of the target, so that a message can show them by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.target import Target, Verification
from nkiverify.ir.program import DomainDimension
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent
from nkiverify.symbolic.execution import running


def argument_labels(target: Target, values: Mapping[str, int], hardware: Hardware) -> dict[str, tuple[str, ...]]:
    """Per tensor argument, the name of the dimension that each extent is; empty where it is none or computed.

    The target is executed for it up to the call of its kernel. The kernel itself is never run with numbers that know
    their names: it could tell them from ordinary ones.
    """
    verification = _Labelling(_NamingBinding(values))
    try:
        with running(ConcreteExecution(hardware)):
            target.function(verification)
    except (Exception, UnsupportedConstruct):
        # A target that does more with its kernel than call it: what was labelled before is right all the same.
        pass
    return verification.labels


class _NamedInt(int):
    """The value of a dimension. Arithmetic with it gives ordinary ints."""

    label: str


class _NamingBinding(ConcreteBinding):
    def dimension(self, described: DomainDimension) -> int:
        named = _NamedInt(super().dimension(described))
        named.label = described.atom.name
        return named


class _Called(Exception):
    """The target has come to the call of its kernel."""


class _Labelling(Verification):
    def __init__(self, binding: ConcreteBinding) -> None:
        super().__init__(binding, self.call)
        self.labels: dict[str, tuple[str, ...]] = {}

    def tensor(
        self,
        name: str,
        shape: Sequence[Extent],
        dtype: DType,
        buffer: MemoryRegion = MemoryRegion.shared_hbm,
        *,
        values: tuple[Extent, Extent] | tuple[float, float] | None = None,
        elements: Any = None,
    ) -> Tensor:
        self.labels[name] = tuple(extent.label if isinstance(extent, _NamedInt) else "" for extent in shape)
        return super().tensor(name, shape, dtype, buffer, values=values, elements=elements)

    def call(self, *arguments: Any, grid: Any = None, **options: Any) -> Any:
        raise _Called
