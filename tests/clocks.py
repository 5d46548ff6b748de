"""Waiting in tests: none of them depends on how fast the machine is, or on what else it does."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

#: Seconds after which whatever was to happen is not going to, on however busy a machine.
HANGS = 600

_real_time = time.monotonic


def eventually(condition: Callable[[], bool]) -> bool:
    """True once `condition` holds; False if that does not come."""
    end = _real_time() + HANGS
    while not condition():
        if _real_time() > end:
            return False
        time.sleep(0.02)
    return True


def set_ahead(monkeypatch: pytest.MonkeyPatch, when: Callable[[], bool], after: int = 1) -> None:
    """Set the monotonic clock of this process ahead by hours once `when` holds: time-outs are waited for by nobody.

    The time is asked for `after` times more before that: so often as what came before has been looked at then.
    """
    asked = 0

    def told() -> float:
        nonlocal asked
        asked += asked > 0 or when()
        return _real_time() + (1e5 if asked > after else 0.0)

    monkeypatch.setattr(time, "monotonic", told)
