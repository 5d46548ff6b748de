"""A contract: one documented rule, as data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from nkiverify.foundation.dataclass import dataclass

#: The legal values of a quantity: names, a number that it is at most, or the name of the quantity that says it.
Taken: TypeAlias = tuple[str, ...] | int | str


class Severity(enum.Enum):
    """The severity of breaking a contract at a place."""

    #: It is FAILED: the claim decides the verdict.
    CLAIM = "claim"
    #: It is warned of: kernels that run on hardware, or pass the vendor's tests, break the contract.
    WARNING = "warning"
    #: It is counted and listed: the user has said why it is right as it is.
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Contract:
    """One documented rule.

    `id` and `source` are those of the reference ("nc_matmul.k_le_128", "nc_matmul:Tile size"); `statement` says the
    rule in one sentence. `api` names the API generations it is documented for: "nki", "neuronxcc" or both. `hardware`
    names the hardware generations it binds, empty for all. `cwe` is set where a weakness class exists for it. `phase`
    is the phase whose claims state it; contracts of phases 1 and 2 both say 1 where stubs state them.

    `contested` is the evidence, from kernels that are shipped and tested, that what the contract forbids works: what
    follows a call that breaks it is modelled as those kernels rely on. Empty for a contract that nothing contradicts.
    `since` is the version of NKI that it holds from on, `until` the first one that it does not hold in any more, as the
    release notes or the migration guide among its sources say; empty where they say nothing.

    `takes` has the legal values of quantities that a claim shows, by their names ("" for all others): names of
    memories, dtypes or members; a number that they are at most; or the name of the quantity that is this number, or
    dtype. Only what is legal on all hardware stands there.

    `limit`: it says what the hardware, or a 32-bit integer, can hold, so that sizes beyond are refused whatever the
    kernel is. Any other upper bound, such as the end of a tensor, is up to the kernel. A `two_sided` one has a least
    size as well.

    `same_elements`: an operation that breaks it touches the elements that it would touch without: what phase 4 says of
    a run does not depend on it.
    """

    id: str
    statement: str
    source: str
    api: tuple[str, ...] = ("nki", "neuronxcc")
    hardware: tuple[str, ...] = ()
    cwe: str = ""
    phase: int = 1
    contested: str = ""
    since: str = ""
    until: str = ""
    takes: Mapping[str, Taken] = field(default_factory=dict, hash=False)
    limit: bool = False
    two_sided: bool = False
    same_elements: bool = False

    @property
    def leaves_elements(self) -> bool:
        """True if what breaks it touches the same elements: so does a wrong memory, dtype, engine or operator."""
        return self.same_elements or (bool(self.takes) and all(type(one) is tuple for one in self.takes.values()))

    @property
    def refuses_large(self) -> bool:
        """True if whatever breaks it is too large for the hardware."""
        return self.limit and not self.two_sided
