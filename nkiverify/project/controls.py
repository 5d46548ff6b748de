"""Positive controls: for every contract the smallest kernel that breaks it, and the nearest one that does not.

They are in `controls/`, one module per area. The function `nc_matmul__k_le_128` is both kernels of
`nc_matmul.k_le_128`, and says where they differ:

    either(right=128, wrong=129)        this in the right kernel, that in the wrong one
    if RIGHT: … else: …, if WRONG: …    statements of one of them
    dst = nl.ndarray(…)                 outside functions: what those below begin with that use `dst` and make none
    @control(on="trn1", cores=2,        the hardware, if not trn2; programs, if there is a grid;
             nki="0.5",                 the version of NKI, if not the newest;
             also=("mem.psum_size",))   contracts that no wrong kernel can keep besides

Kernels that have little in common are two functions, `…__right` and `…__wrong`. Annotations of parameters say what they
are called with, as `--arg` does. Reading them executes nothing; kernels that are run, or shown, are written out whole.
Further pairs of a contract, about its other operands, are in `controls/variants/`, numbered from `…__2` up; functions
whose names begin with `_` are theirs to call, those of `_tiles.py` by an import.
"""

from __future__ import annotations

import ast
import re
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError
from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Target, Verification
from nkiverify.model.versions import NEWEST

#: The hardware a control runs on that names none.
DEFAULT_HARDWARE = "trn2"

#: Ends of the names of the kernels of one control.
_SIDES = ("right", "wrong")
_NUMBER = re.compile(r"__\d+\Z")


@dataclass(frozen=True, slots=True)
class Example:
    """One kernel of a control.

    `text` is its source as a reader is to see it, `file` and `line` where that comes from, `also` are contracts it
    breaks besides, `arguments` what it is called with: `x=f32[8, 4]`.
    """

    contract: str
    wrong: bool
    file: Path
    function: str
    line: int
    text: str
    hardware: str
    also: tuple[str, ...]
    arguments: tuple[str, ...]
    cores: str | None
    #: The version of NKI that it is about.
    nki: str = NEWEST

    @property
    def reference(self) -> str:
        """`file.py::function`, relative to the folder of the kernels that are written out."""
        return f"{self.file.relative_to(folder())}::{self.function}"

    @property
    def pair(self) -> str:
        """The id of the contract, and which of its pairs this is one of."""
        return self.function.removesuffix(f"__{_SIDES[self.wrong]}").replace("__", ".")

    @property
    def broken(self) -> frozenset[str]:
        """The contracts that running it breaks."""
        return frozenset((self.contract, *self.also)) if self.wrong else frozenset()

    def target(self) -> Target:
        """The target that runs it."""
        if self.arguments or self.cores is not None:
            from nkiverify.project.request import request

            # With a condition of its own, the asserts of the kernel are claims.
            asked = request(self.reference, written_out(), self.arguments, ("1 == 1",), self.cores)
            return asked.target(self.hardware, False)
        return Target(
            name=self.function,
            kernel=self.reference,
            family="controls",
            kind=Kind.CONCRETE,
            expect={},
            flags="",
            tags=(),
            description="",
            hardware=self.hardware,
            root=written_out(),
            module=__name__,
            file=str(self.file),
            line=self.line,
            function=Verification.call,
        )


@dataclass(frozen=True, slots=True)
class Control:
    """The pair for one contract."""

    right: Example
    wrong: Example


def folder() -> Path:
    """The folder of the controls."""
    return resources.root() / "controls"


@cache
def controls() -> dict[str, Control]:
    """The control of each contract that has one, by its id. Raises `InternalError` for one half of a pair."""
    return _pairs("*.py")


@cache
def variants() -> dict[str, Control]:
    """The further pairs, by the id of their contract and their number. Raises `InternalError` for half a pair."""
    return _pairs("variants/*.py")


