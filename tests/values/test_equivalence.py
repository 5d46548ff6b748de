"""Kernels of the corpus against each other, against direct definitions, and against mutants of themselves."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any

import pytest

from nkiverify.analysis.values.cells import Cells
from nkiverify.cli.main import main
from nkiverify.foundation import resources
from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.compared_shapes import chosen_dimensions
from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.error_probability import error_bits
from nkiverify.products.equiv.paired_runs import PairedRuns, Side
from nkiverify.project.request import Request, parameters_of, request
from tests.representatives import representatives

ROOT = resources.root()
HERE = Path(__file__).parent
MATMULS = {
    "matmul_tiled.py::matmul_tiled": "",
    "matmul_hoist_load.py::matmul_hoist_load": "",
    "matmul_block_free.py::matmul_block_free": "",
    "matmul_fully_optimized.py::matmul_fully_optimized": "TILES_IN_BLOCK_M=2 TILES_IN_BLOCK_N=1 TILES_IN_BLOCK_K=1",
    "matmul_contributed.py::matmul": "TILES_IN_BLOCK_M=1 TILES_IN_BLOCK_N=1 TILES_IN_BLOCK_K=1",
}
TILED = "matmul_tiled.py::matmul_tiled"
SUMS = ("tensor_add.py::tensor_add", "tensor_add_spmd.py::tensor_add_spmd")
SELECTIVE = "delta=f32[1,128,16] u=f32[1,128,16] A=f32[128,2] B=f32[1,2,16] C=f32[1,2,16]"
EQUAL = [EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.TESTED]


def side(reference: str, arguments: str, base: Path = ROOT / "kernels") -> Side:
    """A kernel with arguments given in order, `f32[2,3] n=1`, or all by name."""
    names = parameters_of(reference, base)
    given = [
        text if "=" in text else f"{name}={text}" for name, text in zip(names, arguments.split(), strict=False)
    ] + arguments.split()[len(names) :]
    return Side(reference, request(reference, base, given, [], None), {})


def compared(first: Side, second: Side, seed: int = 0, hardware: str = "trn2") -> KernelComparison:
    return Comparer(first, second, hardware_named(hardware), seed, None).compare()


def answers(found: KernelComparison) -> list[EquivalenceAnswer]:
    """Legal, defined, over the reals, in floating point."""
    return [finding.answer for finding in found.findings()]


@pytest.mark.parametrize("other", list(MATMULS))
def test_matmuls_of_the_tutorial_are_equal(other: str) -> None:
    shapes = "f32[256,256] f32[256,1024]"
    found = compared(side(TILED, shapes), side(other, f"{shapes} {MATMULS[other]}"))
    assert answers(found) == EQUAL
    assert found.error_bits >= 40


def test_elements_are_held_in_one_kind_of_numbers_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not floats beside residues beside degrees: for 31 million elements that was 2 GB (`make bench`)."""
    held: list[set[tuple[Any, ...]]] = []
    run = PairedRuns.run

    def counted(runs: PairedRuns, *args: Any, **kwargs: Any) -> Any:
        found = run(runs, *args, **kwargs)
        arrays = (cells.buffer for cells in gc.get_objects() if isinstance(cells, Cells))
        held.append({(part.dtype, part.ndim, len(part)) for part in arrays if part.size >= rows * 512})
        return found

    rows = 256
    monkeypatch.setattr(PairedRuns, "run", counted)
    first, second = (side(name, f"f32[{rows},512] f32[{rows},512]") for name in SUMS)
    assert answers(compared(first, second)) == EQUAL
    assert [len(kinds) for kinds in held] == [1, 1, 1]


@pytest.mark.parametrize(("name", "options"), [("mamba_v1", ""), ("mamba_v2", ""), ("mamba_v3", " seq_tile=8")])
def test_mamba_versions_are_equal(name: str, options: str) -> None:
    found = compared(side("mamba.py::mamba_v1", SELECTIVE), side(f"mamba.py::{name}", SELECTIVE + options))
    assert answers(found) == EQUAL
    assert found.error_bits >= 40


@pytest.mark.parametrize("name", ["attn_fwd_v1", "attn_fwd_v2"])
def test_short_attention_versions_are_equal(name: str) -> None:
    shapes = "f32[128,128] f32[128,128] f32[128,128]"
    found = compared(side("attention.py::attn_fwd_v1", shapes), side(f"attention.py::{name}", shapes))
    assert answers(found) == EQUAL


