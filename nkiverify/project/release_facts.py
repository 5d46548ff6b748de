"""The documented facts of a release of NKI, how those of two differ, and the kernels that use what has changed.

Facts are two files of one folder: `nki-signatures.json`, functions and methods with their parameters, and
`nki-contracts.md`, a survey of what the pages say, a fact an id. Kernels are read as text; nothing is executed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.trees import parse
from nkiverify.model.documented_facts import LEFT_OUT, SENTENCES, STATED_BY
from nkiverify.project.scope import ModuleScope, nodes_of

SIGNATURES, SURVEY = "nki-signatures.json", "nki-contracts.md"

#: The words that make a sentence one that a kernel can break.
_SAYS_MUST = re.compile(r"\b(?:must|only|cannot|at most|at least|multiples? of)\b", re.IGNORECASE)
_TAG = r"(?:MUST NOT|MUST/DEF|MUST|DEF|UB|RT|PERF|SILENT|CONTRA|NOTE)"
_FACT = re.compile(rf"`([a-z0-9_]+(?:\.[a-zA-Z0-9_]+)+)(?:\([^`]*\))?` ({_TAG})")
_END = re.compile(r'(?<=[.;])\s+(?=[A-Z`"«(])')
#: What a survey says of itself, and where the documents are silent or only advise.
_ABOUT = re.compile(r"^(?:Tags:|\*\*PERF\*\*|PERF|SILENT|\||#|\d+\. )")

#: The parameters of a function by name, each as it is written.
_Parameters = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Must:
    """One sentence; `fact` is the id of the fact that it is a part of."""

    fact: str
    text: str

    @property
    def answer(self) -> tuple[str, ...] | str | None:
        """The contracts that state it, or why none does; None where nobody has said."""
        from nkiverify.model.contracts import all_contracts

        for start, answer in SENTENCES.items():
            if self.text.startswith(start) or f"{self.fact}: {self.text}".startswith(start):
                return answer
        if self.fact in {contract.id for contract in all_contracts()}:
            return (self.fact,)
        return STATED_BY.get(self.fact) or LEFT_OUT.get(self.fact)


def sentences_of(survey: str) -> Iterator[Must]:
    """The sentences of a survey's facts that say must."""
    for line in survey.splitlines():
        facts = list(_FACT.finditer(line))
        ends = [fact.start() for fact in facts[1:]]
        for fact, end in zip(facts, [*ends, len(line)], strict=False):
            text = line[fact.end(1) + 1 : end].removeprefix("`").strip(" ·-")
            for sentence in _END.split(re.sub(r"^\([^)]*\)` ", "", text)):
                plain = re.sub(rf"^{_TAG} ", "", sentence).strip(" ·-")
                must = sentence.startswith("MUST") or _SAYS_MUST.search(plain)
                if must and plain and not _ABOUT.match(sentence):
                    yield Must(fact[1], plain)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one release: functions and methods by their full name, and sentences that say must."""

    functions: Mapping[str, _Parameters]
    musts: tuple[Must, ...]


def read_facts(folder: Path) -> Facts:
    """The facts in a folder. Raises `UsageError` where one of its two files is missing or cannot be understood."""
    texts = {}
    for name in (SIGNATURES, SURVEY):
        try:
            texts[name] = (folder / name).read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{folder / name} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UsageError(f"{folder / name} cannot be read: it is not UTF-8") from None
    try:
        generations = json.loads(texts[SIGNATURES])["generations"].values()
        modules = {name: module for generation in generations for name, module in generation["modules"].items()}
        functions = {full: _parameters(one) for name, module in modules.items() for full, one in _of(name, module)}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder / SIGNATURES} has no signatures of NKI: {error!r}") from None
    return Facts(functions, tuple(dict.fromkeys(sentences_of(texts[SURVEY]))))


def _of(module: str, entries: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The functions of a module and the methods of its classes, by their full names."""
    for name, function in entries.get("functions", {}).items():
        yield f"{module}.{name}", function
    for name, described in entries.get("classes", {}).items():
        for method, function in described.get("methods", {}).items():
            yield f"{module}.{name}.{method}", function


