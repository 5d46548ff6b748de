"""Kernels of the first releases: decorated by a framework, with their outputs among the arguments."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

KERNELS = """
    from torch_neuronx import nki_jit
    import torch_neuronx
    import neuronxcc.nki.language as nl


    @nki_jit
    def doubled(x, out):
        nl.store(out, value=nl.load(x) * 2.0)


    @torch_neuronx.nki_jit()
    def halved(x, out):
        nl.store(out, value=nl.load(x[0 : x.shape[0], 0:65]) * 0.5)


    @nki_jit
    def both(x, out):
        other = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, value=nl.load(x))
        nl.store(other, value=nl.load(x))
        return other


    def plain(x, out):
        nl.store(out, value=nl.load(x))
"""


@pytest.mark.parametrize(
    ("kernel", "options", "status", "said"),
    [
        ("doubled", (), 0, "df.output_parameter"),
        ("doubled", ("--strict",), 1, "df.output_parameter"),
        ("halved", (), 1, "idx.oob"),
        # No decorator in its file: as the contract says.
        ("plain", (), 0, "df.output_parameter"),
        ("plain", ("--strict",), 1, "df.output_parameter"),
        # What it returns says that the rule is known to its author.
        ("both", (), 1, "df.input_written"),
    ],
)
@pytest.mark.parametrize("rows", ["128", "P"])
def test_a_kernel_that_returns_nothing(
    rows: str, kernel: str, options: tuple[str, ...], status: int, said: str, check: Checker
) -> None:
    write(check.folder, k=KERNELS)
    shape = f"f32[{rows},64]" if rows == "128" else "f32[P:1..128,64]"
    words = ("--arg", f"x={shape}", "--arg", f"out={shape}")
    assert check(f"k.py::{kernel}", *words, *options) == status, check.out
    assert said in check.out