@pytest.mark.campaign
def test_long_attention_equals_its_definition() -> None:
    shapes = "f32[128,512] f32[128,512] f32[128,512]"
    found = compared(side("attention.py::attn_fwd_v3", shapes), side("direct.py::attention", shapes, HERE))
    # The definition divides at the end: equal in a field, and but for roundings in floating point.
    assert answers(found) == EQUAL
    assert found.error_bits >= 30


def test_short_attention_equals_the_definition_of_long_attention() -> None:
    shapes = "f32[128,128] f32[128,128] f32[128,128]"
    found = compared(side("attention.py::attn_fwd_v1", shapes), side("direct.py::attention", shapes, HERE))
    assert answers(found) == EQUAL


def test_bilinear_interpolation_equals_its_definition() -> None:
    found = compared(
        side("interpolation.py::interpolate_bilinear", "f32[3,5,4] chunk_size=3"),
        side("direct.py::bilinear", "f32[3,5,4]", HERE),
    )
    assert answers(found) == EQUAL


def mutated(tmp_path: Path, file: str, pattern: str, replacement: str) -> Path:
    """A folder with a copy of a kernel file in which a pattern that occurs once is replaced."""
    text = (ROOT / "kernels" / file).read_text(encoding="utf-8")
    changed, times = re.subn(pattern, replacement, text)
    assert times == 1, (pattern, times)
    (tmp_path / file).write_text(changed, encoding="utf-8")
    return tmp_path


#: Mutants whose shapes and bounds are legal: only values tell.
VALUE_MUTANTS = [
    # The k-th tile of lhsT is multiplied with the first one of rhs.
    ("matmul_tiled.py::matmul_tiled", r"data\[first : first \+ STEP", "data[0:STEP", "f32[256,256] f32[256,1024]"),
    # Every output block is that of the first columns.
    (
        "matmul_tiled.py::matmul_tiled",
        r"data\[first : first \+ STEP, left : left \+ WIDTH\]",
        "data[first : first + STEP, 0:WIDTH]",
        "f32[256,256] f32[256,1024]",
    ),
    # Products overwrite instead of accumulating.
    (
        "matmul_tiled.py::matmul_tiled",
        r"moving=moving\)",
        "moving=moving, accumulate=False)",
        "f32[256,256] f32[256,1024]",
    ),
    # K and M tiles exchanged in an offset: equal sizes hide it from every check of shapes.
    (
        "matmul_tiled.py::matmul_tiled",
        r"weights\[first : first \+ weight_rows, top : top \+ HEIGHT\]",
        "weights[top : top + weight_rows, first : first + HEIGHT]",
        "f32[256,256] f32[256,1024]",
    ),
    # The state is not handed on from tile to tile.
    (
        "mamba.py::mamba_v3",
        r"                    nisa\.tensor_copy\(dst=state, src=h\[:, seq_tile - 1 : seq_tile\]\)\n",
        "",
        SELECTIVE + " seq_tile=8",
    ),
    # The states before the last one of a tile.
    ("mamba.py::mamba_v3", r"h\[:, seq_tile - 1 : seq_tile\]", "h[:, 0:1]", SELECTIVE + " seq_tile=8"),
    # The sum of exponentials is not inverted.
    (
        "attention.py::attn_fwd_v1",
        r"nl\.reciprocal\(nl\.sum\(exponentials, axis=1, keepdims=True\)\)",
        "nl.sum(exponentials, axis=1, keepdims=True)",
        "f32[128,128] f32[128,128] f32[128,128]",
    ),
]


@pytest.mark.parametrize(
    ("reference", "pattern", "replacement", "arguments"),
    representatives(VALUE_MUTANTS, kind=lambda one: one[0], name=lambda one: one[0].partition("::")[2], parts=4),
)
def test_mutants_that_only_change_values_are_different(
    tmp_path: Path, reference: str, pattern: str, replacement: str, arguments: str
) -> None:
    file = reference.partition("::")[0]
    mutant = side(reference, arguments, mutated(tmp_path, file, pattern, replacement))
    found = compared(side(reference, arguments), mutant)
    assert answers(found) == [EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.NO, EquivalenceAnswer.NO]
    assert found.reals is not None and found.reals.difference is not None
    assert found.reals.difference.first_slice.lines and found.reals.difference.second_slice.lines


