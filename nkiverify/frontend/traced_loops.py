"""Loops in a concrete run whose bodies the compiler traces once.

A round of a device loop, where rounds are run one by one, finds the variables of Python as the first one did: what the
body changes of them is put back before the next round. After the loop they are as one trace leaves them. What cannot be
put back is not followed.

A tensor that a later iteration of a loop of the legacy API places is where the first one has put it
("leg.range_body_once"), whatever host variables hold by then, such as a cursor that every iteration moves on.
"""

from __future__ import annotations

import ctypes
import dis
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, TypeVar

from nkiverify.foundation.source import GENERATORS, Site, is_kernel_frame, kernel_frame
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.process_state import present, put_back
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.symbolic.execution import unsupported

_Round = TypeVar("_Round")

#: Why nothing follows from a run that has left such a loop by `break`, `return` or an exception.
LEFT = "a device loop that is left in its middle, whose body is traced once"
#: How names get the values in `f_locals` before Python 3.13, where they have them at once. Looked up here: later, it
#: would count as the kernel's doing.
_to_fast = ctypes.pythonapi.PyFrame_LocalsToFast
#: Functions that tell which names have a value.
_TELL_NAMES = frozenset({"locals", "vars", "dir", "eval", "exec"})


class TracedBody:
    """The state of Python before the first round of a loop, and how the next one gets it back."""

    __slots__ = ("_before", "_frames", "_process")

    def __init__(self, *, strict: bool = True) -> None:
        frame = _kernel_frame()
        self._before, self._process = Snapshot(frame), present()
        frames = [frame]
        while frames[-1].f_code.co_flags & GENERATORS and frames[-1].f_back is not None:
            # Who runs over what a generator yields; what is around a function waits for it.
            frames.append(frames[-1].f_back)
        self._frames = [(one, dict(one.f_locals)) for one in frames if is_kernel_frame(one)]
        if strict and self._before.opaque is not None:
            raise _not_followed(self._before.opaque, "is within reach of")

    def again(self) -> None:
        """The next round begins."""
        try:
            self._before.restore()
        except OpaqueState as opaque:
            raise _not_followed(opaque, "is changed by") from None
        if present() != self._process:
            put_back(self._process)
            changed = next((state for state, now in present().items() if now != self._process.get(state, now)), None)
            if changed is not None:
                raise _not_followed(changed, "are changed by")
        for frame, names in self._frames:
            _bind(frame, names)


class TracedBodies:
    """The device loops of a run that are executed round by round; `open` is how many have not come to their end.

    Unless it is `strict`, objects within reach of a body whose state cannot be compared are taken not to change.
    """

    __slots__ = ("_strict", "_tested", "open")

    def __init__(self, *, strict: bool = True) -> None:
        self.open = 0
        self._strict = strict
        #: The bare `while` statements that are executed, by frame and line: the instruction that asked first.
        self._tested: dict[tuple[FrameType, int], tuple[int, TracedBody]] = {}

    def rounds(self, rounds: Iterable[_Round]) -> Iterator[_Round]:
        """The rounds of a loop, each with the state of the first."""
        body: TracedBody | None = None
        self.open += 1
        for each in rounds:
            if body is None:
                body = TracedBody(strict=self._strict)
            else:
                body.again()
            yield each
        # Not in a `finally`: when what is left is closed is up to the interpreter.
        self.open -= 1

    def test(self, goes_on: bool) -> bool:
        """A bare `while` statement asks whether its loop continues: it does so at another instruction than it began."""
        frame = _kernel_frame()
        place = frame, frame.f_lineno
        known = self._tested.pop(place, None)
        if known is not None and known[0] != frame.f_lasti:
            if not goes_on:
                self.open -= 1
                return False
            known[1].again()
        elif goes_on:
            # It begins; if it had begun before, that loop was left.
            known = frame.f_lasti, TracedBody(strict=self._strict)
            self.open += 1
        else:
            raise unsupported("a `while` over a register that is 0 at once, whose body is traced all the same")
        self._tested[place] = known
        return True


