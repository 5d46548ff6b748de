"""Comparison of mutants that break no contract with their kernels, by what they compute (docs/equivalence.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.model.tensor import Tensor
from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.equivalence import IDENTICAL, OTHER_ROUNDINGS, Comparer
from nkiverify.products.equiv.paired_runs import Side

#: Values of dimensions on which a kernel and its mutant are compared, and seconds of this process after which two are
#: enough.
COMPARED = 4
_ENOUGH = 2
_SECONDS = 4.0

#: What a difference begins with that is not one of values.
ILLEGAL = "illegal"


class _Called(Verification):
    """Calls the kernel once its arguments have been filled, and keeps what it returns."""

    def __init__(self, v: Verification, prepare: Callable[[Mapping[str, Any]], None]) -> None:
        super().__init__(v._binding, v.kernel)
        self._prepare = prepare
        self.result: Any = None

    def call(self, *arguments: Any, grid: Any = None, **options: Any) -> Any:
        """Call the kernel on filled tensors."""
        positional = {_name(value, f"argument_{position}"): value for position, value in enumerate(arguments)}
        self._prepare({**positional, **options})
        self.result = super().call(*arguments, grid=grid, **options)
        return self.result


def _name(value: object, otherwise: str) -> str:
    return value.storage.name or otherwise if isinstance(value, Tensor) else otherwise


class TargetAsked:
    """The kernel of a target with the arguments that the target function makes."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.reference: str = target.kernel
        self.base: Path = target.root

    def call(self, v: Verification, prepare: Callable[[Mapping[str, Any]], None] = lambda values: None) -> Any:
        """Run the target function; what the kernel returned."""
        called = _Called(v, prepare)
        self._target.function(called)
        return called.result


def compared(target: Target, mutant: Target, choices: Iterator[dict[str, int]]) -> tuple[bool | None, str]:
    """True if the mutant computes the same on some legal shapes, and how that is known; None where it is not known.

    The same: over the real numbers and in floating point, and defined where the kernel is. Where nothing is known of
    the real numbers, or other values may be rounded, the same bits in floating point.
    """
    hardware = hardware_named(target.hardware)
    reasons: list[str] = []
    same = 0
    last: dict[str, int] = {}
    tried: list[dict[str, int]] = []
    until = time.process_time() + _SECONDS
    for values in choices:
        if values in tried:
            continue
        tried.append(values)
        try:
            sides = (Side("kernel", TargetAsked(target), values), Side("mutant", TargetAsked(mutant), values))
            found = Comparer(*sides, hardware, 1, None).compare()
        except OutsideDomain:
            continue
        except (UsageError, UnsupportedConstruct) as limit:
            return None, str(limit)
        if (
            found.legal is not None
            and found.legal.answer is EquivalenceAnswer.NO
            and found.legal.text.startswith("kernel: ")
        ):
            # The kernel itself cannot be run on these.
            continue
        different = _different(found)
        if different:
            return False, f"at {values}: {different}"
        unknown = [one.text for one in found.findings() if one.answer is EquivalenceAnswer.UNKNOWN]
        bits = found.floats is not None and found.floats.text.startswith(IDENTICAL)
        if unknown and not (bits and found.reals is not None and found.reals.text == unknown[0]):
            return None, "; ".join(unknown)
        if found.reals is not None and OTHER_ROUNDINGS in found.reals.text and not bits:
            # Less exact, which the tolerance does not show.
            return None, f"at {values}: {OTHER_ROUNDINGS}, {found.floats.text if found.floats is not None else ''}"
        same += 1
        reasons = [f"{one.answer.value}: {one.text}" for one in found.findings()[-2:]]
        last = values
        if same == COMPARED or (same >= _ENOUGH and time.process_time() > until):
            break
    if not same:
        return None, "no legal shape was found"
    return True, f"at {same} shapes, the last of them {last}: {'; '.join(reasons)}"


def _different(found: KernelComparison) -> str:
    named: Sequence[tuple[str, Any]] = (
        (ILLEGAL, found.legal),
        ("defined in less", found.defined),
        ("other values", found.reals),
        ("other values in floating point", found.floats),
    )
    return next(
        (f"{what}: {one.text}" for what, one in named if one is not None and one.answer is EquivalenceAnswer.NO), ""
    )
