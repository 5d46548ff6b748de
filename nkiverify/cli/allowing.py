"""Permissions and limits of kernels: `--allow` and the setting `allow`; and of a command that runs kernels,
`--timeout` and `--memory`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from nkiverify.cli.command_arguments import positive_integer, positive_seconds
from nkiverify.foundation.allowed import Allowed
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import here
from nkiverify.project.settings import NETWORK, READ, Settings
from nkiverify.run.supervisor import Stopped, in_child

ResultT = TypeVar("ResultT")

#: Seconds that a command may take which has no time limit of its own, so that none of a machine's waits for ever.
LONGEST_SECONDS = 3600.0

#: What is said before a kernel is debugged.
DEBUGGED = "nkiverify: the kernel that is debugged has this terminal and no time limit (docs/security.md)"


def add_allow(parser: argparse.ArgumentParser) -> None:
    """Add `--allow`, which `allowed_by` reads."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT",
        help="let kernels read a file, or what is below a folder (read:PATH), or use the network (network); what they "
        "are given is assumed to stay as it is (docs/security.md)",
    )


def add_limits(parser: argparse.ArgumentParser, seconds: float = LONGEST_SECONDS) -> None:
    """Add `--allow`, `--timeout` and `--memory`, which `isolated` reads."""
    add_allow(parser)
    parser.add_argument(
        "--timeout",
        type=positive_seconds,
        default=seconds,
        metavar="S",
        help=f"seconds that it may take (default: {seconds:g})",
    )
    parser.add_argument(
        "--memory",
        type=positive_integer,
        metavar="MIB",
        help="MiB that the process may hold (default: nine tenths of the machine's memory)",
    )


def isolated(
    subject: str,
    work: Callable[[], ResultT],
    arguments: argparse.Namespace,
    allowed: Allowed,
    *written: Path | None,
    debugger: bool = False,
) -> ResultT | Stopped:
    """The result of `work`, a record, from a process of its own which runs kernels: it writes to the folders that are
    `written`, and has no more time and memory than the `arguments` of `add_limits`. Texts in the record are
    harmless; what its modules were refused is warned of. With a `debugger`, which asks a person, the process has
    the terminal, and no time limit."""
    from nkiverify.frontend.guard import passed_over, warning
    from nkiverify.run.confinement import Confinement

    if debugger:
        print(DEBUGGED, file=sys.stderr)
    confinement = Confinement.of(allowed, written, memory=arguments.memory)
    limit = LONGEST_SECONDS if arguments.timeout is None else arguments.timeout

    def reported() -> tuple[ResultT, tuple[str, ...]]:
        return work(), tuple(passed_over.values())

    found = in_child(subject, reported, limit, confinement, arguments.memory, debugger=debugger)
    if isinstance(found, Stopped):
        return found
    result, refused = found
    for line in refused:
        print(warning(line), file=sys.stderr)
    return result


def settings_here() -> Settings:
    """The settings of the repository that the command is run in."""
    project = here()
    return project.settings if project is not None else Settings()


def allowed_by(typed: Sequence[str], settings: Settings | None = None) -> Allowed:
    """The permissions that are `typed`, and those that the settings allow, by default those here; from here on it holds
    in this process.

    Raises `UsageError` for what cannot be allowed, and for a path where nothing is.
    """
    if settings is None:
        settings = settings_here()
    asked = [(text, Path.cwd(), "--allow") for text in typed]
    if settings.file is not None:
        asked += [(text, settings.file.parent, f"{settings.file}: allow") for text in settings.allow or ()]
    reads = [_readable(text, base, source) for text, base, source in asked if text != NETWORK]
    from nkiverify.frontend.guard import allow

    found = Allowed(tuple(dict.fromkeys(reads)), any(text == NETWORK for text, _, _ in asked))
    allow(found)
    return found


def _readable(text: str, base: Path, source: str) -> str:
    path = text.removeprefix(READ)
    if path == text or not path:
        raise UsageError(f"{source}: {text!r} is neither {READ}PATH nor {NETWORK}")
    if not (base / path).exists():
        raise UsageError(f"{source}: there is no {path}")
    return str((base / path).resolve())
