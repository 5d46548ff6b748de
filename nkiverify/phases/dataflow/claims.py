"""The claims of phase 4, stated in the program at the operations they are about, each with what its proof says.

A claim here is about all elements of an operand: no condition of integers, so that a walk over sets decides it.
"""

from __future__ import annotations

from dataclasses import field

from nkiverify.analysis.sets.flow import Inconclusive, prove
from nkiverify.analysis.sets.proof import Proof, Stated
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.ir.program import SetProof
from nkiverify.model.contracts import contract
from nkiverify.phases.phase import Claimed, Explored, Statement, state


@dataclass(slots=True, eq=False)
class DataflowClaims(Claimed):
    """The result of the walk, and what ended it early, if anything did: then nothing is claimed."""

    proof: Proof = field(default_factory=Proof)
    ended: Inconclusive | None = None


def state_claims(kernel: Explored, seconds: float, operations: int | None) -> DataflowClaims:
    """Put what a proof for all shapes is about into the program; nothing where that is not all of the kernel."""
    if kernel.run.unsupported_construct is not None:
        return DataflowClaims()
    if isinstance(kernel.run, ConcreteExecution):
        # One run says it all.
        return DataflowClaims(ended=Inconclusive("the launch was run with concrete values"))
    program = kernel.run.program
    if operations is None and not program.dimensions:
        # A domain of one shape is decided by one concrete run, if the sets are not simple.
        operations = SetsBudget.OPERATIONS // 16
    try:
        proof = prove(program, kernel.hardware.generation, seconds, operations)
    except Inconclusive as reason:
        return DataflowClaims(str(reason), ended=reason)
    state(program, kernel.run.policy, map(_statement, proof.stated))
    return DataflowClaims(proof=proof)


def _statement(stated: Stated) -> Statement:
    shown = SetProof(stated.reason)
    return Statement(stated.item, contract(stated.contract), not stated.reason, stated.site, by_sets=shown)
