"""Small kernels whose truth is known from running them, and what a verdict about one may be."""

from __future__ import annotations

import inspect
import itertools
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.phases.replay import Replay, replay
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

#: Values of every dimension that are also run concretely.
TRIED = range(7)

HARDWARE = hardware_named("trn2")

_HEADER = """\
import nki.language as nl

"""


@dataclass(frozen=True, slots=True)
class Trap:
    """A kernel over non-negative integers without an upper bound.

    `source` defines `kernel`, whose parameters are the dimensions of the domain, from `low` up. `decided`: the design
    promises the right verdict in `phase` for it, without a bound; otherwise any verdict will do that is not wrong.
    `unwind` is the unwinding bound, `tried` the values that are also run concretely, `seconds` the time-out.
    """

    name: str
    source: str
    decided: bool = False
    unwind: int = 8
    tried: range = TRIED
    low: int = 0
    phase: int = 1
    seconds: float = 20.0

    def __str__(self) -> str:
        return self.name


def target_for(source: str, folder: Path, *, low: int = 0, high: int | None = None, flags: str = "") -> Target:
    """A target that calls the `kernel` of `source`, written into `folder`, with a dimension per parameter."""
    (folder / "kernel.py").write_text(_HEADER + textwrap.dedent(source), encoding="utf-8")

    def call(v: Verification) -> None:
        v.call(*(v.dim(name, low, high) for name in parameters))

    kernel, _ = load_kernel("kernel.py::kernel", folder)
    parameters = tuple(inspect.signature(kernel).parameters)
    return make_target(call, folder, flags=flags)


def make_target(function: Callable[[Verification], None], folder: Path, *, flags: str = "") -> Target:
    """A target outside any manifest, for the `kernel` of `folder/kernel.py`."""
    return Target(
        name="trap",
        kernel="kernel.py::kernel",
        family="trap",
        kind=Kind.UNBOUNDED,
        expect={1: Verdict.SUCCESSFUL, 2: Verdict.SUCCESSFUL},
        flags=flags,
        tags=(),
        description="",
        hardware="trn2",
        root=folder,
        module="trap",
        file=str(folder / "harness.py"),
        line=1,
        function=function,
    )


def verdict(target: Target, phase: int = 1, seconds: float = 20.0) -> Run:
    """The verdict of one phase."""
    (run,) = verify(target, Options(root=target.root, phases=(phase,), timeout=seconds, unhurried=True))
    return run


def fails(played: Replay, phase: int) -> bool:
    """True if a concrete run breaks a contract of `phase`; a division by zero and a large integer belong to phase 2."""
    if played.excluded:
        return False
    assert not played.unsupported, played.unsupported
    host = [found.contract.id.startswith("host.") for found in played.broken]
    if played.raised is not None:
        host.append(isinstance(played.raised, ZeroDivisionError))
    return any(host) if phase == 2 else not all(host)


def concrete_runs(target: Target, tried: range, phase: int = 1) -> Iterator[tuple[dict[str, int], Replay]]:
    """The concrete runs of `target` on all combinations of `tried` values."""
    kernel, _ = load_kernel(target.kernel, target.root)
    names = tuple(inspect.signature(kernel).parameters)
    for values in itertools.product(tried, repeat=len(names)):
        named = dict(zip(names, values, strict=True))
        yield named, replay(target, named, HARDWARE, checked=phase == 2)


def complaints(trap: Trap, folder: Path) -> list[str]:
    """What is wrong with the verdict about `trap`: it contradicts a concrete run, or there is none where one is due."""
    target = target_for(trap.source, folder, low=trap.low, flags=f"--unwind {trap.unwind}")
    failing = [values for values, played in concrete_runs(target, trap.tried, trap.phase) if fails(played, trap.phase)]
    return list(_complaints(verdict(target, trap.phase, trap.seconds), failing, trap, target))


def _complaints(run: Run, failing: list[dict[str, int]], trap: Trap, target: Target) -> Iterator[str]:
    if run.verdict is Verdict.ERROR:
        yield f"ERROR: {run.reason}\n{run.traceback}"
    if run.verdict in (Verdict.SUCCESSFUL, Verdict.VACUOUS):
        # A bounded verdict speaks of as many iterations as the bound says.
        covered = [one for one in failing if not run.qualifier or max(one.values()) <= trap.unwind]
        if covered:
            yield f"{run.verdict.value} {run.qualifier}, but {covered[0]} fails"
    if run.verdict is Verdict.FAILED:
        if run.qualifier:
            yield f"FAILED ({run.qualifier}): {run.violations}"
        for violation in run.violations:
            witness = {name: int(value) for name, value in violation.witness.items()}
            if violation.replayed and not fails(replay(target, witness, HARDWARE, checked=run.phase == 2), run.phase):
                yield f"the witness {witness} does not fail"
    if trap.decided:
        right = Verdict.FAILED if failing else Verdict.SUCCESSFUL
        if run.verdict is not right or run.qualifier:
            yield f"{run.verdict.value} {run.qualifier} instead of {right.value}: {run.reason}"
