"""Trees of kernel files: one for all who read, and one of their own for those who change it."""

import ast
from pathlib import Path

import pytest

from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.trees import parse, parse_anew

KERNEL = "def kernel(a):\n    for i in range(a.shape[0]):\n        assert i < 4\n    return a\n"


def test_who_reads_gets_the_same_tree_until_the_text_changes(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    first = parse(file)
    assert parse(file) is first
    file.write_text(KERNEL.replace("4", "5"))
    assert ast.unparse(parse(file)) == ast.unparse(ast.parse(KERNEL.replace("4", "5")))


def test_rewriting_changes_no_tree_that_others_read(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    read = parse(file)
    rewritten = Rewriting.FULL.apply(parse_anew(file), file)
    assert ast.dump(rewritten) != ast.dump(read)
    assert ast.dump(parse(file), include_attributes=True) == ast.dump(ast.parse(KERNEL), include_attributes=True)


def test_a_file_that_cannot_be_parsed_is_said_to_be_wrong_each_time(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text("def kernel(:\n")
    for _ in range(2):
        with pytest.raises(UsageError, match=r"kernel\.py:1: not Python"):
            parse(file)