def test_a_wrong_tile_constant_shows_where_the_sizes_differ() -> None:
    options = "f32[128,256] f32[128,512] {} TILES_IN_BLOCK_M=2 TILES_IN_BLOCK_N=1 TILES_IN_BLOCK_K=1"
    good, bad = (f"matmul_fully_optimized.py::matmul_fully_optimized_{name}" for name in ("tile_m", "pr89"))
    same = compared(side(good, options.format("tile_m=128")), side(bad, options.format("tile_m=128")))
    assert answers(same) == EQUAL
    apart = compared(side(good, options.format("tile_m=64")), side(bad, options.format("tile_m=64")))
    assert answers(apart)[0] is EquivalenceAnswer.NO


@pytest.mark.parametrize("seed", range(3))
def test_kernels_equal_themselves_for_any_seed(seed: int) -> None:
    for reference, arguments in (
        (TILED, "f32[128,128] f32[128,512]"),
        ("maxpooling.py::maxpooling", "f32[130,8] pool_size=2"),
        ("avgpool.py::avgpool", "f32[2,6,6] pool_size=2"),
        ("transpose2d.py::transpose2d", "i8[2,6] shape2d=(2,3)"),
    ):
        assert answers(compared(side(reference, arguments), side(reference, arguments), seed)) == EQUAL, reference


def test_kernels_that_define_nothing_are_not_called_equal() -> None:
    shapes = "f32[64,256] f32[64,1024]"
    unguarded = "matmul_block_free.py::matmul_block_free_unguarded"
    found = compared(side(unguarded, shapes), side(unguarded, shapes))
    # K = 64: nothing is ever written to PSUM, so there is nothing to call equal.
    assert answers(found) == [
        EquivalenceAnswer.YES,
        EquivalenceAnswer.YES,
        EquivalenceAnswer.UNKNOWN,
        EquivalenceAnswer.UNKNOWN,
    ]


def test_what_cannot_be_evaluated_over_fields_is_unknown() -> None:
    arguments = "x=bf16[32,128] dtype='float8_e5m2_x4'"
    quantise = side("mx_matmul.py::mx_quantize", arguments)
    found = compared(quantise, quantise, hardware="trn3")
    assert found.reals is not None and found.reals.answer is EquivalenceAnswer.UNKNOWN
    assert "quantize_mx" in found.reals.text


def test_shapes_make_every_loop_run_twice() -> None:
    asked = [side(reference, "f32[K,M] f32[K,N]").asked for reference in list(MATMULS)[:3]]
    found = chosen_dimensions([one for one in asked if isinstance(one, Request)], "trn2")
    assert found.chosen == {"K": 256, "M": 512, "N": 2048}


def test_a_dimension_that_no_loop_runs_over_is_not_chosen_to_be_one(tmp_path: Path) -> None:
    body = "    tile = nl.load(x)\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
    store = "    nl.store(out, tile)\n    return out\n"
    text = f"import neuronxcc.nki.language as nl\n\n\ndef copied(x):\n{body}{store}"
    (tmp_path / "k.py").write_text(text, encoding="utf-8")
    asked = side("k.py::copied", "f32[P,F]", tmp_path).asked
    assert isinstance(asked, Request)
    assert sorted(chosen_dimensions([asked], "trn2").chosen.values()) == [3, 4]


@pytest.mark.parametrize(
    ("values", "bits"),
    [
        # One polynomial of degree 4 over four fields of more than 2^23 elements: 4 * (23 - 2).
        ({"output_degree": 4, "argument_degree": 2, "applications": 0, "maxima": 0}, 84),
        # 2^10 applications make 2^19 pairs, told apart by words of 64 bits: 64 - 19.
        ({"output_degree": 1, "argument_degree": 2, "applications": 1024, "maxima": 0}, 45),
        # The degree of the arguments being 2^10: 4 * 13 - 19.
        ({"output_degree": 1, "argument_degree": 1024, "applications": 1024, "maxima": 0}, 33),
        # Maxima are told apart by 58 bits.
        ({"output_degree": 1, "argument_degree": 1, "applications": 0, "maxima": 1024}, 39),
        ({"output_degree": 2.0**40, "argument_degree": 1, "applications": 0, "maxima": 0}, 0),
    ],
)
def test_the_probability_of_an_error(values: dict[str, float], bits: int) -> None:
    assert error_bits(**values, lane_bits=[23] * 4, maximum_bits=58) == bits  # type: ignore[arg-type]


