"""The command line: parses, calls a command, and turns what goes wrong into one line and an exit status."""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from nkiverify import __version__
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError, described
from nkiverify.foundation.kernel_text import printable
from nkiverify.foundation.near_names import near_names
from nkiverify.foundation.process import with_room

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

PROGRAM = "nkiverify"
_VERSION = f"{PROGRAM} {__version__}"

#: The module of each subcommand, imported when it is used.
COMMANDS: dict[str, str] = {
    "check": "nkiverify.cli.check",
    "completion": "nkiverify.cli.completion",
    "contracts": "nkiverify.cli.contracts",
    "cost": "nkiverify.cli.cost",
    "dashboard": "nkiverify.cli.dashboard",
    "doctor": "nkiverify.cli.doctor",
    "equiv": "nkiverify.cli.equiv",
    "explain": "nkiverify.cli.explain",
    "grad": "nkiverify.cli.grad",
    "history": "nkiverify.cli.history",
    "init": "nkiverify.cli.init",
    "lsp": "nkiverify.cli.lsp",
    "release-diff": "nkiverify.cli.release_diff",
    "repair": "nkiverify.cli.repair",
    "replay": "nkiverify.cli.replay",
    "run": "nkiverify.cli.run",
    "show": "nkiverify.cli.show",
    "simulate": "nkiverify.cli.simulate",
    "sweep": "nkiverify.cli.sweep",
}
#: The command that takes arguments which do not begin with a command's name.
DEFAULT_COMMAND = "run"

#: What the system says where nothing more can be written.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

#: Modules of the packages that nkiverify needs, and what to do where one is not installed.
_PACKAGES = frozenset(("z3", "islpy", "numpy", "ml_dtypes", "threadpoolctl", "tabulate", "tomli"))
_INSTALL = "`pip install nkiverify`, or in a checkout `make verify`, which makes an environment of its own"
_USAGE, _UNKNOWN, _INTERNAL_ERROR, _INTERRUPTED, _BROKEN_PIPE = 2, 3, 4, 130, 141


@with_room
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
        if excerpt := error.excerpt():
            print(excerpt, file=sys.stderr)
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
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            _complain(f"error: {error.strerror}: not all that was to be said could be written")
            return _INTERNAL_ERROR
        if isinstance(error, ModuleNotFoundError) and error.name in _PACKAGES:
            _complain(f"{error.name} is not installed for {sys.executable}: {_INSTALL}")
            return _USAGE
        _complain(f"internal error: {described(error)} (--debug shows the traceback)")
        return _INTERNAL_ERROR


#: How many more objects there may be before those that refer to each other are searched for.
_ALLOCATIONS = 250_000


def rarely_collected() -> None:
    """Have garbage collected rarely. While modules are loaded and terms are made collections find none: a tenth of the
    time of a check."""
    gc.set_threshold(_ALLOCATIONS, 20, 20)


#: Words after which no kernel is run. The checks that the language server starts have supervisors of their own.
_RUN_NOTHING = (["lsp"], ["--version"], ["-h"], ["--help"])


def prepare() -> None:
    """Prepare this process for a command, before anything is loaded."""
    rarely_collected()
    # NumPy's library for matrices starts threads when it is loaded, unless it is asked not to: a process with threads
    # cannot fork its workers, which then load everything again.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def console() -> int:
    """The program as it is typed: in a child process, which no kernel can end without it being reported."""
    prepare()
    try:
        if sys.argv[1:2] in _RUN_NOTHING:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            return main()
        from nkiverify.run.supervisor import supervised

        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return supervised(main)
    except KeyboardInterrupt:  # before there is a child to tell
        _complain("interrupted")
        return _INTERRUPTED


