"""Where kernel code is being executed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from nkiverify.foundation.source import frame_site


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no positions")
def test_the_line_is_taken_from_the_positions_as_python_looks_through_all_lines_for_it() -> None:
    code: Any = compile("x = 1\ny = 2\n\nz = x + y\n", "somewhere.py", "exec")
    last = next(
        number for number, position in enumerate(code.co_positions()) if position[0] == 4 and position[2] is not None
    )
    frame: Any = SimpleNamespace(f_code=code, f_lasti=2 * last)  # without f_lineno
    assert frame_site(frame).line == 4
