"""The programs that ESBMC is given for a target, made again from the sources as they are now."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from nkiverify.foundation.budget import SecondEngineBudget, TargetBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.target import Target
from nkiverify.ir.walk import claims
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options, usable_cores


def programs(root: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """By target, then by what it is, the C that ESBMC is given; nothing for a target that cannot be lowered."""
    chunks = [list(names[start :: usable_cores()]) for start in range(usable_cores())]
    found: dict[str, dict[str, str]] = {}
    # Not forked: the libraries that are loaded here may have threads. A process that a kernel ends costs its programs.
    with (
        contextlib.suppress(BrokenProcessPool),
        ProcessPoolExecutor(len(chunks), mp_context=get_context("spawn")) as pool,
    ):
        for part in pool.map(_of_targets, [root] * len(chunks), chunks):
            found.update(part)
    return found


def _of_targets(root: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
    wanted = set(names)
    found = {}
    for target in load_targets(root):
        if target.name in wanted:
            # What cannot be explored is reported by the verdict, and what a kernel prints is not ours.
            with contextlib.suppress(UnsupportedConstruct, Exception), contextlib.redirect_stdout(sys.stderr):
                found[target.name] = of_target(target, Options(root=root))
    return found


def of_target(target: Target, options: Options) -> dict[str, str]:
    """The programs of one target: phase by phase, divisions by themselves where others rest on them."""
    from nkiverify.engines.esbmc import hypotheses
    from nkiverify.engines.esbmc.flags import read
    from nkiverify.engines.esbmc.lowering import Arithmetic, Plan, TargetLanguage, lower
    from nkiverify.frontend.paths import Limits
    from nkiverify.model.hardware import hardware_named
    from nkiverify.phases import PHASES
    from nkiverify.verify.exploration import explore
    from nkiverify.verify.options import phases_to_run, unwind_of

    bound = unwind_of(target.flags)
    seconds = TargetBudget.SECONDS
    limits = Limits(seconds=seconds) if bound is None else Limits(unwind=bound, seconds=seconds)
    phases = phases_to_run(target, options)
    exploration = explore(target, hardware_named(target.hardware), limits, frozenset(phases))
    program = exploration.run.program
    plan_unwind = read(target.flags).unwind or SecondEngineBudget.UNWIND
    apart = hypotheses.assumes_divisions(program)
    texts = {}
    for phase in phases:
        if not PHASES[phase].for_engines:
            continue
        exploration.claimed(PHASES[phase])
        wanted = [claim for claim, _ in claims(program) if claim.phase == phase or claim.unwinding]
        for of_division in (True, False) if apart else (True,):
            group = [claim.number for claim in wanted if not apart or claim.of_division != of_division]
            if group:
                plan = Plan(TargetLanguage.C, Arithmetic.BIT_VECTORS, plan_unwind, of_division=of_division)
                text = lower(program, group, plan, target.name).text
                title = f"phase {phase}" + ("" if of_division else ", divisions")
                left = len(text) - SecondEngineBudget.CHARACTERS_SHOWN
                more = f"\n… {left} more characters: --keep-lowered DIR writes all of it\n"
                texts[title] = text if left <= 0 else text[:-left] + more
    return texts
