"""A concrete run of the least shape, and of a larger one, beside every SUCCESSFUL."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from nkiverify.foundation.records import Basis, Verdict
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.model.operation import Operation
from nkiverify.verify.verdicts import PhaseVerdict
from tests.check.kernel_files import Checker, write

COPY = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def copy(a):
        P, F = a.shape
        assert P <= 128
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
        for i in range({rounds}):
            nisa.dma_copy(dst=tile, src=a[:, {start} : F])
        nisa.dma_copy(dst=out, src=tile)
        return out
"""
GIVEN = ("k.py::copy", "--arg", "a=bf16[P:1..128,F:1..512]", "--json", "found.json", "--no-cache")


def runs(check: Checker) -> list[dict[str, Any]]:
    """The runs of the results that were written."""
    found: list[dict[str, Any]] = json.loads((check.folder / "found.json").read_text())["runs"]
    return found


@pytest.fixture
def proving(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that says SUCCESSFUL of phases 1 to 3, whatever there is."""
    decide = PhaseVerdict.run
    monkeypatch.setattr(
        PhaseVerdict,
        "run",
        lambda self: replace(
            decide(self), verdict=Verdict.SUCCESSFUL, basis=Basis.PROVED, qualifier="", reason="", violations=()
        ),
    )


def test_the_record_says_which_shapes_were_run(check: Checker) -> None:
    write(check.folder, k=COPY.format(rounds=1, start=0))
    assert check(*GIVEN) == 0, check.out
    told = {run["phase"]: run["concrete"] for run in runs(check)}
    assert told[1] == told[3] == "run concretely: P = 1, F = 1; P = 2, F = 2"


@pytest.mark.usefixtures("proving")
@pytest.mark.parametrize(
    ("start", "shape"), [("1", "P = 1, F = 1"), ("2 if F == 2 else 0", "P = 2, F = 2")], ids=["least", "larger"]
)
def test_a_proof_that_a_concrete_run_contradicts_is_an_error_of_ours(check: Checker, start: str, shape: str) -> None:
    write(check.folder, k=COPY.format(rounds=1, start=f"({start})"))
    assert check(*GIVEN, "--phase", "1") == 4, check.out
    said = " ".join(check.out.split())
    assert "ERROR (contradicted by a concrete run)" in said
    assert f"in a concrete run for {shape}, and the proof says that it holds" in said


def test_a_shape_that_takes_too_much_is_told_of(check: Checker) -> None:
    write(check.folder, k=COPY.format(rounds="1000 * F", start=0))
    assert check(*GIVEN, "--phase", "1") == 0, check.out
    (run,) = runs(check)
    assert run["concrete"].startswith("P = 1, F = 1 is not run: it has some "), run["concrete"]


def test_a_larger_shape_that_takes_too_much_is_left_out(check: Checker) -> None:
    write(check.folder, k=COPY.format(rounds="1 if F == 1 else 1000 * F", start=0))
    assert check(*GIVEN, "--phase", "1") == 0, check.out
    (run,) = runs(check)
    assert run["concrete"].startswith("run concretely: P = 1, F = 1; P = 2, F = 2 is not run: it has some ")


def test_a_launch_of_numbers_is_its_own_concrete_run(check: Checker) -> None:
    write(check.folder, k=COPY.format(rounds=1, start=0))
    given = ("k.py::copy", "--arg", "a=bf16[4,8]", "--json", "found.json", "--no-cache")
    assert check(*given) == 0, check.out
    assert {run["concrete"] for run in runs(check)} == {""}


def test_an_assert_that_is_part_of_the_domain_contradicts_nothing(check: Checker) -> None:
    text = COPY.format(rounds=1, start=0).replace("P <= 128", "P <= 128 and any((F == k * k for k in range(1, 23)))")
    write(check.folder, k=text)
    assert check("k.py::copy", "--arg", "a=bf16[P:1..128,F:3..400]", "--json", "found.json", "--no-cache") == 0, (
        check.out
    )
    assert "F = 4" in runs(check)[0]["concrete"]


def test_a_division_by_zero_contradicts_phase_2_only(check: Checker) -> None:
    write(check.folder, k=COPY.format(rounds=1, start="0 * (8 // (F - 2))"))
    assert check(*GIVEN) == 1, check.out
    assert {run["phase"]: run["verdict"] for run in runs(check)}[2] == "FAILED"
    assert "ERROR" not in {run["verdict"] for run in runs(check)}


def test_a_proof_about_another_program_is_an_error_of_ours(check: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the symbolic execution recorded is what the concrete one does, or nothing is proved of the kernel."""
    operation = SymbolicExecution.operation

    def forgetting(self: SymbolicExecution, one: Operation) -> None:
        if one.reads["src"].storage.name != "a":
            operation(self, one)

    monkeypatch.setattr(SymbolicExecution, "operation", forgetting)
    write(check.folder, k=COPY.format(rounds=1, start=0))
    assert check(*GIVEN, "--phase", "3") == 4, check.out
    said = " ".join(check.out.split())
    assert "ERROR (contradicted by a concrete run)" in said
    assert "both executions of a kernel have to record the same" in said
    assert "concrete 13: nisa.dma_copy(src = bfloat16[1, 1];" in said, said
