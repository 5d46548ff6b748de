"""`python -m lab.removal`: each contract is taken out in turn; its wrong control must not fail then.

That is what makes the suite fail for a contract that is missing: `tests/model/test_controls.py` asks that the wrong
kernel of a control breaks its contract. Without the contract, nothing may be reported of that kernel but what its
docstring says it breaks besides. It is SUCCESSFUL then, or UNKNOWN where the model of NKI cannot go on with what the
contract forbids. Exits 1 for a control that still fails, which would show something else than it says.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from nkiverify.analysis.marks.mark_findings import Findings
from nkiverify.analysis.marks.shadow import execute
from nkiverify.analysis.ranges.range_findings import RangeFindings as NumberFindings
from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Claim
from nkiverify.model.contracts import contract
from nkiverify.model.policy import STRICT, Policy
from nkiverify.phases.dataflow import trial
from nkiverify.project.controls import Example, controls
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

_INCONCLUSIVE = (Verdict.UNKNOWN, Verdict.ERROR)


@contextmanager
def without(removed: str) -> Iterator[None]:
    """The checker as it would be if nothing stated the contract of this id."""
    state: Callable[..., None] = Claim.__init__
    violated = ConcreteExecution.violated
    tell: Callable[..., None] = NumberFindings.tell

    def stated(self: Claim, number: int, rule: Contract, condition: object, *more: Any, **named: Any) -> None:
        state(self, number, rule, True if rule.id == removed else condition, *more, **named)

    def noted(self: ConcreteExecution, rule: Contract, site: Site | None, quantities: Mapping[str, object]) -> None:
        if rule.id != removed:
            violated(self, rule, site, quantities)

    def executed(*arguments: Any, **options: Any) -> Findings:
        findings = execute(*arguments, **options)
        findings.faults[:] = [fault for fault in findings.faults if fault.contract != removed]
        return findings

    def told(self: NumberFindings, rule: str, *more: Any) -> None:
        if rule != removed:
            tell(self, rule, *more)

    with (
        patch.object(Claim, "__init__", stated),
        patch.object(ConcreteExecution, "violated", noted),
        patch.object(trial, "execute", executed),
        patch.object(NumberFindings, "tell", told),
    ):
        yield


def verdict_without(removed: str, example: Example) -> Run:
    """The verdict about a kernel in the phase of a contract that has been taken out."""
    phase = 2 if removed.startswith("host.") else contract(removed).phase
    target = example.target()
    with without(removed):
        (run,) = verify(
            target, Options(root=target.root, phases=(phase,), timeout=30, policy=Policy((STRICT,), nki=example.nki))
        )
    return run


def broken_besides(run: Run, example: Example) -> set[str]:
    """The contracts that are reported of the kernel, without those it is said to break besides.

    Nor what the model raises where it cannot go on, which is an exception of the kernel's.
    """
    return {violation.contract for violation in run.violations} - set(example.also) - {"kernel.exception"}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.removal", description=__doc__)
    parser.add_argument("contract", nargs="*", help="ids; default: every contract that has a control")
    options = parser.parse_args(arguments)
    seen: Counter[str] = Counter()
    failing = 0
    for name in options.contract or controls():
        wrong = controls()[name].wrong
        run = verdict_without(name, wrong)
        seen[run.verdict.value] += 1
        broken = broken_besides(run, wrong)
        failing += bool(broken)
        if broken or run.verdict in _INCONCLUSIVE:
            print(f"{name}: {run.verdict.value} {', '.join(sorted(broken)) or run.reason}", flush=True)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(seen.items()))
    print(f"contracts removed: {sum(seen.values())} ({verdicts}), controls that still fail: {failing}")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
