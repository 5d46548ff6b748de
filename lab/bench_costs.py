"""`python -m lab.bench_costs`: the processor time of `nkiverify cost` for the kernels that come with it, beyond that of
`check`. Each is measured in a process of its own that has imported nkiverify and no kernel."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from nkiverify.foundation import resources
from nkiverify.foundation.allowed import NOTHING
from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.products.cost.report import CostQuestion, report
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report.columns import columns
from nkiverify.run.confinement import Confinement
from nkiverify.run.supervisor import Stopped, in_child
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

#: Seconds after which one of the two is stopped.
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Beyond:
    """Seconds of processor time for a target: `check` in all its phases, and `cost`."""

    target: str
    check: float
    cost: float

    @property
    def seconds(self) -> float:
        """The seconds that the figures take more than the verdicts; negative where less."""
        return self.cost - self.check


def of_all_sizes() -> list[Target]:
    """The targets of the manifest with symbolic shapes that are expected to hold."""
    return [
        target
        for target in load_targets(resources.root())
        if target.kind in (Kind.SYMBOLIC, Kind.UNBOUNDED) and "finding" not in target.tags
    ]


def beyond_check(targets: Iterable[Target]) -> Iterator[Beyond]:
    """The cost of costing, a target after the other."""
    for target in targets:
        options = Options(root=resources.root(), engine="embedded")
        check = _seconds(target.name, partial(verify, target, options))
        asked = partial(report, target.name, target, hardware_named(target.hardware), CostQuestion(), _SECONDS)
        yield Beyond(target.name, check, _seconds(target.name, asked))


def summary(found: Sequence[Beyond]) -> str:
    """The least, the median and the most, in a line."""
    cost = sorted(one.cost for one in found)
    beyond = sorted(one.seconds for one in found)
    parts = (
        f"{what} {each[0]:.2f}, {statistics.median(each):.2f} and {each[-1]:.2f} s"
        for what, each in (("in all", cost), ("beyond check", beyond))
    )
    return f"cost of {len(found)} targets, processor time (least, median, most): {'; '.join(parts)}"


def _seconds(name: str, work: Callable[[], object]) -> float:
    def timed() -> float:
        begin = time.process_time()
        work()
        return time.process_time() - begin

    found = in_child(name, timed, _SECONDS, Confinement.of(NOTHING, [resources.root()]))
    return _SECONDS if isinstance(found, Stopped) else found


def main(words: Sequence[str] | None = None) -> int:
    """Print a table of the targets that are named, of all if none is, the dearest first."""
    parser = argparse.ArgumentParser(prog="python -m lab.bench_costs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets (default: all with symbolic shapes)")
    names = parser.parse_args(words).names
    found = list(beyond_check(one for one in of_all_sizes() if not names or one.name in names))
    if not found:
        return 5
    rows = [
        (one.target, f"{one.check:.2f}", f"{one.cost:.2f}", f"{one.seconds:+.2f}")
        for one in sorted(found, key=lambda one: -one.seconds)
    ]
    print(columns(("target", "check", "cost", "beyond"), rows, ("left", "right", "right", "right")))
    print(summary(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
