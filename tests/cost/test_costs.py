"""Costs: formulas are what runs do, nothing unknown is left out in silence, and lints and budgets say what is so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from lab.bench_costs import of_all_sizes
from lab.costs import differences
from lab.fuzz import moving_number
from lab.operation_kernels import CURRENT_HEADER, LEGACY_HEADER, written
from lab.recordings import CannotCompare, program_of
from lab.subject import Bench
from nkiverify.cli.main import main
from nkiverify.engines.shapes import Shapes
from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.products.cost.budget import BudgetAnswer
from nkiverify.products.cost.lints import LINTS, Lint
from nkiverify.products.cost.report import CostQuestion, CostReport, report
from nkiverify.project.request import parameters_of, request
from tests.bundled import TARGETS
from tests.representatives import representatives

SECONDS = 20.0
HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\n"
LEGACY = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n\n\n@nki.jit\n"

COPY = """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    for i in nl.affine_range((rows + 127) // 128):
        for j in nl.affine_range(2):
            p, f = nl.arange(128)[:, None], nl.arange(columns)[None, :]
            tile = nl.load(x[i * 128 + p, f], mask=i * 128 + p < rows)
            nl.store(out[i * 128 + p, f], tile, mask=i * 128 + p < rows)
    return out
"""
WINDOWS = """\
def kernel(x):
    out = nl.ndarray((30, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(30):
        tile = nl.ndarray((1, 8), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:1, i * 2:i * 2 + 8])
        nisa.dma_copy(dst=out[i:i + 1, :], src=tile)
    return out
"""


def told(
    folder: Path,
    text: str,
    given: Sequence[str],
    where: Sequence[str] = (),
    grid: str | None = None,
    hardware: str = "trn2",
    **asked: object,
) -> CostReport:
    """The report about a kernel of a file."""
    (folder / "kernels.py").write_text(text, encoding="utf-8")
    found = request("kernels.py::kernel", folder, given, where, grid)
    question = CostQuestion(**asked)  # type: ignore[arg-type]
    return report("kernel", found.target(hardware, False), hardware_named(hardware), question, SECONDS)


@pytest.mark.parametrize(
    "target",
    representatives(
        [target for target in TARGETS if target.kind is Kind.SYMBOLIC],
        kind=lambda target: target.family,
        name=lambda target: target.name,
    ),
)
def test_formulas_are_what_a_run_of_a_target_does(target: Target) -> None:
    try:
        program = program_of(target, SECONDS)
    except CannotCompare as reason:
        pytest.skip(str(reason))
    shapes = islice(Shapes(program.dimensions, []).tried(), 4)
    assert [found for found in differences(target, shapes, SECONDS, 1) if found[1]] == []


@pytest.mark.campaign
@pytest.mark.parametrize("target", of_all_sizes(), ids=lambda target: target.name)
def test_formulas_are_what_runs_of_a_target_do(target: Target) -> None:
    try:
        program = program_of(target, SECONDS)
    except CannotCompare as reason:
        pytest.skip(str(reason))
    shapes = islice(Shapes(program.dimensions, []).tried(), 400)
    assert [found for found in differences(target, shapes, SECONDS, 50) if found[1]] == []


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(200))
def test_formulas_are_what_a_run_of_a_random_kernel_does(number: int) -> None:
    bench = Bench()
    try:
        subject = moving_number(number, 41, bench)
        with bench.target(subject) as target:
            found = differences(target, islice(subject.assignments(), 50), SECONDS, 50)
            assert [one for one in found if one[1]] == []
    finally:
        bench.close()


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(120))
def test_formulas_are_what_a_run_of_a_random_operation_does(number: int, tmp_path: Path) -> None:
    kernel = written(number, 7)
    header = LEGACY_HEADER if kernel.call.legacy else CURRENT_HEADER
    (tmp_path / "kernels.py").write_text(f"{header}\n\n{kernel.text}", encoding="utf-8")
    names = list(parameters_of(f"kernels.py::{kernel.name}", tmp_path))
    values = ("f32[64,64]", "u8[64,64]", "n:1..4", str(kernel.times * kernel.columns))
    given = [f"{name}={value}" for name, value in zip(names, values, strict=True)]
    target = request(f"kernels.py::{kernel.name}", tmp_path, given, [], None).target("trn2", False)
    assert [one for one in differences(target, [{"n": n} for n in (1, 2, 4)], SECONDS, 3) if one[1]] == []


def test_a_constant_is_one_tensor_for_all_programs(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n"
        + LEGACY
        + """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ones = nl.load(nl.shared_constant(np.ones((64, 64), dtype=np.uint8), dtype=nl.bfloat16))
    b = nl.program_id(0)
    nl.store(out[b], nl.multiply(nl.load(x[b]), ones))
    return out
"""
    )
    (tmp_path / "kernels.py").write_text(text, encoding="utf-8")
    target = request("kernels.py::kernel", tmp_path, ["x=bf16[b,64,64]"], [], "b").target("trn2", False)
    found = list(differences(target, [{"b": b} for b in (1, 2, 3)], SECONDS, 3))
    assert [text for _, text in found] == ["", "", ""]


def test_an_asked_engine_is_where_an_operation_counts(tmp_path: Path) -> None:
    text = (
        HEAD
        + """\
def kernel(x):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.dma_copy(dst=tile, src=x, engine=nisa.engine.gpsimd)
    nisa.nc_transpose(dst=turned, data=tile, engine=nisa.engine.tensor)
    nisa.tensor_copy(dst=tile, src=turned, engine=nisa.engine.scalar)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    )
    rows = {name: row.most for name, row in told(tmp_path, text, ["x=f32[128,128]"]).by_name.items()}
    assert rows["dma_instructions"] == 2
    assert (rows["tensor_instructions"], rows["tensor_columns"], rows["transposes"]) == (1, 4 * 128, 1)
    assert rows["scalar_instructions"] == 1 and "open_instructions" not in rows


def test_a_masked_last_tile_is_counted_as_it_is(tmp_path: Path) -> None:
    found = told(tmp_path, LEGACY + COPY, ["x=f32[m,512]"], at={"m": 300})
    rows = found.by_name
    assert (rows["hbm_read"].low, rows["hbm_read"].least) == (rows["hbm_read"].high, 2 * 300 * 512 * 4)
    assert (rows["hbm_read_once"].low, rows["hbm_read_once"].most) == ("2048*m", 300 * 512 * 4)
    assert rows["descriptors"].most == 4 * 300


def test_windows_that_overlap_are_read_once(tmp_path: Path) -> None:
    rows = told(tmp_path, HEAD + WINDOWS, ["x=f32[1,66]"]).by_name
    assert (rows["hbm_read"].most, rows["hbm_read_once"].most) == (30 * 8 * 4, 66 * 4)
    assert rows["hbm_read_once"].least == 66 * 4


def test_accesses_that_may_meet_lie_between_bounds(tmp_path: Path) -> None:
    text = (
        HEAD
        + """\
def kernel(x, n):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:64])
    nisa.dma_copy(dst=out, src=tile)
    nisa.dma_copy(dst=tile, src=x[:, n:n + 64])
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
    )
    row = told(tmp_path, text, ["x=f32[128,512]", "n=n:0..448"], at={"n": 20}).by_name["hbm_read_once"]
    assert row.least is not None and row.most is not None and row.least <= 128 * 84 * 4 <= row.most < 128 * 512 * 4


@pytest.mark.parametrize("grid", ["3", "n"])
def test_all_programs_of_a_launch_are_counted(tmp_path: Path, grid: str) -> None:
    text = (
        HEAD
        + """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[i * 128:(i + 1) * 128, :])
    nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, :], src=tile)
    return out
