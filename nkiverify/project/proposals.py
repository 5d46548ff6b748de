"""The consequences of a derived domain, as text to paste: asserts for the kernel, an entry for a manifest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nkiverify.frontend.domain.arguments import dtype_called
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.loader import parse as parse_file
from nkiverify.project.legality import function_named
from nkiverify.results.answers import Answer

_TARGET = '''\
@target(
    kernel="{kernel}",
    family="{family}",
    kind=Kind.{kind},
    expect={{{expect}}},
)
def {name}(v: Verification) -> None:
    """Every legal shape: {domain}."""
{body}
'''


@dataclass(frozen=True, slots=True)
class Lacking:
    """The asserts that a kernel lacks, in its words, and the line after which they can stand."""

    asserts: tuple[str, ...]
    after: int


def asserts(answer: Answer, base: Path) -> str:
    """The asserts that the kernel lacks, as text to paste; empty where it lacks none."""
    found = lacking(answer, base)
    if found is None:
        return ""
    head = f"# {answer.reference.partition('::')[0]}, after line {found.after}:"
    return "\n".join([head, *(f"    {text}" for text in found.asserts)]) + "\n"


def lacking(answer: Answer, base: Path) -> Lacking | None:
    """The asserts that the kernel lacks; None where it lacks none, or where no domain is proved."""
    if answer.derived is None or not answer.derived.proved:
        return None
    texts = [one.text for one in answer.derived.preconditions if not one.asserted]
    name = answer.reference.partition("::")[2]
    function = definition(answer.reference, base)
    if not texts or function is None:
        return None
    bound = dict(_bound(function))
    shapes = {dimension: text for dimension, text in _extents(answer) if dimension not in bound}
    last = max((bound[word] for text in texts for word in _names(text) if word in bound), default=0)
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    after = max(last, (first.end_lineno or first.lineno) if documented else first.lineno - 1)
    lines = []
    for text in texts:
        condition = re.sub(r"[A-Za-z_]\w*", lambda found: shapes.get(found[0], found[0]), text)
        values = ", ".join(f"{{{shapes.get(word, word)}=}}" for word in dict.fromkeys(_names(text)))
        lines.append(f'assert {condition}, f"{name} needs {condition}, not {values}"')
    return Lacking(tuple(lines), after)


def definition(reference: str, base: Path) -> ast.FunctionDef | None:
    """The definition of the kernel `PATH::NAME` in the text of its file; None where it is not found there."""
    path, _, name = reference.partition("::")
    return function_named(parse_file((base / path).resolve()), name.partition("[")[0])


def manifest_entry(answer: Answer) -> str:
    """A target for the domain, for a manifest beside the kernel's file; empty where nothing is proved, or it is none
    that can be written down."""
    derived = answer.derived
    if derived is None or not derived.proved or not derived.is_said:
        return ""
    name = answer.reference.partition("::")[2]
    family = re.sub(r"\W+", "_", name.partition("[")[0])
    dimensions: dict[str, str] = {}
    given = []
    for argument in answer.arguments:
        parameter, _, value = argument.partition("=")
        given.append(f"{parameter}={_value(parameter, value, dimensions)}")
    if answer.grid:
        extents = [_scalar(part.strip(), dimensions) for part in answer.grid.split(",")]
        given.append(f"grid=({', '.join(extents)}{',' if len(extents) == 1 else ''})")
    body = [f'    {dimension} = v.dim("{dimension}"{low})' for dimension, low in dimensions.items()]
    body += [f"    v.assume({text})" for text in derived.where]
    body.append(f"    v.call({', '.join(given)})")
    return _TARGET.format(
        kernel=answer.reference,
        family=family,
        kind="UNBOUNDED" if dimensions else "CONCRETE",
        expect=", ".join(f"{run.phase}: SUCCESSFUL" for run in derived.runs),
        name=f"{family}_legal",
        domain=", ".join(one.text for one in derived.preconditions) or "all of them",
        body="\n".join(body),
    )


def _names(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", re.sub(r"\b(and|or|not|min|max)\b", "", text))


def _bound(function: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    """Names that the kernel gives to extents before its first loop, and its parameters; with the line after which."""
    arguments = function.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        yield one.arg, 0
    for statement in function.body:
        if isinstance(statement, ast.For | ast.While):
            return
        if isinstance(statement, ast.Assign) and any(
            isinstance(part, ast.Attribute) and part.attr == "shape" for part in ast.walk(statement.value)
        ):
            for target in statement.targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        yield part.id, statement.end_lineno or statement.lineno


def _extents(answer: Answer) -> Iterator[tuple[str, str]]:
    """The dimensions that are an extent of the grid, or of an argument, as `x.shape[0]`."""
    for axis, extent in enumerate(answer.grid.split(",")):
        if extent.strip().isidentifier():
            yield extent.strip(), f"nl.num_programs({axis})"
    for argument in answer.arguments:
        parameter, _, value = argument.partition("=")
        found = re.match(r"\s*[\w.]+\[([^]]*)\]", value)
        for position, extent in enumerate(found[1].split(",") if found else ()):
            if extent.strip().isidentifier():
                yield extent.strip(), f"{parameter}.shape[{position}]"


def _value(parameter: str, value: str, dimensions: dict[str, str]) -> str:
    """An argument as a target gives it; the dimensions in it are entered into `dimensions`."""
    found = re.match(r"\s*([\w.]+)\[([^]]*)\](?:\s+in\s+(.*)\.\.(.*))?\s*$", value)
    if not found or dtype_called(found[1].rpartition(".")[2]) is None:
        return _scalar(value, dimensions)
    extents = [_scalar(part.strip(), dimensions) for part in found[2].split(",")]
    shape = f"({', '.join(extents)}{',' if len(extents) == 1 else ''})"
    values = f", values=({found[3].strip()}, {found[4].strip()})" if found[3] else ""
    return f'v.tensor("{parameter}", {shape}, {dtype_called(found[1].rpartition(".")[2])}{values})'


def _scalar(value: str, dimensions: dict[str, str]) -> str:
    """An extent or a plain value: `K`, `K:1..64`, `4`, `Mode.FAST`."""
    ranged = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*:\s*(\d*)\.\.(\d*)\s*", value)
    if ranged:
        low = f", {ranged[2]}" if ranged[2] not in ("", "1") or ranged[3] else ""
        dimensions.setdefault(ranged[1], low + (f", {ranged[3]}" if ranged[3] else ""))
        return ranged[1]
    node = parse("--arg", value)[1]
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(node, ast.Name | ast.BinOp) and dtype_called(part.id) is None:
            dimensions.setdefault(part.id, "")
    return value
