"""docs/first-contact.md says of each bug where it is named now, and shows what is printed."""

from __future__ import annotations

import re

from lab.first_contact import cases
from nkiverify.foundation.resources import root

from .test_first_contact import ANSWERS

PAGE = root() / "docs" / "first-contact.md"
_ROW = re.compile(r"^\| `(\w+)` \| .* \| line (\d+) of (\d+) \|$", re.MULTILINE)


def test_the_table_is_about_what_is_printed_now() -> None:
    kernels = {case.name: case for case in cases()}
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert len(rows) == 15
    for name, line, count in rows:
        printed = (ANSWERS / f"{name}.bug.txt").read_text(encoding="utf-8").rstrip("\n").splitlines()
        places = [f"kernel.py:{number}" for number in kernels[name].lines]
        named = next(at for at, text in enumerate(printed, 1) if any(re.search(rf"{each}\b", text) for each in places))
        assert (named, len(printed)) == (int(line), int(count)), name


def test_what_is_shown_is_what_is_printed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = [block for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE) if block.strip()]
    plain = {"\n".join(line[4:] for line in block.strip("\n").splitlines()) for block in shown}
    answers = {file.read_text(encoding="utf-8").rstrip("\n") for file in ANSWERS.glob("*.txt")}
    assert len(plain) == 4
    assert plain <= answers
