"""Positive controls: for every contract the smallest kernel that breaks it, and the nearest one that does not.

They are plain kernels in `controls/`, one module per area; those of `nc_matmul.k_le_128` are called
`nc_matmul__k_le_128__wrong` and `nc_matmul__k_le_128__right`. Annotations of parameters say what they are called with,
as `--arg` does. A docstring says on which hardware, if not on trn2, on how many cores, if not without a grid, and which
contracts no wrong kernel can keep besides: `On trn1. On 2 cores. Also breaks mem.partitions_128.` Reading them executes
nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.errors import InternalError
from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Target, Verification

#: The hardware a control runs on that names none.
DEFAULT_HARDWARE = "trn2"

_ON = re.compile(r"On (trn\d)\.")
_CORES = re.compile(r"On (\d+) cores?\.")
_ALSO = re.compile(r"Also breaks ([\w., ]+)\.$")


@dataclass(frozen=True, slots=True)
class Example:
    """One kernel of a control.

    `text` is its source as a reader is to see it, `also` are contracts it breaks besides, `arguments` what it is called
    with: `x=f32[8, 4]`.
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

    @property
    def reference(self) -> str:
        """`file.py::function`, relative to the folder of the controls."""
        return f"{self.file.name}::{self.function}"

    @property
    def broken(self) -> frozenset[str]:
        """The contracts that running it breaks."""
        return frozenset((self.contract, *self.also)) if self.wrong else frozenset()

    def target(self) -> Target:
        """The target that runs it."""
        if self.arguments or self.cores is not None:
            from nkiverify.project.request import request

            # With a condition of its own, the asserts of the kernel are claims.
            asked = request(self.reference, self.file.parent, self.arguments, ("1 == 1",), self.cores)
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
            root=self.file.parent,
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
    halves: dict[tuple[str, bool], Example] = {}
    for file in sorted(folder().glob("*.py")):
        for example in _examples(file):
            key = (example.contract, example.wrong)
            if key in halves:
                raise InternalError(
                    f"{example.contract} has two controls: {halves[key].reference}, {example.reference}"
                )
            halves[key] = example
    found = {}
    for contract, wrong in halves:
        if (contract, not wrong) not in halves:
            raise InternalError(f"the control of {contract} is half a pair")
        found[contract] = Control(halves[contract, False], halves[contract, True])
    return found


def _examples(file: Path) -> Iterator[Example]:
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.parse(source, str(file)).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        name, _, side = node.name.rpartition("__")
        if side not in ("right", "wrong"):
            continue
        note = ast.get_docstring(node) or ""
        on, cores, also = _ON.search(note), _CORES.search(note), _ALSO.search(note)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        assert node.end_lineno is not None
        yield Example(
            contract=name.replace("__", "."),
            wrong=side == "wrong",
            file=file,
            function=node.name,
            line=node.lineno,
            text="\n".join(lines[first - 1 : node.end_lineno]),
            hardware=on[1] if on is not None else DEFAULT_HARDWARE,
            also=tuple(also[1].split(", ")) if also is not None else (),
            arguments=tuple(_argument(parameter) for parameter in node.args.args),
            cores=cores[1] if cores is not None else None,
        )


def _argument(parameter: ast.arg) -> str:
    """A parameter and its annotation as `--arg` takes it."""
    if not isinstance(parameter.annotation, ast.Constant) or not isinstance(parameter.annotation.value, str):
        raise InternalError(f"the parameter {parameter.arg} of a control says in its annotation what it is called with")
    return f"{parameter.arg}={parameter.annotation.value}"
