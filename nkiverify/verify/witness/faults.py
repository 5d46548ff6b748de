"""The faults that a concrete run with marks shows, as the violations that are reported of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nkiverify.engines.embedded import Decision, Outcome
from nkiverify.engines.minimise import Witness
from nkiverify.foundation.records import Violation
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Claim, Program
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.phases.dataflow.trial import Seen, Trial, look
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import Rung
from nkiverify.verify.witness.labels import argument_labels
from nkiverify.verify.witness.unwritten import RULE, generalised
from nkiverify.verify.witness.witness_explanation import Circumstances, violation_of


def violations(
    target: Target,
    program: Program,
    hardware: Hardware,
    seconds: float,
    trial: Trial,
    smallest: bool,
    assumed: Sequence[Condition | bool] | None = None,
) -> Iterator[tuple[Seen, Violation]]:
    """The faults that `trial` shows, each with its violation; looking at them again takes this many seconds at most.

    `assumed` are the conditions of the domain, where `program` is about all runs of the kernel.
    """
    labels = argument_labels(target, trial.values, hardware) if trial.values else {}
    for seen in look(target, trial, hardware, seconds):
        values = {dimension.atom.name: trial.values[dimension.atom.name] for dimension in program.dimensions}
        rule = contract(seen.fault.contract)
        quantities = (("tensor", seen.fault.tensor), *seen.fault.quantities)
        claim = Claim(0, rule, False, rule.phase, seen.site, "", quantities)
        decision = Decision(claim, Outcome.REFUTED, Rung.CONSTANT, ())
        witness = Witness(values, {}, smallest=smallest)
        about = assumed is not None and values and seen.fault.contract == RULE
        known = Circumstances(
            replayed=True,
            observation=seen.observation,
            labels=labels,
            generalises=generalised(program, assumed, values) if about and assumed is not None else {},
            made=seen.fault.made,
        )
        yield seen, violation_of(decision, witness, program, known)
