"""Permissions and limits of kernels: `--allow` and the setting `allow`; and of a command that runs kernels,
`--timeout` and `--memory`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from nkiverify.cli.arguments import positive_integer, positive_seconds
from nkiverify.cli.remembered import Heard
from nkiverify.foundation.allowed import Allowed
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.kernel_text import coloured
from nkiverify.project.repository import here
from nkiverify.project.settings import NETWORK, READ, Settings
from nkiverify.run.supervisor import Stopped, in_child

#: Seconds that a command may take which has no time limit of its own, so that none of a machine's waits for ever.
LONGEST_SECONDS = 3600.0


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


@dataclass(frozen=True, slots=True)
class Told:
    """The text that a command prints about kernels, and the exit status that it asks for."""

    text: str
    status: int


def isolated(
    subject: str,
    command: Callable[[], int],
    arguments: argparse.Namespace,
    allowed: Allowed,
    *written: Path | None,
    debugger: bool = False,
) -> int:
    """The exit status of a command, which runs kernels in a process of its own: it writes to the folders that are
    `written`, and has no more time and memory than the `arguments` of `add_limits`. What it prints is text that is sent
    here, and printed when it is done: made harmless but for colours. With a `debugger`, which asks a person, it runs in
    this process without limits."""
    from nkiverify.run.confinement import Confinement

    if debugger:
        return command()
    confinement = Confinement.of(allowed, written, memory=arguments.memory)
    shown = Heard(sys.stdout, shows=False)

    def told() -> Told:
        with redirect_stdout(shown):
            status = command()
        return Told(shown.getvalue(), int(status))

    told_of = in_child(subject, told, arguments.timeout, confinement, arguments.memory)
    if isinstance(told_of, Stopped):
        return told_of.status
    print(coloured(told_of.text), end="", flush=True)
    return told_of.status


def allowed_by(typed: Sequence[str], settings: Settings | None = None) -> Allowed:
    """The permissions that are `typed`, and those that the settings allow, by default those here; from here on it holds
    in this process.

    Raises `UsageError` for what cannot be allowed, and for a path where nothing is.
    """
    if settings is None:
        project = here()
        settings = project.settings if project is not None else Settings()
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
