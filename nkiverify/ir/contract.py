"""A contract: one documented rule, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contract:
    """One documented rule.

    `id` and `source` are those of the reference ("nc_matmul.k_le_128", "nc_matmul:Tile size"); `statement` says the
    rule in one sentence. `api` names the API generations it is documented for: "nki", "neuronxcc" or both. `hardware`
    names the hardware generations it binds, empty for all. `cwe` is set where a weakness class exists for it. `phase`
    is the phase whose claims state it; contracts of phases 1 and 2 alike say 1 where stubs state them.
    """

    id: str
    statement: str
    source: str
    api: tuple[str, ...] = ("nki", "neuronxcc")
    hardware: tuple[str, ...] = ()
    cwe: str = ""
    phase: int = 1
