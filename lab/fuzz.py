"""`python -m lab.fuzz --count N --seed S`: random kernels against all their concrete runs.

Kernel number i of seed S is always the same. Exits 1 where a verdict is wrong, with the kernel made small. Phases 3 and
4 have kernels of their own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from lab import probes, unwinding
from lab.batches import in_batches
from lab.buffers import moving_subject
from lab.definedness import try_moving
from lab.draft import Draft
from lab.grammar import arithmetic_draft, draft
from lab.oracle import Complaint, Trial, try_subject
from lab.shrink import shrink
from lab.subject import Bench, OutOfTime, Subject, concrete, fails, time_limit
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.foundation.errors import UsageError

#: Kernels tried in one process: terms and modules stay in memory for its life.
BATCH = 100

#: How often a loop of a draft may go round: one that does more often is thrown away, on every machine the same.
DRAFT_ROUNDS = 20_000
#: Seconds of processor time for a draft that takes long otherwise: ten thousand times what one takes.
DRAFT_SECONDS = 30.0

#: How often a draft that fails before any claim is thrown away for another one.
REDRAFTS = 6


@dataclass(frozen=True, slots=True)
class Kit:
    """The kernels of a campaign, by number and seed, and how they are tried.

    `seconds` of processor time are for one kernel in all, `verdict_seconds` for its verdicts.
    """

    subject: Callable[[int, int, Bench], Subject | None]
    trial: Callable[[Subject, Bench, float], Trial]
    seconds: float
    verdict_seconds: float

    def try_it(self, subject: Subject, bench: Bench) -> Trial:
        """Try one kernel. Raises `OutOfTime`."""
        with time_limit(self.seconds):
            return self.trial(subject, bench, self.verdict_seconds)


@dataclass(slots=True)
class Tally:
    """The tally of a campaign so far."""

    kernels: int = 0
    concrete: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    defects: list[dict[str, object]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take in what another campaign saw."""
        self.kernels += other.kernels
        self.concrete += other.concrete
        self.verdicts += other.verdicts
        self.reasons += other.reasons
        self.skipped += other.skipped
        self.defects += other.defects


def subject_number(
    number: int, seed: int, bench: Bench, draft: Callable[[random.Random], Draft] = draft
) -> Subject | None:
    """Kernel `number` of the campaign of `seed`; None where no draft could be run."""
    source = random.Random(f"{seed}/{number}")
    for attempt in range(REDRAFTS):
        made = draft(source)
        probes.noted.clear()
        broken = divides_by_zero = 0
        try:
            with bench.target(_watched(made.probing())) as target, time_limit(DRAFT_SECONDS):
                for values in made.probing().assignments():
                    played = concrete(target, values)
                    broken += fails(played, 1)
                    divides_by_zero += fails(played, 2)
                    if played.unsupported or unwinding.Watch.exceeded:
                        raise OutOfTime
        except (OutOfTime, unwinding.BoundExceeded):
            continue
        noted = {place: set(values) for place, values in probes.noted.items()}
        finished = made.finish(noted, source)
        # A kernel that fails by itself shows little: mostly those that fail by a claim, or not at all.
        wanted = 0.15 if broken else 0.6 if divides_by_zero else 1.0
        if noted and (source.random() < wanted or attempt == REDRAFTS - 1):
            return finished
    return None


def _watched(draft: Subject) -> Subject:
    """A draft whose loops end after so many rounds as it may make."""
    unwinding.Watch.bound, unwinding.Watch.exceeded = DRAFT_ROUNDS, False
    return replace(draft, kernel=unwinding.count_iterations(draft.kernel))


def arithmetic_number(number: int, seed: int, bench: Bench) -> Subject | None:
    """Kernel `number` of the campaign of `seed` about host arithmetic alone."""
    return subject_number(number, seed, bench, arithmetic_draft)


def moving_number(number: int, seed: int, bench: Bench) -> Subject:
    """Kernel `number` of the campaign of `seed` about phases 3 and 4."""
    return moving_subject(random.Random(f"{seed}/{number}"))


#: What is tried by the phases that are looked at.
KITS = {
    "1,2": Kit(subject_number, try_subject, 5.0, 1.5),
    "2": Kit(arithmetic_number, try_subject, 5.0, 1.5),
    "3,4": Kit(moving_number, try_moving, 20.0, 3.0),
}
SHAPES, ARITHMETIC, MEMORY = KITS["1,2"], KITS["2"], KITS["3,4"]


def try_number(number: int, seed: int, bench: Bench, shrinking: float, kit: Kit = SHAPES) -> Tally:
    """Make kernel `number` and compare its verdicts with its concrete runs."""
    tally = Tally(kernels=1)
    subject: Subject | None = None
    try:
        subject = kit.subject(number, seed, bench)
        if subject is None:
            tally.skipped["no draft"] += 1
            return tally
        trial = kit.try_it(subject, bench)
    except OutOfTime:
        tally.skipped["time limit of the campaign"] += 1
        return tally
    if trial.skipped:
        tally.skipped[trial.skipped] += 1
        return tally
    tally.concrete += trial.tried
    for run, failing in zip(trial.runs, trial.failing, strict=True):
        bound = " (bounded)" if run.qualifier.startswith("bounded") else ""
        truth = "wrong" if failing else "right"
        tally.verdicts[f"phase {run.phase}, {truth}: {run.verdict.value}{bound}"] += 1
        if run.verdict.value == "UNKNOWN":
            tally.reasons[f"UNKNOWN: {_blurred(run.qualifier)}"] += 1
        elif bound:
            tally.reasons[f"bounded: {_blurred(run.reason.rpartition(': ')[2])}"] += 1
    for complaint in trial.complaints:
        tally.defects.append(_record(complaint, number, seed, subject, bench, shrinking, kit))
    return tally


