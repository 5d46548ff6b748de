"""The tables of targets, for the terminal and for README.md."""

from __future__ import annotations

from nkiverify.foundation.records import Kind, Verdict
from nkiverify.report import target_list
from tests.executors.fakes import target

TARGETS = [
    target("tensor_add", description="At most\n    4 | 5 tiles.\n\n    More.", expect={1: Verdict.SUCCESSFUL}),
    target("unguarded", kind=Kind.HOST_ARITHMETIC, expect={2: Verdict.FAILED}),
]


def test_the_terminal_sees_name_kind_and_expectations() -> None:
    assert target_list.plain(TARGETS).splitlines() == [
        "target      kind             phase 1     phase 2  phase 3  phase 4",
        "----------  ---------------  ----------  -------  -------  -------",
        "tensor_add  concrete         SUCCESSFUL  -        -        -",
        "unguarded   host arithmetic  -           FAILED   -        -",
    ]


def test_the_readme_says_what_a_target_is_about_in_a_line() -> None:
    assert target_list.markdown(TARGETS).splitlines() == [
        "| target | kernel | kind | phase 1 | phase 2 | phase 3 | phase 4 | domain |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| `tensor_add` | `kernels/a.py::a` | concrete | SUCCESSFUL | - | - | - | At most 4 \\| 5 tiles. |",
        "| `unguarded` | `kernels/a.py::a` | host arithmetic | - | FAILED | - | - |  |",
    ]
