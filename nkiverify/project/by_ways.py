"""Verifying a kernel, where the whole of a domain is open, on each way through its disjunctions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.foundation.clock import now
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.domain.syntax import parse
from nkiverify.project.request import Request
from nkiverify.project.ways import verdicts_by_ways, ways_through
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify


def is_open(run: Run) -> bool:
    """True if a verdict is none about all shapes."""
    open_or_bounded = run.verdict is Verdict.UNKNOWN or run.is_bounded
    return open_or_bounded and run.engine == EmbeddedEngine.name


def decided_by_ways(
    runs: Sequence[Run], request: Request, hardware: str, several: bool, options: Options, seconds: float
) -> list[Run]:
    """`runs`, those that are open decided on the ways through the conditions of `--where`, where they are within so
    many seconds: all have to be proved, and one may fail."""
    phases = tuple(run.phase for run in runs if is_open(run))
    ways = ways_through([text.content for text, _ in request.where])
    if not ways or not phases:
        return list(runs)
    end = now() + seconds
    failed: dict[int, Run] = {}

    def verdicts() -> Iterator[Sequence[Run]]:
        for number, way in enumerate(ways):
            share = max(0.0, end - now()) / (len(ways) - number)
            asked = replace(options, phases=phases, engine="embedded", timeout=share, share_of=options.timeout)
            where = tuple(parse("--where", text) for text in way)
            found = verify(replace(request, where=where).target(hardware, several), asked)
            failed.update((run.phase, _of_all(run)) for run in found if run.verdict is Verdict.FAILED)
            yield found

    decided = {run.phase: run for run in verdicts_by_ways(verdicts())} or failed
    return [
        replace(decided[run.phase], assumptions=run.assumptions, milliseconds=run.milliseconds)
        if is_open(run) and run.phase in decided
        else run
        for run in runs
    ]


def _of_all(run: Run) -> Run:
    """The failure of one way, without what is known on that way alone: which other shapes fail, and which do not."""
    violations = tuple(replace(one, smallest=False, generalises={}) for one in run.violations)
    return replace(run, violations=violations, suffices=())
