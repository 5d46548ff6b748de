"""One call of something that runs kernel code, in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar, cast

from nkiverify.foundation.errors import described
from nkiverify.foundation.process import is_for_kernels
from nkiverify.run.confinement import Confinement
from nkiverify.run.executors.processes import start_method
from nkiverify.run.relay import Relay, give_up_output

ResultT = TypeVar("ResultT")


class Ended(Exception):
    """The call has no result: it raised something, its process ended, or its time did. The text says how."""


def apart(work: Callable[[], ResultT], seconds: float, confinement: Confinement) -> ResultT:
    """The result of `work`, in a process that has so many seconds. `work` and the result are pickled. Raises
    `Ended`."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    output, shown = multiprocessing.Pipe(duplex=False)
    process = start_method().Process(target=_call, args=(theirs, shown, work, confinement), daemon=True)
    process.start()
    theirs.close()
    shown.close()
    relay = Relay(output.fileno())
    try:
        answer = _answer(ours, relay, time.monotonic() + seconds)
        if answer is None:
            raise Ended(f"it had not ended after {seconds:g} s")
    except EOFError:
        process.join()
        raise Ended(f"its process ended with exit status {process.exitcode}") from None
    finally:
        process.kill()
        process.join()
        relay.finish()
        ours.close()
        output.close()
    if isinstance(answer, str):
        raise Ended(answer)
    (result,) = cast("tuple[ResultT]", answer)
    return result


def _answer(connection: Connection, relay: Relay, deadline: float) -> object:
    """The answer, if it arrives by the deadline; None if it does not. Raises `EOFError` where nothing can any more."""
    while (left := deadline - time.monotonic()) > 0:
        happened = wait([connection, *([relay.reading] if relay.is_open else [])], left)
        relay.pass_on()
        if connection in happened:
            return connection.recv()
    return None


def _call(connection: Connection, output: Connection, work: Callable[[], Any], confinement: Confinement) -> None:
    is_for_kernels()
    give_up_output(output.fileno())
    output.close()
    confinement.begin()
    caller = os.getpid()
    try:
        answer: object = (work(),)
    except BaseException as error:  # of a kernel as well, whatever its class
        answer = described(error)
    if os.getpid() == caller:  # no copy of us that a kernel made by forking
        connection.send(answer)