def _kernel_frame() -> FrameType:
    frame = kernel_frame()
    if frame is None:
        raise unsupported("a device loop outside of a kernel")
    return frame


def _not_followed(state: object, what: str) -> BaseException:
    return unsupported(f"{state} {what} the body of a device loop, which is traced once")


def _bind(frame: FrameType, names: dict[str, object]) -> None:
    """Give the local names of a frame these values, and no other name one."""
    local = frame.f_locals
    new = [name for name in local if name not in names]
    local.update(names)
    if sys.version_info < (3, 12):
        for name in new:
            del local[name]
    else:
        for name in _asked_for(frame, new):
            raise unsupported(f"`{name}`, which gets a value in a device loop, may be asked for before it has one")
    if sys.version_info < (3, 13):
        _to_fast(ctypes.py_object(frame), ctypes.c_int(1))


def _asked_for(frame: FrameType, new: list[str]) -> list[str]:
    """The names of which it may show that they have a value, which cannot be taken from them since Python 3.12."""
    code = frame.f_code
    if not _TELL_NAMES.isdisjoint(code.co_names):
        return new
    checked = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_FAST_CHECK", "LOAD_DEREF")}
    return [name for name in new if name in checked]


# --- loops of the legacy API ------------------------------------------------------------------------------------------


class _Loop:
    """The placements of the first iteration, in order; `at` is how many of them a later one has come to."""

    __slots__ = ("at", "first")

    def __init__(self) -> None:
        self.first: list[tuple[Site | None, object]] = []
        self.at: int | None = None


class TracedLoops:
    """The loops that are being executed, outermost first.

    With `puts_back`, an iteration finds the variables of Python as the first one did. `in_order`: one of them has an
    order, and several iterations; `several`: one had, with an order or without.
    """

    __slots__ = ("_loops", "in_order", "puts_back", "several")

    def __init__(self, puts_back: bool = False) -> None:
        self._loops: list[_Loop] = []
        self.puts_back = puts_back
        self.in_order = False
        self.several = False

    def iterations(self, numbers: Iterable[_Round]) -> Iterator[_Round]:
        """The numbers of a loop, which lasts until they end or nobody asks for more."""
        loop = _Loop()
        self._loops.append(loop)
        try:
            for number, value in enumerate(TracedBodies().rounds(numbers) if self.puts_back else numbers):
                self._end(loop, inner=True)
                loop.at = 0 if number else None
                self.several |= number > 0
                yield value
        finally:
            self._end(loop)

    def _end(self, loop: _Loop, *, inner: bool = False) -> None:
        """Forget a loop, or only those `inner` to it, which were left without an end."""
        if inner and self._loops and self._loops[-1] is loop:
            return
        if loop in self._loops:
            del self._loops[self._loops.index(loop) + inner :]

    def placement(self, given: object, site: Site | None) -> object:
        """The placement that counts for what is allocated at `site` now, where `given` is the one of this iteration."""
        for loop in self._loops:
            if loop.at is not None:
                known = loop.first[loop.at] if loop.at < len(loop.first) else (None, given)
                loop.at += 1
                if known[0] == site:
                    given = known[1]
        for loop in self._loops:
            if loop.at is None:
                loop.first.append((site, given))
        return given


class TracedRange(Sequence[int]):
    """A range that a loop of the legacy API runs over."""

    __slots__ = ("_loops", "_plain")

    def __init__(self, plain: range, loops: TracedLoops) -> None:
        self._plain = plain
        self._loops = loops

    def __iter__(self) -> Iterator[int]:
        self._loops.in_order |= len(self._plain) > 1
        return self._loops.iterations(self._plain)

    def __reversed__(self) -> Iterator[int]:
        return iter(TracedRange(self._plain[::-1], self._loops))

    def __len__(self) -> int:
        return len(self._plain)

    def __contains__(self, value: object) -> bool:
        return value in self._plain

    def __getitem__(self, key: Any) -> Any:
        return TracedRange(self._plain[key], self._loops) if isinstance(key, slice) else self._plain[key]
