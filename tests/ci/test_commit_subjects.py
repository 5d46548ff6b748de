"""Subjects of commits are `area: imperative`, since the commit that says so."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.commit_subjects import complaint, subjects


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("check: say which limit is meant", ""),
        ("equiv, grad: use the contents of @file.npy", ""),
        ("tests/model: bring back a case", ""),
        ("check: " + "x" * 65, ""),
        ("check: " + "x" * 66, "73 characters"),
        ("Say which limit is meant", "not like `area:"),
        ("check: say which limit is meant.", "without a full stop"),
        ("check: ", "not like `area:"),
        ("tests: added a case", "'added' is no imperative"),
        ("tests: adding a case", "'adding' is no imperative"),
    ],
)
def test_what_is_wrong_with_a_subject(subject: str, said: str) -> None:
    found = complaint(subject)
    assert said in found and bool(said) is bool(found)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_commits_are_those_from_the_first_on(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        command = ["git", *identity, *words]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    assert subjects(tmp_path) is None
    git("init", "--quiet", "whole")
    whole = tmp_path / "whole"
    for subject in ("one", "two", "three"):
        git("-C", str(whole), "commit", "--quiet", "--allow-empty", "--message", subject)
    second = git("-C", str(whole), "rev-parse", "HEAD^").strip()
    assert [subject for _, subject in subjects(whole, second) or ()] == ["three", "two"]
    assert subjects(whole) is None
    git("clone", "--quiet", "--depth", "1", whole.as_uri(), "shallow")
    assert [subject for _, subject in subjects(tmp_path / "shallow", second) or ()] == ["three"]
    (whole / "inner").mkdir()
    assert subjects(whole / "inner", second) is None
