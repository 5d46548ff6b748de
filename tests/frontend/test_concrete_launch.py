"""A launch whose sizes are all numbers has a verdict in every phase, whatever the symbolic run makes of the kernel."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.budget import ExploringBudget, RunningBudget
from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32, uint32
from nkiverify.verify import explorations
from nkiverify.verify.exploration import Exploration, played
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

#: A key that differs from iteration to iteration is nothing that a summary of the loop can have.
KEYS = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    seen = {}
    for i in range(R // 64):
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 64 : (i + 1) * 64, :])
        nisa.dma_copy(dst=out[i * 64 : (i + 1) * 64, :], src=tile)
        seen[i * 3 % 7] = tile
    return out
"""


def launch(*shape: int, **options: object) -> Callable[[Verification], None]:
    """A launch with one matrix."""

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", shape, float32), **options)

    return domain


def verdicts(folder: Path, body: str, domain: Callable[[Verification], None], **options: object) -> dict[int, Run]:
    """The runs by their phase."""
    target = Subject.of(folder, body, domain).target
    return {run.phase: run for run in verify(target, Options(root=folder, phases=(1, 2, 3, 4), **options))}  # type: ignore[arg-type]


def words(runs: dict[int, Run]) -> list[str]:
    """The verdicts of the four phases."""
    return [runs[phase].verdict.value for phase in sorted(runs)]


RIGHT = [KEYS] + [
    KEYS.replace("    seen = {}\n", f"    seen = {{}}\n    {line}\n")
    for line in (
        "assert float(R * C) * 0.5 <= 1e9",
        "assert (R & 63) == 0 and len([0] * R) == R",
        "import numpy as np\n    assert (np.arange(3) * R).sum() == 3 * R and hash(R)",
        "assert f'{R:>4}'.strip() == str(R) and hash(R) == R",
    )
]


@pytest.mark.parametrize("body", RIGHT)
def test_what_is_python_on_numbers_is_decided_in_all_phases(body: str, tmp_path: Path) -> None:
    runs = verdicts(tmp_path, body, launch(256, 32))
    assert words(runs) == ["SUCCESSFUL"] * 4, {phase: run.reason for phase, run in runs.items()}
    assert not any(run.qualifier for run in runs.values())
    assert runs[3].memory[0].bytes == 4 * 32


#: The same without the keys: the symbolic run decides it, whatever its sizes.
COPY = "\n".join(line for line in KEYS.splitlines() if "seen" not in line) + "\n"
#: With a number that no summary of the loop knows.
CARRIED = COPY.replace("    for i in", "    last = 3\n    for i in").replace(
    "    return", "        last = last * last % 7\n    assert last < 7\n    return"
)


