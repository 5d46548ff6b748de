"""A shape program that is written as JSON and read again is the same program: deciding it gives the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkiverify.analysis.sets.flow import Inconclusive, prove
from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.resources import root
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.ir.walk import items
from nkiverify.model.hardware import hardware_named
from nkiverify.report import program_text
from nkiverify.results.program_file import NotStorable, dump, load
from nkiverify.verify.exploration import explore
from tests.bundled import TARGETS
from tests.quick import main

#: Every so many targets are in the suite, the others are a campaign.
_EVERY = 16


def _targets() -> Iterator[object]:
    for number, target in enumerate(TARGETS):
        marks = (pytest.mark.campaign,) if number % _EVERY else ()
        yield pytest.param(target, id=target.name, marks=marks)


def _answers(program: Program, hardware: str) -> list[object]:
    engine = EmbeddedEngine(program)
    decided: list[object] = [
        (one.claim.number, one.outcome, one.rung) for number in (1, 2) for one in engine.decide(number)
    ]
    try:
        stated = prove(program, hardware_named(hardware).generation, 60.0, None).stated
    except Inconclusive as reason:
        return [*decided, str(reason)]
    return [*decided, *((one.contract, one.site, one.reason) for one in stated)]


@pytest.mark.parametrize("target", list(_targets()))
def test_what_is_read_again_is_decided_as_what_was_written(target: Target) -> None:
    try:
        run = explore(target, hardware_named(target.hardware), Limits(seconds=60), frozenset({1, 2, 3, 4})).run
    except UnsupportedConstruct:
        pytest.skip("the symbolic run stops")
    text = dump(run.program, root())
    again = load(text, root())
    assert [type(one) for one in items(again.body)] == [type(one) for one in items(run.program.body)]
    shown, known = (program_text.text(program_text.lines(one, (), root())) for one in (again, run.program))
    assert shown == known
    assert _answers(again, target.hardware) == _answers(run.program, target.hardware)
    assert len(json.loads(dump(again, root()))["objects"]) == len(json.loads(text)["objects"])


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"format": "nkiverify-program", "version": 2, "root": 1, "objects": []}',
        '{"format": "nkiverify-program", "version": 1, "root": {"at": 0}, "objects": [["tuple"]]}',
        '{"format": "nkiverify-program", "version": 1, "root": {"at": 0}, "objects": [["record", "os:system", {}]]}',
        '{"format": "nkiverify-program", "version": 1, "root": {"at": 0}, "objects": [["nothing"]]}',
        '{"format": "nkiverify-program", "version": 1, "root": {"at": 0}, "objects": [["value", "os", "system"]]}',
    ],
)
def test_what_is_no_program_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="this is no nkiverify-program of version 1"):
        load(text, Path.cwd())


def test_an_object_of_another_class_is_not_stored() -> None:
    program = Program()
    program.searches[object()] = True  # type: ignore[index]
    with pytest.raises(NotStorable, match=r"a builtins\.object"):
        dump(program, Path.cwd())


def test_show_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "matmul_tiled", "--format", "json"]) == 0
    assert load(capsys.readouterr().out, root()).paths == 1
