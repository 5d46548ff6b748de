"""The room of calls: what maps and unmaps memory in each round of a loop costs more than the round."""

from __future__ import annotations

import resource
import sys

import pytest

from nkiverify.foundation.process import with_room

ROUNDS = 200
#: Calls within one another, over several blocks of frames.
DEPTHS = range(300)


def leaf() -> None:
    """A call, which needs a frame."""


def deep(depth: int) -> int:
    """Pages that the process was given while calls at this depth were made, again and again."""
    if depth:
        return deep(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(ROUNDS):
        leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def most() -> int:
    """The most at any depth."""
    return max(map(deep, DEPTHS))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="each frame is an object of its own")
def test_no_call_maps_memory_in_each_round_of_a_loop() -> None:
    assert with_room(most)() < ROUNDS // 4


def test_a_function_with_room_is_what_it_was() -> None:
    def named(first: int, *, second: int) -> int:
        """Its text."""
        return first - second

    roomy = with_room(named)
    assert roomy(3, second=1) == 2
    assert (roomy.__name__, roomy.__doc__) == ("named", "Its text.")
    with pytest.raises(TypeError, match="second"):
        roomy(3)  # type: ignore[call-arg]
