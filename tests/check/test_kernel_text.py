"""What a kernel's author writes reaches a terminal and a CI system as text, and as nothing else."""

from __future__ import annotations

import io
from typing import TextIO, cast

import pytest

from nkiverify.foundation.kernel_text import HarmlessStream, harmless
from tests.check.kernel_files import COPY, Checker, write


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, naïve, 張量\n\tindented", "plain, naïve, 張量\n\tindented"),
        ("\x1b[2J\x1b[31mred", "\\x1b[2J\\x1b[31mred"),
        ("over\rwritten\b", "over\\rwritten\\x08"),
        ("\u202eturned\u2069", "\\u202eturned\\u2069"),
        ("\x9b31m", "\\x9b31m"),
        ("::error::no", "\\::error::no"),
        ("two\n   ::add-mask::x", "two\n   \\::add-mask::x"),
        ("##[error]no ##vso[task]", "\\##[error]no \\##vso[task]"),
        ("k.py::copy", "k.py::copy"),
    ],
)
def test_controls_and_commands_are_escaped(text: str, shown: str) -> None:
    assert harmless(text) == shown
    stream = io.StringIO()
    print(text, file=cast(TextIO, HarmlessStream(stream)), end="")
    assert stream.getvalue() == shown


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ((":", ":error::none\n"), "\\::error::none\n"),
        (("\n#", "#", "vso", "[task]"), "\n\\##vso[task]"),
        (("#", " ", "heading: ", ":", "\n"), "# heading: :\n"),
        (("a:", ":b"), "a::b"),
        (("end #",), "end \\#"),
    ],
)
def test_a_command_that_is_written_in_parts_is_escaped_as_well(parts: tuple[str, ...], shown: str) -> None:
    stream = io.StringIO()
    harmless_stream = HarmlessStream(stream)
    for part in parts:
        harmless_stream.write(part)
    harmless_stream.flush()
    assert stream.getvalue() == shown


def test_an_exception_of_a_kernel_moves_no_cursor_and_gives_no_command(check: Checker) -> None:
    raised = 'raise ValueError("\\x1b[2J\\n::error::all is well")'
    write(check.folder, k=COPY.replace("P, F = a.shape\n", f"P, F = a.shape\n        {raised}\n", 1))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1") == 1
    assert "\x1b" not in check.out
    assert not [line for line in check.out.splitlines() if line.strip().startswith("::")]
    assert "all is well" in check.out
