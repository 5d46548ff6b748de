"""Kernels as libraries have them: a package of several hundred lines with configurations, allocators and views.

`large/serving` is what is checked; each test names what is to hold of one kernel, and the nearest thing that is not.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.check.kernel_files import Checker

PACKAGE = Path(__file__).parent / "large" / "serving"


@pytest.fixture
def serving(check: Checker) -> Checker:
    """The package in a folder of its own."""
    shutil.copytree(PACKAGE, check.folder / "serving", ignore=shutil.ignore_patterns("__pycache__"))
    return check


def run(check: Checker, kernel: str, *words: str, **arguments: str) -> int:
    """The exit status of checking a kernel of the package in phases 1 and 2."""
    given = [word for name, value in arguments.items() for word in ("--arg", f"{name}={value}")]
    return check(f"serving/kernels.py::{kernel}", *given, "--phase", "1,2", *words)


def bounded(check: Checker) -> bool:
    return "bounded" in check.out


MLP = {"x": "bf16[T,512]", "gate_weights": "bf16[512,1024]", "up_weights": "bf16[512,1024]"}


@pytest.mark.parametrize("config", ["DEFAULT_MLP", "STACKED_MLP", "PLAIN_MLP", "MlpConfig(gate='silu')"])
def test_an_mlp_for_any_number_of_tokens_in_every_configuration(serving: Checker, config: str) -> None:
    assert run(serving, "gated_mlp", **MLP, down_weights="bf16[1024,512]", config=config) == 0, serving.out
    assert not bounded(serving)


def test_weights_that_do_not_fit_break_the_librarys_own_check(serving: Checker) -> None:
    assert run(serving, "gated_mlp", "--where", "T % 128 == 0", **MLP, down_weights="bf16[1024,1024]") == 1
    assert "check_shapes" in serving.out and "kernel.assert" in serving.out


def test_one_concrete_mlp(serving: Checker) -> None:
    shapes = {"x": "bf16[128,512]", "gate_weights": "bf16[512,512]", "up_weights": "bf16[512,512]"}
    assert run(serving, "gated_mlp", **shapes, down_weights="bf16[512,512]") == 0, serving.out


@pytest.mark.parametrize("tiling", ["'prefill'", "'decode'", "'debug'", "Tiling(rows=16, columns=96)"])
def test_short_last_tiles_of_any_matrix_by_any_tiling(serving: Checker, tiling: str) -> None:
    assert run(serving, "scaled_copy", x="bf16[M,N]", tiling=tiling, placement="Placement.STACK") == 0, serving.out
    assert not bounded(serving)


def test_a_tiling_that_there_is_not_is_the_kernels_own_error(serving: Checker) -> None:
    assert run(serving, "scaled_copy", x="bf16[M,N]", tiling="'train'") == 1
    assert "no tiling train; there are debug, decode, prefill" in " ".join(serving.out.split())


@pytest.mark.parametrize(("last", "status"), [("V-1", 0), ("V", 1)])
def test_rows_of_a_table_chosen_at_run_time(serving: Checker, last: str, status: int) -> None:
    assert run(serving, "embedding", ids=f"u32[T,1] in 0..{last}", table="bf16[V,D]") == status, serving.out
    assert not bounded(serving)


def test_attention_with_a_scale_of_its_own(serving: Checker) -> None:
    shapes = {"q": "bf16[D,Q]", "k": "bf16[D,S]", "v": "bf16[S,D]"}
    assert run(serving, "attention", **shapes) == 0, serving.out
    assert not bounded(serving)
    assert "check_multiple(keys, MOVING, 'the number of keys')" in serving.out
    # With a domain of one's own, what the library checks is to hold.
    assert run(serving, "attention", "--where", "D <= 128 and Q % 128 == 0 and S % 128 == 0", **shapes) == 1
    assert re.search(r"S\s+= 128", serving.out)


@pytest.mark.parametrize(("cores", "status"), [("1", 0), ("2", 0), ("3", 1)])
def test_two_cores_exchange_their_sums(serving: Checker, cores: str, status: int) -> None:
    kernel = f"summed_on_two_cores[{cores}]"
    depth = "512" if status else "K"
    assert run(serving, kernel, x=f"bf16[{depth},M]", weights=f"bf16[{depth},N]") == status, serving.out


@pytest.mark.parametrize(("lengths", "status"), [("u32[1,1] in 0..2047", 0), ("u32[1,1] in 0..2048", 1)])
def test_a_ring_of_placed_buffers_and_a_column_chosen_at_run_time(serving: Checker, lengths: str, status: int) -> None:
    assert run(serving, "decode_blocks", x="bf16[P,2048]", lengths=lengths) == status, serving.out
    assert ("dma_copy.oob" in serving.out) == (status == 1)


def test_a_kernel_with_a_branch_for_each_generation(serving: Checker) -> None:
    assert run(serving, "rope_tables", "--target", "all", positions="f32[T,1]", frequencies="f32[1,D]") == 0
    assert "6 SUCCESSFUL" in serving.out


def test_two_thousand_lines_of_kernels_in_one_file(serving: Checker) -> None:
    file = serving.folder / "serving" / "kernels.py"
    text = file.read_text(encoding="utf-8")
    first = text.index("@nki.jit")
    copies = [
        re.sub(r"def (\w+)\((?!length, sizes)", rf"def \1_{number}(", text[first:]).replace(
            "def blocks_of", "def _blocks"
        )
        for number in range(8)
    ]
    long = text + "\n\n" + "\n\n".join(copies)
    assert long.count("\n") > 2000
    file.write_text(long, encoding="utf-8")
    assert serving("serving/kernels.py", "--list") == 0
    assert serving.out.count("serving/kernels.py::attention") == 9
    shapes = {"q": "bf16[D,Q]", "k": "bf16[D,S]", "v": "bf16[S,D]"}
    assert run(serving, "attention_7", **shapes) == 0, serving.out
