"""What became of the claims, line by line: as the engine decided them, and where the domain is restricted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def load(a, rows):
    assert rows >= 1
    tile = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    out = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""

HARNESS = """\
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


@target(kernel="k.py::load", family="f", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
def good(v):
    n = v.dim("n", high=64)
    v.assume(n % 2 == 0)
    v.call(v.tensor("a", (n, 512), float32), n)


@target(kernel="k.py::load", family="f", kind=Kind.SYMBOLIC, expect={1: FAILED})
def refuted(v):
    n = v.dim("n", high=64)
    v.call(v.tensor("a", (n, 512), float32), n + 1)


@target(kernel="k.py::load", family="f", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
def assumed(v):
    n = v.dim("n", 0, 64)
    v.assume_asserts({(__file__.replace("harness/h.py", "k.py"), 8): "rows >= 1"})
    v.call(v.tensor("a", (64, 512), float32), n)
"""


def runs(folder: Path) -> dict[str, Run]:
    """The runs of the targets above, by name."""
    (folder / "harness").mkdir()
    (folder / "k.py").write_text(KERNEL, encoding="utf-8")
    (folder / "harness" / "h.py").write_text(HARNESS, encoding="utf-8")
    targets: list[Target] = load_targets(folder)
    return {run.target: run for target in targets for run in verify(target, Options(root=folder))}


def outcomes(run: Run, line: int) -> Counter[str]:
    """How many claims of the line have each outcome."""
    return Counter(one.outcome for one in run.decided for claimed in one.lines if one.file and claimed == line)


def test_claims_are_at_the_lines_that_make_them(tmp_path: Path) -> None:
    found = runs(tmp_path)
    good, refuted = found["good"], found["refuted"]
    assert (good.verdict, refuted.verdict) == (Verdict.SUCCESSFUL, Verdict.FAILED)
    for run in (good, refuted):
        # Claims are counted once; those about unwinding, of which there are none here, would come on top.
        assert sum(len(one.lines) for one in run.decided) == run.claims
        assert Counter(one.by for one in run.decided for _ in one.lines) == run.closed_by
    assert outcomes(good, 8) == {"proved": 1} and not outcomes(good, 7)
    assert all(set(outcomes(good, line)) == {"proved"} for line in (9, 10, 11, 12))
    # n rows are copied to a tile of n + 1, and back from it.
    assert outcomes(refuted, 10) == {"refuted": 1, "proved": 1}
    assert not outcomes(refuted, 12)["refuted"]


def test_lines_that_restrict_the_domain_are_named(tmp_path: Path) -> None:
    found = runs(tmp_path)
    harness = str(tmp_path / "harness" / "h.py")
    assert [(place.file, place.line) for place in found["good"].assumed_at] == [(harness, 8)]
    assert found["refuted"].assumed_at == ()
    assert [(place.file, place.line) for place in found["assumed"].assumed_at] == [(str(tmp_path / "k.py"), 8)]
    assert outcomes(found["assumed"], 8) == {}
