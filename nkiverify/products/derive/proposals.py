"""The consequences of a derived domain, as text to paste: asserts for the kernel, an entry for a manifest."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.kernel_text import quoted
from nkiverify.frontend.domain.argument_text import dtype_called
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.trees import parse as parse_file
from nkiverify.products.derive.domain_answers import DomainAnswer
from nkiverify.project.discovery import kernels_in
from nkiverify.project.inference import inferred_for
from nkiverify.project.scope import function_named, parameters
from nkiverify.verify.options import DEFAULT_HARDWARE, DEFAULT_PHASES

#: What conditions on dimensions are made of.
_ARITHMETIC = (
    ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Name, ast.Constant,
    ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context,
)  # fmt: skip

_TARGET = '''\
@target(
    kernel={kernel},
    family="{family}",
    kind=Kind.{kind},
    expect={{{expect}}},{hardware}
)
def {name}(v: Verification) -> None:
    """Every legal shape: {domain}."""
{body}
'''


#: A tensor in the text of an argument, with its extents, and a key of a dictionary.
_TENSOR = r"\s*[A-Za-z_][\w.]*\[([^]]*)\]"
_KEY = r"""['"](\w+)['"]\s*:"""


@dataclass(frozen=True, slots=True)
class Lacking:
    """The asserts that a kernel lacks, in its words, and the line after which they can stand."""

    asserts: tuple[str, ...]
    after: int


def asserts(answer: DomainAnswer, base: Path) -> str:
    """The asserts that the kernel lacks, as text to paste; empty where it lacks none."""
    found = lacking(answer, base)
    if found is None:
        return ""
    head = f"# {answer.reference.partition('::')[0]}, after line {found.after}:"
    return "\n".join([head, *(f"    {text}" for text in found.asserts)]) + "\n"


def lacking(answer: DomainAnswer, base: Path, with_dead: bool = False) -> Lacking | None:
    """The asserts that the kernel lacks, also `with_dead` ones, where some of the kernel would serve nothing; None
    where it lacks none, or where no domain is proved."""
    if answer.derived is None or not answer.derived.proved:
        return None
    stated = answer.derived.preconditions
    texts = [one.text for one in stated if one.is_offered or (with_dead and not one.asserted)]
    name = answer.reference.partition("::")[2]
    function = definition(answer.reference, base)
    if not texts or function is None:
        return None
    bound = dict(_bound(function))
    last = max((bound[word] for text in texts for word in _names(text) if word in bound), default=0)
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    after = max(last, (first.end_lineno or first.lineno) if documented else first.lineno - 1)
    lines, said = [], _in_words(answer, bound)
    for text in texts:
        condition = said(text)
        values = ", ".join(f"{{{said(word)}=}}" for word in dict.fromkeys(_names(text)))
        lines.append(f'assert {condition}, f"{name} needs {condition}, not {values}"')
    return Lacking(tuple(lines), after)


def in_kernel(answer: DomainAnswer, base: Path) -> Callable[[str], str]:
    """Says conditions about the dimensions of an answer in the words of its kernel: `B0`, for which the kernel has no
    name, is `B.shape[0]` there."""
    function = definition(answer.reference, base)
    return _in_words(answer, dict(_bound(function)) if function is not None else {})


def _in_words(answer: DomainAnswer, bound: Mapping[str, int]) -> Callable[[str], str]:
    shapes = {dimension: text for dimension, text in _extents(answer) if dimension not in bound}
    return lambda condition: re.sub(r"[A-Za-z_]\w*", lambda found: shapes.get(found[0], found[0]), condition)


def written(answers: Iterable[DomainAnswer], base: Path) -> dict[str, int]:
    """Write the asserts that kernels lack into their files; how many more each file has.

    Raises `UsageError` where a file cannot be written.
    """
    by_file: dict[str, list[tuple[int, int, tuple[str, ...]]]] = {}
    for answer in answers:
        found, function = lacking(answer, base), definition(answer.reference, base)
        if found is not None and function is not None:
            path = answer.reference.partition("::")[0]
            by_file.setdefault(path, []).append((found.after, function.body[0].col_offset, found.asserts))
    for path, places in by_file.items():
        file = (base / path).resolve()
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        # From the end: what comes before keeps its lines.
        for after, indent, texts in sorted(places, reverse=True):
            lines[after:after] = [" " * indent + text + "\n" for text in texts]
        try:
            file.write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
    return {path: sum(len(texts) for _, _, texts in places) for path, places in by_file.items()}


def definition(reference: str, base: Path) -> ast.FunctionDef | None:
    """The definition of the kernel `PATH::NAME` in the text of its file; None where it is not found there."""
    path, _, name = reference.partition("::")
    return function_named(parse_file((base / path).resolve()), name.partition("[")[0])


def target_name(reference: str, suffix: str) -> str:
    """The usual name of a target of a kernel."""
    return f"{_family(reference)}_{suffix}"


def _family(reference: str) -> str:
    return re.sub(r"\W+", "_", reference.partition("::")[2].partition("[")[0])


def manifest_entry(answer: DomainAnswer, name: str = "") -> str:
    """A target for the domain, of this `name` or else a usual one, for a manifest next to the kernel's file; empty
    where nothing is proved, or it is none that can be written down."""
    derived = answer.derived
    if derived is None or not derived.proved or not derived.is_said:
        return ""
    domain = ", ".join(one.text for one in derived.preconditions) or "all of them"
    name = name or target_name(answer.reference, "legal")
    texts = []
    for number, way in enumerate(derived.ways or (derived.where,), 1):
        texts.append(
            target_text(
                answer.reference,
                answer.arguments,
                answer.grid,
                where=way,
                phases=[run.phase for run in derived.runs],
                name=f"{name}_{number}" if derived.ways else name,
                hardware=answer.hardware,
                domain=f"those of them with {', '.join(way)}" if derived.ways else domain,
            )
        )
    return "\n\n".join(texts)


def begun(reference: str, base: Path, name: str) -> str:
    """A first target of this `name` for a kernel of which no domain is proved: the arguments that are inferred, and
    what its asserts say of their dimensions. What cannot be inferred is `...`, with the reason."""
    path, _, function = reference.partition("::")
    found = inferred_for(path, function, base, ())
    extents = {word for text in (*found.arguments, found.grid) for word in _names(text.partition("=")[2] or text)}
    kernel = next((one for one in kernels_in((base / path).resolve()) if one.name == function), None)
    stated = [part for one in (kernel.preconditions if kernel else ()) for part in _asserted(one.text)]
    stated = [_with_defaults(part, definition(reference, base)) for part in stated]
    where = [text for text in stated if set(_names(text)) <= extents]
    missing = {one.name: one.why for one in found.missing}
    text = target_text(
        reference,
        found.arguments,
        found.grid,
        where=where,
        phases=DEFAULT_PHASES,
        name=name,
        hardware=found.hardware or DEFAULT_HARDWARE,
        domain="to be changed",
    )
    for parameter, why in missing.items():
        call = f"    # {parameter} is {why}: what is it to be?\n    v.call({parameter}=..., "
        text = text.replace("    v.call(", call)
    return text


def _with_defaults(text: str, function: ast.FunctionDef | None) -> str:
    """A condition with the parameters in it that have a number as their default as that number."""
    for one, default in parameters(function) if function is not None else ():
        if isinstance(default, ast.Constant) and type(default.value) is int:
            text = re.sub(rf"\b{one.arg}\b", str(default.value), text)
    return text


def _asserted(text: str) -> Iterator[str]:
    """The conditions on numbers that a kernel states at its top, each part by itself; of anything else nothing."""
    test = ast.parse(text, mode="eval").body
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
        if all(isinstance(node, _ARITHMETIC) for node in ast.walk(part)):
            yield ast.unparse(part)


def target_text(
    reference: str,
    arguments: Sequence[str],
    grid: str,
    *,
    where: Sequence[str],
    phases: Iterable[int],
    name: str,
    hardware: str,
    domain: str,
) -> str:
    """A target of this `name` that calls the kernel `PATH::NAME` with `arguments`, written as after `--arg`, where
    conditions hold."""
    dimensions: dict[str, str] = {}
    given = []
    for argument in arguments:
        parameter, _, value = argument.partition("=")
        given.append(f"{parameter}={_value(parameter, value, dimensions)}")
    if grid:
        extents = [_scalar(part.strip(), dimensions) for part in grid.split(",")]
        given.append(f"grid=({', '.join(extents)}{',' if len(extents) == 1 else ''})")
    body = [f'    {dimension} = v.dim("{dimension}"{low})' for dimension, low in dimensions.items()]
    body += [f"    v.assume({text})" for text in where]
    body.append(f"    v.call({', '.join(given)})")
    return _TARGET.format(
        kernel=quoted(reference),
        family=_family(reference),
        kind="UNBOUNDED" if dimensions else "CONCRETE",
        expect=", ".join(f"{phase}: SUCCESSFUL" for phase in phases),
        hardware=f'\n    hardware="{hardware}",' if hardware != DEFAULT_HARDWARE else "",
        name=name,
        domain=domain,
        body="\n".join(body),
    )


def dtypes_in(text: str) -> list[str]:
    """The dtypes that a target names."""
    return sorted({word for word in re.findall(r"\b[a-z]+\d\w*\b", text) if dtype_called(word) is not None})


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


def _extents(answer: DomainAnswer) -> Iterator[tuple[str, str]]:
    """The dimensions that are an extent of the grid, or of an argument, as `x.shape[0]`."""
    for axis, extent in enumerate(answer.grid.split(",")):
        if extent.strip().isidentifier():
            yield extent.strip(), f"nl.num_programs({axis})"
    for argument in answer.arguments:
        parameter, _, value = argument.partition("=")
        for name, extents in _tensors(parameter, value):
            for position, extent in enumerate(extents.split(",")):
                if extent.strip().isidentifier():
                    yield extent.strip(), f"{name}.shape[{position}]"


def _tensors(parameter: str, value: str) -> Iterator[tuple[str, str]]:
    """The tensors of an argument, one or all of a tuple or a dictionary, in the kernel's words, with their extents."""
    if re.fullmatch(rf"\s*\((({_TENSOR})\s*,?)+\s*\)\s*", value):
        for number, extents in enumerate(re.findall(_TENSOR, value)):
            yield f"{parameter}[{number}]", extents
    elif re.fullmatch(rf"\s*{{(\s*{_KEY}({_TENSOR})\s*,?)+\s*}}\s*", value):
        for key, extents in re.findall(_KEY + _TENSOR, value):
            yield f"{parameter}['{key}']", extents
    elif found := re.match(_TENSOR, value):
        yield parameter, found[1]


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
    if (dtype := dtype_called(value.strip())) is not None:
        return str(dtype)
    node = parse("--arg", value)[1]
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(node, ast.Name | ast.BinOp) and dtype_called(part.id) is None:
            dimensions.setdefault(part.id, "")
    return value
