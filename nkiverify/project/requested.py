"""The verdicts of a request all of whose arguments are given: a derivation with nothing to infer.

Whoever has a request asks here, so that the same is said of it: `check` of what is typed, and of what is inferred where
it needs no smaller domain, with it `init` and `repair`.
"""

from __future__ import annotations

from nkiverify.foundation.clock import now
from nkiverify.foundation.records import Run, Verdict
from nkiverify.project.request import Request
from nkiverify.project.vacuous import counted
from nkiverify.verify.evidence import Told
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify


def verdicts(
    request: Request,
    hardware: str,
    options: Options,
    *,
    several: bool = False,
    reported: Told = lambda runs: None,
) -> list[Run]:
    """The verdicts of a request on one hardware generation, of `several` that are asked about. `reported` hears, each
    time that a phase has its verdict, those that there are.

    Whether the kernel has returned is what the outcome of the request says by then: an execution that is remembered
    says it once.
    """
    begin = now()
    found = verify(request.target(hardware, several), options, reported)
    if request.where and any(run.verdict is Verdict.UNKNOWN or run.is_bounded for run in found):
        from nkiverify.project.by_ways import decided_by_ways  # as late as this: of few checks

        found = decided_by_ways(found, request, hardware, several, options, options.timeout - (now() - begin))
    return counted(found, request, hardware, options.phases)