@pytest.mark.parametrize(
    ("body", "phases", "ended"),
    [
        (COPY, (1,), [True]),
        (COPY, (1, 2, 3, 4), [True]),
        (KEYS, (1,), [True, False]),
        (CARRIED, (1, 2), [True, False]),
        (COPY, (1, 5), [False]),
    ],
    ids=["decided", "decided in all phases", "open", "not summarised", "numbers"],
)
def test_a_launch_that_repeats_itself_is_run_to_its_end_only_where_a_summary_leaves_it_open(
    body: str, phases: tuple[int, ...], ended: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = []

    def told(*arguments: Any) -> Exploration | None:
        made = played(*arguments)
        early.append(made is not None and made.run.unsupported_construct is not None)
        return made

    monkeypatch.setattr(RunningBudget, "CONTRACTS_BEFORE_REPEATING", 64)
    monkeypatch.setattr(RunningBudget, "OPERATIONS_RECORDED", 64)
    monkeypatch.setattr(RunningBudget, "OPERATIONS_BEFORE_SUMMARISING", 32)
    monkeypatch.setattr(ExploringBudget, "CONTRACTS_OF_A_STEP", 1)
    monkeypatch.setattr(explorations, "played", told)
    target = replace(Subject.of(tmp_path, body, launch(64 * 400, 32)).target, kind=Kind.CONCRETE)
    runs = verify(target, Options(root=tmp_path, phases=phases, engine="embedded"))
    assert [run.verdict for run in runs] == [Verdict.SUCCESSFUL] * len(phases), runs
    assert early == ended


@pytest.mark.parametrize(
    ("phase", "rule", "old", "new"),
    [
        (1, "idx.oob", "(i + 1) * 64, :])", "(i + 1) * 64 + i // 3, :])"),
        (2, "host.int32", "seen[i", "i * 1000000000\n        seen[i"),
        (2, "host.division_by_zero", "seen[i", "i // (3 - i)\n        seen[i"),
        (4, "df.output_written", "    for i in range(R // 64):", "    for i in range(R // 64 - 1):"),
        (1, "kernel.assert", "    return", "    assert len(seen) == 3\n    return"),
        (1, "kernel.exception", "    return", "    seen[99]\n    return"),
    ],
)
def test_a_fault_behind_what_no_symbolic_run_follows_is_found(
    phase: int, rule: str, old: str, new: str, tmp_path: Path
) -> None:
    runs = verdicts(tmp_path, KEYS.replace(old, new), launch(256, 32))
    assert runs[phase].verdict is Verdict.FAILED
    assert rule in {violation.contract for violation in runs[phase].violations}
    assert all(violation.replayed for violation in runs[phase].violations)


PLACED = KEYS.replace("seen = {}", "seen, first = {}, nl.ndarray((64, C), x.dtype, nl.sbuf, address=(0, 0))").replace(
    "    for i in", "    nisa.memset(first, 0.0)\n    for i in"
).replace("buffer=nl.sbuf)", "buffer=nl.sbuf, address=(0, OFFSET))").replace(
    "    return", "    nisa.dma_copy(dst=out[0:64, :], src=first)\n    return"
)  # fmt: skip


@pytest.mark.parametrize(("offset", "verdict"), [(128, Verdict.SUCCESSFUL), (124, Verdict.FAILED)])
def test_a_placed_tensor_that_is_overwritten_is_found(offset: int, verdict: Verdict, tmp_path: Path) -> None:
    run = verdicts(tmp_path, PLACED.replace("OFFSET", str(offset)), launch(256, 32))[3]
    assert run.verdict is verdict
    assert {one.contract for one in run.violations} <= {"mem.placed_overlap"}


@pytest.mark.parametrize(("columns", "verdict"), [(8000, Verdict.SUCCESSFUL), (16000, Verdict.FAILED)])
def test_what_is_live_together_has_to_fit_where_that_is_asked_for(
    columns: int, verdict: Verdict, tmp_path: Path
) -> None:
    def domain(v: Verification) -> None:
        v.no_spills()
        launch(512, columns)(v)

    held = KEYS.replace("(64, C)", "(128, C)").replace("seen[i * 3 % 7] = tile", "seen[i % 4] = tile").replace(
        "    return",
        "    for k in range(4):\n        nisa.dma_copy(dst=out[0:64, :], src=seen[k][0:64, :])\n    return",
    ).replace("dst=tile,", "dst=tile[0:64, :],").replace("src=tile)", "src=tile[0:64, :])")  # fmt: skip
    assert verdicts(tmp_path, held, domain)[3].verdict is verdict


SWALLOWED = KEYS.replace(
    "    return",
    "    try:\n        nl.no_such_function(tile)\n    except Exception:\n        pass\n    return",
)


def test_an_exception_of_ours_that_the_kernel_handles_is_no_pass(tmp_path: Path) -> None:
    runs = verdicts(tmp_path, SWALLOWED, launch(256, 32))
    assert not any(run.verdict is Verdict.SUCCESSFUL for run in runs.values())


def test_a_construct_that_the_kernel_swallows_is_no_pass(tmp_path: Path) -> None:
    body = KEYS.replace(
        "    return",
        "    try:\n        import numpy as np\n        nisa.dma_copy(dst=out[0:64, :], src=x.ap(\n"
        "            [[C, 64], [1, C]], scalar_offset=tile[0:1, 0:1]))\n"
        "    except BaseException:\n        pass\n    return",
    )
    runs = verdicts(tmp_path, body, launch(256, 32))
    assert runs[1].verdict is not Verdict.SUCCESSFUL


PROGRAMS = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0)
    seen = {i * 3 % 7: 0}
    tile = nl.load(x[i * 4 + nl.arange(4)[:, None], nl.arange(C)[None, :]])
    nl.store(out[i * 4 + nl.arange(4)[:, None], nl.arange(C)[None, :]], tile)
    return out
