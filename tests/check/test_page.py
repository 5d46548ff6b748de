"""docs/checking.md shows what really happens."""

from __future__ import annotations

import re
import shlex

from nkiverify.foundation.resources import root
from tests.check.kernel_files import Checker

PAGE = (root() / "docs" / "checking.md").read_text(encoding="utf-8")


def words_of(text: str) -> list[str]:
    """The words of `text` without times, which differ from run to run, and numbers of claims, which grow.

    Words, not lines: a time of one digit more moves the end of a line.
    """
    text = re.sub(r"\b[\d.]+\s+s\b", "0.0 s", text)
    text = re.sub(r"^(\S+ +[1-4]  .*?) +\d+ +[\d.]+$", r"\1", text, flags=re.MULTILINE)
    return [word for word in text.split() if not re.fullmatch("-{2,}", word)]


def test_the_examples_print_what_the_page_shows(check: Checker) -> None:
    (kernel,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (check.folder / "kernels.py").write_text(kernel, encoding="utf-8")
    examples = re.findall(r"```console\n\$ nkiverify check (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(examples) == 2
    for words, expected in examples:
        assert check(*shlex.split(words)) == 0
        assert words_of(check.out) == words_of(expected)


def test_every_row_of_values_is_understood(check: Checker) -> None:
    (kernel,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (check.folder / "kernels.py").write_text(f"import nki.collectives as ncc\n{kernel}", encoding="utf-8")
    table = PAGE.partition("| value | means |")[2].partition("\n\n")[0]
    values = [value for row in table.splitlines()[2:] for value in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert len(values) >= 15
    for value in values:
        if value.startswith(("Mode", "Config")) or "@ids" in value:
            continue
        tensor = "f32[K,H,W,N,V]"
        status = check("kernels.py::scale", "--arg", f"a={tensor}", "--arg", f"factor={value}", "--phase", "1")
        assert status != 2, (value, check.err)
