"""The inputs that are tried, made from `inputs.toml`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.hostile.texts import ARGUMENT, KERNEL, PLACES, WIDE, WITHIN, expanded, kernel_with, manifest, verify_step
from nkiverify.foundation.resources import root

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("inputs.toml")
#: Where `run` leaves its reports.
REPORTS = "nkiverify-reports"

_DEFAULT_TIMEOUT = 20.0
#: The command that kernels are tried with at each place, and those that each is tried with at one place.
_CHECK = "check k.py::k --arg a=bf16[P,F] --phase 1,2"
_CONTEXTS = (
    "run --engine embedded --no-cache --no-page",
    "sweep sweep.toml --no-cache",
    "pytest nkiverify_targets.py",
    "replay results.json --target k",
    "simulate k.py::k --arg a=bf16[8,8]",
    "equiv k.py::k k.py::k --arg a=bf16[8,8]",
    "grad k.py::k k.py::k --arg a=bf16[8,8] --pair a=out",
)
#: Where a command ends with 0 if a kernel does nothing wrong, all others that tell of a kernel that does.
_TELLING = frozenset({1, 2, 3, 4, 130})


@dataclass(frozen=True, slots=True)
class Input:
    """The input that is tried: files in a folder, a command in it, the exit statuses that are right, and what must be
    said.

    `broken`: it leaves a Python in which nothing can be relied on, and may end in an internal error, with a traceback.
    `phases` are those whose verdicts a 0 stands for, none where the command gives no verdicts on `k`. `reports` of an
    earlier run are there, or the results of one that has `failed`.
    """

    kind: str
    name: str
    command: tuple[str, ...]
    status: frozenset[int]
    files: Mapping[str, bytes] = field(default_factory=dict)
    said: str = ""
    timeout: float = _DEFAULT_TIMEOUT
    phases: tuple[int, ...] = ()
    written: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    file_size: int | None = None
    stdout: str = ""
    tmpfs: int = 0
    read_only: bool = False
    reports: bool = False
    failed: bool = False
    script: str = ""
    broken: bool = False


def inputs(table: Path = TABLE) -> list[Input]:
    """All inputs of the table, in its order."""
    parts = tomllib.loads(table.read_text(encoding="utf-8"))
    makers = {
        "kernels": _kernels,
        "folders": _folders,
        "reports": _reports,
        "arguments": _arguments,
        "places": _places,
        "actions": _actions,
        "esbmc": _esbmc,
    }
    return [made for part, entries in parts.items() for entry in entries for made in makers[part](entry)]


def _kernels(entry: dict[str, Any]) -> Iterator[Input]:
    timeout = entry.get("timeout", 6)
    limits = ["--timeout", str(timeout), *(["--memory", str(entry["memory"])] if "memory" in entry else [])]
    for number, line in enumerate(entry["lines"]):
        for place in PLACES:
            yield Input(
                kind=entry["kind"],
                name=f"{place}: {line}",
                command=(*shlex.split(_CHECK), *limits, "--json", "results/out.json"),
                status=_right(entry, place),
                files={"k.py": kernel_with(line, place)},
                said=entry.get("said", ""),
                timeout=timeout,
                phases=(1, 2),
                written=("results/out.json",),
                broken=entry.get("broken", False),
            )
        for position, command in enumerate(_CONTEXTS):
            yield _in_context(entry, line, PLACES[(number + position) % len(PLACES)], command, limits)


def _in_context(entry: dict[str, Any], line: str, place: str, command: str, limits: list[str]) -> Input:
    """The line at the place in another command than `check`, whose 0 stands for as much."""
    name, right = command.split()[0], _right(entry, place)
    text, targets = kernel_with(line, place), "@TARGET"
    if name == "replay":  # the kernel has to come to the line before it fails
        text, targets = text.replace(WITHIN.encode(), b""), WIDE
    timeout = entry.get("timeout", 6)
    return Input(
        kind=f"{name}: what check is tried with",
        name=f"{place}: {line}",
        command=(*shlex.split(command), *(limits if name != "pytest" else ())),
        status=_TELLING | (right & {0}),
        files={
            "k.py": text,
            "nkiverify_targets.py": manifest(targets).encode(),
            "sweep.toml": b'targets = ["*"]\nhardware = ["trn2"]\n',
            "pyproject.toml": f"[tool.nkiverify]\ntimeout = {timeout}\n".encode(),
        },
        said=entry.get("said", "") if name in ("run", "sweep", "pytest") else "",
        timeout=timeout,
        written=(REPORTS,),
        failed=name == "replay",
        broken=entry.get("broken", False),
    )


def _right(entry: dict[str, Any], place: str) -> frozenset[int]:
    return frozenset(entry["module" if place == "module" else "inside"])


def _folders(entry: dict[str, Any]) -> Iterator[Input]:
    command = tuple(shlex.split(entry["command"]))
    for files in entry["inputs"]:
        status = [int(files["status"])] if "status" in files else entry["status"]
        texts = {name: text for name, text in files.items() if name != "status"}
        contents = {
            name: (manifest(text) if "TARGET" in text else expanded(text)).encode(entry.get("encoding", "utf-8"))
            for name, text in texts.items()
        }
        yield Input(
            kind=entry["kind"],
            name=f"{texts!r}",
            command=(*command, "--json", "results/out.json") if "k.py::k" in command else command,
            status=frozenset(status),
            files={"k.py": KERNEL.encode(), **contents},
            timeout=entry.get("timeout", _DEFAULT_TIMEOUT),
            phases=(1,) if "k.py::k" in command else (),
            written=("results/out.json", REPORTS),
        )


def _reports(entry: dict[str, Any]) -> Iterator[Input]:
    for content in entry["contents"]:
        for command in entry["commands"]:
            yield Input(
                kind=entry["kind"],
                name=f"{command}, {entry['file']}: {content!r}",
                command=tuple(command.split()),
                status=frozenset(entry["status"]),
                files={
                    "k.py": KERNEL.encode(),
                    "nkiverify_targets.py": manifest("@TARGET").encode(),
                    f"{REPORTS}/{entry['file']}": content.encode("latin-1"),
                },
                written=(REPORTS,),
                reports=True,
            )


def _arguments(entry: dict[str, Any]) -> Iterator[Input]:
    for command in entry["commands"]:
        words = tuple(word.replace("@ARGUMENT", ARGUMENT) for word in shlex.split(command))
        yield Input(
            kind=entry["kind"],
            name=command,
            command=words,
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode()},
            timeout=10,
        )


def _places(entry: dict[str, Any]) -> Iterator[Input]:
    for one in entry["inputs"]:
        limits = {key: value for key, value in one.items() if key not in ("command", "status")}
        yield Input(
            kind=entry["kind"],
            name=f"{one['command']}, {', '.join(f'{key} {value}' for key, value in limits.items())}",
            command=tuple(shlex.split(one["command"])),
            status=frozenset(one["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            written=("out.json", "a.", REPORTS),
            **limits,
        )


def _actions(entry: dict[str, Any]) -> Iterator[Input]:
    step = verify_step((root() / "action.yml").read_text(encoding="utf-8"))
    for one in entry["inputs"]:
        yield Input(
            kind=entry["kind"],
            name=repr(one),
            command=("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step),
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            written=(REPORTS, "nkiverify.sarif", "nkiverify.xml"),
            environment={
                "CHECK": one.get("check", ""),
                "ARGUMENTS": one.get("arguments", ""),
                "SARIF": "nkiverify.sarif",
                "JUNIT": "nkiverify.xml",
                "GITHUB_STEP_SUMMARY": "/dev/null",
            },
        )


def _esbmc(entry: dict[str, Any]) -> Iterator[Input]:
    for script in entry["scripts"]:
        yield Input(
            kind=entry["kind"],
            name=script,
            command=tuple(entry["command"].split()),
            status=frozenset(entry["status"]),
            files={"k.py": KERNEL.encode(), "nkiverify_targets.py": manifest("@TARGET").encode()},
            timeout=90,
            written=(REPORTS,),
            environment={"WHEEL": "1"} if entry.get("wheel") else {},
            script=f"#!/bin/sh\n{script}\n",
        )