def test_roundings_differ_where_the_reals_agree() -> None:
    shapes = "{0}[512,256] {0}[512,512]"
    options = " TILES_IN_BLOCK_M=2 TILES_IN_BLOCK_N=1 TILES_IN_BLOCK_K=1"
    optimised = "matmul_fully_optimized.py::matmul_fully_optimized"
    found = compared(side(TILED, shapes.format("bf16")), side(optimised, shapes.format("bf16") + options))
    # The second one adds up its blocks in a tile of bfloat16.
    assert found.reals is not None and found.reals.answer is EquivalenceAnswer.ROUNDINGS
    assert "conversions to bfloat16" in found.reals.text
    assert found.floats is not None and "identical" not in found.floats.text


def test_bfloat16_matmuls_that_differ_in_tiling_are_equal() -> None:
    shapes = "bf16[256,256] bf16[256,1024]"
    found = compared(side(TILED, shapes), side("matmul_block_free.py::matmul_block_free", shapes))
    assert answers(found) == EQUAL
    assert found.reals is not None and "both round the same values to bfloat16" in found.reals.text
    assert found.error_bits >= 40


class _TooLarge:
    """A kernel whose arrays do not fit into memory."""

    reference = TILED
    base = ROOT / "kernels"

    def call(self, v: object, prepare: object = None) -> None:
        """Run out of memory."""
        raise MemoryError("8 GiB")


def test_too_little_memory_is_no_fault_of_a_kernel() -> None:
    large = Side("large", _TooLarge(), {})
    legal = compared(large, large).legal
    assert legal is not None
    assert legal.answer is EquivalenceAnswer.UNKNOWN and "8 GiB" in legal.text


SOFTMAXES = """
import nki.isa as nisa
import nki.language as nl


def _divided(powers, x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.reciprocal(nl.sum(powers, axis=1, keepdims=True))
    result = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, powers, nl.multiply, sums)
    nl.store(out, result)
    return out


def plain(x):
    return _divided(nl.exp(nl.load(x)), x)


def shifted(x):
    tile = nl.load(x)
    moved = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(moved, tile, nl.subtract, nl.max(tile, axis=1, keepdims=True))
    return _divided(nl.exp(moved), x)


def flat(x):
    out = nl.ndarray((x.shape[0] * x.shape[1],), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(out.reshape(x.shape), nl.load(x))
    return out


def square(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out
"""