#: What each command is for, as helps list them.
COMMAND_LIST = """\
  check      verify kernels of your own, without a manifest
  init       begin the manifest of a repository
  run        verify the targets of the manifest; also where no command is named
  show       the shape program of a target, with what became of each claim
  replay     run a target's kernel on shapes, to the line where it fails
  repair     small edits that mend a kernel
  explain    a contract, with a kernel that breaks it and one that does not
  contracts  all contracts, with their sources
  simulate   run a kernel on numbers
  cost       what a kernel costs: bytes, instructions, a bound of time
  equiv      whether two kernels compute the same
  grad       whether a backward kernel computes the gradients of a forward one
  history    what earlier runs found, and what changed since
  dashboard  everything on one HTML page
  lsp        a language server, for editors
  sweep      many combinations of shapes and options, on many machines
  doctor     which engines and packages there are
  release-diff  what changed from one release of NKI to the next
  completion what a shell needs to complete all this"""

OVERVIEW = f"""\
usage: nkiverify COMMAND …

nkiverify finds the shapes for which an NKI kernel breaks a rule of Trainium, or
proves that there are none. To begin with:

  nkiverify check kernel.py    for which shapes its kernels are legal, and what
                               is wrong with them

commands (`nkiverify COMMAND --help` has the options):
{COMMAND_LIST}

options:
  --help, --version; all others are those of `nkiverify run`

exit status:
  0    all as expected; legal, of a kernel that is checked
  1    FAILED: a bug, or shapes that a kernel accepts and that fail
  2    what was typed cannot be used
  3    UNKNOWN: not understood, or out of time; SUCCESSFUL up to a bound only
  4    an error of nkiverify
  5    nothing was verified
  130  interrupted"""


def _dispatch(words: list[str]) -> int:
    if words and words[0] in ("-h", "--help"):
        print(OVERVIEW)
        raise SystemExit(0)
    if words and words[0] == "--version":
        print(_VERSION)
        raise SystemExit(0)
    if not words and (reported := _what_is_here()):
        print(reported)
        return _USAGE
    if words and words[0] in COMMANDS:
        name, rest = words[0], words[1:]
    else:
        name, rest = DEFAULT_COMMAND, words
    arguments = parser_of(name).parse_intermixed_args(rest)
    try:
        status: int = importlib.import_module(COMMANDS[name]).execute(arguments)
    except SystemExit as ended:
        # Code of a kernel, or of a reference: commands of ours return their status.
        raise RuntimeError(f"code that the command ran ended it: {described(ended)}") from None
    return status


def _what_is_here() -> str:
    """The files that `check` would look at in this folder, if it has kernels and no manifest; else nothing."""
    from pathlib import Path

    from nkiverify.project.discovery import kernel_files, kernels_to_check
    from nkiverify.project.repository import with_targets

    try:
        with_targets(bundled=False)
    except UsageError:
        found = kernels_to_check(list(kernel_files(Path())))
        names = [f"  {file.as_posix()}::{kernel.name}" for file, kernels in found.items() for kernel in kernels]
        if names:
            more = f"\n  and {len(names) - 10} more" if len(names) > 10 else ""
            listed = "\n".join(names[:10]) + more
            return f"there is no manifest here; `nkiverify check .` says for which shapes these are legal:\n{listed}"
    return ""


def parser_of(name: str, width: int | None = None) -> argparse.ArgumentParser:
    """The parser of a command, as `--help` shows it; `width` is that of its help, by default the terminal's."""
    parser = _Parser(
        prog=PROGRAM if name == DEFAULT_COMMAND else f"{PROGRAM} {name}",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    importlib.import_module(COMMANDS[name]).configure(parser)
    return parser


class _Parser(argparse.ArgumentParser):
    """Reports a bad argument like every other usage error: in one line; and what could not be written."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        # The one of argparse passes over errors.
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ").split(" ")[0].partition("=")[0]
        close = near_names(unknown, self._option_string_actions, similarity=0.75)
        raise UsageError(f"{message}; is {close[0]} meant?" if close and unknown.startswith("-") else message)


def _meant(words: Sequence[str]) -> str:
    """The command that a first word which is none may have been meant for, as the end of a message."""
    if not words or words[0] in COMMANDS:
        return ""
    close = near_names(words[0], COMMANDS, similarity=0.75)
    return f"; is the command `{close[0]}` meant?" if close else ""


def _settle_stdout() -> None:
    """Where stdout takes nothing more, let what is left go nowhere: Python would report the same again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    print(printable(f"{PROGRAM}: {' '.join(message.split())}"), file=sys.stderr)
