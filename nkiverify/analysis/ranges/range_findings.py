"""The findings of a run about its numbers: the operations that give infinities, NaN, or integers beyond their dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field

import numpy as np

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation
from nkiverify.foundation.source import Site

OVERFLOW, INVALID, DIVISION, INTEGER = "num.overflow", "num.invalid", "num.division", "num.integer"
MASKED = "num.masked"


#: A finite number that a select fills in stands for -inf from here on.
_FILL = -1000.0


def is_fill(number: float) -> bool:
    """True if a number that a select fills in is one for what is masked."""
    return math.isfinite(number) and number <= _FILL


@dataclass(frozen=True, slots=True)
class ElementFault:
    """A fault of an operation with an element, the first that has it: `operands` are its numbers, or ranges.

    `element` counts partitions and elements per partition of what is computed; empty where it may be any.
    """

    contract: str
    operation: str
    function: str
    site: Site | None
    element: tuple[int, ...]
    operands: str

    @property
    def key(self) -> tuple[str, Site | None]:
        """Of all elements of a line one is reported."""
        return self.contract, self.site

    def __str__(self) -> str:
        if not self.element:
            return f"{self.function} of {self.operands}, in {self.operation}"
        place = ", ".join(map(str, self.element))
        return f"{self.function} of {self.operands}, at [{place}] of {self.operation}"


@dataclass(slots=True)
class RangeFindings:
    """The findings of a run, with the operation in progress. `fills`: it reads no tensor, what it writes is meant.

    `everywhere`: what is computed stands for all elements.
    """

    operation: str = ""
    site: Site | None = None
    fills: bool = False
    #: Whether a number that may be anything was stored: then something was found, or is not followed.
    lost: bool = False
    #: The contract, and the file and line, at which a run is to stop by `ContractViolation`.
    stop: tuple[str, str, int] | None = None
    found: dict[tuple[str, Site | None], ElementFault] = field(default_factory=dict)
    everywhere: bool = False
    #: The first finite number that a select fills in for what is masked, with its line; their least magnitude.
    first_fill: tuple[float, str, Site | None] | None = None
    filled: float = math.inf
    #: Where a mask leaves elements of the results of the operation; the others are computed, and not kept.
    left: tuple[Array, ...] = ()

    def adopt(self, others: RangeFindings) -> None:
        """Add findings that were kept apart from these."""
        for key, finding in others.found.items():
            self.found.setdefault(key, finding)
        self.lost |= others.lost
        self.first_fill = self.first_fill or others.first_fill
        self.filled = min(self.filled, others.filled)

    def fill(self, number: float) -> None:
        """A number is filled in for what is masked."""
        if is_fill(number):
            self.first_fill = self.first_fill or (number, self.operation, self.site)
            self.filled = min(self.filled, abs(number))

    def counted(self, where: Array) -> Array:
        """The elements among these that a mask of the operation leaves."""
        for left in self.left:
            if left.size == where.size:
                return np.asarray(where & left.reshape(where.shape))
        return where

    def tell(self, contract: str, function: str, where: Array, operands: Callable[[tuple[int, ...]], str]) -> None:
        """An operation is at fault `where` this holds."""
        where = self.counted(where)
        if not where.any() or (contract, self.site) in self.found:
            return
        at = np.unravel_index(int(np.argmax(where)), where.shape)
        element = tuple(int(part) for part in at)
        shown = () if self.everywhere else element
        found = ElementFault(contract, self.operation, function, self.site, shown, operands(element))
        self.found[found.key] = found
        site = self.site
        if self.stop is not None and self.stop == (contract, *((site.file, site.line) if site else ("", 0))):
            raise ContractViolation(contract, str(found), site)
