"""Programs of a launch that exchange data: each runs until it waits for another one ("sim.lnc2").

Each has a thread of its own, as its stack has to stay when it waits; only one runs at a time, and who is next depends
on nothing but the programs, so that a run is reproducible.
"""

from __future__ import annotations

import contextvars
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from nkiverify.foundation.errors import UnsupportedConstruct


class _Abandoned(BaseException):
    """Ends the thread of a program when another one has failed."""


class Turns:
    """The programs of one launch; `run` returns their results, in their order.

    `switched` is called with the number of the program that continues, in its thread, before it does.
    """

    def __init__(self, count: int, switched: Callable[[int], None]) -> None:
        self._switched = switched
        self._locks = [threading.Semaphore(0) for _ in range(count)]
        self._main = threading.Semaphore(0)
        self._running = list(range(count))
        self._error: BaseException | None = None
        self._sent: dict[object, deque[Any]] = defaultdict(deque)
        self._arrived = [0] * count
        self.now = 0

    def run(self, bodies: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run all programs to their end. What one of them raises ends the others as well."""
        results: list[Any] = [None] * len(bodies)

        def program(number: int) -> None:
            self._locks[number].acquire()
            try:
                if self._error is None:
                    self._enter(number)
                    results[number] = bodies[number]()
            except _Abandoned:
                pass
            except BaseException as error:  # handed to the caller's thread
                self._error = error
            self._running.remove(number)
            (self._locks[self._running[0]] if self._running else self._main).release()

        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(program, number), daemon=True)
            for number in range(len(bodies))
        ]
        for thread in threads:
            thread.start()
        self._locks[0].release()
        self._main.acquire()
        for thread in threads:
            thread.join()
        if self._error is not None:
            raise self._error
        return results

    def _enter(self, number: int) -> None:
        self.now = number
        self._switched(number)

    def _wait(self, ready: Callable[[], bool], what: str) -> None:
        """Let the others run until `ready`; refused where none of them can bring that about."""
        me, idle = self.now, 0
        while not ready():
            others = [number for number in self._running if number != me]
            if not others or idle > len(self._locks):
                raise UnsupportedConstruct(what)
            following = next((number for number in others if number > me), others[0])
            before = self._progress()
            self._locks[following].release()
            self._locks[me].acquire()
            if self._error is not None:
                raise _Abandoned
            self._enter(me)
            idle = idle + 1 if self._progress() == before else 0

    def _progress(self) -> object:
        return len(self._running), tuple(self._arrived), sum(map(len, self._sent.values()))

    def exchange(self, pipe: object, to: int, source: int, message: Any) -> Any:
        """Send `message` to program `to`; the next one that program `source` sends to this one by the same pipe."""
        me = self.now
        self._sent[pipe, me, to].append(message)
        expected = self._sent[pipe, source, me]
        self._wait(lambda: bool(expected), "a sendrecv that the other core does not answer")
        return expected.popleft()

    def barrier(self) -> None:
        """Wait until every program has come here as often as this one."""
        self._arrived[self.now] += 1
        count = self._arrived[self.now]
        self._wait(lambda: min(self._arrived) >= count, "a core_barrier that the other core does not come to")
