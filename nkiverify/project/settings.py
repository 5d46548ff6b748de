"""Settings of a repository: `[tool.nkiverify]` of its pyproject.toml, and the layers that a setting can come from.

The order is default < pyproject.toml < target < command line: the last one that says something is heeded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from nkiverify.engines.table import ENGINES
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.model.policy import ACCEPTABLE
from nkiverify.model.versions import VERSIONS
from nkiverify.verify.options import HARDWARE, PHASES

#: What kernels may be allowed: to use the network, to read what is at or below a path.
NETWORK, READ = "network", "read:"

#: The section of pyproject.toml.
SECTION = "tool.nkiverify"


@dataclass(frozen=True, slots=True)
class Settings:
    """The contents of `[tool.nkiverify]`; None where it says nothing.

    `manifests` are files or globs, `reports` is a folder, both relative to the folder of `file`; `timeout` is in
    seconds. `nki` is the version to verify for, `ignore` are rules whose findings are accepted, each with the reason.
    `accept` are verdicts short of a proof that have exit status 0.
    `page` says whether `run` writes the page of its results, `cost_lints` whether `cost` warns.
    `allow` is what kernels may ask for: `network`, and `read:PATH` relative to the folder of `file`.
    `phases`, `hardware` and `unwind` are for targets that do not say it themselves, and for `check`.
    """

    file: Path | None = None
    manifests: tuple[str, ...] | None = None
    reports: str | None = None
    phases: tuple[int, ...] | None = None
    hardware: str | None = None
    unwind: int | None = None
    timeout: float | None = None
    jobs: int | None = None
    engine: str | None = None
    strict: bool | None = None
    strict_language: bool | None = None
    ignore: tuple[tuple[str, str], ...] | None = None
    accept: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    nki: str | None = None
    page: bool | None = None
    cost_lints: bool | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of one setting, and the layer it comes from."""

    name: str
    value: Any
    source: str


def layered(name: str, typed: Any, settings: Settings, default: Any, option: str = "") -> Setting:
    """The value of a setting that no target has a say in: `typed` on the command line, or configured, or the default.

    `option` is what it is called on the command line.
    """
    if typed is not None:
        return Setting(name, typed, f"command line ({option or '--' + name})")
    configured = getattr(settings, name.replace("-", "_"))
    if configured is not None and settings.file is not None:
        return Setting(name, configured, str(settings.file))
    return Setting(name, default, "default")


def read(file: Path) -> Settings | None:
    """The settings in a pyproject.toml; None where it has no `[tool.nkiverify]`.

    Raises `UsageError` where the file cannot be read, or a setting is unknown or of the wrong kind.
    """
    if sys.version_info >= (3, 11):  # as late as this: where no file is read it is a part of a small check
        import tomllib
    else:
        import tomli as tomllib
    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not TOML: {error}") from None
    section = tool.get("nkiverify") if isinstance(tool, dict) else None
    if section is None:
        return None
    if not isinstance(section, dict):
        raise UsageError(f"{file}: [{SECTION}] is a table")
    values: dict[str, Any] = {}
    for key, value in section.items():
        name = key.replace("-", "_")
        if name not in _KINDS:
            raise UsageError(f"{file}: [{SECTION}] has no setting {key}{_close(key)}")
        accepted, kind = _KINDS[name]
        if not accepted(value):
            raise UsageError(f"{file}: [{SECTION}] {key} is {kind}, not {value!r}")
        values[name] = (
            tuple(value)
            if isinstance(value, list)
            else tuple((id, reason.strip()) for id, reason in value.items())
            if isinstance(value, dict)
            else value
        )
    if "phases" in values:
        values["phases"] = tuple(sorted(set(values["phases"])))
    return Settings(file=file, **values)


def _close(key: str) -> str:
    known = [field.name.replace("_", "-") for field in fields(Settings) if field.name != "file"]
    return did_you_mean(key, known, 1) or f"; settings are {', '.join(known)}"


def _list_of(accepted: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and bool(value) and all(map(accepted, value))


def _one_of(known: Iterable[object]) -> Callable[[Any], bool]:
    choices = tuple(known)
    return lambda value: any(type(value) is type(choice) and value == choice for choice in choices)


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _allowance(value: object) -> bool:
    return isinstance(value, str) and (value == NETWORK or value.removeprefix(READ) not in ("", value))


def _reasons(value: object) -> bool:
    return isinstance(value, dict) and all(_text(reason) and reason.strip() for reason in value.values())


def _positive_integer(value: object) -> bool:
    return type(value) is int and value > 0


def _seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


#: What each setting accepts, and how a message says it.
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "manifests": (_list_of(_text), "a list of files or globs"),
    "reports": (_text, "a folder"),
    "phases": (_list_of(_one_of(PHASES)), f"a list of {', '.join(map(str, PHASES))}"),
    "hardware": (_one_of(HARDWARE), f"one of {', '.join(HARDWARE)}"),
    "unwind": (_positive_integer, "a positive integer"),
    "timeout": (_seconds, "a positive number of seconds"),
    "jobs": (_positive_integer, "a positive integer"),
    "engine": (_one_of(ENGINES), f"one of {', '.join(ENGINES)}"),
    "strict": (_one_of((True, False)), "true or false"),
    "strict_language": (_one_of((True, False)), "true or false"),
    "page": (_one_of((True, False)), "true or false"),
    "cost_lints": (_one_of((True, False)), "true or false"),
    "nki": (_one_of(VERSIONS), f"one of {', '.join(VERSIONS)}"),
    "allow": (_list_of(_allowance), f'a list of "{NETWORK}" and "{READ}PATH"'),
    "accept": (_list_of(_one_of(ACCEPTABLE)), f"a list of {', '.join(ACCEPTABLE)}"),
    "ignore": (_reasons, 'a table of rules with the reason each is accepted for: {"ID" = "reason"}'),
}
