"""The arguments to check a kernel with where nobody says: ranks, names of dimensions, dtypes and values, from its text.

A parameter is described by how it is used, in the kernel and in the helpers that it is handed to. What is found is what
a user would type after `--arg`, so that it can be shown, pasted and edited. Nothing is executed.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.domain.argument_text import dtype_called
from nkiverify.frontend.trees import parse, source
from nkiverify.model.hardware import ALL_HARDWARE
from nkiverify.project.scope import ModuleScope, function_named, last_name, nodes_of, parameters, scope_of

if TYPE_CHECKING:
    from nkiverify.project.uses import Use

#: The dtype of a tensor of which nothing tells it, and its rank.
DEFAULT_DTYPE = "bf16"
DEFAULT_RANK = 2

#: Integers of a tensor that is used as indices.
_INDEX_DTYPE = "u32"

#: Shapes as docstrings and comments have them.
_GROUP = re.compile(r"\[([^\[\]()]*)\]|\(([^\[\]()]*,[^\[\]()]*)\)")
_PART = re.compile(r"[A-Za-z_]\w*|\d+")
#: The beginnings of a line about a parameter: a comment, an item of a list, `:param`, a type.
_BEFORE = r"[\s#*\-`]*(?::param\s+)?"


@dataclass(frozen=True, slots=True)
class Missing:
    """A parameter of which nothing tells what to give it, and why."""

    name: str
    why: str


#: No argument has a range; none has another rank.
NO_RANGES: Mapping[str, str] = MappingProxyType({})
NO_RANKS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Inferred:
    """The arguments that a kernel is checked with.

    `arguments` are written as after `--arg`, `grid` as after `--grid` (empty where it is not launched on one),
    `assumed` says which of it is no more than usual, `missing` are parameters that have to be given. Nothing tells the
    dtype of the `tensors`, nor which one the parameters `dtypes` are to be, nor that tensors have no other rank than
    their `ranks`: no less than the `least_ranks`, which their uses need. `hardware` is what its decorator names, empty
    where it names none.
    """

    arguments: tuple[str, ...]
    grid: str = ""
    assumed: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    ranks: tuple[tuple[str, int], ...] = ()
    least_ranks: tuple[int, ...] = ()
    missing: tuple[Missing, ...] = ()
    hardware: str = ""

    def with_dtypes(self, chosen: Mapping[str, str], ranges: Mapping[str, str] = NO_RANGES) -> tuple[str, ...]:
        """The arguments, with the dtypes that are `chosen` for some of those that nothing tells, and the ranges of the
        integers in some that have none."""
        found = []
        for text in self.arguments:
            name = text.partition("=")[0]
            if name in chosen:
                text = re.sub(r"=\w+", f"={chosen[name]}", text, count=1)
            found.append(f"{text} in {ranges[name]}" if name in ranges and " in " not in text else text)
        return tuple(found)


def inferred(
    tree: ast.Module,
    function: ast.FunctionDef,
    given: Sequence[str] = (),
    scope: ModuleScope | None = None,
    ranks: Mapping[str, int] = NO_RANKS,
) -> Inferred:
    """The arguments for the parameters of `function`, in the module `tree`; those `given` are left out, tensors have
    these `ranks` where nothing states theirs.

    `scope` has the names of the module, those included that it imports from its repository.
    """
    return _Inference(tree, function, given, scope or ModuleScope(tree), ranks).result()


def inferred_for(
    path: str, name: str, base: Path, given: Sequence[str], ranks: Mapping[str, int] = NO_RANKS
) -> Inferred:
    """The arguments for the parameters of the kernel `name` in `path`, but for those in `given` (`NAME=VALUE`)."""
    return KernelText.of(path, name, base).inferred(given, ranks)


@dataclass(frozen=True, slots=True)
class KernelText:
    """The text of a kernel: its module, itself, None where there is none of its name, and the names that it knows."""

    tree: ast.Module
    function: ast.FunctionDef | None
    scope: ModuleScope

    @staticmethod
    def of(path: str, name: str, base: Path) -> KernelText:
        """The text of the kernel `name` in the file `path`, which is relative to `base`."""
        file = (base / path).resolve()
        tree = parse(file)
        return KernelText(tree, function_named(tree, name.partition("[")[0]), scope_of(tree, file, base))

    def inferred(self, given: Sequence[str], ranks: Mapping[str, int] = NO_RANKS) -> Inferred:
        """The arguments for its parameters, but for those in `given` (`NAME=VALUE`)."""
        if self.function is None:
            return Inferred(())
        names = [text.partition("=")[0].strip() for text in given]
        return inferred(self.tree, self.function, names, self.scope, ranks)


def is_described(path: str, name: str, base: Path, given: Sequence[str]) -> bool:
    """True if everything that the kernel `name` in `path` needs is in `given`, so that nothing has to be inferred.

    Raises `UsageError` where a tensor is given a shape, or a dtype, alone.
    """
    text = KernelText.of(path, name, base)
    found = text.inferred(given)
    check_tensors(text, given)
    return not found.arguments and not found.missing


def hardware_named(path: str, name: str, base: Path) -> str:
    """The hardware that the decorator of the kernel `name` in `path` names; empty where it names none."""
    function = function_named(parse((base / path).resolve()), name.partition("[")[0])
    return "" if function is None else _hardware_of(function)


def check_tensors(kernel: KernelText, given: Sequence[str]) -> None:
    """Raise `UsageError` where a parameter that the kernel uses as a tensor is given a shape, or a dtype, alone."""
    for text in given:
        name, _, value = text.partition("=")
        inner = value.strip()
        shape = inner[1:-1] if inner[:1] + inner[-1:] in ("[]", "()") else ""
        alone = dtype_called(inner.rpartition(".")[2]) is not None
        if not alone and not (shape and all(part.strip().isalnum() for part in shape.split(","))):
            continue
        tensors = dict(argument.split("=", 1) for argument in kernel.inferred(()).arguments if "[" in argument)
        if name.strip() in tensors:
            example = f"{inner}[{tensors[name.strip()].partition('[')[2]}" if alone else f"bf16[{shape}]"
            raise UsageError(f"--arg {name.strip()}: a tensor is written {name.strip()}='{example}'")


class _Inference:
    def __init__(
        self,
        tree: ast.Module,
        function: ast.FunctionDef,
        given: Sequence[str],
        scope: ModuleScope,
        ranks: Mapping[str, int],
    ) -> None:
        self._function = function
        self._given = frozenset(given)
        self._scope = scope
        self._ranks = ranks
        self._guessed: list[tuple[str, int, int]] = []
        self._assumed: list[str] = []
        self._tensors: list[str] = []
        self._dtypes: list[str] = []
        self._missing: list[Missing] = []
        self._legacy = any(
            (node.module or "").partition(".")[0] == "neuronxcc"
            if isinstance(node, ast.ImportFrom)
            else any(alias.name.partition(".")[0] == "neuronxcc" for alias in node.names)
            for node in nodes_of(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
        arguments = function.args
        self._taken = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}

    def result(self) -> Inferred:
        """Everything that is found."""
        declared = parameters(self._function)
        required = [one for one, default in declared if default is None]
        if all(one.arg in self._given for one in required):
            required = []
        uses = self._uses_of(required) if required else {}
        wanted = [one for one in required if one.arg not in self._given]
        kinds = {one.arg: self._kind(one, uses[one.arg]) for one in required}
        tensors = {name: uses[name] for name, kind in kinds.items() if kind == "tensor"}
        written = {name: _written_shape(self._function, self._scope.file, name) for name in tensors}
        extents = {name: self._extents(name, tensors, written) for name in tensors}
        found = []
        for one in wanted:
            name, use = one.arg, uses[one.arg]
            if name in tensors:
                text = f"{self._dtype(name, use)}[{','.join(extents[name])}]" + self._contents(use, extents)
            else:
                text = self._value(name, kinds[name], use)
            if text:
                found.append(f"{name}={text}")
        for one, default in declared:
            asserted = _asserted_instead(self._function, one.arg, default)
            if asserted is not None and one.arg not in self._given:
                self._assumed.append(f"{one.arg} = {asserted!r}")
                found.append(f"{one.arg}={asserted!r}")
        return Inferred(
            arguments=tuple(found),
            grid=self._grid(),
            assumed=tuple(dict.fromkeys(self._assumed)),
            tensors=tuple(self._tensors),
            dtypes=tuple(self._dtypes),
            ranks=tuple(one[:2] for one in self._guessed if one[0] not in self._given),
            least_ranks=tuple(one[2] for one in self._guessed if one[0] not in self._given),
            missing=tuple(self._missing),
            hardware=_hardware_of(self._function),
        )

    def _uses_of(self, required: Sequence[ast.arg]) -> dict[str, Use]:
        from nkiverify.project.uses import Uses, annotate  # as late as this: of few parameters

        reader = Uses(self._scope)
        found = {one.arg: reader.of(self._function, one.arg) for one in required}
        for one in required:
            annotate(one.annotation, found[one.arg])
        return found

    # --- what it is ---------------------------------------------------------------------------------------------------

    def _kind(self, parameter: ast.arg, use: Use) -> str:
        from nkiverify.project.uses import kind_of_annotation

        annotated = kind_of_annotation(parameter.annotation, self._scope)
        if annotated:
            return annotated
        for kind in ("dictionary", "tensor", "sequence", "dtype", "operator"):
            if kind in use.kinds:
                return kind
        if use.compared:
            return "compared"
        if use.parts and not use.kinds - {"unknown"}:
            return "sequence"
        if "integer" in use.kinds or use.indices:
            return "integer" if "integer" in use.kinds else "tensor"
        for kind in ("number", "flag", "object"):
            if kind in use.kinds:
                return kind
        return "unused" if not use.kinds else "unknown"

    def _value(self, name: str, kind: str, use: Use) -> str:
        if kind == "integer":
            # What nothing is divided by, counted to or made of may well be zero, as the place of a slice.
            return f"{name}:1.." if "count" in use.kinds else f"{name}:0.."
        if kind in ("number", "flag", "unused", "dtype"):
            text = {"number": "1.0", "flag": "False", "unused": "None", "dtype": DEFAULT_DTYPE}[kind]
            if kind == "dtype" and use.dtypes:
                return use.dtypes[0]
            if kind != "unused":
                self._assumed.append(f"{name} = {text}")
            if kind == "dtype":
                self._dtypes.append(name)
            return text
        if kind == "sequence" and use.parts:
            positions = range(max(use.parts) + 1)
            parts = (f"{self._dimension(use.parts.get(position, ''), name, position)}:1.." for position in positions)
            return f"({', '.join(parts)}{',' if len(positions) == 1 else ''})"
        if kind == "operator":
            self._assumed.append(f"{name} = nl.add")
            return "nl.add"
        if kind == "compared":
            self._assumed.append(f"{name} = {use.compared[0]}")
            return use.compared[0]
        if kind.startswith("enum "):
            from nkiverify.project.uses import members_of

            enum = self._scope.enum(kind.removeprefix("enum "))
            members = members_of(enum) if enum is not None else []
            if members:
                self._assumed.append(f"{name} = {members[0]}")
                return members[0]
        held = ", ".join(f"'{key}': …" for key in dict.fromkeys(use.keys)) or "'key': …"
        why = {
            "sequence": "a list or tuple; one of two tensors is written '(bf16[K,N], bf16[K,N])'",
            "dictionary": f'a dictionary, written "{{{held}}}" with tensors such as bf16[K,N]',
            "text": "a text that nothing in the kernel names",
            "object": "an object of which the kernel uses attributes",
        }.get(kind, "nothing tells what it is")
        self._missing.append(Missing(name, why))
        return ""

    def _dtype(self, name: str, use: Use) -> str:
        if use.dtypes:
            return use.dtypes[0]
        if use.indexes:
            return _INDEX_DTYPE
        self._assumed.append(DEFAULT_DTYPE)
        self._tensors.append(name)
        return DEFAULT_DTYPE

    @staticmethod
    def _contents(use: Use, extents: dict[str, list[str]]) -> str:
        """The range of indices, where it is known which dimension they index."""
        for table, axis in use.indexes:
            if axis < len(extents.get(table, ())):
                return f" in 0..{extents[table][axis]}-1"
        return ""

    def _extents(self, name: str, tensors: dict[str, Use], shapes: dict[str, tuple[str, ...]]) -> list[str]:
        use, written = tensors[name], shapes[name]
        rank = use.rank
        if rank is None:
            uniform = [tensors[other].rank for other in use.like if other in tensors]
            rank = next((one for one in uniform if one is not None), None)
        if rank is None:
            rank = len(written) if len(written) >= max(1, use.least) else max(DEFAULT_RANK, use.least)
            self._assumed.append(f"{name} of rank {rank}")
        stated = any(one.is_rank_stated for one in (use, *(tensors[name] for name in use.like if name in tensors)))
        if not stated and len(written) > rank:
            # The uses need no more than a few of the dimensions.
            rank = len(written)
        elif not stated and len(written) != rank:
            rank = self._ranks.get(name, rank)
            self._guessed.append((name, rank, max(1, use.least, use.indices)))
        names = {position % rank: text for position, text in use.names.items() if -rank <= position < rank}
        if len(written) == rank:
            unpacked = {text for one in tensors.values() for text in one.names.values()}
            called = _called(tensors, shapes)
            for position, text in enumerate(written):
                text = called.get(text, text)
                # That two are equal because they are called the same is what is to be found out.
                own = f"{name}_{text}" if text in self._taken or text in unpacked else text
                names.setdefault(position, own if text else "")
        return [self._dimension(names.get(position, ""), name, position) for position in range(rank)]

    def _dimension(self, wanted: str, tensor: str, position: int) -> str:
        """A name for a dimension that no other one has."""
        name = wanted if wanted.strip("_") and dtype_called(wanted) is None else f"{tensor}{position}"
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}{'_' if name[-1].isdigit() else ''}{number}", number + 1
        self._taken.add(found)
        return found

    def _grid(self) -> str:
        """The launch grid: a dimension for each axis that the kernel, or a helper, asks about."""
        axes = 0
        for function in self._reached():
            for node in nodes_of(function):
                if isinstance(node, ast.Call) and last_name(node.func) in ("program_id", "num_programs"):
                    axis = node.args[0] if node.args else next((one.value for one in node.keywords), None)
                    number = axis.value if isinstance(axis, ast.Constant) and isinstance(axis.value, int) else 0
                    axes = max(axes, number + 1)
        if not axes:
            return ""
        names = [self._dimension(f"G{at}" if axes > 1 else "G", "grid", at) for at in range(axes)]
        # A kernel of today is launched on one or two cores; the grid of a legacy one has any size.
        return ",".join(names) if self._legacy or axes > 1 else "2"

    def _reached(self) -> list[ast.FunctionDef]:
        """The kernel and the functions that it calls, in any number of steps."""
        found, waiting = [self._function], [(self._function, self._scope)]
        while waiting:
            function, scope = waiting.pop()
            for node in nodes_of(function):
                if isinstance(node, ast.Call):
                    called = scope.function(node.func) or scope.named(last_name(node.func))
                    if called is not None and called[0] not in found:
                        found.append(called[0])
                        waiting.append(called)
        return found


def _hardware_of(function: ast.FunctionDef) -> str:
    """The hardware that the decorator of a kernel names: `nki.jit(platform_target="trn3")`; empty where none does."""
    given = (one for made in function.decorator_list if isinstance(made, ast.Call) for one in made.keywords)
    names = [one.value.value for one in given if one.arg == "platform_target" and isinstance(one.value, ast.Constant)]
    return next((one.name for one in ALL_HARDWARE for name in names if name in (one.name, *one.aliases)), "")


def _asserted_instead(function: ast.FunctionDef, name: str, default: ast.expr | None) -> object:
    """The value that an assert of the kernel, outside of branches and loops, asks a parameter to have where that is not
    its default; None where there is no such assert."""
    if not isinstance(default, ast.Constant):
        return None
    for test in (one.test for one in function.body if isinstance(one, ast.Assert)):
        match test:
            case ast.Compare(ast.Name(id), [ast.Eq() | ast.Is()], [ast.Constant(value)]):
                asked = value
            case ast.UnaryOp(ast.Not(), ast.Name(id)):
                asked = False
            case ast.Name(id):
                asked = True
            case _:
                continue
        of_one_kind = type(asked) is type(default.value) and isinstance(asked, bool | int | str)
        if id == name and of_one_kind and asked != default.value:
            return asked
    return None


def _called(tensors: Mapping[str, Use], shapes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The kernel's own names for what docstrings and comments call otherwise: `d` where `x: [N, D]` stands over
    `d = x.shape[1]`. None where either of the names is one of the kernel's and of theirs, which is another dimension,
    nor one that is put aside."""
    found: dict[str, str] = {}
    every = {text for written in shapes.values() for text in written}
    unpacked = {text for one in tensors.values() for text in one.names.values()}
    for name, written in shapes.items():
        for position, own in tensors[name].names.items():
            text = written[position] if -len(written) <= position < len(written) else ""
            if text and text not in unpacked and own not in every and not own.startswith("_"):
                found.setdefault(text, own)
    return found


