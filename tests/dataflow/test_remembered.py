"""Executions that are remembered: a shape is executed again only for what its record does not tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nkiverify.execute import runner
from nkiverify.execute.runner import execute, remembering
from nkiverify.foundation.records import Verdict
from nkiverify.frontend import loader
from nkiverify.frontend.concrete import ConcreteExecution, Observer
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.observe import BreakObserver
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import TRN2, hardware_named
from nkiverify.model.recorded import Executed
from nkiverify.phases.dataflow.played import play_in
from nkiverify.phases.dataflow.trial import Work, shadowed
from nkiverify.products.derive.legality import answer
from nkiverify.project.request import request
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

COPY = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : C - MISSING], src=x[:, 0 : C - MISSING])
    nisa.dma_copy(dst=out[:, 0 : C + BEYOND], src=tile[:, 0 : C + BEYOND])
    return out
"""
SHAPE = {"R": 2, "C": 3}


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 1, 128), v.dim("C", 2, 512)), float32))


def copy(folder: Path, *, missing: int = 0, beyond: int = 0) -> Subject:
    return Subject.of(folder, COPY.replace("MISSING", str(missing)).replace("BEYOND", str(beyond)), domain)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, int]]:
    """The shapes of the executions that are started."""
    found: list[dict[str, int]] = []
    start = runner.start

    def noting(source: object, values: dict[str, int], *rest: object) -> object:
        found.append(dict(values))
        return start(source, values, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "start", noting)
    return found


class Unheard(Observer):
    """One that a record tells nothing."""


def recording(*, work: float = 1e9, phases: frozenset[int] = frozenset({3})) -> ConcreteExecution:
    return shadowed(TRN2, 60.0, work, phases, observers=(BreakObserver(),))


#: What is asked after an execution that records, for phases 1 to 3, and whether it has to run again.
ASKED = {
    "the same": (recording, False),
    "fewer phases": (lambda: recording(phases=frozenset()), False),
    "no records": (lambda: ConcreteExecution(TRN2, observers=(BreakObserver(),)), False),
    "more phases": (lambda: recording(phases=frozenset({3, 4})), True),
    "less work than it took": (lambda: recording(work=1), True),
    "fewer contracts than it checked": (lambda: ConcreteExecution(TRN2, contracts=1), True),
    "other hardware": (lambda: ConcreteExecution(hardware_named("trn3")), True),
    "an observer that has to see it": (lambda: ConcreteExecution(TRN2, observers=(Unheard(),)), True),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_execution_answers_for_what_it_tells(name: str, tmp_path: Path, started: list[dict[str, int]]) -> None:
    make, again = ASKED[name]
    target = copy(tmp_path).target
    with remembering():
        first = execute(target, SHAPE, recording, Rewriting.NONE)
        second = execute(target, SHAPE, make, Rewriting.NONE)
        assert len(started) == 1 + again
        assert second.run is not first.run
        execute(target, SHAPE, recording, Rewriting.ARITHMETIC)
        execute(target, {"R": 2, "C": 4}, recording, Rewriting.NONE)
        assert len(started) == 3 + again
    if not again:
        assert second.run.recorded == first.run.recorded
        assert second.run.looked_at == first.run.looked_at
    execute(target, SHAPE, recording, Rewriting.NONE)
    assert len(started) == 4 + again, "nothing is remembered for longer"


def test_work_is_counted_from_a_record(tmp_path: Path, started: list[dict[str, int]]) -> None:
    target = copy(tmp_path).target
    with remembering():
        found = [execute(target, SHAPE, recording, Rewriting.NONE).run.observer(Work) for _ in range(2)]
    assert found[0].done == found[1].done > 0
    assert len(started) == 1


def test_what_is_broken_is_told_where_it_was_seen(tmp_path: Path, started: list[dict[str, int]]) -> None:
    target = copy(tmp_path, beyond=1).target
    with remembering():
        first, second = (execute(target, SHAPE, recording, Rewriting.NONE).run for _ in range(2))
        assert len(started) == 1
        assert first.broken and second.broken == first.broken and second.broken is not first.broken
        assert second.observer(BreakObserver).observations == first.observer(BreakObserver).observations != {}
        # What breaks in an execution that stops there, or that nobody has watched, is not known.
        execute(target, SHAPE, lambda: ConcreteExecution(TRN2, stop_at_first=True), Rewriting.NONE)
        assert len(started) == 2


@pytest.mark.parametrize(
    ("faults", "verdicts", "most"),
    [
        ({}, [Verdict.SUCCESSFUL] * 4, 1),
        # Once for what happens, and once, as then it is known what is at fault, for what is seen there.
        ({"missing": 1}, [*[Verdict.SUCCESSFUL] * 3, Verdict.FAILED], 2),
    ],
    ids=["right", "unwritten"],
)
def test_a_check_of_all_phases_starts_a_shape_no_more_often(
    faults: dict[str, int], verdicts: list[Verdict], most: int, tmp_path: Path, started: list[dict[str, int]]
) -> None:
    target = copy(tmp_path, **faults).target
    runs = verify(target, Options(root=tmp_path, phases=(1, 2, 3, 4), engine="embedded"))
    assert [run.verdict for run in runs] == verdicts
    assert started
    assert max(started.count(one) for one in started) <= most


#: Rows that are copied by tiles, each one row too long.
ROWS = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128 + BEYOND, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out
"""


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules of kernels that are executed."""
    found: list[str] = []
    execute_module = loader._KernelLoader.exec_module

    def noting(self: loader._KernelLoader, module: ModuleType) -> None:
        found.append(module.__name__)
        execute_module(self, module)

    monkeypatch.setattr(loader._KernelLoader, "exec_module", noting)
    return found


def test_what_fails_for_every_shape_is_loaded_twice_and_a_shape_executed_once_for_each_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    (tmp_path / "rows.py").write_text(ROWS.replace("BEYOND", "1"))
    asked: Counter[tuple[object, ...]] = Counter()
    start = runner.start

    def noting(
        source: runner.Source, values: dict[str, int], run: ConcreteExecution, call: object, made: object
    ) -> Any:
        observers = tuple(type(one) for one in run.observers)
        asked[source.rewriting, tuple(values.items()), observers] += 1
        return start(source, values, run, call, made)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "start", noting)
    found = answer("rows.py::kernel", tmp_path, (), (), None, None, Options(root=tmp_path))
    assert [one.contract for one in found.runs[0].violations][:1] == ["idx.oob"]
    # With the dtype that is assumed first, and with another, as it may be that which makes it fail.
    assert max(asked.values()) == 2
    assert sum(number > 1 for number in asked.values()) <= 3
    # As Python runs it, and rewritten, as it is explored.
    assert len(loaded) == 2


def test_a_run_of_which_nothing_follows_ends_where_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.py").write_text(ROWS.replace("BEYOND", "1"))
    target = request("rows.py::kernel", tmp_path, ("x=bf16[128*m,512]",), (), None).target("trn2", several=False)
    iterations: dict[int, int] = {}

    def noting(target: Target, values: dict[str, int], make: Callable[[], ConcreteExecution]) -> Any:
        played, run = play_in(target, values, make)
        iterations[values["m"]] = sum(isinstance(one, Executed) for one in run.recorded)
        return played, run

    monkeypatch.setattr("nkiverify.phases.dataflow.warned.play_in", noting)
    runs = verify(target, Options(root=tmp_path, phases=(1, 4), engine="embedded"))
    assert [run.verdict for run in runs] == [Verdict.FAILED, Verdict.SUCCESSFUL]
    assert max(iterations) > 100, "it is tried where much is left out"
    assert max(iterations.values()) <= 1
