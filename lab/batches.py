"""Campaigns in a process for each batch, one at a time: what their kernels hold is given back."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from nkiverify.foundation.dataclass import dataclass

#: Memory of one process, so that a kernel that wants too much ends itself and not the machine.
MEMORY_BYTES = 3 << 30

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Batch(Generic[ResultT]):
    """The numbers of a batch, with what came of them: None where their process, which ended with `status`, died."""

    numbers: range
    result: ResultT | None
    status: int | None


def in_batches(numbers: range, size: int, work: Callable[[range], ResultT]) -> Iterator[Batch[ResultT]]:
    """The result of `work` for each `size` of the numbers, of which it may hold `MEMORY_BYTES`."""
    context = multiprocessing.get_context("fork")
    for at in range(0, len(numbers), size):
        part = numbers[at : at + size]
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=_answer, args=(work, part, sending))
        process.start()
        # The other end is the process's alone: nothing more comes once it has ended.
        sending.close()
        try:
            result: ResultT | None = receiving.recv()
        except EOFError:
            result = None
        process.join()
        receiving.close()
        yield Batch(part, result if process.exitcode == 0 else None, process.exitcode)


def _answer(work: Callable[[range], ResultT], numbers: range, sending: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sending.send(work(numbers))