"""


def _programs(folder: Path, body: str, rows: int) -> dict[int, Run]:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (rows, 8), float32), grid=(rows // 4,))

    target = Subject.of(folder, body, domain, legacy=True).target
    return {run.phase: run for run in verify(target, Options(root=folder, phases=(1, 2, 3, 4)))}


def test_a_grid_is_run_program_by_program(tmp_path: Path) -> None:
    assert words(_programs(tmp_path, PROGRAMS, 4 * RunningBudget.PROGRAMS)) == ["SUCCESSFUL"] * 4
    late = PROGRAMS.replace("x[i * 4 +", "x[i * 4 + (i == 63) +")
    assert _programs(tmp_path, late, 4 * RunningBudget.PROGRAMS)[1].verdict is Verdict.FAILED


def test_a_large_grid_of_which_some_programs_are_run_is_never_successful(tmp_path: Path) -> None:
    runs = _programs(tmp_path, PROGRAMS, 400)
    assert [run.verdict for run in runs.values()] == [Verdict.UNKNOWN] * 4
    assert "a launch of 100 programs, of which 5 were run" in runs[1].qualifier
    late = PROGRAMS.replace("x[i * 4 +", "x[i * 4 + (i == 99) +")
    assert _programs(tmp_path, late, 400)[1].verdict is Verdict.FAILED


def test_an_operation_of_ours_that_fails_on_numbers_is_an_error_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_start(operation: object) -> None:
        operation[0]  # type: ignore[index]

    code = claim_start.__code__
    ours = types.FunctionType(code, {"__name__": "nkiverify.model.placement"})
    monkeypatch.setattr("nkiverify.model.recording.claim_operands", ours)
    runs = verdicts(tmp_path, KEYS, launch(256, 32))
    assert {run.verdict for run in runs.values()} == {Verdict.ERROR}
    assert "please report this" in runs[1].reason
    assert "subject.py:14" in runs[1].reason


@pytest.mark.parametrize("line", ["R + 'a'", "R // None", "x.shape[R]", "len(3)", "sum([None])", "int('a')"])
def test_what_python_raises_in_the_kernel_is_a_finding_at_the_line(line: str, tmp_path: Path) -> None:
    runs = verdicts(tmp_path, KEYS.replace("    return", f"    {line}\n    return"), launch(256, 32))
    assert [violation.contract for violation in runs[1].violations] == ["kernel.exception"]
    assert runs[1].violations[0].line == 17


def test_what_our_code_raises_on_purpose_is_a_finding_at_the_line(tmp_path: Path) -> None:
    body = KEYS.replace("    return", "    nisa.memset(tile, 0.0, 1, 2, 3, 4, 5, 6, 7)\n    return")
    run = verdicts(tmp_path, body, launch(256, 32))[1]
    assert run.verdict is Verdict.FAILED
    assert not any("model of NKI" in violation.message for violation in run.violations)


def test_an_index_of_unknown_contents_stays_open(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x, ids):
        R, C = x.shape
        seen = {hash(str(R)): 0}
        out = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.shared_hbm)
        at = nl.ndarray((64, 1), dtype=ids.dtype, buffer=nl.sbuf)
        tile = nl.ndarray((64, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=at, src=ids)
        nisa.dma_copy(dst=tile, src=x.ap([[C, 64], [1, C]], vector_offset=at))
        nisa.dma_copy(dst=out, src=tile)
        return out
    """

    def domain(values: tuple[int, int] | None) -> Callable[[Verification], None]:
        return lambda v: v.call(v.tensor("x", (256, 32), float32), v.tensor("ids", (64, 1), uint32, values=values))

    assert verdicts(tmp_path, body, domain((0, 255)))[1].verdict is Verdict.SUCCESSFUL
    assert verdicts(tmp_path, body, domain((0, 256)))[1].verdict is Verdict.FAILED
    assert verdicts(tmp_path, body, domain(None))[1].verdict in (Verdict.FAILED, Verdict.UNKNOWN)