"""
    )
    rows = told(tmp_path, text, [f"x=f32[128*{grid},64]"], grid=grid, at={"n": 3} if grid == "n" else {}).by_name
    assert rows["hbm_read"].most == rows["hbm_read_once"].most == 3 * 128 * 64 * 4


UNKNOWN = (
    HEAD
    + """\
def kernel(x, count):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    numbers = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=numbers, src=count)
    end = nisa.register_alloc()
    nisa.register_load(end, numbers)
    for i in nl.dynamic_range(0, end, 1):
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
)


def test_what_runs_as_often_as_data_say_has_no_known_cost(tmp_path: Path) -> None:
    found = told(tmp_path, UNKNOWN, ["x=f32[128,64]", "count=i32[1,1]"], budgets=("hbm_read <= 10 * once",))
    assert [site.line for site, _ in found.unknown if site is not None] == [
        UNKNOWN[: UNKNOWN.index("src=x)")].count("\n") + 1
    ]
    assert [budget.answer for budget in found.budgets] == [BudgetAnswer.UNKNOWN]


def test_a_kernel_that_is_not_understood_has_no_figures(tmp_path: Path) -> None:
    text = HEAD + "def kernel(x):\n    return open(x.shape[0])\n"
    found = told(tmp_path, text, ["x=f32[128,n]"])
    assert found.refused and not found.rows


@pytest.mark.parametrize(
    ("shape", "where"), [("f32[64,512]", ()), ("f32[m,512]", ("m < 0",)), ("f32[128,512000000]", ())]
)
def test_a_domain_without_shapes_has_no_figures_and_keeps_no_budget(
    shape: str, where: Sequence[str], tmp_path: Path
) -> None:
    text = (
        HEAD
        + """\
def kernel(x):
    assert x.shape[0] == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
"""
    )
    found = told(tmp_path, text, [f"x={shape}"], where, budgets=("hbm_read <= 0",))
    assert "no operation" in found.refused and not found.budgets


