"""Which contracts the targets of a manifest exercise, and which controls break each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nkiverify.controls import Control, controls
from nkiverify.errors import UnsupportedConstruct
from nkiverify.exploration import explore
from nkiverify.frontend.paths import Limits
from nkiverify.manifest import Target
from nkiverify.model.contracts import Contract, all_contracts
from nkiverify.model.hardware import hardware_named


@dataclass(frozen=True, slots=True)
class Covered:
    """One contract: the targets in whose run it is claimed, and its control, if it has one."""

    contract: Contract
    targets: tuple[str, ...]
    control: Control | None


def coverage(targets: Sequence[Target]) -> list[Covered]:
    """What is exercised, contract by contract. Targets are executed symbolically; nothing is decided."""
    claimed: dict[str, dict[str, None]] = {}
    for target in targets:
        for contract in _claimed(target):
            claimed.setdefault(contract, {})[target.name] = None
    pairs = controls()
    return [Covered(rule, tuple(claimed.get(rule.id, ())), pairs.get(rule.id)) for rule in all_contracts()]


def _claimed(target: Target) -> set[str]:
    """The contracts that a run of `target` claims."""
    try:
        exploration = explore(target, hardware_named(target.hardware), Limits())
    except UnsupportedConstruct:
        return set()
    return {claim.contract.id for claim, _ in exploration.run.program.claims()}