def _run_equiv(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    (folder / "k.py").write_text(SOFTMAXES, encoding="utf-8")
    monkeypatch.chdir(folder)
    return main(["equiv", *words])


def test_greater_inputs_show_what_overflows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = ("k.py::plain", "k.py::shifted")
    assert _run_equiv(tmp_path, monkeypatch, *kernels, "--arg", "x=f32[8,16]") == 0
    assert "over the reals  EQUAL" in capsys.readouterr().out
    assert _run_equiv(tmp_path, monkeypatch, *kernels, "--arg", "x=f32[8,16] in -2e2..200.0") == 1
    printed = capsys.readouterr().out
    assert "over the reals  EQUAL" in printed and "floating point  DIFFERENT" in printed and "nan" in printed
    assert _run_equiv(tmp_path, monkeypatch, *kernels, "--arg", "x=f32[8,16] in 2..1") == 2


@pytest.mark.parametrize(
    ("kernels", "first", "second", "status", "told"),
    [
        (("plain", "shifted"), "f32[8,16]", "f32[8,16] in -200..200", 1, "assumed: x is in -200..200 in both kernels"),
        (("flat", "flat"), "i32[8,16] in 0..7", "i32[8,16]", 0, "assumed: x is in 0..7 in both kernels"),
        (("flat", "flat"), "i32[8,16] in 0..7", "i32[8,16] in 0..7", 0, "drawn for x"),
        (("flat", "flat"), "i32[8,16] in 0..7", "i32[8,16] in 0..8", 2, "they are given the same numbers"),
    ],
)
def test_a_range_that_one_kernel_declares_holds_for_both(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kernels: tuple[str, str],
    first: str,
    second: str,
    status: int,
    told: str,
) -> None:
    words = [f"k.py::{kernel}" for kernel in kernels]
    assert _run_equiv(tmp_path, monkeypatch, *words, "--arg-a", f"x={first}", "--arg-b", f"x={second}") == status
    captured = capsys.readouterr()
    assert told in captured.out + captured.err
    assert ("assumed" in captured.out) is told.startswith("assumed")


def test_results_of_another_shape_are_compared_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("k.py::flat", "k.py::square", "--arg", "x=f32[8,16]")
    assert _run_equiv(tmp_path, monkeypatch, *words) == 1
    assert "[128] and [8, 16]; --reshape compares them" in capsys.readouterr().out
    assert _run_equiv(tmp_path, monkeypatch, *words, "--reshape") == 0
    other = ("k.py::flat", "k.py::plain", "--arg", "x=f32[8,16]", "--reshape")
    assert _run_equiv(tmp_path, monkeypatch, *other) == 1
    assert "result[0] of plain" in capsys.readouterr().out


FACTORY = """
import functools

import nki
import nki.language as nl


def halved(rows, columns, factor=0.5):
    @nki.jit
    def kernel(tensor):
        out = nl.ndarray((rows, columns), dtype=tensor.dtype, buffer=nl.shared_hbm)
        for i in range(rows // 4):
            place = slice(4 * i, 4 * i + 4)
            nl.store(out[place, :], nl.multiply(nl.load(tensor[place, :]), factor))
        return out

    return kernel


small = halved(8, 6)


def _summed(tensor, columns):
    out = nl.ndarray((4, 1), dtype=tensor.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.sum(nl.load(tensor[:, 0:columns]), axis=1, keepdims=True))
    return out


def summed(columns, cast=True):
    @nki.jit
    def kernel(x):
        return _summed(x, columns)

    return kernel


class Sum:
    def __init__(self, columns):
        self.columns = columns

    def forward(self, x):
        return _summed(x, self.columns)

    def __call__(self, x):
        return self.forward(x)


of_six, six_in_parts = Sum(6), functools.partial(_summed, columns=6)


@nki.jit
def all_summed(x):
    return _summed(x, x.shape[1])


@nki.jit
def plain(x):
    assert x.shape[0] % 2 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 2):
        nl.store(out[2 * i : 2 * i + 2, :], nl.multiply(nl.load(x[2 * i : 2 * i + 2, :]), 0.5))
    return out
"""


@pytest.mark.parametrize(
    ("second", "given", "status", "told"),
    [
        # The sizes of the kernel are in its text: they are chosen for the tensors, which have another name there.
        ("small", ("x=f32[M,N]",), 3, "chosen: M = 8, N = 6"),
        ("halved(8, 6)", ("x=f32[8,6]",), 0, "EQUAL"),
        ("halved(8, 6, 0.25)", ("x=f32[8,6]",), 1, "DIFFERENT"),
        # Or they are dimensions of the tensors.
        ("halved(M, N)", ("-a", "x=f32[M,N]", "-b", "tensor=f32[M,N]"), 3, "chosen: M = 8, N = 3"),
        ("halved(M, K)", ("x=f32[M,N]",), 2, "halved(M, K): K is no dimension of an argument"),
        ("halved(M, len(N))", ("x=f32[M,N]",), 2, "make_kernel(M) with a dimension"),
    ],
)
def test_kernels_with_sizes_in_their_text(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    second: str,
    given: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    (tmp_path / "f.py").write_text(FACTORY, encoding="utf-8")
    words = [f"--arg{text}" if text.startswith("-") else text for text in given]
    words = words if len(words) > 1 else ["--arg", *words]
    assert _run_equiv(tmp_path, monkeypatch, "f.py::plain", f"f.py::{second}", *words) == status
    captured = capsys.readouterr()
    assert told in captured.out + captured.err


@pytest.mark.parametrize("made", ["summed(6)", "of_six", "of_six.forward", "six_in_parts"])
def test_a_kernel_made_for_sizes_is_not_asked_about_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], made: str
) -> None:
    (tmp_path / "f.py").write_text(FACTORY, encoding="utf-8")
    words = ("f.py::all_summed", f"f.py::{made}", "--arg", "x=f32[4,N]")
    assert _run_equiv(tmp_path, monkeypatch, *words) == 3
    printed = capsys.readouterr().out
    assert "chosen: N = 6" in printed and "for all N       not argued" in printed
    assert f"also: no other sizes, for which {made} may not be made" in printed
    # One that is given a dimension is made anew for each.
    assert _run_equiv(tmp_path, monkeypatch, words[0], "f.py::summed(N)", *words[2:]) == 3
    assert "also: N = 4: the same answers" in capsys.readouterr().out