def _record(
    complaint: Complaint, number: int, seed: int, subject: Subject, bench: Bench, shrinking: float, kit: Kit
) -> dict[str, object]:
    small = shrink(subject, lambda candidate: _persists(candidate, complaint, bench, kit), shrinking)
    detail = next(
        (
            one.detail
            for one in _tried(small, bench, kit)
            if (one.defect, one.phase) == (complaint.defect, complaint.phase)
        ),
        complaint.detail,
    )
    return {
        "defect": complaint.defect.name,
        "phase": complaint.phase,
        "seed": seed,
        "number": number,
        "detail": detail,
        "kernel": small.text,
        "original": subject.text,
    }


def _tried(subject: Subject, bench: Bench, kit: Kit) -> tuple[Complaint, ...]:
    try:
        return kit.try_it(subject, bench).complaints
    except (OutOfTime, UsageError):
        return ()


def _persists(candidate: Subject, complaint: Complaint, bench: Bench, kit: Kit) -> bool:
    return any((one.defect, one.phase) == (complaint.defect, complaint.phase) for one in _tried(candidate, bench, kit))


def _blurred(reason: str) -> str:
    """`reason` without names and numbers, so that equal reasons are counted together."""
    words = []
    for word in reason.replace("`", " ` ").split():
        plain = word.strip("`,;:.()")
        words.append("…" if any(c.isdigit() for c in plain) or len(plain) == 1 else word)
    return " ".join(words)[:90]


def _batch(numbers: range, seed: int, shrinking: float, kit: Kit) -> Tally:
    bench = Bench()
    # Counterexamples need not be small here.
    WitnessBudget.MINIMISE_MS = 50
    try:
        tally = Tally()
        for number in numbers:
            tally.add(try_number(number, seed, bench, shrinking, kit))
        return tally
    finally:
        bench.close()


def campaign(first: int, count: int, seed: int, shrinking: float, log: Path | None, kit: Kit = SHAPES) -> Tally:
    """Try `count` kernels, a process per batch, one at a time."""
    total = Tally()
    started = time.monotonic()
    work = partial(_batch, seed=seed, shrinking=shrinking, kit=kit)
    for batch in in_batches(range(first, first + count), BATCH, work):
        tally = batch.result
        if tally is None:
            start, end = batch.numbers[0], batch.numbers[-1]
            crash: dict[str, object] = {"defect": "PROCESS_DIED", "phase": 0, "seed": seed, "number": start}
            crash |= {"detail": f"kernels {start} to {end}: exit status {batch.status}", "kernel": ""}
            tally = Tally(defects=[crash], skipped=Counter({"their process died": len(batch.numbers)}))
        total.add(tally)
        if log is not None and tally.defects:
            with log.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(defect) + "\n" for defect in tally.defects)
        rate = total.kernels / (time.monotonic() - started) * 60
        print(
            f"{total.kernels} kernels, {len(total.defects)} defects, {rate:.0f} a minute", file=sys.stderr, flush=True
        )
    return total


def report(total: Tally) -> str:
    """The figures of a campaign as text."""
    lines = [f"kernels: {total.kernels}, concrete runs: {total.concrete}"]
    lines += [f"  {count:7d}  {what}" for what, count in sorted(total.verdicts.items())]
    lines += [f"  {count:7d}  not tried: {what}" for what, count in total.skipped.most_common()]
    lines += ["why no verdict, or a bounded one:"]
    lines += [f"  {count:7d}  {what}" for what, count in total.reasons.most_common(40)]
    for defect in total.defects:
        lines += [
            "",
            f"DEFECT {defect['defect']}, phase {defect['phase']}, kernel {defect['number']} of seed {defect['seed']}",
        ]
        lines += [str(defect["detail"]), str(defect["kernel"])]
    lines.append(f"defects: {len(total.defects)}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m lab.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many kernels")
    parser.add_argument("--seed", type=int, default=1, help="which kernels")
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    parser.add_argument("--phase", choices=sorted(KITS), default="1,2", help="the phases whose verdicts are compared")
    parser.add_argument("--shrink", type=float, default=30.0, metavar="S", help="seconds for making one kernel small")
    parser.add_argument("--log", type=Path, help="a file to which every defect is appended, one JSON object a line")
    parser.add_argument("--show", type=int, metavar="I", help="print kernel I and do nothing else")
    options = parser.parse_args(arguments)
    if options.show is not None:
        bench = Bench()
        try:
            subject = KITS[options.phase].subject(options.show, options.seed, bench)
        finally:
            bench.close()
        print(subject.text if subject is not None else "no kernel: no draft could be run")
        return 0
    kit = KITS[options.phase]
    total = campaign(options.first, options.count, options.seed, options.shrink, options.log, kit)
    print(report(total))
    return 1 if total.defects else 0


if __name__ == "__main__":
    sys.exit(main())
