"""Saying of an output that is not written for which shapes it is not, on one that stores to it: `any N that is no
multiple of 512 fails`.

The smallest shape at fault is often one for which no loop goes round: nothing is stored at all, and no line is to
blame. One more than a whole tile shows the store that should have gone further. What is said of others is proved: that
all that may ever be written leaves something out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nkiverify.analysis.marks.mark_findings import Fault
from nkiverify.analysis.sets.unwritten_sets import unwritten
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.frontend.target import Target
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.model.hardware import Hardware
from nkiverify.model.recorded import Executed
from nkiverify.phases.dataflow.smallest import proved_where
from nkiverify.phases.dataflow.tails import divisors_of, tails
from nkiverify.phases.dataflow.trial import Trial, attempt
from nkiverify.symbolic.conditions import Condition
from nkiverify.verify.shape_search import OracleAnswer, Search
from nkiverify.verify.witness.generalise import others_failing
from nkiverify.verify.witness.sufficient import as_text

#: The contract that this is about.
RULE = "df.output_written"


def storing(
    target: Target,
    program: Program,
    dimensions: Sequence[DomainDimension],
    hardware: Hardware,
    found: Trial,
    seconds: float,
) -> Trial:
    """A run that leaves a part of an output unwritten to which it stores another; `found`, a run with a fault, where
    that is one, or none such is found."""
    if any(one.contract != RULE or _stores(found, one) for one in found.findings.faults):
        return found
    shown = found

    def about(values: dict[str, int], left: float) -> OracleAnswer:
        nonlocal shown
        trial = attempt(target, values, hardware, left, orders=False)
        if any(one.contract == RULE and _stores(trial, one) for one in trial.findings.faults):
            shown = trial
        return OracleAnswer(work=1, continues=shown is found)

    Search(about, seconds, WitnessBudget.SHAPES).through(values for values, _ in tails(program, dimensions))
    return shown


def _stores(trial: Trial, fault: Fault) -> bool:
    """True if anything is stored to the tensor of a fault."""
    executed = (item.operation for item in trial.recorded if isinstance(item, Executed))
    return any(view.storage is fault.storage for one in executed for view in one.writes.values())


def generalised(program: Program, assumed: Sequence[Condition | bool], values: Mapping[str, int]) -> dict[str, str]:
    """The shapes that are known to leave an output unwritten besides `values`, in words, by the name of the dimension
    it is about; `assumed` are the conditions of the domain."""
    known = unwritten(program)
    if known is None:
        return {}
    found = divisors_of(program)
    tiles = {one.atom.name: found.get(one.atom, set()) for one in program.dimensions}
    return others_failing(program.dimensions, values, assumed, tiles, known.holds_for, smallest=False)


def enough(program: Program, hardware: Hardware, trial: Trial, seconds: float) -> tuple[str, ...]:
    """Conditions, as `--where` reads them, under which everything is proved of a kernel of which a run leaves an output
    unwritten: that dimensions are multiples of what they are divided by. Empty where that is not enough."""
    if any(one.contract != RULE for one in trial.findings.faults):
        return ()
    found = divisors_of(program)
    whole = {
        one.atom.name: (one.is_multiple(max(found[one.atom])), max(found[one.atom]))
        for one in program.dimensions
        if found.get(one.atom)
    }
    every = [condition for condition, _ in whole.values() if isinstance(condition, Condition)]
    uneven = [one for name, (one, divisor) in whole.items() if trial.values[name] % divisor]
    alone = [[one] for one in uneven if isinstance(one, Condition)]
    for kept in (*alone, *([every] if len(every) > 1 else [])):
        texts = tuple(as_text(one, program) for one in kept)
        if all(texts) and proved_where(program, kept, hardware.generation, seconds):
            return texts
    return ()
