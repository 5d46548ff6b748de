"""`check FILE` and nothing else: every right kernel gets the domain derived by hand, every bug its line.

What is printed is compared as a whole with the files in `answers`; `pytest --new-answers` writes them, to be read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.first_contact import Case, cases
from nkiverify.cli.main import main
from nkiverify.frontend.domain.expressions import condition, names_in
from nkiverify.frontend.domain.syntax import parse
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import dimension

ANSWERS = Path(__file__).parent / "answers"
#: Enough for every kernel on a machine that does other things as well.
UNHURRIED = ("--timeout", "600")

#: What differs from one run to the next: seconds, with the space before them, and how many shapes, and up to which
#: sizes, there was time for.
_VARIES = (
    (re.compile(r" *\n? +(proved (?:for|within))"), r"\n  \1"),
    (re.compile(r"\d+\.\d s\b"), "… s"),
    (re.compile(r"\(\d+\)$", re.MULTILINE), "(…)"),
    (re.compile(r"for \d+ shapes that were tried; \d+ more"), "for … shapes that were tried; … more"),
    (re.compile(r"proved within bounds \([^)]*\)"), "proved within bounds (…)"),
)

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


def _compared(name: str, out: str, request: pytest.FixtureRequest) -> None:
    """Compare what was printed with the file of this name, or write the file."""
    for pattern, text in _VARIES:
        out = pattern.sub(text, out)
    file = ANSWERS / f"{name}.txt"
    if request.config.getoption("--new-answers"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(out, encoding="utf-8")
    assert out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_right_kernel_is_legal_where_it_was_derived_by_hand(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("kernel.py").write_text(case.text, encoding="utf-8")
    status = main(["check", "kernel.py", *UNHURRIED])
    text = capsys.readouterr().out
    out = " ".join(text.split())
    found = _LEGAL.search(out)
    assert found is not None, out
    stated = set() if found[1] is None else {part.strip() for part in found[1].split(", ")}
    bounded = found[2] == "within bounds"
    # A bound is a part of the domain, and no proof of the rest.
    assert bounded <= case.bounded and bounded == ("not proved beyond" in out), out
    beyond = out.partition("not proved beyond ")[2].partition(":")[0]
    assert _same(stated - set(beyond.split(" and ")), case.domain), out
    assert all(f"{limit} (" in out.partition("limits:")[2] for limit in case.limits), out
    assert status == (1 if "the kernel does not check" in out else 3 if bounded else 0), out
    _compared(f"{case.name}.right", text, request)


#: Bugs that are found, and of which another line than theirs is named.
_ANOTHER_LINE = {
    "dequantise": "beyond K == 64 a shape is shown at which scales_K is still 64, so that the slice of the scales fails"
}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_bug_is_reported_at_its_line(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("kernel.py").write_text(case.wrong, encoding="utf-8")
    status = main(["check", "kernel.py", *UNHURRIED])
    out = capsys.readouterr().out
    lines = {int(number) for number in re.findall(r"kernel\.py:(\d+)", out.partition("limits:")[0])}
    assert status == 1, out
    _compared(f"{case.name}.bug", out, request)
    if case.name in _ANOTHER_LINE:
        assert not lines & case.lines, "its line is named now"
        pytest.xfail(_ANOTHER_LINE[case.name])
    assert lines & case.lines, out
