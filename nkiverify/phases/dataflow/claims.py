"""The claims of phase 4, stated in the program beside the operations they are about, each with what its proof says.

A claim here is about all elements of an operand: no condition of integers, so that a walk over sets decides it.
"""

from __future__ import annotations

from dataclasses import field

from nkiverify.analysis.sets.flow import MAX_OPERATIONS, Inconclusive, prove
from nkiverify.analysis.sets.proof import Proof, Stated
from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.concrete_launch import ConcreteLaunch
from nkiverify.ir.program import Claim, Item, Program, SetProof
from nkiverify.ir.walk import insert, last_number
from nkiverify.model.contracts import contract
from nkiverify.model.policy import AppliedPolicy
from nkiverify.phases.phase import Claimed, Explored


@dataclass(slots=True, eq=False)
class DataflowClaims(Claimed):
    """The result of the walk, and what ended it early, if anything did: then nothing is claimed."""

    proof: Proof = field(default_factory=Proof)
    ended: Inconclusive | None = None


def state_claims(kernel: Explored, seconds: float, operations: int | None) -> DataflowClaims:
    """Put what a proof for all shapes is about into the program; nothing where that is not all of the kernel."""
    if kernel.run.unsupported_construct is not None:
        return DataflowClaims()
    if isinstance(kernel.run, ConcreteLaunch):
        # One run says it all.
        return DataflowClaims(ended=Inconclusive("the launch was run in plain Python"))
    program = kernel.run.program
    if operations is None and not program.dimensions:
        # A domain of one shape is decided by one concrete run, if the sets are not simple.
        operations = MAX_OPERATIONS // 16
    try:
        proof = prove(program, kernel.hardware.generation, seconds, operations)
    except Inconclusive as reason:
        return DataflowClaims(str(reason), ended=reason)
    _insert(program, proof, kernel.run.policy)
    return DataflowClaims(proof=proof)


def _insert(program: Program, proof: Proof, policy: AppliedPolicy) -> None:
    about: dict[Item | None, list[Claim]] = {}
    for number, one in enumerate(proof.stated, last_number(program) + 1):
        about.setdefault(one.item, []).append(_claim(number, one, policy))
    insert(program.body, about)
    program.state_first(about.get(None, ()))


def _claim(number: int, stated: Stated, policy: AppliedPolicy) -> Claim:
    rule = contract(stated.contract)
    # Who takes no notice of the proof errs on the safe side.
    severity = policy.severity(rule, stated.site)
    shown = SetProof(stated.reason)
    return Claim(number, rule, not stated.reason, rule.phase, stated.site, "", by_sets=shown, severity=severity)