@pytest.mark.parametrize("lint", LINTS, ids=lambda lint: lint.id)
def test_a_lint_warns_of_its_wrong_control_only(lint: Lint, tmp_path: Path) -> None:
    given = {
        "cost.repeated_load": ["x=f32[128*m,512]", "w=f32[128,512]"],
        "cost.small_descriptors": ["x=f32[128,512]"],
        "cost.few_partitions": ["x=f32[128,512]"],
        "cost.transpose": ["x=f32[128,128]", "y=f32[128,512]"],
        "cost.narrow_moving": ["x=f32[128,128]", "y=f32[128,1024]"],
        "cost.strided": ["x=f32[128,2048]"],
        "cost.many_instructions": ["x=f32[128,20480000]"],
        "cost.idle_engine": ["x=f32[128,512]"],
    }[lint.id]
    # What NeuronCore-v2 alone is documented to do is warned of there alone.
    hardware = "trn1" if lint.id == "cost.strided" else "trn2"
    wrong = told(tmp_path, lint.wrong, given, hardware=hardware, lints=True)
    assert {one.id for one in wrong.found} == {lint.id}
    (tmp_path / "right").mkdir()
    right = told(tmp_path / "right", lint.right, given, hardware=hardware, lints=True)
    assert not right.refused and [one.id for one in right.found] == []
    assert told(tmp_path, lint.wrong, given).found == ()


BUDGETS = {
    "hbm_read <= 2 * once": BudgetAnswer.HOLDS,
    "hbm_read <= 1.9 * once": BudgetAnswer.BROKEN,
    "hbm_read / 2 - once <= 0": BudgetAnswer.HOLDS,
    "hbm_written_once >= 2048 * m": BudgetAnswer.HOLDS,
    "hbm_read < 4096 * m": BudgetAnswer.BROKEN,
    "instructions <= m": BudgetAnswer.BROKEN,
}


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_is_proved_or_broken(budget: str, tmp_path: Path) -> None:
    (found,) = told(tmp_path, LEGACY + COPY, ["x=f32[m,512]"], budgets=(budget,)).budgets
    assert found.answer is BUDGETS[budget], found


def test_the_command_compares_writes_and_holds_budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernels.py").write_text(LEGACY + COPY + "\n\n@nki.jit\n" + COPY.replace("kernel", "other"), encoding="utf-8")
    words = [
        "cost",
        "kernels.py::kernel",
        "--arg",
        "x=f32[m,512]",
        "--compare",
        "kernels.py::other",
        "--json",
        "c.json",
    ]
    assert main([*words, "--budget", "hbm_read <= 2 * once"]) == 0
    first, second = json.loads(Path("c.json").read_text(encoding="utf-8"))["kernels"]
    assert first["figures"] == second["figures"] and first["budgets"][0]["answer"] == "holds"
    assert main([*words, "--budget", "hbm_read <= once"]) == 1
    assert main([*words, "--budget", "speed <= once"]) == 2
    assert main([*words, "--at", "m=0"]) == 2


