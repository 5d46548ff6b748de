"""The command line: parses, calls a command, and turns what goes wrong into one line and an exit status."""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from nkiverify import __version__
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError

PROGRAM = "nkiverify"

#: The module of each subcommand, imported when it is used.
COMMANDS: dict[str, str] = {
    "check": "nkiverify.cli.check",
    "contracts": "nkiverify.cli.contracts",
    "dashboard": "nkiverify.cli.dashboard",
    "doctor": "nkiverify.cli.doctor",
    "equiv": "nkiverify.cli.equiv",
    "explain": "nkiverify.cli.explain",
    "history": "nkiverify.cli.history",
    "init": "nkiverify.cli.init",
    "replay": "nkiverify.cli.replay",
    "run": "nkiverify.cli.run",
    "show": "nkiverify.cli.show",
    "simulate": "nkiverify.cli.simulate",
    "sweep": "nkiverify.cli.sweep",
}
#: The command that takes arguments which do not begin with a command's name.
DEFAULT_COMMAND = "run"

_USAGE, _UNKNOWN, _INTERNAL_ERROR, _INTERRUPTED, _BROKEN_PIPE = 2, 3, 4, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments`, those of the process if None; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _dispatch(words)
    except UsageError as error:
        _complain(f"error: {error}{_meant(words)}")
        return _USAGE
    except KeyboardInterrupt:
        _complain("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader, `head` for example, has what it wanted.
        _settle_stdout()
        return _BROKEN_PIPE
    except UnsupportedConstruct as limit:
        # What a kernel's file cannot be read for: no command got as far as a verdict.
        advice = f" ({limit.advice})" if limit.advice else ""
        place = f" at {limit.site}" if limit.site is not None else ""
        _complain(f"UNKNOWN: {limit.construct}{place}{advice}")
        return _UNKNOWN
    except SystemExit:
        raise
    except BaseException as error:
        # Signals of our own as well, which no kernel may catch: a traceback would end in the status of a mismatch.
        if "--debug" in words:
            raise
        _settle_stdout()
        _complain(f"internal error: {type(error).__name__}: {error} (--debug shows the traceback)")
        return _INTERNAL_ERROR


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        name, rest = words[0], words[1:]
    else:
        name, rest = DEFAULT_COMMAND, words
    status: int = importlib.import_module(COMMANDS[name]).execute(parser_of(name).parse_intermixed_args(rest))
    return status


def parser_of(name: str, width: int | None = None) -> argparse.ArgumentParser:
    """The parser of a command, as `--help` shows it; `width` is that of its help, by default the terminal's."""
    parser = _Parser(
        prog=PROGRAM if name == DEFAULT_COMMAND else f"{PROGRAM} {name}",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    importlib.import_module(COMMANDS[name]).configure(parser)
    return parser


class _Parser(argparse.ArgumentParser):
    """Reports a bad argument like every other usage error: in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _meant(words: Sequence[str]) -> str:
    """The command that a first word which is none may have been meant for, as the end of a message."""
    if not words or words[0] in COMMANDS:
        return ""
    close = difflib.get_close_matches(words[0], COMMANDS, 1, 0.75)
    return f"; is the command `{close[0]}` meant?" if close else ""


def _settle_stdout() -> None:
    """Where stdout takes nothing more, let what is left go nowhere: Python would report the same again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
