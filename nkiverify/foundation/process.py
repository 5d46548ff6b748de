"""This process: its purpose, and the room of the calls in it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

#: True in a process that was started to run kernels: none of the code of their files is anybody else's there. In the
#: process of a test suite, a file of kernels may hold tests as well, which open files as they like.
for_kernels = False

#: Values that a frame has room for: more than half a MiB, for which Python takes a block of one, so that those of
#: thousands of calls within it have room in the rest.
_VALUES = (1 << 16) + 1
#: Whether the calls of a thread have it.
_thread = threading.local()


def is_for_kernels() -> None:
    """Say that this process, to its end, was started to run kernels."""
    global for_kernels
    for_kernels = True


def with_room(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """The function, with room for the frames of all that it calls.

    From 3.11 on Python keeps frames in blocks of 16 KiB, and gives a block back to the system when its first frame
    ends: a loop that calls a function where a block is full has one mapped, filled with zeros, and unmapped in each
    round. A frame that asks for more has a block as large as it needs. One block is enough for all within it.
    """

    def roomy(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        return function(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_VALUES)

    @functools.wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        if getattr(_thread, "has_room", False):
            return function(*args, **kwargs)
        _thread.has_room = True
        try:
            return roomy(*args, **kwargs)
        finally:
            _thread.has_room = False

    return call