def test_two_kernels_are_compared_in_eighty_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    once = COPY.replace("kernel", "once").replace("affine_range(2)", "affine_range(1)")
    Path("kernels.py").write_text(LEGACY + COPY + "\n\n@nki.jit\n" + once, encoding="utf-8")
    words = ["cost", "kernels.py::kernel", "--arg", "x=f32[m,512]", "--at", "m=256", "--compare", "kernels.py::once"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    numbers = {line.split("  ")[1]: line.split()[-2:] for line in lines if line.startswith("  ") and "::" not in line}
    assert numbers["HBM bytes read, as written"] == ["1,048,576", "524,288"]
    assert numbers["HBM bytes read, each once"] == ["524,288", "524,288"]
    assert sum(line.startswith("HBM bytes by place") for line in lines) == 2
    assert main(["cost", "kernels.py", "--arg", "x=f32[m,512]"]) == 2
    assert "kernels.py has kernel, once" in capsys.readouterr().err
    assert main([*words, "--budget", "hbm_raed <= once"]) == 2
    assert "did you mean hbm_read?" in capsys.readouterr().err


_TILED = """\
def tiled(a, b):
    K, M = a.shape
    _, N = b.shape
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    for m in range(M // 128):
        acc = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.psum)
        for k in range(K // 128):
            s = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
            t = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=s, src=a[k * 128 : (k + 1) * 128, m * 128 : (m + 1) * 128])
            nisa.dma_copy(dst=t, src=b[k * 128 : (k + 1) * 128, :])
            nisa.nc_matmul(dst=acc, stationary=s, moving=t, accumulate=(k > 0))
        r = nl.ndarray((128, N), dtype=a.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=r, src=acc)
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, :], src=r)
    return out
"""


def test_arguments_and_domain_that_nobody_gives_are_those_that_check_derives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(HEAD + _TILED, encoding="utf-8")
    assert main(["cost", "kernels.py", "--at", "K=1024,M=256,N=512", "--json", "costs.json"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "where K % 128 == 0, M % 128 == 0, N <= 512, K == b0" in told
    assert "assumed: --arg a='bf16[K,M]' --arg b='bf16[b0,N]'" in told
    (found,) = json.loads((tmp_path / "costs.json").read_text())["kernels"]
    # Rows of b are as many as those of a, though nobody gives them.
    assert found["at"] == {"K": 1024, "M": 256, "b0": 1024, "N": 512}
    assert found["figures"]["hbm_read"]["most"] == 2 * 1024 * (256 + 2 * 512)
    assert main(["cost", "kernels.py", "--at", "K=1000"]) == 2
    assert "K = 1000 is not in the domain" in capsys.readouterr().err


def test_nothing_is_counted_where_no_shape_is_legal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = _TILED.replace("b[k * 128 : (k + 1) * 128, :]", "b[k * 128 : (k + 1) * 128 + 1, :]")
    (tmp_path / "kernels.py").write_text(HEAD + text, encoding="utf-8")
    assert main(["cost", "kernels.py"]) == 2
    assert "nkiverify check kernels.py::tiled says why" in capsys.readouterr().err


def test_explain_shows_both_controls_of_a_lint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "cost.transpose"]) == 0
    shown = capsys.readouterr().out
    assert "nisa.nc_transpose" in shown and "Source:" in shown


def test_a_project_may_have_warnings_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (lint,) = (one for one in LINTS if one.id == "cost.few_partitions")
    Path("kernels.py").write_text(lint.wrong, encoding="utf-8")
    words = ["cost", "kernels.py::kernel", "--arg", "x=f32[128,512]"]
    assert main(words) == 0 and lint.id not in capsys.readouterr().out
    Path("pyproject.toml").write_text("[tool.nkiverify]\ncost-lints = true\n", encoding="utf-8")
    assert main(words) == 0 and lint.id in capsys.readouterr().out
    assert main([*words, "--no-lints"]) == 0 and lint.id not in capsys.readouterr().out


IN_TURN = """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((64, nl.par_dim(128), 2048), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(64):
        tiles[i] = nl.load(x[i])
        nl.store(out[i], tiles[i])
    return out
"""


def test_blocks_that_are_used_in_turn_are_one(tmp_path: Path) -> None:
    found = told(tmp_path, LEGACY + IN_TURN, ["x=f32[64,128,2048]"])
    (peak,) = found.peaks
    assert peak.bytes >= 64 * 8192 > peak.limit >= peak.in_turn >= 8192 and not peak.spills
    later = IN_TURN.replace("        nl.store", "    for i in nl.affine_range(64):\n        nl.store")
    (peak,) = told(tmp_path, LEGACY + later, ["x=f32[64,128,2048]"]).peaks
    assert peak.in_turn == peak.bytes > peak.limit and peak.spills


#: The tile of `j` is the same for each `i`: taken out of that loop, there is one for each `j`.
TAKEN_OUT = """\
def kernel(x, y):
    out = nl.ndarray((16, 56, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(16):
        for j in nl.affine_range(56):
            loaded = nl.load(x[j])
            doubled = nl.multiply(loaded, 2.0)
            nl.store(out[i, j], nl.add(doubled, nl.load(y[i, j])))
    return out
"""


@pytest.mark.parametrize(
    ("written", "instead", "kept"),
    [
        ("loaded", "loaded", 2 * 55 * 2048),
        ("nl.multiply(loaded, 2.0)", "nl.multiply(loaded, 2.0 + i)", 55 * 2048),
        ("nl.load(x[j])", "nl.load(x[i])", 0),
        ("nl.load(x[j])", "nl.load(out[i, j])", 0),
        ("affine_range(56)", "affine_range(1)", 0),
        ("affine_range(16)", "affine_range(1)", 0),
    ],
)
def test_what_is_the_same_in_each_iteration_is_kept(tmp_path: Path, written: str, instead: str, kept: int) -> None:
    text = TAKEN_OUT.replace(written, instead)
    (peak,) = told(tmp_path, LEGACY + text, ["x=f32[56,128,512]", "y=f32[16,56,128,512]"]).peaks
    assert peak.kept == kept
    assert not peak.overflows and peak.spills is (kept > 200_000)
