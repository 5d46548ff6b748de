"""Verdicts and report are the same whichever executor verifies: all families of the manifest, all kinds of verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.foundation.resources import root
from nkiverify.frontend.target import Target
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report import terminal
from nkiverify.results import codec as json_results
from nkiverify.results.session import Session, Versions
from nkiverify.run.executors.choice import made
from nkiverify.run.executors.jobs import Job, perform
from nkiverify.verify.options import Options
from tests.executors.fakes import Record

EXECUTORS = ("in-process", "processes", "dask-local")

#: One target of each family, and one of each kind, that take little time.
NAMES = (
    "ap_partition_crossing",
    "attn_fwd_v1",
    "attn_fwd_v2_published",
    "attn_fwd_v3_buggy",
    "audit15_hostarith_unguarded",
    "avgpool_buggy",
    "dataflow_rows",
    "flash_fwd_defaults",
    "interpolate_bilinear_buggy",
    "interpolate_trilinear_chunk1",
    "mamba_v1",
    "mamba_v2_buggy",
    "mamba_v3_symbolic",
    "matmul_basic",
    "matmul_block_free_symbolic",
    "matmul_fully_optimized_buggy",
    "matmul_hoist_load_historical",
    "matmul_swapped",
    "matmul_tiled_all",
    "maxpooling_all",
    "mx_offline_matmul",
    "tensor_add",
    "transpose2d_129_rows",
)

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def load(a, rows):
    tile = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)


@nki.jit
def halves(a, rows):
    while rows > 1:
        rows = rows // 2
    tile = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.sbuf)


@nki.jit
def iterates(a, rows):
    for row in a:
        pass
"""

MANIFEST = """
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


def declared(kernel, expected=SUCCESSFUL, flags=""):
    return target(
        kernel=f"load.py::{kernel}", family="odd", kind=Kind.UNBOUNDED, expect={1: expected, 2: expected}, flags=flags
    )


def load(v, high=128):
    n = v.dim("n", high=high)
    v.call(v.tensor("a", (n, 512), float32), n)


@declared("load")
def empty_domain(v):
    n = v.dim("n", high=128)
    v.assume(n > 200)
    v.call(v.tensor("a", (n, 512), float32), n)


@declared("halves", flags="--unwind 3")
def unrolled(v):
    # More shapes than are run in full.
    v.call(v.tensor("a", (v.dim("m", high=4096), 512), float32), v.dim("n", high=128))


@declared("iterates")
def not_followed(v):
    load(v)


@declared("load")
def at_fault(v):
    raise LookupError("in the manifest")


@declared("load", FAILED)
def too_many_rows(v):
    load(v, 129)
"""


def verified(executor: str, targets: Sequence[Target], root: Path) -> Mapping[str, Sequence[Run]]:
    """The runs of the targets but for their times."""
    options = Options(root=root, phases=(1, 2), engine="embedded", executor=executor, jobs=2, timeout=120)
    jobs = [Job(target.name, target, options) for target in targets]
    outcome = perform(jobs, made(options, targets, starts_programs=False), Record())
    assert not outcome.problem
    return {name: [replace(run, milliseconds=0.0) for run in runs] for name, runs in outcome.by_job.items()}


def reports(found: Mapping[str, Sequence[Run]], targets: Sequence[Target], root: Path) -> tuple[str, object, int]:
    """What is printed of the runs, what is written, and the exit status."""
    runs = tuple(run for target in targets for run in found[target.name])
    session = Session(runs, root, datetime(2026, 1, 1, tzinfo=timezone.utc), 0.0, 2, Versions("", "", "", ""))
    document = json.loads(json_results.text(session))
    return terminal.report(session, detail_expected=True), document, int(session.exit_status)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A repository whose targets end in every other way."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "load.py").write_text(KERNEL)
    (tmp_path / "nkiverify_targets.py").write_text(MANIFEST)
    return tmp_path


def test_every_family_is_in_the_selection() -> None:
    known = {target.name: target for target in load_targets(root())}
    chosen = [known[name] for name in NAMES]
    assert {target.family for target in chosen} == {target.family for target in known.values()}
    assert {target.kind for target in chosen} == {target.kind for target in known.values()}


@pytest.mark.campaign
def test_the_manifest_is_reported_alike() -> None:
    known = {target.name: target for target in load_targets(root())}
    targets = [known[name] for name in NAMES]
    expected = verified(EXECUTORS[0], targets, root())
    for executor in EXECUTORS[1:]:
        found = verified(executor, targets, root())
        assert found == expected
        assert reports(found, targets, root()) == reports(expected, targets, root())


def test_every_kind_of_verdict_is_reported_alike(odd: Path) -> None:
    targets = load_targets(odd)
    expected = verified(EXECUTORS[0], targets, odd)
    assert {run.verdict for runs in expected.values() for run in runs} == set(Verdict)
    assert "bounded 3" in {run.qualifier for run in expected["unrolled"]}
    for executor in EXECUTORS[1:]:
        found = verified(executor, targets, odd)
        for name, runs in expected.items():
            # Where in our own code a fault came up is not part of a verdict.
            assert [replace(run, traceback="") for run in found[name]] == [replace(run, traceback="") for run in runs]
        assert reports(found, targets, odd) == reports(expected, targets, odd)
