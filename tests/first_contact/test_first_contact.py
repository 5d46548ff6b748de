"""`check FILE` and nothing else: every right kernel gets the domain derived by hand, every bug its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.frontend.domain.expressions import condition, names_in
from nkiverify.frontend.domain.syntax import parse
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import dimension

from .conftest import Case, cases

_LEGAL = re.compile(r"is legal (?:where +(.*?)|for all shapes) +proved (for all such shapes|within bounds)")


def _meaning(texts: set[str] | frozenset[str]) -> list[Condition | bool]:
    """The conditions that `texts` are, over dimensions of at least 1."""
    found: list[Condition | bool] = []
    for text in sorted(texts):
        _, node = parse("", text)
        dimensions = {name.id: dimension(name.id) for name in names_in(node)}
        found += [value >= 1 for value in dimensions.values()]  # type: ignore[operator]
        found.append(condition(node, dimensions))
    return found


def _same(one: set[str] | frozenset[str], two: set[str] | frozenset[str]) -> bool:
    mine, others = _meaning(one), _meaning(two)
    names = {name.id for text in one | two for name in names_in(parse("", text)[1])}
    legal = [dimension(name) >= 1 for name in names]  # type: ignore[operator]
    return all(Prover([*legal, *mine], BUDGETS.statement).proves(each) for each in others) and all(
        Prover([*legal, *others], BUDGETS.statement).proves(each) for each in mine
    )


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_right_kernel_is_legal_where_it_was_derived_by_hand(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.py").write_text(case.text, encoding="utf-8")
    main(["check", "kernel.py"])
    out = " ".join(capsys.readouterr().out.split())
    found = _LEGAL.search(out)
    assert found is not None, out
    stated = set() if found[1] is None else {part.strip() for part in found[1].split(", ")}
    assert _same(stated, case.domain), out
    assert (found[2] == "within bounds") <= case.bounded, out
    assert all(f"{limit} (" in out.partition("limits:")[2] for limit in case.limits), out


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_bug_is_reported_at_its_line(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.py").write_text(case.wrong, encoding="utf-8")
    status = main(["check", "kernel.py"])
    out = capsys.readouterr().out
    lines = {int(number) for number in re.findall(r"kernel\.py:(\d+)", out.partition("limits:")[0])}
    assert status == 1, out
    assert lines & case.lines, out
