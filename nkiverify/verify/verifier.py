"""Verifying one target: by the rules of the strategy, with whatever goes wrong as a verdict too."""

from __future__ import annotations

import time
import traceback
from dataclasses import replace

from nkiverify.execute.runner import remembering
from nkiverify.foundation.clock import counting
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError, described
from nkiverify.foundation.kernel_text import harmless, with_texts
from nkiverify.foundation.process import with_room
from nkiverify.foundation.records import Basis, Run
from nkiverify.foundation.source import identity
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.explorer import TOO_DEEP, TargetRaised
from nkiverify.frontend.guard import allow, refused_in
from nkiverify.frontend.seen import imported_from, read_by
from nkiverify.frontend.target import Target
from nkiverify.ir.walk import claims
from nkiverify.model.policy import applied
from nkiverify.verify.case import Case, limited, run_of
from nkiverify.verify.evidence import Told
from nkiverify.verify.options import Options, phases_to_run
from nkiverify.verify.rule_ids import check_comments
from nkiverify.verify.strategy import all_runs
from nkiverify.verify.tolerated import accepted_warnings, qualified


@with_room
@of_stage(Stage.DECIDING)
def verify(target: Target, options: Options, reported: Told = lambda runs: None) -> list[Run]:
    """The verdict of `target` in each phase that `options` asks for. Raises nothing but
    KeyboardInterrupt and SystemExit.

    `reported` hears, each time that the embedded engine has a verdict about one more phase, those that there are. Texts
    of the kernel's in them are harmless wherever they are shown.
    """
    allow(options.allowed)
    assumed = options.allowed.assumed()
    files = [str((target.root / target.kernel.partition("::")[0]).resolve()), target.file]

    #: The runs with their texts made harmless, by those that they were made of: each is reported several times.
    shown: dict[int, tuple[Run, Run]] = {}

    def complete(runs: list[Run]) -> list[Run]:
        about = assumed, read_by(files), refused_in(imported_from(files))
        others, reads, refused = with_texts(about, harmless)
        shown.update((identity(run), (run, with_texts(run, harmless))) for run in runs if identity(run) not in shown)
        found = (shown[identity(run)][1] for run in runs)
        return [replace(run, assumptions=(*run.assumptions, *others), reads=reads, refused=refused) for run in found]

    return complete(_guarded(target, options, lambda runs: reported(complete(runs))))


def _guarded(target: Target, options: Options, reported: Told) -> list[Run]:
    phases = phases_to_run(target, options)
    started = time.perf_counter()
    try:
        accept = tuple(dict.fromkeys((*target.accept, *options.policy.verdicts)))
        with applied(options.policy) as policy, counting(options.unhurried), remembering():

            def accepted(runs: list[Run]) -> list[Run]:
                reported = [replace(run, accept=accept) if run.is_bounded else run for run in runs]
                return qualified([accepted_warnings(run, policy) for run in reported])

            case = Case(target, options, phases, lambda runs: reported(accepted(runs)))
            sites = (claim.site for claim, _ in claims(case.first.exploration.run.program))
            check_comments({site.file for site in sites if site is not None})
            return accepted(all_runs(case))
    except (UsageError, TargetRaised) as error:
        # The target is at fault, not the kernel and not we.
        return [run_of(target, phase, Basis.USAGE, str(error), started) for phase in phases]
    except UnsupportedConstruct as limit:
        return [limited(target, phase, limit, started) for phase in phases]
    except RecursionError:
        return [limited(target, phase, UnsupportedConstruct(*TOO_DEEP), started) for phase in phases]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # signals of ours as well, which a kernel can raise
        message = described(error)
        runs = [run_of(target, phase, Basis.FAULT, message, started) for phase in phases]
        return [replace(run, traceback=traceback.format_exc()) for run in runs]
