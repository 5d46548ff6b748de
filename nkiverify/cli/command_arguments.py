"""Arguments that several commands take: which targets, in which phases, under which limits."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.engines.table import ENGINES, LOWERINGS, SECOND
from nkiverify.foundation.budget import TargetBudget
from nkiverify.foundation.errors import UsageError
from nkiverify.project.repository import Project
from nkiverify.project.settings import layered
from nkiverify.verify.options import DEFAULT_ENGINE, HARDWARE, PHASES, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nkiverify.frontend.target import Target


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `selection` reads."""
    phases = ", ".join(f"{number} {name}" for number, name in PHASES.items())
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="a target, or a glob of targets: 'matmul*'")
    add("--phase", type=phase_list, metavar="LIST", help=f"only these phases, separated by commas: {phases}")
    add("--family", action="append", default=[], metavar="F", help="only targets of this family (or glob)")
    add("--tag", action="append", default=[], metavar="TAG", help="only targets with this tag (or glob)")
    add("--target", choices=HARDWARE, help="the hardware generation to verify for, instead of the target's")
    add_engine(parser, DEFAULT_ENGINE)
    add(
        "--keep-lowered",
        type=Path,
        metavar="DIR",
        help=f"leave the programs that {SECOND.title} is given in DIR",
    )
    add(
        "--unwind",
        type=positive_integer,
        metavar="N",
        help="bound of loops that cannot be summarised, instead of the target's",
    )
    add(
        "--timeout",
        type=positive_seconds,
        metavar="S",
        help=f"seconds a target may take in all its phases (default: {TargetBudget.SECONDS:g} of processor time)",
    )
    add("--bundled", action="store_true", help="the kernels that come with nkiverify, not those of the repository here")


def add_executor(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where targets are verified."""
    add = parser.add_argument
    add(
        "-j",
        "--jobs",
        type=positive_integer,
        metavar="N",
        help="targets verified at the same time (default: one per core)",
    )
    add(
        "--executor",
        default="processes",
        metavar="WHERE",
        help="where targets are verified: processes (default), in-process, dask-local or dask://HOST:PORT "
        "(docs/scale.md)",
    )
    add(
        "--memory",
        type=positive_integer,
        metavar="MIB",
        help="MiB that a worker process may hold (default: an equal share of the machine's memory)",
    )


def add_engine(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--engine`, and what goes with it."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help=f"what decides (default: {default}); auto asks {SECOND.title} beside the embedded engine, "
        "where there is one",
    )
    parser.add_argument(
        "--lowering",
        choices=LOWERINGS,
        help=f"what programs are lowered to for {SECOND.title} "
        "(default: c, and python beside it for every twentieth target)",
    )


def selection(arguments: argparse.Namespace, project: Project) -> Options:
    """The settings that the arguments of `add_selection` ask for, on top of those of the project."""
    settings = project.settings
    timeout = layered("timeout", arguments.timeout, settings, TargetBudget.SECONDS)
    return Options(
        root=project.root,
        patterns=tuple(arguments.names),
        families=tuple(arguments.family),
        tags=tuple(arguments.tag),
        phases=arguments.phase,
        unwind=arguments.unwind,
        hardware=arguments.target,
        timeout=timeout.value,
        unhurried=timeout.source == "default",
        engine=layered("engine", getattr(arguments, "engine", None), settings, DEFAULT_ENGINE).value,
        lowering=getattr(arguments, "lowering", None),
    )


def selected_targets(options: Options, manifest: Sequence[Target] | None = None) -> list[Target]:
    """The targets of the `manifest`, which is loaded where it is not given, that `options` selects; where the filters
    leave none, stderr says so."""
    from nkiverify.project.chosen_targets import select
    from nkiverify.project.manifest_targets import load_targets

    targets = select(load_targets(options.root) if manifest is None else manifest, options)
    if not targets:
        print("nkiverify: no target is left: none passes all of the filters", file=sys.stderr)
    return targets


def phase_list(text: str) -> tuple[int, ...]:
    """`1,2` as numbers of phases there are, each once, in order."""
    try:
        numbers = {int(part) for part in text.split(",")}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of phases such as 1,2") from None
    for number in sorted(numbers):
        if number not in PHASES:
            known = ", ".join(map(str, PHASES))
            raise argparse.ArgumentTypeError(f"there is no phase {number}; the phases are {known}")
    return tuple(sorted(numbers))


def positive_integer(text: str) -> int:
    """An integer of at least 1."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")


def positive_number(text: str, of: str = "") -> float:
    """A number, `of` something, that is neither zero nor infinite."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if 0 < number < float("inf"):
        return number
    raise argparse.ArgumentTypeError(f"{text!r} is not a positive number{of}")


def positive_seconds(text: str) -> float:
    """A time that is neither zero nor endless."""
    return positive_number(text, " of seconds")


def writable(path: Path | None, option: str) -> Path | None:
    """`path`, if a file can be written there: asked before the run, whose results would be lost."""
    if path is None:
        return None
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder")
    if not path.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option}: {path} cannot be written")
    return path


def made_folder(path: Path | None, option: str) -> Path | None:
    """`path`, a folder that is made where there is none: asked before the run."""
    if path is None:
        return None
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be made a folder: {error.strerror or error}") from None
    if not os.access(path, os.W_OK):
        raise UsageError(f"{option}: {path} cannot be written")
    return path
