"""What NKI does not document is not there for a kernel, though the model has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from tests.soundness.trap import target_for, verdict

NEW = "import nki.isa as nisa\n"
OLD = "import neuronxcc.nki.language as old\n"


@pytest.mark.parametrize(
    "body",
    [
        "nl.stub",
        "getattr(nl, 'stub')",
        "nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf).partitions",
        "nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf).itemsize",
        "hasattr(nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf), 'free_size')",
        "nisa.register_alloc(0).identity",
        "nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf).root",
        "nisa.engine.warp",
        "nisa.stub",
        "old.ndarray((128, n), dtype=old.float32).ap([[n, 128], [1, n]])",
        "old.ndarray((128, n), dtype=old.float32).buffer",
        "nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)[:, 0:1].base_tensor",
    ],
)
def test_a_name_that_only_the_model_has_is_unknown(body: str, tmp_path: Path) -> None:
    run = verdict(target_for(f"{NEW}{OLD}def kernel(n):\n    {body}\n", tmp_path, low=1))
    assert run.verdict is Verdict.UNKNOWN
    assert "not documented" in run.reason


def test_a_name_imported_from_the_stubs_is_a_placeholder(tmp_path: Path) -> None:
    source = "from nki.language import SBUF\ndef kernel(n):\n    nl.ndarray((128, n), dtype=nl.float32, buffer=SBUF)\n"
    run = verdict(target_for(source, tmp_path, low=1))
    assert run.verdict is Verdict.UNKNOWN
    assert "SBUF" in run.reason


@pytest.mark.parametrize(
    "body",
    [
        "assert nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf).size == 128 * n",
        "assert nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf).slice(1, 0, n).shape == (128, n)",
        "assert old.ndarray((128, n), dtype=old.float32).itemsize == 4",
        # Not documented: published kernels ask their arguments for it.
        "assert nl.ndarray((128, n), dtype=nl.float32, buffer=nl.hbm).base_tensor.shape == (128, n)",
    ],
)
def test_documented_names_are_there(body: str, tmp_path: Path) -> None:
    run = verdict(target_for(f"{NEW}{OLD}def kernel(n):\n    {body}\n", tmp_path, low=1))
    assert run.verdict is Verdict.SUCCESSFUL