def _parameters(function: Mapping[str, Any]) -> _Parameters:
    """The parameters of a function, in their order."""
    stars = {"var_positional": "*", "var_keyword": "**"}
    found = {}
    for one in function["params"]:
        written = stars.get(one["kind"], "") + one["name"]
        found[one["name"]] = written if one["default"] is None else f"{written}={one['default']}"
    return found


@dataclass(slots=True)
class ReleaseDifference:
    """The difference from one release to the next: functions, parameters of those that are in both, sentences."""

    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    #: What has changed of each function that both have.
    changed: dict[str, list[str]] = field(default_factory=dict)
    musts_gone: list[Must] = field(default_factory=list)
    musts_new: list[Must] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((self.gone, self.new, self.changed, self.musts_gone, self.musts_new))

    @property
    def affected(self) -> frozenset[str]:
        """The functions and methods that a kernel can no longer use as it did, or about which another rule holds."""
        about = {must.fact.partition(".")[0] for must in (*self.musts_gone, *self.musts_new)}
        return frozenset((*self.gone, *self.changed, *(f".{name}" for name in about)))


def difference(old: Facts, new: Facts) -> ReleaseDifference:
    """The facts that one of them has only, and those that differ in both."""
    found = ReleaseDifference(
        gone=[name for name in old.functions if name not in new.functions],
        new=[name for name in new.functions if name not in old.functions],
        musts_gone=[must for must in old.musts if must not in new.musts],
        musts_new=[must for must in new.musts if must not in old.musts],
    )
    for name, before in old.functions.items():
        changes = _changes(before, new.functions[name]) if name in new.functions else []
        if changes:
            found.changed[name] = changes
    return found


def _changes(before: _Parameters, after: _Parameters) -> list[str]:
    gone = [f"- {written}" for name, written in before.items() if name not in after]
    added = [f"+ {written}" for name, written in after.items() if name not in before]
    other = [f"{text} -> {after[name]}" for name, text in before.items() if name in after and after[name] != text]
    both = [name for name in before if name in after]
    moved = ["another order"] if both != [name for name in after if name in before] else []
    return [*gone, *added, *other, *moved]


@dataclass(frozen=True, slots=True)
class Affected:
    """The lines of a kernel file that use something of NKI that has changed."""

    file: Path
    name: str
    lines: tuple[int, ...]


def affected_places(files: Iterable[Path], names: frozenset[str]) -> Iterator[Affected]:
    """The places of files that use one of these names: functions by what the file imports, methods of tensors by their
    own name, `.name` for any function of that name."""
    methods = {name.rpartition(".")[2] for name in names if name.count(".") > 2 and ".NkiTensor." in name}
    for file in files:
        tree = parse(file)
        scope = ModuleScope(tree)
        places: dict[str, set[int]] = {}
        for node in nodes_of(tree):
            if isinstance(node, ast.Attribute | ast.Name):
                full = _full_name(node, scope)
                short = (full or "").rpartition(".")[2]
                if full is not None and (full in names or f".{short}" in names):
                    places.setdefault(full, set()).add(node.lineno)
                elif full is None and isinstance(node, ast.Attribute) and node.attr in methods:
                    places.setdefault(f".{node.attr}", set()).add(node.lineno)
        yield from (Affected(file, name, tuple(sorted(lines))) for name, lines in sorted(places.items()))


def _full_name(node: ast.expr, scope: ModuleScope) -> str | None:
    """The full name of what an expression names, if it is part of NKI."""
    if isinstance(node, ast.Attribute):
        around = _full_name(node.value, scope)
        return None if around is None else f"{around}.{node.attr}"
    if not isinstance(node, ast.Name):
        return None
    full = scope.imported_as(node.id)
    return full if full.partition(".")[0] in STUB_PACKAGES else None