def _pairs(files: str) -> dict[str, Control]:
    halves: dict[tuple[str, bool], Example] = {}
    for file in sorted(folder().glob(files)):
        for example in _read(file)[1]:
            key = (example.pair, example.wrong)
            if key in halves:
                raise InternalError(f"{example.pair} has two controls: {halves[key].reference}, {example.reference}")
            halves[key] = example
    found = {}
    for pair, wrong in halves:
        if (pair, not wrong) not in halves:
            raise InternalError(f"the control of {pair} is half a pair")
        found[pair] = Control(halves[pair, False], halves[pair, True])
    return found


@cache
def written_out() -> Path:
    """A folder with the kernels of all controls, to be run; it is gone when the process ends."""
    made = tempfile.TemporaryDirectory(prefix="nkiverify-controls-")
    _kept.append(made)
    root = Path(made.name)
    for file in sorted(folder().rglob("*.py")):
        shared, examples = _read(file)
        texts = [shared, *(example.text for example in examples)]
        written = root / file.relative_to(folder())
        written.parent.mkdir(exist_ok=True)
        written.write_text("\n\n\n".join(texts) + "\n", encoding="utf-8")
    return root


_kept: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _read(file: Path) -> tuple[str, list[Example]]:
    return _Source(file).read()


class _Source:
    """A module of controls."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._text = file.read_text(encoding="utf-8")
        self._lines = self._text.splitlines()

    def read(self) -> tuple[str, list[Example]]:
        """The common part of its kernels when they are run, imports and helpers; and the kernels."""
        shared: list[str] = []
        examples: list[Example] = []
        operands: dict[str, str] = {}
        for node in ast.parse(self._text, str(self._file)).body:
            if isinstance(node, ast.Assign):
                made = self._segment(node.value)
                operands.update({target.id: made for target in node.targets if isinstance(target, ast.Name)})
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                examples.extend(self._kernels(node, operands))
            else:
                shared.append(self._source([node]))
        return "\n".join(shared), examples

    def _source(self, nodes: Sequence[ast.stmt]) -> str:
        decorators = getattr(nodes[0], "decorator_list", [])
        first = min([nodes[0].lineno, *(decorator.lineno for decorator in decorators)])
        return "\n".join(self._lines[first - 1 : nodes[-1].end_lineno])

    def _segment(self, node: ast.AST) -> str:
        """The text of a node: `ast.get_source_segment` splits the whole file again for each."""
        place: Any = node
        lines = self._lines[place.lineno - 1 : place.end_lineno]
        # The end first: the node may be in one line. Columns count bytes, and controls are ASCII.
        lines[-1] = lines[-1][: place.end_col_offset]
        lines[0] = lines[0][place.col_offset :]
        return "\n".join(lines)

    def _kernels(self, node: ast.FunctionDef, operands: dict[str, str]) -> Iterator[Example]:
        name, _, end = node.name.rpartition("__")
        contract, sides = (name, (end,)) if end in _SIDES else (node.name, _SIDES)
        # `@control` and `@control()` say nothing, which is what no mark says.
        marks = [one for one in node.decorator_list if "control" in (_called(one), getattr(one, "id", ""))]
        for side in sides:
            facts = {
                keyword.arg: ast.literal_eval(_chosen(keyword.value, side))
                for mark in marks
                if isinstance(mark, ast.Call)
                for keyword in mark.keywords
            }
            text = self._written(node, f"{contract}__{side}", side, operands, set(map(id, marks)))
            (made,) = ast.parse(text).body
            assert isinstance(made, ast.FunctionDef)
            yield self._example(node, made, contract, text, facts)

    def _example(self, node: ast.FunctionDef, made: ast.FunctionDef, contract: str, text: str, facts: Any) -> Example:
        wrong = made.name.endswith("__wrong")
        cores = facts.get("cores")
        return Example(
            contract=_NUMBER.sub("", contract).replace("__", "."),
            wrong=wrong,
            file=self._file,
            function=made.name,
            line=node.lineno,
            text=text,
            hardware=facts.get("on", DEFAULT_HARDWARE),
            also=tuple(facts.get("also", ())) if wrong else (),
            arguments=tuple(_argument(parameter) for parameter in made.args.args),
            cores=None if cores is None else str(cores),
            nki=facts.get("nki", NEWEST),
        )

    def _written(self, node: ast.FunctionDef, name: str, side: str, operands: dict[str, str], marks: set[int]) -> str:
        """One kernel, written out."""
        parts = [f"@{self._on(decorator, side)}" for decorator in node.decorator_list if id(decorator) not in marks]
        parameters = [
            one.arg if one.annotation is None else f"{one.arg}: {self._on(one.annotation, side)}"
            for one in node.args.args
        ]
        body = list(self._body(node.body, side))
        named = [part for line in body for part in _names(line)]
        used = [part.id for part in named]
        made = {part.id for part in named if isinstance(part.ctx, ast.Store)}
        given = made | {one.arg for one in node.args.args}
        begins = [f"{one} = {operands[one]}" for one in dict.fromkeys(used) if one in operands and one not in given]
        lines = textwrap.indent("\n".join([*begins, *body]), "    ")
        return "\n".join([*parts, f"def {name}({', '.join(parameters)}):", lines])

    def _body(self, body: Sequence[ast.stmt], side: str) -> Iterator[str]:
        """The statements of one kernel, each with its first line at the margin."""
        for statement in body:
            if isinstance(statement, ast.If) and isinstance(statement.test, ast.Name) and statement.test.id in _TESTS:
                taken = statement.body if statement.test.id == side.upper() else statement.orelse
                yield from self._body(taken, side)
            else:
                yield textwrap.dedent(" " * statement.col_offset + self._on(statement, side))

    def _on(self, node: ast.AST, side: str) -> str:
        """The source of a node on one side."""
        text = self._segment(node)
        pieces = [one for one in _outermost(node) if isinstance(one, ast.Call)]
        start = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        lines = text.split("\n")
        for piece in sorted(pieces, key=lambda one: (one.lineno, one.col_offset), reverse=True):
            first, last = piece.lineno - start[0], (piece.end_lineno or 0) - start[0]
            before = lines[first][: piece.col_offset - (start[1] if first == 0 else 0)]
            after = lines[last][(piece.end_col_offset or 0) - (start[1] if last == 0 else 0) :]
            chosen = self._on(_chosen(piece, side), side)
            lines[first : last + 1] = [before + chosen + after]
        return "\n".join(lines)


#: What stands for the two sides in conditions.
_TESTS = frozenset(side.upper() for side in _SIDES)


def _called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _outermost(node: ast.AST) -> Iterator[ast.AST]:
    """The calls of `either` in a node that are in no other one."""
    if _called(node) == "either":
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _outermost(child)


def _chosen(node: ast.expr, side: str) -> ast.expr:
    """The expression that a call of `either` stands for on one side; any other expression stands for itself."""
    if _called(node) != "either":
        return node
    assert isinstance(node, ast.Call)
    return {keyword.arg: keyword.value for keyword in node.keywords}[side]


def _names(text: str) -> Iterator[ast.Name]:
    """The names in a statement, in the order they are written."""
    found = [part for part in ast.walk(ast.parse(text)) if isinstance(part, ast.Name)]
    yield from sorted(found, key=lambda part: (part.lineno, part.col_offset))


def _argument(parameter: ast.arg) -> str:
    """A parameter and its annotation as `--arg` takes it."""
    if not isinstance(parameter.annotation, ast.Constant) or not isinstance(parameter.annotation.value, str):
        raise InternalError(f"the parameter {parameter.arg} of a control says in its annotation what it is called with")
    return f"{parameter.arg}={parameter.annotation.value}"
