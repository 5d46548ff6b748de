"""`nkiverify release-diff`: what changed from one release of NKI to the next, and which kernels use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nkiverify.cli.main import main

KERNEL = """\
import nki.isa as nisa
from nki.isa import copy
from nki import isa

def kernel(x):
    nisa.copy(x)
    copy(x)
    x.view(3)
    isa.other(x)
    unknown.copy(x)
"""


def facts(folder: Path, functions: dict[str, list[tuple[str, str | None]]], survey: str) -> str:
    folder.mkdir()

    def parameters(given: list[tuple[str, str | None]]) -> dict[str, Any]:
        kind = "positional_or_keyword"
        return {"params": [{"name": name, "kind": kind, "default": default} for name, default in given]}

    view = {"NkiTensor": {"methods": {"view": parameters(functions.pop("view", []))}}}
    isa = {"functions": {name: parameters(given) for name, given in functions.items()}}
    modules = {"nki.isa": isa, "nki.language": {"classes": view}}
    (folder / "nki-signatures.json").write_text(json.dumps({"generations": {"nki": {"modules": modules}}}))
    (folder / "nki-contracts.md").write_text(survey)
    return str(folder)


def test_what_came_went_and_differs_with_its_contracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = {"copy": [("dst", None), ("src", None), ("mask", "None")], "old": [], "other": []}
    new = {"copy": [("src", None), ("dst", None), ("engine", "1")], "late": [], "other": []}
    before = facts(tmp_path / "old", {**gone}, "- `mem.partitions_128` MUST at most 64 partitions.")
    after = facts(
        tmp_path / "new", {**new}, "- `mem.partitions_128` MUST at most 128 partitions. `no.rule` MUST be blue."
    )
    assert main(["release-diff", before, after]) == 1
    assert capsys.readouterr().out == (
        "functions that are gone (1):\n  nki.isa.old\n\n"
        "functions that are new (1):\n  nki.isa.late\n\n"
        "parameters (1):\n  nki.isa.copy: - mask=None, + engine=1, another order\n\n"
        "sentences that are gone (1):\n  mem.partitions_128: at most 64 partitions. [mem.partitions_128]\n\n"
        "sentences that are new (2):\n  mem.partitions_128: at most 128 partitions. [mem.partitions_128]\n"
        "  no.rule: be blue. [no contract, and no reason]\n"
    )


def test_kernels_that_use_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = facts(tmp_path / "old", {"copy": [], "other": [], "view": []}, "")
    after = facts(tmp_path / "new", {"copy": [("x", None)], "other": [], "view": [("dtype", None)]}, "")
    kernel = tmp_path / "kernel.py"
    kernel.write_text(KERNEL)
    assert main(["release-diff", before, after, str(kernel)]) == 1
    uses = capsys.readouterr().out.partition("uses (2):\n")[2].replace("\n   ", "")
    assert uses.split("\n")[:2] == [f"  {kernel}: .view in lines 8", f"  {kernel}: nki.isa.copy in lines 6, 7"]


def test_a_rule_that_changed_is_about_its_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = facts(tmp_path / "old", {"other": []}, "- `other.size` MUST at most 4.")
    after = facts(tmp_path / "new", {"other": []}, "- `other.size` MUST at most 5.")
    kernel = tmp_path / "kernel.py"
    kernel.write_text(KERNEL)
    assert main(["release-diff", before, after, str(kernel)]) == 1
    assert "nki.isa.other in lines 9" in capsys.readouterr().out.replace("\n   ", "")


def test_the_same_facts_differ_in_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = facts(tmp_path / "same", {"copy": [("x", "1")]}, "- `a.b` MUST be so.")
    assert main(["release-diff", same, same]) == 0
    assert capsys.readouterr().out == "nothing changed\n"


@pytest.mark.parametrize(("signatures", "message"), [(None, "No such file"), ("{}", "has no signatures of NKI")])
def test_a_folder_without_facts(
    signatures: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = facts(tmp_path / "good", {}, "")
    bad = Path(facts(tmp_path / "bad", {}, ""))
    (bad / "nki-signatures.json").unlink()
    if signatures is not None:
        (bad / "nki-signatures.json").write_text(signatures)
    assert main(["release-diff", good, str(bad)]) == 2
    assert message in capsys.readouterr().err
