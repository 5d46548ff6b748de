"""A launch of numbers whose loops go round often: the same answers where all iterations are looked at at once as where
each is run, and a cost that does not grow with the sizes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from lab import bench_kernels
from nkiverify.foundation.budget import ExploringBudget, RunningBudget
from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.frontend.claiming import Claiming
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.stated import StatedClaims
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

ROUNDS = 16

COPY = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        LOAD(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
        STORE(dst=out[i * 64 : (i + 1) * 64, :], src=tile)
        NUMBER
    return out
"""

#: An offset is carried from one iteration to the next.
CARRIED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    offset = 0
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        LOAD(dst=tile, src=x[offset : offset + 64, :])
        STORE(dst=out[offset : offset + 64, :], src=tile)
        NUMBER
        offset += 64
    return out
"""

#: A list of the host's is filled by the iterations of one loop, and read by those of another.
LISTED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        LOAD(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
        tiles.append(tile)
    for i in range(R // 64):
        STORE(dst=out[i * 64 : (i + 1) * 64, :], src=tiles[i])
        NUMBER
    return out
"""

#: The first iteration sets what the others add to.
SUMMED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((64, C), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        LOAD(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
        if i == 0:
            nisa.tensor_copy(dst=total, src=tile)
        else:
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        STORE(dst=out[i * 64 : (i + 1) * 64, :], src=total)
        NUMBER
    return out
"""

#: Products are accumulated in PSUM by the iterations of an inner loop.
ACCUMULATED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(R // 64):
        sums = nl.ndarray((C, C), dtype=nl.float32, buffer=nl.psum)
        for k in range(4):
            tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
            LOAD(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
            nisa.nc_matmul(dst=sums, stationary=tile, moving=tile)
        rounded = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=rounded[0:C, :], src=sums)
        nisa.tensor_copy(dst=rounded[32 : 32 + C, :], src=sums)
        STORE(dst=out[i * 64 : (i + 1) * 64, :], src=rounded)
        NUMBER
    return out
"""

#: What an iteration hands on has no closed form: no loop is summarised.
UNSUMMARISED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    turn = 1
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        LOAD(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=float(turn))
        STORE(dst=out[i * 64 : (i + 1) * 64, :], src=tile)
        NUMBER
        turn = turn * turn % 7 + 2
    return out
"""

KERNELS = {"copy": COPY, "carried": CARRIED, "listed": LISTED, "summed": SUMMED, "accumulated": ACCUMULATED}

#: A fault in the iteration AT alone, as what is loaded, stored or counted in each; with the contract that it breaks.
FAULTS = {
    "no fault": {},
    "out of bounds": {"STORE(dst=out[": "STORE(dst=out[(R if i == AT else 0) + "},
    "not loaded": {"LOAD(": "if i != AT:\n            LOAD("},
    "not stored": {"STORE(": "if i != AT:\n            STORE("},
    "twice as far": {"LOAD(dst=tile": "LOAD(dst=tile[0 : 32 if i == AT else 64, :]"},
    "beyond 32 bits": {"NUMBER": "far = 2**31 if i == AT else 0\n        far = far + i"},
    "division by zero": {"NUMBER": "i // (i - AT)"},
    "assert": {"NUMBER": "assert i != AT"},
}


@contextmanager
def looking_at_all_at_once(monkeypatch: pytest.MonkeyPatch, after: float) -> Iterator[None]:
    """Launches of numbers repeat themselves after so many contracts, however short they are."""

    def repeats(claims: StatedClaims, checked: int, recorded: object) -> bool:
        return claims.limits.repeats_after is not None and checked >= after

    with monkeypatch.context() as patch:
        patch.setattr(StatedClaims, "repeats", repeats)
        patch.setattr(ExploringBudget, "CONTRACTS_OF_A_STEP", 0.01)
        yield


def answers(folder: Path, body: str) -> list[Run]:
    """The runs of phases 1 to 4."""

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (64 * ROUNDS, 32), float32))

    target = replace(Subject.of(folder, body, domain).target, kind=Kind.CONCRETE)
    return verify(target, Options(root=folder, phases=(1, 2, 3, 4), engine="embedded"))


def told(runs: list[Run]) -> list[tuple[object, ...]]:
    """What the runs say, without how it was found."""
    return [(run.verdict, run.qualifier, run.reason, run.violations, run.warnings) for run in runs]


def one_of_each() -> Iterator[object]:
    """Each kernel with each fault: every kernel and every fault are tests once, the others are of the campaigns."""
    faults = list(FAULTS)
    for at, (kernel, fault) in enumerate(itertools.product(KERNELS, faults)):
        marks = () if at // len(faults) % len(faults) == at % len(faults) else pytest.mark.campaign
        yield pytest.param(kernel, fault, marks=marks, id=f"{kernel}-{fault}")


@pytest.mark.parametrize(("kernel", "fault"), list(one_of_each()))
def test_all_iterations_at_once_say_what_each_of_them_says(
    kernel: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in (0, ROUNDS // 2, ROUNDS - 1)[: None if FAULTS[fault] else 1]:
        body = KERNELS[kernel]
        for old, new in FAULTS[fault].items():
            body = body.replace(old, new)
        body = body.replace("AT", str(at)).replace("LOAD", "nisa.dma_copy").replace("STORE", "nisa.dma_copy")
        body = body.replace("NUMBER", "pass")
        with looking_at_all_at_once(monkeypatch, float("inf")):
            each = answers(tmp_path, body)
        with looking_at_all_at_once(monkeypatch, 64):
            together = answers(tmp_path, body)
        assert told(together) == told(each)
        faulty = any(run.verdict is not Verdict.SUCCESSFUL for run in each)
        assert faulty == (fault != "no fault"), (at, told(each))
        assert faulty or "sets" in together[3].closed_by, "nothing is compared"


@pytest.mark.parametrize("fault", ["no fault", "out of bounds", "assert"])
def test_where_a_loop_is_not_summarised_the_run_of_each_iteration_decides(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = UNSUMMARISED
    for old, new in FAULTS[fault].items():
        body = body.replace(old, new)
    body = body.replace("AT", str(ROUNDS - 1)).replace("LOAD", "nisa.dma_copy").replace("STORE", "nisa.dma_copy")
    body = body.replace("NUMBER", "pass")
    with looking_at_all_at_once(monkeypatch, float("inf")):
        each = answers(tmp_path, body)
    with looking_at_all_at_once(monkeypatch, 64):
        together = answers(tmp_path, body)
    assert told(together) == told(each)
    assert each[0].verdict is (Verdict.SUCCESSFUL if fault == "no fault" else Verdict.FAILED)


#: A copy that nothing reads: a dead store, in each iteration.
UNREAD = COPY.replace(
    "        NUMBER",
    "        again = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)\n        nisa.tensor_copy(dst=again, src=tile)",
)


def test_dead_stores_of_a_short_launch_are_still_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = UNREAD.replace("LOAD", "nisa.dma_copy").replace("STORE", "nisa.dma_copy")
    monkeypatch.setattr(RunningBudget, "CONTRACTS_BEFORE_REPEATING", 64)
    monkeypatch.setattr(RunningBudget, "CONTRACTS_OF_A_CLAIM", 1)
    monkeypatch.setattr(RunningBudget, "OPERATIONS_BEFORE_SUMMARISING", 16)
    monkeypatch.setattr(ExploringBudget, "CONTRACTS_OF_A_STEP", 0.01)
    runs = answers(tmp_path, body)
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL] * 4
    assert [warning.rule for warning in runs[3].warnings] == ["df.unused"]
    body = COPY.replace("NUMBER", "pass")
    alone = answers(tmp_path, body.replace("LOAD", "nisa.dma_copy").replace("STORE", "nisa.dma_copy"))
    assert "sets" in alone[3].closed_by


#: In the manner of a compiler: blocks before the partitions, one line after the other, a mask in the last round.
FLAT = """
@nki.jit
def kernel(v1):
    v2 = nl.ndarray(v1.shape, dtype=v1.dtype, buffer=nl.shared_hbm)
    TILES
    for i0 in nl.affine_range(ROUNDS):
        for i1 in nl.affine_range(4):
            v3[i0, i1, P, Q] = nl.load(v1[128 * i0 + P, 256 * i1 + Q], mask=-128 * i0 + -1 * P + LAST >= 0)
            for i2 in nl.affine_range(2):
                LINES
            nl.store(v2[128 * i0 + P, 256 * i1 + Q], value=v23[i0, i1, P, Q], mask=-128 * i0 + -1 * P + LAST >= 0)
    return v2
"""
_TILE = "v{new} = nl.ndarray((ROUNDS, 4, nl.par_dim(128), 256), dtype=v1.dtype, buffer=nl.sbuf)"
_LINE = (
    "v{new}[i0, i1, P, 128 * i2 + R] = nl.add(v{old}[i0, i1, P, 128 * i2 + R], v3[i0, i1, P, 128 * i2 + R],"
    " mask=-128 * i0 + -1 * P + {last} >= 0)"
)
_AXES = {"P": "nl.arange(128)[:, None]", "Q": "nl.arange(256)[None, :]", "R": "nl.arange(128)[None, :]"}


def flat(rounds: int, last: int, masked: int) -> str:
    """A flat kernel whose last line has a mask of its own."""
    lines = [_LINE.format(new=n, old=n - 1, last=masked if n == 23 else last) for n in range(4, 24)]
    tiles = [_TILE.format(new=n) for n in range(3, 24)]
    text = FLAT.replace("TILES", "\n    ".join(tiles)).replace("LINES", ("\n" + " " * 16).join(lines))
    text = text.replace("ROUNDS", str(rounds)).replace("LAST", str(last))
    return re.sub(r"\b[PQR]\b", lambda axis: _AXES[axis[0]], text)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_flat_kernel_of_many_lines_is_looked_at_at_once(
    wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 20 if wrong else 400
    rows = 128 * rounds - 100
    looked = 0
    truth = ConcreteExecution._truth

    def counted_truth(run: ConcreteExecution, condition: object) -> bool:
        nonlocal looked
        looked += 1
        return truth(run, condition)

    def domain(v: Verification) -> None:
        v.call(v.tensor("v1", (rows, 1024), float32))

    monkeypatch.setattr(ConcreteExecution, "_truth", counted_truth)
    subject = Subject.of(tmp_path, flat(rounds, rows - 1, rows - 1 - wrong), domain, legacy=True)
    options = Options(root=tmp_path, phases=(1, 2, 3, 4), engine="embedded")
    runs = verify(replace(subject.target, kind=Kind.CONCRETE), options)
    expected = Verdict.FAILED if wrong else Verdict.SUCCESSFUL
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL] * 3 + [expected], runs[3].reason
    if not wrong:
        assert "sets" in runs[3].closed_by
        assert looked < 400_000


def counted(columns: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Contracts that plain Python looks at, and steps of symbolic runs, in a verification of the matmul."""
    counts = [0, 0]
    truth, step = ConcreteExecution._truth, Claiming.count_step

    def looks(run: ConcreteExecution, condition: object) -> bool:
        counts[0] += run.states_claims
        return truth(run, condition)

    def steps(run: Claiming) -> None:
        counts[1] += 1
        step(run)

    with monkeypatch.context() as patch:
        patch.setattr(ConcreteExecution, "_truth", looks)
        patch.setattr(Claiming, "count_step", steps)
        options = Options(root=Path(bench_kernels.__file__).parents[1], phases=(1, 2, 3, 4), engine="embedded")
        target = replace(bench_kernels.matmul(columns, options), expect=dict.fromkeys(range(1, 5), Verdict.SUCCESSFUL))
        runs = verify(target, options)
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL] * 4
    return counts[0], counts[1]


def test_the_cost_of_a_launch_of_numbers_does_not_grow_with_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    contracts, steps = counted(16_384, monkeypatch)
    assert steps, "the launch is not looked at at once"
    assert counted(65_536, monkeypatch) == (contracts, steps)
    assert contracts < counted(8_192, monkeypatch)[0] * 1.2
