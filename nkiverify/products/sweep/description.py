"""The subject of a sweep: a description in TOML or Python, and the items it comes to."""

from __future__ import annotations

import fnmatch
import hashlib
import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nkiverify.engines.table import ENGINES
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError, described
from nkiverify.frontend.target import Target
from nkiverify.verify.options import HARDWARE, PHASES, Options, phases_to_run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The variable of a description in Python: a dictionary as the table of a TOML file, or a list of them.
VARIABLE = "SWEEP"


@dataclass(frozen=True, slots=True)
class Item:
    """One target with one configuration for one generation, in all its phases. `name` says which."""

    name: str
    target: Target
    options: Options

    def in_shard(self, shard: tuple[int, int]) -> bool:
        """True if it belongs to shard `shard[0]` of `shard[1]`: by its name alone, so that all machines agree."""
        number = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], "big")
        return number % shard[1] == shard[0] - 1


@dataclass(frozen=True, slots=True)
class _Configuration:
    """A way to run targets; None and empty values leave what the sweep, the command line or the target says."""

    name: str = ""
    targets: tuple[str, ...] = ()
    fix: tuple[tuple[str, int], ...] = ()
    unwind: int | None = None
    timeout: float | None = None
    engine: str | None = None


def items_of(path: Path, targets: Sequence[Target], options: Options) -> list[Item]:
    """The items of the description at `path`, about `targets`, on top of `options`.

    Raises `UsageError` where it cannot be read, says something that is not understood, or names an item twice.
    """
    found: dict[str, Item] = {}
    for number, table in enumerate(_tables(path)):
        place = f"{path}: " if number == 0 else f"{path}: entry {number + 1}: "
        for item in _items(table, targets, options, place):
            if item.name in found:
                raise UsageError(f"{place}{item.name} is there twice: give configurations names of their own")
            found[item.name] = item
    if not found:
        raise UsageError(f"{path}: no target is left")
    return list(found.values())


def _tables(path: Path) -> list[Mapping[str, Any]]:
    try:
        if path.suffix == ".py":
            value = runpy.run_path(str(path)).get(VARIABLE)
        else:
            value = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    except Exception as error:
        raise UsageError(f"{path}: {described(error)}") from error
    tables: list[Any] = list(value) if isinstance(value, list | tuple) else [value]
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: {VARIABLE} is a dictionary, or a list of dictionaries")
    return tables


def _items(table: Mapping[str, Any], targets: Sequence[Target], options: Options, place: str) -> list[Item]:
    values = _checked(table, _SWEEP, place)
    configurations = [_configuration(each, place) for each in values.get("configuration", [{}])]
    chosen = _matching(values.get("targets", ["*"]), targets, place)
    phases = tuple(sorted(set(values["phases"]))) if "phases" in values else None
    given = {key: values[key] for key in ("unwind", "timeout", "engine") if key in values}
    common = replace(options, phases=phases, **given)
    items = []
    for configuration in configurations:
        of_this = _matching(configuration.targets, chosen, place) if configuration.targets else chosen
        own = {
            key: value for key in ("unwind", "timeout", "engine") if (value := getattr(configuration, key)) is not None
        }
        for target in of_this:
            for hardware in values.get("hardware", [None]):
                name = target.name + (f"@{hardware}" if hardware else "")
                name += f"+{configuration.name}" if configuration.name else ""
                settings = replace(common, hardware=hardware, fixed=configuration.fix, **own)
                if phases_to_run(target, settings):
                    items.append(Item(name, target, settings))
    return items


def _configuration(table: object, place: str) -> _Configuration:
    if not isinstance(table, dict):
        raise UsageError(f"{place}a configuration is a table")
    values = _checked(table, _CONFIGURATION, f"{place}configuration: ")
    if "targets" in values:
        values["targets"] = tuple(values["targets"])
    return _Configuration(**values | {"fix": tuple(sorted(values.get("fix", {}).items()))})


def _checked(table: Mapping[str, Any], known: Mapping[str, tuple[Any, str]], place: str) -> dict[str, Any]:
    for key, value in table.items():
        if key not in known:
            raise UsageError(f"{place}there is no setting {key}; settings are {', '.join(known)}")
        accepted, kind = known[key]
        if not accepted(value):
            raise UsageError(f"{place}{key} is {kind}, not {value!r}")
    return dict(table)


def _matching(patterns: Sequence[str], targets: Sequence[Target], place: str) -> list[Target]:
    names = [target.name for target in targets]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise UsageError(f"{place}no target is or matches {pattern!r}")
    return [target for target in targets if any(fnmatch.fnmatchcase(target.name, pattern) for pattern in patterns)]


def _strings(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, str) and each for each in value)


def _some_of(known: Sequence[object]) -> Any:
    return lambda value: isinstance(value, list | tuple) and bool(value) and all(each in known for each in value)


def _integer(value: object) -> bool:
    return type(value) is int


def _dimensions(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) and _integer(one) for name, one in value.items())


_LIMITS: dict[str, tuple[Any, str]] = {
    "targets": (_strings, "a list of names or globs of targets"),
    "unwind": (lambda value: _integer(value) and value > 0, "a positive integer"),
    "timeout": (lambda value: isinstance(value, int | float) and 0 < value < float("inf"), "a number of seconds"),
    "engine": (lambda value: value in ENGINES, f"one of {', '.join(ENGINES)}"),
}
_SWEEP = _LIMITS | {
    "hardware": (_some_of(HARDWARE), f"a list of {', '.join(HARDWARE)}"),
    "phases": (_some_of(list(PHASES)), f"a list of {', '.join(map(str, PHASES))}"),
    "configuration": (lambda value: isinstance(value, list | tuple) and bool(value), "a list of tables"),
}
_CONFIGURATION = _LIMITS | {
    "name": (lambda value: isinstance(value, str) and value.isidentifier(), "a word"),
    "fix": (_dimensions, "a table of integers by the names of dimensions"),
}
