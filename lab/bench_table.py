"""The table of what verifying each target costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lab.bench import Measurement
from nkiverify.foundation.stages import Stage
from nkiverify.report.columns import columns
from nkiverify.results import wording


def table(measurements: Sequence[Measurement]) -> str:
    """One line per target: claims, how many of them each rung of the engine closed, time, paths, memory."""
    closed: Counter[str] = Counter()
    for measurement in measurements:
        closed.update(measurement.closed_by)
    rungs = [rung for rung, _ in closed.most_common()]
    rows = [
        (
            measurement.target,
            str(measurement.claims),
            *(str(measurement.closed_by.get(rung, 0)) for rung in rungs),
            str(measurement.paths),
            wording.milliseconds(measurement.cold_milliseconds),
            wording.milliseconds(measurement.warm_milliseconds),
            f"{measurement.peak_kibibytes / 1024:.0f}",
        )
        for measurement in measurements
    ]
    headers = ("target", "claims", *rungs, "paths", "cold ms", "warm ms", "MiB")
    alignment = ("left", *("right" for _ in headers[1:]))
    return columns(headers, rows, alignment)


def breakdown(measurements: Sequence[Measurement]) -> str:
    """Where the time of the first verification of all targets goes, stage by stage."""
    spent: Counter[Stage] = Counter()
    for measurement in measurements:
        spent.update(dict(measurement.stages))
    whole = sum(spent.values()) or 1.0
    parts = ", ".join(f"{stage.value} {spent[stage] / whole:.0%}" for stage in Stage)
    return f"of the time one after the other, cold: {parts}"


def summary(measurements: Sequence[Measurement]) -> str:
    """The sums over all targets."""
    cold = sum(measurement.cold_milliseconds for measurement in measurements) / 1000
    warm = sum(measurement.warm_milliseconds for measurement in measurements) / 1000
    claims = sum(measurement.claims for measurement in measurements)
    targets = wording.counted(len(measurements), "target")
    return f"{targets}, {wording.counted(claims, 'claim')}; one after the other {cold:.1f} s cold, {warm:.1f} s warm"
