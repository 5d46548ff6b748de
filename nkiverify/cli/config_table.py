"""The output of `--show-config`: every setting with its value, and the layer that the value comes from."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nkiverify.foundation.budget import TargetBudget
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.model.versions import NEWEST
from nkiverify.project.repository import Project, manifests
from nkiverify.project.settings import Setting, layered
from nkiverify.report.columns import columns
from nkiverify.verify.options import DEFAULT_ENGINE, DEFAULT_HARDWARE, unwind_of, usable_cores

#: Names of targets that are listed by name.
_NAMED = 3


def text(arguments: argparse.Namespace, project: Project, targets: Sequence[Target]) -> str:
    """The settings that `run` would verify `targets` with, later layers in place of earlier ones."""
    settings = project.settings
    found = [
        layered("timeout", arguments.timeout, settings, TargetBudget.SECONDS),
        layered("jobs", arguments.jobs, settings, usable_cores()),
        layered("engine", arguments.engine, settings, DEFAULT_ENGINE),
        layered("nki", arguments.nki, settings, NEWEST),
        layered("strict", arguments.strict, settings, False),
        layered("accept", tuple(arguments.accept) or None, settings, ()),
        layered("allow", arguments.allow or None, settings, ()),
        layered("strict-language", arguments.strict_language, settings, False),
        layered("page", False if arguments.no_page else None, settings, True, "--no-page"),
    ]
    found += _of_targets("phases", arguments.phase, "--phase", [(target, _phases(target)) for target in targets], None)
    hardware = layered("hardware", arguments.target, settings, DEFAULT_HARDWARE, "--target")
    own = [(target, target.hardware) for target in targets if "hardware" in target.own]
    found += _of_targets("hardware", arguments.target, "--target", own, hardware)
    unwind = layered("unwind", arguments.unwind, settings, Limits().unwind)
    bounded = [(target, unwind_of(target.flags)) for target in targets if "unwind" in target.own]
    found += _of_targets("unwind", arguments.unwind, "--unwind", bounded, unwind)
    found += list(_places(project))
    rows = [(setting.name, _shown(setting.value), setting.source) for setting in found]
    return columns(("setting", "value", "from"), rows, ("left",) * 3) + "\n"


def _of_targets(
    name: str, typed: Any, option: str, own: Iterable[tuple[Target, Any]], otherwise: Setting | None
) -> list[Setting]:
    """A setting that targets have a say in, with what the others have; what was typed is over all of them."""
    if typed is not None:
        return [Setting(name, typed, f"command line ({option})")]
    by_value: dict[str, list[str]] = {}
    for target, value in own:
        by_value.setdefault(_shown(value), []).append(target.name)
    found = [otherwise] if otherwise is not None else []
    return found + [Setting(name, value, _targets(names)) for value, names in by_value.items()]


def _targets(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"target {', '.join(names[:_NAMED])}{more}"


def _phases(target: Target) -> tuple[int, ...]:
    return tuple(sorted(target.expect))


def _places(project: Project) -> Iterator[Setting]:
    configured = str(project.settings.file)
    if project.ours:
        yield Setting("manifests", f"{project.root / 'harness'}/*.py", "default (those of nkiverify)")
    else:
        files = [str(file.relative_to(project.root)) for file in manifests(project)]
        named = project.settings.manifests is not None
        yield Setting("manifests", files, configured if named else f"default (found in {project.root})")
    yield Setting("reports", project.reports, configured if project.settings.reports is not None else "default")


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value) if not isinstance(value, Path) else value.as_posix()
