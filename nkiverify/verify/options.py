"""The settings of one run, in one record. The command line fills it in; nothing else reads the command line."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify import phases
from nkiverify.engines.table import EMBEDDED, second_must_answer
from nkiverify.foundation.allowed import NOTHING, Allowed
from nkiverify.foundation.budget import SecondEngineBudget, TargetBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.model.policy import DEFAULT_POLICY, Policy

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target

#: What each phase claims, by its number.
PHASES: dict[int, str] = {number: phase.name for number, phase in phases.PHASES.items()}

#: The phases of a target that expects no verdicts, unless the user names others.
DEFAULT_PHASES: tuple[int, ...] = tuple(number for number, phase in phases.PHASES.items() if phase.by_default)

#: The hardware generations a kernel can be checked for.
HARDWARE: tuple[str, ...] = ("trn1", "trn2", "trn3")

#: The generation that is checked for unless somebody says otherwise.
DEFAULT_HARDWARE = "trn2"

#: The manifest of a repository other than ours, at its top.
MANIFEST_FILE = "nkiverify_targets.py"

#: What decides the targets of a run unless somebody says otherwise.
DEFAULT_ENGINE = "auto"

#: What decides where somebody waits for the answer: `check`, and targets as tests of pytest.
QUICK_ENGINE = EMBEDDED

#: The phases whose claims are about sets of elements, or numbers: the second engine alone is not asked about them.
EMBEDDED_ONLY: frozenset[int] = frozenset(number for number, phase in phases.PHASES.items() if not phase.for_engines)


@dataclass(frozen=True, slots=True)
class Options:
    """The options that the user gave.

    `root` is the folder that holds `harness/`, `kernels/` and `stubs/`. `None` means that the target, or the machine,
    decides: `phases` are then those the target expects a verdict for, `unwind` is the bound of the target's flags,
    `hardware` the generation it names, `jobs` the number of usable cores, `memory` (MiB that a worker process may hold)
    an equal share of the machine's. `executor` says where targets are verified (nkiverify.run.executors.choice).
    `timeout` is in seconds: the wall's, or, `unhurried`, of processor time, so that no other work changes a verdict;
    `share_of` is the time-out that messages name where it is a share of one. `effort` is the share of the usual work
    that a search for faults of one domain may take. `fixed` are values that dimensions of the domain are assumed to
    have, by name. `every_violation` asks for all refuted claims instead of one per line of the kernel, `cache` lets
    targets of which nothing changed keep their verdicts. `largest_range` asks up to which magnitude of its inputs a
    kernel is proved in phase 5, where it is not. `allowed` is what kernels may read, and whether they may use the
    network. `policy` says what becomes of what is only warned of, and which findings are accepted. `lowering` is what
    programs are lowered to for the second engine, one of `LOWERINGS`; None is C, and Python next to it for every
    twentieth target. `keep_lowered` is the folder for all programs that the second engine is given, `disagreements` for
    those it is at odds about.
    """

    root: Path
    patterns: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    phases: tuple[int, ...] | None = None
    unwind: int | None = None
    hardware: str | None = None
    timeout: float = TargetBudget.SECONDS
    unhurried: bool = False
    share_of: float | None = None
    effort: float = 1.0
    jobs: int | None = None
    memory: int | None = None
    executor: str = "processes"
    fixed: tuple[tuple[str, int], ...] = ()
    fail_fast: bool = False
    debug: bool = False
    every_violation: bool = False
    largest_range: bool = False
    engine: str = EMBEDDED
    lowering: str | None = None
    keep_lowered: Path | None = None
    disagreements: Path | None = None
    cache: bool = True
    json: Path | None = None
    sarif: Path | None = None
    policy: Policy = DEFAULT_POLICY
    allowed: Allowed = NOTHING

    @property
    def asked_timeout(self) -> float:
        """The time-out as a user knows it."""
        return self.timeout if self.share_of is None else self.share_of

    @property
    def hard_deadline(self) -> float:
        """Seconds of the wall's clock after which a target must have its verdicts, but for what the second engine says
        besides them."""
        limit = self.timeout * (TargetBudget.BUSY_FACTOR if self.unhurried else 1)
        return limit + (SecondEngineBudget.LEAST_SECONDS if second_must_answer(self.engine) else 0.0)

    @property
    def processor_deadline(self) -> float:
        """Seconds of processor time after which a target must have its verdicts; endless where the wall's clock
        counts."""
        return self.timeout if self.unhurried else float("inf")

    @property
    def cross_check_seconds(self) -> float:
        """Seconds that the second engine may take when the embedded engine has all its verdicts, beyond the
        time-out."""
        return SecondEngineBudget.SECONDS if self.engine == "auto" else 0.0


def phases_to_run(target: Target, options: Options) -> tuple[int, ...]:
    """The phases of `target` that `options` asks for.

    A target that expects verdicts runs in no phase it expects none for: what it leaves out has nothing to say there.
    """
    if options.phases is None:
        return tuple(sorted(target.expect)) or DEFAULT_PHASES
    possible = tuple(sorted(target.expect)) or tuple(PHASES)
    return tuple(phase for phase in possible if phase in options.phases)


def usable_cores() -> int:
    """How many processes can run at once: the cores this process may use, in a container fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def unwind_of(flags: str) -> int | None:
    """The bound of `--unwind N` in `flags`, if it is there. Raises `UsageError` where it is no positive integer."""
    words = shlex.split(flags)
    for position, word in enumerate(words):
        name, separator, value = word.partition("=")
        if name != "--unwind":
            continue
        text = value if separator else words[position + 1] if position + 1 < len(words) else ""
        if not text.isdigit() or int(text) < 1:
            raise UsageError(f"--unwind needs a positive integer, in the flags {flags!r}")
        return int(text)
    return None
