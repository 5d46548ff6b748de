"""Mutants of kernels: what the operators make, which phase kills them, and what is said of those that survive."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from lab import fates, mutation, mutation_tables
from lab.computed import ILLEGAL, compared
from lab.fates import (
    Fate,
    GoodKernel,
    MutantResult,
    digest,
    failing_shape,
    mutated,
    subject_of,
    try_mutant,
    unlike_shapes,
)
from lab.mutation import companions, good_targets, sample
from lab.operators import OPERATORS, Mutant, sites
from lab.same_operations import program_of, same_operations
from nkiverify.foundation.records import Basis, Verdict
from nkiverify.verify.verifier import verify
from tests.bundled import BY_NAME as TARGETS

SUBJECTS: dict[str, GoodKernel] = {}


def subject(name: str) -> GoodKernel:
    """The kernel of a target, looked at once."""
    if name not in SUBJECTS:
        SUBJECTS[name] = subject_of(TARGETS[name])
    return SUBJECTS[name]


def changed(name: str, old: str, new: str, operator: str = "some operator") -> Mutant:
    """The kernel of a target with one piece of its text replaced."""
    source = (TARGETS[name].root / TARGETS[name].kernel.partition("::")[0]).read_text(encoding="utf-8")
    assert source.count(old) == 1
    return Mutant(operator, 1, f"{old} → {new}", source.replace(old, new))


# --- operators --------------------------------------------------------------------------------------------------------


def made(body: str, operator: str) -> list[str]:
    """The changes of an operator to a kernel."""
    source = "TILE = 128\nWIDE = 512\n\n\ndef kernel(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return [site.mutant().change for site in sites(source, "kernel") if site.operator == operator]


@pytest.mark.parametrize(
    ("operator", "body", "changes"),
    [
        ("slice bound ± 1", "x[a:b]", ["a:b → a + 1:b", "a:b → a - 1:b", "a:b → a:b + 1", "a:b → a:b - 1"]),
        ("stride ± 1", "x[a:b:s]", ["a:b:s → a:b:s + 1", "a:b:s → a:b:s - 1"]),
        ("extent ± 1", "nl.arange(n)", ["nl.arange(n) → nl.arange(n + 1)", "nl.arange(n) → nl.arange(n - 1)"]),
        ("axes exchanged", "x.ap([[a, b], [c, d]])", ["[[a, b], [c, d]] → [[c, d], [a, b]]"]),
        ("axes exchanged", "nl.sum(x, axis=1)", [f"nl.sum(x, axis=1) → nl.sum(x, axis={axis})" for axis in (0, 2)]),
        ("operands exchanged", "nl.matmul(x, y, True)", ["nl.matmul(y, x, True)", "nl.matmul(x, True, y)"]),
        ("operands exchanged", "f(dst=x, src=y)", ["f(dst=x, src=y) → f(dst=y, src=x)"]),
        ("call left out", "x = nl.zeros((1, 2))", ["nl.zeros((1, 2)) → nl.ndarray((1, 2))"]),
        ("call left out", "x = nl.full((1, 2), 3, t)", ["nl.full((1, 2), 3, t) → nl.ndarray((1, 2), t)"]),
        ("call left out", "x[...] = nl.load(y)", ["x[...] = nl.load(y) → pass"]),
        ("call left out", "x[0] += y", ["x[0] += y → pass"]),
        ("accumulation left out", "x += y", ["x += y → x = y"]),
        ("loop range ± 1", "for i in range(n):\n    pass", ["n + 1", "n - 1"]),
        ("loop range ± 1", "for i in range(a, n):\n    pass", ["a + 1, n", "a - 1, n", "a, n + 1", "a, n - 1"]),
        ("precondition removed", "if x:\n    raise ValueError", ["if x: → pass"]),
        ("constants exchanged", "size = TILE", ["TILE → WIDE"]),
        ("constants exchanged", "edge = nl.tile_size.pmax\nx[edge]", ["edge → TILE", "edge → WIDE"]),
    ],
)
def test_an_operator_makes_these_changes(operator: str, body: str, changes: list[str]) -> None:
    found = made(body, operator)
    assert len(found) == len(changes)
    for change, told in zip(found, changes, strict=True):
        assert told in change


def test_every_operator_changes_one_place_of_some_kernel() -> None:
    used = set()
    for target in good_targets(list(TARGETS.values()), "*"):
        file, _, kernel = target.kernel.partition("::")
        used |= {site.operator for site in sites((target.root / file).read_text(encoding="utf-8"), kernel)}
    assert used == set(OPERATORS)


def test_classes_that_a_kernel_uses_are_changed_too() -> None:
    source = "class A:\n    def f(self, x):\n        assert x\n\n\ndef kernel(x):\n    A().f(x)\n"
    assert [site.operator for site in sites(source, "kernel")].count("precondition removed") == 1


# --- fates ------------------------------------------------------------------------------------------------------------


def test_mutants_of_a_kernel_have_the_fates_they_should() -> None:
    matmul = subject("matmul_tiled_all")
    found: dict[str, set[Fate]] = {}
    told = ("slice bound ± 1", "buffer", "precondition removed", "call left out", "rounding")
    for mutant in (one for one in sample(matmul.target, 1, seed=3) if one.operator in told):
        found.setdefault(mutant.operator, set()).add(try_mutant(matmul, mutant).fate)
    assert found["slice bound ± 1"] == {Fate.KILLED_1}
    assert found["buffer"] == {Fate.KILLED_1}
    # The domain of the target promises what the assert asks.
    assert found["precondition removed"] == {Fate.EQUIVALENT}
    # A store left out, and a division without remainder, rounded the other way.
    assert found["call left out"] == {Fate.KILLED_4}
    assert found["rounding"] == {Fate.EQUIVALENT}


@pytest.mark.parametrize(("operator", "phase"), [("slice bound ± 1", 1), ("call left out", 4)])
def test_a_survivor_that_fails_on_some_shape_is_a_defect(
    operator: str, phase: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matmul = subject("matmul_tiled_all")
    mutant = next(one for one in sample(matmul.target, 1, seed=3) if one.operator == operator)
    monkeypatch.setattr(
        fates,
        "verify",
        lambda *asked: [
            replace(run, verdict=Verdict.SUCCESSFUL, basis=Basis.PROVED, qualifier="", violations=())
            for run in verify(*asked)
        ],
    )
    outcome = try_mutant(matmul, mutant)
    assert outcome.fate is Fate.DEFECT
    assert f"fails in phase {phase}" in outcome.detail


@pytest.mark.parametrize(
    ("name", "phase", "contract"),
    [
        ("matmul_fully_optimized_spills", 3, "mem.capacity_live"),
        ("dataflow_missing_load", 4, "df.read_unwritten"),
        ("dataflow_rows", 4, ""),
    ],
)
def test_concrete_runs_are_of_the_phase_that_is_asked_about(
    name: str, phase: int, contract: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = {"K": 1024, "M": 10240, "N": 1024} if phase == 3 else {"R": 300, "C": 2}
    monkeypatch.setattr(fates, "shapes", lambda *asked: iter([shape]))
    for asked in (phase, 7 - phase):
        wrong = failing_shape(TARGETS[name], [asked], (), random.Random(1))
        assert (contract in wrong) if asked == phase and contract else wrong == ""


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("old", "new", "fate"),
    [
        ("op=nl.add", "op=nl.subtract", Fate.VALUES),
        ("data1=a_tile, data2=b_tile", "data1=b_tile, data2=a_tile", Fate.EQUIVALENT),
    ],
)
def test_mutants_that_break_no_contract_are_told_apart_by_their_values(old: str, new: str, fate: Fate) -> None:
    outcome = try_mutant(subject("tensor_add_all"), changed("tensor_add_all", old, new))
    assert outcome.fate is fate
    assert "at" in outcome.detail


def test_shapes_outside_the_domain_are_not_compared() -> None:
    avgpool = TARGETS["avgpool_all"]
    outside, inside = ({"size": 3, "H": rows, "W": 4, "C": 2} for rows in (2, 5))
    assert compared(avgpool, avgpool, iter([outside])) == (None, "no legal shape was found")
    assert compared(avgpool, avgpool, iter([outside, inside]))[0] is True


def test_a_broken_contract_that_the_phases_did_not_find_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fates, "compared", lambda *asked: (False, f"at {{}}: {ILLEGAL}: mutant: out of bounds"))
    mutant = changed("tensor_add_all", "op=nl.add", "op=nl.subtract")
    assert try_mutant(subject("tensor_add_all"), mutant).fate is Fate.DEFECT


def test_shapes_are_unlike_each_other_first() -> None:
    dimensions = subject("matmul_tiled_all").dimensions
    shape = next(unlike_shapes(dimensions, random.Random(1)))
    assert len(set(shape.values())) == len(dimensions)
    assert all(shape[one.atom.name] > one.multiple_of for one in dimensions)


def test_phases_that_a_target_leaves_out_are_asked_of_another_one() -> None:
    found = companions(TARGETS["attn_fwd_v3_all"], list(TARGETS.values()))
    assert [(phase, target.kernel) for phase, target in found] == [(3, TARGETS["attn_fwd_v3_all"].kernel)]
    assert companions(TARGETS["matmul_tiled_all"], list(TARGETS.values())) == []
    # No other target says anything of phases 3 and 4 here, so that this one is asked.
    alone = TARGETS["flash_fwd_all"]
    assert [(phase, one.name) for phase, one in companions(alone, list(TARGETS.values()))] == [
        (3, alone.name), (4, alone.name)
    ]  # fmt: skip


def test_a_phase_in_which_the_kernel_itself_does_not_hold_kills_nothing() -> None:
    target = TARGETS["dataflow_missing_load"]
    found = subject_of(replace(target, expect={1: Verdict.SUCCESSFUL}), [(4, target), (1, target)])
    assert [phase for phase, _ in found.companions] == [1]


# --- the same operations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("for i in range(height // HEIGHT):", "for row in range(-(-height // HEIGHT)):\n        i = row", True),
        ("for i in range(height // HEIGHT):", "for i in range(height // HEIGHT - 1):", False),
        ("top, left = i * HEIGHT,", "top, left = (height // HEIGHT - 1 - i) * HEIGHT,", False),
        ("top, left = i * HEIGHT,", "top, left = i * STEP,", True),
        ("stationary=stationary, moving=moving", "stationary=moving, moving=stationary", False),
        (
            "moving = nl.ndarray((STEP, WIDTH),",
            "moving = nl.ndarray((STEP, WIDTH + 1),",
            False,
        ),
        ("nisa.tensor_copy(dst=rounded, src=sums)", "nisa.tensor_copy(rounded, sums)", True),
        ("nisa.tensor_copy(dst=rounded, src=sums)", "pass", False),
    ],
)
def test_the_same_operations_are_seen_whatever_they_are_written_like(old: str, new: str, same: bool) -> None:
    target = TARGETS["matmul_tiled_all"]
    mutant = changed("matmul_tiled_all", old, new)
    with mutated(target, mutant) as folder:
        program = program_of(replace(target, root=folder), 60.0)
        kernel = subject("matmul_tiled_all").program
        assert kernel is not None and program is not None
        assert same_operations(kernel, program) is same


def test_arguments_of_one_shape_are_not_taken_for_one_another() -> None:
    target = TARGETS["tensor_add_all"]
    kernel = subject("tensor_add_all").program
    assert kernel is not None
    source = (target.root / target.kernel.partition("::")[0]).read_text(encoding="utf-8")
    signature = next(line for line in source.splitlines() if line.startswith("def tensor_add("))
    exchanged = signature.replace("a, b", "b, a")
    with mutated(target, Mutant("", 1, "", source.replace(signature, exchanged))) as folder:
        program = program_of(replace(target, root=folder), 60.0)
        assert program is not None
        assert not same_operations(kernel, program)


# --- the campaign -----------------------------------------------------------------------------------------------------


def test_a_campaign_goes_on_where_it_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = TARGETS["transpose2d_all"]
    tried: list[str] = []

    def fate(subject: GoodKernel, mutant: Mutant) -> MutantResult:
        tried.append(mutant.change)
        return MutantResult(target.name, mutant.operator, mutant.line, mutant.change, digest(mutant), Fate.KILLED_1, "")

    monkeypatch.setattr(mutation, "try_mutant", fate)
    monkeypatch.setattr(mutation, "subject_of", lambda *asked: None)
    log = tmp_path / "log"
    whole = mutation.campaign([target], [], 1, 1, log)
    assert len(tried) == len(whole) > 5
    lines = log.read_text(encoding="utf-8").splitlines()
    # The last line was cut off, and the one before it is not there yet.
    log.write_text("\n".join([*lines[:-2], lines[-1][:30]]) + "\n", encoding="utf-8")
    tried.clear()
    assert mutation.campaign([target], [], 1, 1, log) == whole
    assert len(tried) == 2
    tried.clear()
    assert mutation.campaign([target], [], 1, 1, log) == whole
    assert mutation.main(["--kernel", target.name, "--each", "9", "--log", str(log), "--logged"]) == 0
    assert f"{len(whole)} of {len(whole)} mutants are not equivalent" in capsys.readouterr().out
    assert tried == []


def outcomes(**counts: int) -> list[MutantResult]:
    """So many outcomes of each fate."""
    return [
        MutantResult("a_target", "an operator", 7, "a | b", str(number), Fate[name], f"because of {name}")
        for name, count in counts.items()
        for number in range(count)
    ]


def test_equivalent_mutants_count_for_nothing() -> None:
    text = mutation_tables.score(outcomes(KILLED_1=5, KILLED_4=2, VALUES=1, EQUIVALENT=4, SURVIVED=2))
    assert text.startswith(
        "10 of 14 mutants are not equivalent: 7 (70.0%) are killed by the phases and 1 by values, 8 in all (80.0%)"
    )
    assert "the phases kill 7 (77.8%)" in text
    assert text.endswith("Of the 4 equivalent ones 0 are proved to be.")


def test_tables_are_put_where_they_belong() -> None:
    begin, end = "<!-- mutants: written -->", "<!-- end of mutants -->"
    text = f"before\n\n{begin}\n\nthe last table\n\n{end}\n\nafter\n"
    found = outcomes(KILLED_1=1, SURVIVED=1)
    written = mutation_tables.with_tables(text, found)
    assert written.startswith(f"before\n\n{begin}\n") and written.endswith(f"{end}\n\nafter\n")
    assert "the last table" not in written
    assert "| an operator |         2 |" in written
    assert mutation_tables.with_tables(written, found) == written


def test_a_file_without_a_place_for_tables_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    for told in ("No such file", "there is no section mutants"):
        with pytest.raises(SystemExit) as left:
            mutation.main(["--write", str(page)])
        assert left.value.code == 2
        assert told in capsys.readouterr().err
        page.write_text("nothing", encoding="utf-8")
