"""Where the time of a verification goes, by stage. Nothing depends on it; `make bench` reports it."""

from __future__ import annotations

import enum
import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class Stage(enum.Enum):
    """A part of the work; time that one stage spends in another counts for the other alone."""

    #: Reading, rewriting and importing kernels.
    LOADING = "loading"
    #: Running the target symbolically.
    EXPLORING = "exploring"
    #: Proving conditions without a solver.
    SIMPLIFYING = "simplifying"
    #: Asking the solver.
    SOLVING = "solving"
    #: Walking the shape program, looking for values, making witnesses small, saying what they mean.
    DECIDING = "deciding"
    #: Running witnesses concretely.
    REPLAYING = "replaying"
    #: Writing what was found.
    REPORTING = "reporting"


_seconds: dict[Stage, float] = dict.fromkeys(Stage, 0.0)
_running: list[Stage] = []
_since = 0.0


def of_stage(stage: Stage) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Count the time of the decorated function for `stage`."""

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        @functools.wraps(function)
        def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
            _enter(stage)
            try:
                return function(*args, **kwargs)
            finally:
                _leave()

        return call

    return decorate


def seconds_by_stage() -> dict[Stage, float]:
    """Seconds of this process since the start, or since `reset`."""
    return dict(_seconds)


def reset() -> None:
    """Begin to count again, outside all stages."""
    _seconds.update(dict.fromkeys(Stage, 0.0))


def _enter(stage: Stage) -> None:
    global _since
    now = time.perf_counter()
    if _running:
        _seconds[_running[-1]] += now - _since
    _running.append(stage)
    _since = now


def _leave() -> None:
    global _since
    now = time.perf_counter()
    _seconds[_running.pop()] += now - _since
    _since = now
