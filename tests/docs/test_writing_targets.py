"""The examples of docs/writing-targets.md are targets, and end as they expect; misuse ends in the lines it lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Verdict
from nkiverify.foundation.resources import root
from nkiverify.frontend.target import Target
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

PAGE = (root() / "docs" / "writing-targets.md").read_text(encoding="utf-8")


def project(folder: Path, **modules: str) -> list[Target]:
    """The targets of a project with the kernels of the repository and these harness modules."""
    (folder / "kernels").symlink_to(root() / "kernels")
    (folder / "harness").mkdir()
    for name, text in modules.items():
        (folder / "harness" / f"{name}.py").write_text(text, encoding="utf-8")
    return load_targets(folder)


def test_every_example_ends_as_it_expects(tmp_path: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    targets = project(tmp_path, **{f"example{number}": text for number, text in enumerate(examples)})
    assert len(targets) == 6
    for target in targets:
        for run in verify(target, Options(root=tmp_path)):
            assert (run.target, run.as_expected, run.qualifier) == (target.name, True, "")


def test_a_family_states_what_its_targets_share(tmp_path: Path) -> None:
    text = """
from nkiverify.manifest import Family, Kind
SUMS = Family("sums", "kernels/sums.py")
@SUMS(Kind.CONCRETE)
def everywhere(v): pass
@SUMS(Kind.CONCRETE, holds=(1, 4), flags="--unwind 2", hardware="trn1", tags=("t",))
def in_two(v): pass
@SUMS(Kind.CONTROL, "wrong", fails=1)
def wrong(v): pass
@SUMS(Kind.FINDING, holds=1, fails=(3, 4))
def mixed(v): pass
"""
    right, wrong = Verdict.SUCCESSFUL, Verdict.FAILED
    targets = {target.name: target for target in project(tmp_path, sums=text)}
    assert {name: target.expect for name, target in targets.items()} == {
        "everywhere": {1: right, 2: right, 3: right, 4: right},
        "in_two": {1: right, 4: right},
        "wrong": {1: wrong},
        "mixed": {1: right, 3: wrong, 4: wrong},
    }
    assert {target.family for target in targets.values()} == {"sums"}
    assert [targets[name].kernel for name in ("in_two", "wrong")] == ["kernels/sums.py::sums", "kernels/sums.py::wrong"]
    assert (targets["in_two"].flags, targets["in_two"].hardware, targets["in_two"].tags) == (
        "--unwind 2",
        "trn1",
        ("t",),
    )


HEAD = """\
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float16
from nkiverify.foundation.records import Verdict
"""
GOOD = {"kernel": '"kernels/matmul_tiled.py::matmul_tiled"', "family": '"f"', "kind": "Kind.CONCRETE"}


def module(body: str = "pass", **arguments: str) -> str:
    """A harness module with one target."""
    given = {**GOOD, "expect": "{1: SUCCESSFUL}", **arguments}
    written = ", ".join(f"{name}={value}" for name, value in given.items())
    return f"{HEAD}\n@target({written})\ndef wrong(v):\n    {body}\n"


REFUSED = {
    "a kernel is written path/to/file.py::function": module(kernel='"kernels/matmul_tiled.py"'),
    "kind is a Kind": module(kind='"concrete"'),
    "expect names a verdict for each phase to run": module(expect="{9: SUCCESSFUL}"),
    "a target is expected to be SUCCESSFUL or FAILED": module(expect="{1: Verdict.UNKNOWN}"),
    "no hardware 'trn9', only trn1, trn2, trn3": module(hardware='"trn9"'),
    "there is already a target": module() + module().removeprefix(HEAD),
    "NameError: ": "undefined\n",
    "SyntaxError: ": "def\n",
}


@pytest.mark.parametrize(("message", "text"), REFUSED.items(), ids=REFUSED.keys())
def test_a_module_that_cannot_be_used_is_refused(message: str, text: str, tmp_path: Path) -> None:
    assert f"`{message.rstrip()}" in PAGE
    with pytest.raises(UsageError, match=re.escape(message)):
        project(tmp_path, wrong=text)


WRONG = {
    "a dimension has a name like K or seq_len": 'v.dim("a b")',
    "no integer is at least 5 and at most 3": 'v.dim("n", 5, 3)',
    "low, high and multiple_of are ordinary integers": 'v.dim("n", 1, v.dim("m"))',
    "there is nothing to choose from": 'v.choice("c", ())',
    "is not a dtype of nkiverify.model.dtypes": 'v.tensor("x", (1, 2), "float16")',
    "a shape is a tuple of at least one integer": 'v.tensor("x", (), float16)',
    "the target raises": 'int("x")',
}


@pytest.mark.parametrize(("message", "statement"), WRONG.items(), ids=WRONG.keys())
def test_a_target_that_goes_wrong_is_an_error(message: str, statement: str, tmp_path: Path) -> None:
    assert f"`{message}" in PAGE
    (target,) = project(tmp_path, wrong=module(statement))
    (run,) = verify(target, Options(root=tmp_path))
    assert (run.verdict, run.qualifier) == (Verdict.ERROR, "usage")
    assert message in run.reason
