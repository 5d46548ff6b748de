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


def set_ahead(monkeypatch: pytest.MonkeyPatch, when: Callable[[], bool]) -> None:
    """Set the monotonic clock of this process ahead by hours once `when` holds: time-outs are waited for by nobody.

    Only who asks for the time a second time from then on is told: what came before that, has been looked at then.
    """
    ahead, seen = 0.0, False

    def told() -> float:
        nonlocal ahead, seen
        if seen:
            ahead = 1e5
        seen = seen or when()
        return _real_time() + ahead

    monkeypatch.setattr(time, "monotonic", told)
