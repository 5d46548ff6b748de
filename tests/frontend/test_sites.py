"""Where kernel code is being executed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from nkiverify.foundation.source import frame_site, instruction_of


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no positions")
def test_the_line_is_taken_from_the_positions_as_python_looks_through_all_lines_for_it() -> None:
    code: Any = compile("x = 1\ny = 2\n\nz = x + y\n", "somewhere.py", "exec")
    last = next(
        number for number, position in enumerate(code.co_positions()) if position[0] == 4 and position[2] is not None
    )
    frame: Any = SimpleNamespace(f_code=code, f_lasti=2 * last)  # without f_lineno
    assert frame_site(frame).line == 4


def test_an_instruction_is_the_same_however_often_it_has_been_executed() -> None:
    """CPython 3.11 specialises what is executed often, and says then that the frame is behind it."""
    seen = set()

    class Indexed:
        def __getitem__(self, key: object) -> None:
            seen.add(instruction_of(sys._getframe(1)))

    def executed(values: Indexed) -> None:
        for _ in range(100):
            values[...]

    executed(Indexed())
    assert len(seen) == 1
