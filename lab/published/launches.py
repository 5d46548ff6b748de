"""The launches, as the files of families say them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nkiverify.foundation.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent
PHASES = ("1", "2", "3", "4")

_FAMILY = {"repository", "root", "launch"}
_LAUNCH = {
    *("name", "kernel", "args", "contents", "grid", "target", "options", "where", "seconds", "expected", "why"),
    "symbolic",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """One call of `check` on a published kernel, and the verdict that is right in each phase."""

    family: str
    #: Where the kernel is published, as `owner/name`.
    repository: str
    #: The folder within a checkout that its kernels import from.
    root: str
    name: str
    #: `path.py::function`, the path within `root`.
    kernel: str
    #: The words of `check` after the kernel.
    words: tuple[str, ...]
    #: By argument: an expression of NumPy, as `np`, for the elements of it.
    contents: Mapping[str, str]
    seconds: float
    expected: Mapping[str, str]
    #: Argues the expected verdicts that are not SUCCESSFUL.
    why: str

    def folder(self, checkout: Path) -> Path:
        """The folder that `check` runs in."""
        return checkout / self.root

    def written(self, folder: Path) -> list[str]:
        """The words, with the elements of arguments in files of `folder`."""
        found = list(self.words)
        for name, expression in self.contents.items():
            file = folder / f"{name}.npy"
            np.save(file, eval(expression, {"np": np}))
            at = next(number for number, word in enumerate(found) if word.startswith(f"{name}="))
            dtype = found[at].partition("=")[2]
            found[at] = f"{name}={dtype} in @{file}"
        return found

    def is_in(self, checkout: Path) -> bool:
        """True if the kernel is in this checkout."""
        return (self.folder(checkout) / self.kernel.partition("::")[0]).is_file()


def launches(*, symbolic: bool) -> Iterator[Launch]:
    """The launches of all families, concrete or symbolic. Raises `UsageError` where a file is not understood."""
    for file in sorted(FOLDER.glob("*.toml")):
        try:
            family = tomllib.loads(file.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{file.name}: {error}") from error
        _only(family, _FAMILY, file.name)
        for launch in family.get("launch", ()):
            place = f"{file.name}, {launch.get('name', 'a launch without name')}"
            _only(launch, _LAUNCH, place)
            if symbolic and "symbolic" not in launch:
                continue
            facts = dict(launch)
            variant = facts.pop("symbolic", {})
            if symbolic:
                _only(variant, _LAUNCH - {"name", "kernel", "symbolic"}, place)
                # What is expected of the concrete launch says nothing about the symbolic one.
                facts = {key: fact for key, fact in facts.items() if key not in ("expected", "why")} | variant
            yield _launch(file.stem, family, facts, place)


def _only(table: Mapping[str, Any], known: set[str], place: str) -> None:
    unknown = sorted(table.keys() - known)
    if unknown:
        raise UsageError(f"{place}: {', '.join(unknown)} is not understood; known are {', '.join(sorted(known))}")


def _launch(family: str, table: Mapping[str, Any], facts: Mapping[str, Any], place: str) -> Launch:
    expected = {phase: facts.get("expected", {}).get(phase, "SUCCESSFUL") for phase in PHASES}
    if set(expected.values()) != {"SUCCESSFUL"} and not facts.get("why"):
        raise UsageError(f"{place}: an expected verdict that is not SUCCESSFUL is argued: why = '…'")
    words: list[str] = []
    for option, values in (("--arg", facts.get("args", ())), ("--where", facts.get("where", ()))):
        for value in values:
            words += [option, value]
    for option in ("grid", "target"):
        if option in facts:
            words += [f"--{option}", str(facts[option])]
    return Launch(
        family=family,
        repository=table["repository"],
        root=table["root"],
        name=facts["name"],
        kernel=facts["kernel"],
        words=(*words, *facts.get("options", ())),
        contents=facts.get("contents", {}),
        seconds=facts.get("seconds", 60),
        expected=expected,
        why=facts.get("why", ""),
    )