def _written_shape(function: ast.FunctionDef, file: Path | None, name: str) -> tuple[str, ...]:
    """The names of the extents of a parameter as the first line about it has them, empty for those that have none:
    `x: [N, D]`, `x (B, S): the input`, `# x: [1, D]`; or else as they stand next to its name, `Sums x: [N, D] by row`.
    Nothing where no line has a shape. A comment beside a parameter is about it: `x,  # type: [N, D]`."""
    about = re.compile(rf"{_BEFORE}{re.escape(name)}\b(.*)")
    within = re.compile(rf"(?<![\w.]){re.escape(name)}\s*[:=]?\s*((?:{_GROUP.pattern}).*)")
    lines = list(_lines(function, file))
    for found in (*map(about.match, lines), *map(within.search, lines)):
        for group in _GROUP.finditer(found[1]) if found is not None else ():
            parts = [part.strip() for part in (group[1] or group[2] or "").rstrip(",").split(",")]
            if all(_PART.fullmatch(part) for part in parts) and any(part.isidentifier() for part in parts):
                return tuple(part if part.isidentifier() else "" for part in parts)
    return ()


def _lines(function: ast.FunctionDef, file: Path | None) -> Iterator[str]:
    yield from (ast.get_docstring(function) or "").splitlines()
    if file is None:
        return
    text = source(file).decode("utf-8", "replace").splitlines(keepends=True)
    body = "".join(text[function.lineno - 1 : function.end_lineno])
    arguments = function.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    try:
        for token in tokenize.generate_tokens(io.StringIO(body).readline):
            if token.type == tokenize.COMMENT:
                yield token.string
                beside = [one.arg for one in parameters if one.lineno == function.lineno + token.start[0] - 1]
                if len(beside) == 1:
                    yield f"{beside[0]}: {token.string}"
    except (tokenize.TokenError, IndentationError):
        # A function within another one, or a class, begins with an indent.
        return
