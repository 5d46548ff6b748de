"""A Python that has imported nkiverify, and forks for each command that it is told.

What a command does then is what it does in a process that a user starts, but for the start of Python and the imports,
which are the same each time and most of what a small check costs. A line of JSON on stdin is a command; the answer is
the number of the process, and when it has ended its exit status.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import islpy  # noqa: F401 (loaded before it forks, as the following)
import numpy  # noqa: F401
import z3  # noqa: F401

import nkiverify.cli.check
import nkiverify.cli.outcome
import nkiverify.cli.run
import nkiverify.products.derive.legality
import nkiverify.verify.verifier  # noqa: F401
from nkiverify.cli.main import console


def main() -> int:
    """Obey until stdin ends; in a child, the exit status of its command."""
    while told := _line():
        child = os.fork()
        if child == 0:
            _become(json.loads(told))
            return console()
        os.write(1, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return 0


def _line() -> bytes:
    """The next line, of which there is only one at a time; nothing that a child could read is kept."""
    read = b""
    while not read.endswith(b"\n"):
        part = os.read(0, 1 << 16)
        if not part:
            return b""
        read += part
    return read


def _become(told: dict[str, Any]) -> None:
    """Make this process what a user would have started."""
    os.setsid()
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    sys.argv = ["nkiverify", *told["words"]]
    # As `python -m nkiverify` does: the folder that one is started in is not looked into.
    del sys.path[0]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, path in enumerate(told["outputs"], 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)


if __name__ == "__main__":
    sys.exit(main())
