"""How a parameter of a kernel is used, in the kernel and in the helpers that it is handed to, of its file and of those
that it imports.

Read from the text; nothing is executed.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import field

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.domain.argument_text import dtype_called
from nkiverify.project.scope import ModuleScope, last_name, nodes_of, parameters
from nkiverify.project.tiles import (
    NUMBER_KEYWORDS,
    SHORT,
    TENSOR_ATTRIBUTES,
    dtype_of_tile,
    indexed_by,
    integer_of,
    loaded_into,
    tiles_of,
    with_elements,
)

#: Keywords under which functions of NKI take tensors and operators.
_TENSOR_KEYWORDS = frozenset({"src", "dst", "data", "data1", "data2", "stationary", "moving", "value", "tensor", "x"})
_OPERATOR_KEYWORDS = frozenset({"op", "op0", "op1", "reduce_op"})
_OF_INTEGERS = frozenset(
    {"range", "affine_range", "sequential_range", "static_range", "ceil_div", "cdiv", "div_ceil", "min", "max", "abs"}
)
#: Functions of integers that may be zero: places, and contents of registers.
_OF_PLACES = frozenset({"ds", "register_move", "register_alloc"})
#: Methods that give a view of a tensor.
_VIEWS = frozenset({"ap", "reshape", "view"})
#: The dtype of numbers that registers are loaded with, as documented examples have it.
_REGISTER_DTYPE = "i32"
_INTEGERS = frozenset({"i8", "i16", "i32", "u8", "u16", "u32"})
_TENSOR_ANNOTATIONS = ("tensor", "ndarray", "array")


@dataclass(slots=True)
class Use:
    """The facts that the uses of one name tell."""

    #: Ranks that are stated, and the most indices that are given at once.
    ranks: set[int] = field(default_factory=set)
    indices: int = 0
    least: int = 0
    #: Names that its extents are given, by position; negative ones count from the end.
    names: dict[int, str] = field(default_factory=dict)
    dtypes: list[str] = field(default_factory=list)
    #: The kinds that uses speak for: "tensor", "integer", "flag", "number", "dtype", "operator", "sequence",
    #: "dictionary", "object"; "unknown" for a use that tells nothing.
    kinds: set[str] = field(default_factory=set)
    #: Names that its parts are given which are integers, by position.
    parts: dict[int, str] = field(default_factory=dict)
    #: The texts that are looked up in it.
    keys: list[str] = field(default_factory=list)
    #: Texts and enumeration members that it is compared with.
    compared: list[str] = field(default_factory=list)
    #: Other names that have the same shape.
    like: list[str] = field(default_factory=list)
    #: What is loaded from it indexes these: the table's name and the dimension.
    indexes: list[tuple[str, int]] = field(default_factory=list)

    @property
    def rank(self) -> int | None:
        """The rank that is stated, or that the indices and names of extents need; None where nothing tells."""
        if self.ranks:
            return max(self.ranks)
        if self.indices > 1:
            return max(self.indices, self.least)
        if self.names or self.least > 1:
            return max(self.least, self.indices, 1)
        return None

    @property
    def is_rank_stated(self) -> bool:
        """True if the rank is more than the least that the uses need."""
        return bool(self.ranks) or self.indices > 1

    def add(self, other: Use) -> None:
        """Take over what uses in a helper tell."""
        self.ranks |= other.ranks
        self.indices = max(self.indices, other.indices)
        self.least = max(self.least, other.least)
        for position, name in other.names.items():
            self.names.setdefault(position, name)
        self.dtypes += other.dtypes
        self.kinds |= other.kinds
        self.parts |= {position: name for position, name in other.parts.items() if position not in self.parts}
        self.keys += other.keys
        self.compared += other.compared


class Uses:
    """The uses of names in the functions of one module."""

    def __init__(self, scope: ModuleScope) -> None:
        self._scope = scope

    def of(self, function: ast.FunctionDef, name: str, depth: int = ExploringBudget.HELPERS) -> Use:
        """How `function` uses its parameter, or variable, `name`."""
        use = Use()
        names, shapes = _aliases(function, name)
        parents = _parents(function)
        for node in nodes_of(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node.id in names:
                    self._used(node, parents, use, depth, function)
                elif node.id in shapes:
                    _shape_used(node, parents, use)
        return use

    def _used(
        self, node: ast.expr, parents: dict[ast.AST, ast.AST], use: Use, depth: int, function: ast.FunctionDef
    ) -> None:
        parent = parents.get(node)
        if isinstance(parent, ast.Attribute):
            _attribute_used(parent, parents, use)
            if isinstance(call := parents.get(parent), ast.Call) and parent.attr in _VIEWS:
                _loaded(call, parents, use, function)
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            self._subscripted(parent, parents, use, function)
        elif isinstance(parent, ast.Call):
            self._handed(node, parent, "", parents, use, depth)
        elif isinstance(parent, ast.keyword):
            call = parents.get(parent)
            if isinstance(call, ast.Call):
                self._handed(node, call, parent.arg or "", parents, use, depth)
        elif isinstance(parent, ast.BinOp):
            other = parent.right if parent.left is node else parent.left
            decimal = isinstance(other, ast.Constant) and type(other.value) is float
            fraction = decimal or isinstance(parent.op, ast.Div) or with_elements(node, parents, tiles_of(function))
            use.kinds.add("number" if fraction else "integer")
            if not fraction and isinstance(parent.op, ast.Mult | ast.FloorDiv | ast.Mod | ast.Pow):
                use.kinds.add("count")
        elif isinstance(parent, ast.Tuple):
            # A part of a shape, as a rule; one of several things to go through otherwise.
            around = parents.get(parent)
            apart = isinstance(around, ast.Dict | ast.List | ast.Tuple | ast.Return) or _gone_through(parent, parents)
            # The index in one dimension of several may well be 0.
            index = isinstance(around, ast.Subscript) and around.slice is parent
            use.kinds |= {"unknown"} if apart else {"integer"} if index else {"integer", "count"}
            self._element(parent, parents, use, depth, function)
        elif isinstance(parent, ast.Dict | ast.List | ast.Return):
            use.kinds.add("unknown")
            self._element(parent, parents, use, depth, function)
        elif isinstance(parent, ast.Slice | ast.UnaryOp):
            negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
            use.kinds.add("flag" if negated else "integer")
        elif isinstance(parent, ast.Compare):
            _compared(node, parent, use, self._scope)
            _dtype_used(node, parents, use)
        elif isinstance(parent, ast.If | ast.IfExp | ast.While | ast.BoolOp | ast.Assert) and _is_test(node, parent):
            use.kinds.add("flag")
        elif isinstance(parent, ast.Assign) and parent.value is node and isinstance(parent.targets[0], ast.Tuple):
            use.kinds.add("sequence")
            for position, target in enumerate(parent.targets[0].elts):
                self._part(position, target.id if isinstance(target, ast.Name) else "", use, function)
        elif isinstance(parent, ast.Starred) or getattr(parent, "iter", None) is node:
            use.kinds.add("sequence")

    def _element(
        self, display: ast.AST, parents: dict[ast.AST, ast.AST], use: Use, depth: int, function: ast.FunctionDef
    ) -> None:
        """The facts that a loop over a tuple or list tells of each element of it: `for t in (p, g): t.reshape(...)`."""
        loop = _gone_through(display, parents)
        if loop is None or not depth:
            return
        target = loop.target
        around = parents.get(display)
        if isinstance(around, ast.Call) and isinstance(target, ast.Tuple):
            at = next(number for number, one in enumerate(around.args) if one is display)
            target = target.elts[at] if at < len(target.elts) else target
        if isinstance(target, ast.Name) and target.id not in {one.arg for one, _ in parameters(function)}:
            use.add(self.of(function, target.id, depth - 1))
            # What is treated the same is most often of one shape.
            use.like += [one.id for one in getattr(display, "elts", ()) if isinstance(one, ast.Name)]

    def _part(self, position: int, name: str, use: Use, function: ast.FunctionDef) -> None:
        """The part of a sequence at a position, which `function` calls `name`, counts if it is used as an integer."""
        kinds = self.of(function, name, 0).kinds if name else set()
        if "integer" in kinds and kinds.isdisjoint(("tensor", "sequence", "dictionary", "flag")):
            use.parts[position] = name

    def _subscripted(
        self, part: ast.Subscript, parents: dict[ast.AST, ast.AST], use: Use, function: ast.FunctionDef
    ) -> None:
        keys = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
        outer = parents.get(part)
        if isinstance(part.slice, ast.Constant) and isinstance(part.slice.value, str):
            use.kinds.add("dictionary")
            use.keys.append(part.slice.value)
            return
        if isinstance(outer, ast.Attribute) and outer.attr in ("shape", "dtype") and len(keys) == 1:
            use.kinds.add("sequence")
            return
        index = integer_of(part.slice)
        if index is not None and index >= 0:
            self._part(index, _assigned_name(part, parents), use, function)
        count = len(keys)
        at: ast.AST = part
        while isinstance(outer, ast.Subscript) and outer.value is at:
            # x[0][i, j]: an index of one dimension, then of the rest.
            count += len(outer.slice.elts) if isinstance(outer.slice, ast.Tuple) else 1
            at, outer = outer, parents.get(outer)
        if any(isinstance(key, ast.Constant) and key.value is Ellipsis for key in keys):
            use.kinds.add("tensor")
            use.least = max(use.least, count - 1)
            return
        use.indices = max(use.indices, count)
        if len(keys) > 1 or any(isinstance(key, ast.Slice) for key in keys):
            use.kinds.add("tensor")
        _loaded(part, parents, use, function)

    def _handed(
        self, node: ast.expr, call: ast.Call, keyword: str, parents: dict[ast.AST, ast.AST], use: Use, depth: int
    ) -> None:
        """The facts that a call tells which `node` is an argument of."""
        # `kernel[grid](x)` launches a kernel.
        called = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        name = last_name(called)
        if node is call.func:
            use.kinds.add("object")
            return
        found = self._scope.function(called) if depth else None
        if found is not None:
            callee, scope = found
            parameter = keyword or _parameter_at(callee, call, node)
            if parameter and parameter in {one.arg for one, _ in parameters(callee)}:
                inner = Uses(scope).of(callee, parameter, depth - 1)
                annotation = next(one.annotation for one, _ in parameters(callee) if one.arg == parameter)
                annotate(annotation, inner)
                kind = kind_of_annotation(annotation, scope)
                if kind in ("tensor", "integer", "number", "flag"):
                    inner.kinds.add(kind)
                use.add(inner)
                return
        if name in _OF_INTEGERS:
            use.kinds |= {"integer", "count"}
        elif name in _OF_PLACES:
            use.kinds.add("integer")
        elif name in ("len", "enumerate", "zip", "list", "tuple", "sum"):
            use.kinds.add("sequence")
        elif name in ("load", "store", "dma_copy", "load_transpose2d", "dma_transpose"):
            use.kinds.add("tensor")
            function = self._function_around(call, parents)
            if function is not None:
                _loaded(node, parents, use, function)
        elif name == "register_load":
            use.kinds.add("tensor")
            use.dtypes.append(_REGISTER_DTYPE)
        elif keyword == "dtype" or name == "astype":
            use.kinds.add("dtype")
        elif keyword in _OPERATOR_KEYWORDS:
            use.kinds.add("operator")
        elif keyword in _TENSOR_KEYWORDS:
            use.kinds.add("tensor")
        elif keyword in NUMBER_KEYWORDS:
            use.kinds.add("number")
        elif keyword == "shape":
            use.kinds.add("sequence")
        else:
            use.kinds.add("number" if isinstance(call.func, ast.Attribute) else "object")

    @staticmethod
    def _function_around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.FunctionDef | None:
        at: ast.AST | None = node
        while at is not None:
            at = parents.get(at)
            if isinstance(at, ast.FunctionDef):
                return at
        return None


def _gone_through(display: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.For | ast.comprehension | None:
    """The loop that goes through a tuple or list where it stands, by itself or beside others (`zip`)."""
    at: ast.AST = display
    around = parents.get(at)
    if isinstance(around, ast.Call) and display in around.args and last_name(around.func) == "zip":
        at, around = around, parents.get(around)
    return around if isinstance(around, ast.For | ast.comprehension) and around.iter is at else None


# --- parameters and annotations ---------------------------------------------------------------------------------------


def _parameter_at(function: ast.FunctionDef, call: ast.Call, node: ast.expr) -> str:
    """The parameter that the positional argument `node` of `call` is for."""
    if any(isinstance(one, ast.Starred) for one in call.args) or node not in call.args:
        return ""
    position = call.args.index(node)
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[position].arg if position < len(positional) else ""


def kind_of_annotation(annotation: ast.expr | None, scope: ModuleScope) -> str:
    """The kind that an annotation states of a parameter of a function in `scope`, empty for none."""
    if annotation is None:
        return ""
    text = ast.unparse(annotation).strip("'\"")
    plain = text.removeprefix("Optional[").removesuffix("]").removesuffix(" | None")
    kinds = {"int": "integer", "float": "number", "bool": "flag", "str": "text"}
    if plain in kinds:
        # What a text is compared with says more than that it is one.
        return "" if plain == "str" else kinds[plain]
    if scope.enum(plain) is not None:
        return f"enum {plain}"
    head = plain.partition("[")[0].rpartition(".")[2].lower()
    if head in ("tuple", "list", "sequence"):
        return "sequence"
    if head in ("dict", "mapping"):
        return "dictionary"
    return "tensor" if head.endswith(_TENSOR_ANNOTATIONS) or dtype_called(head) is not None else ""


def annotate(annotation: ast.expr | None, use: Use) -> None:
    """The facts that an annotation such as `nt.tensor[K, M]` or `"bf16[K, M]"` tells."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return
    if not isinstance(annotation, ast.Subscript):
        return
    head = last_name(annotation.value)
    if dtype_called(head) is not None:
        use.dtypes.insert(0, SHORT.get(head, head))
    elif not head.lower().endswith(_TENSOR_ANNOTATIONS):
        return
    keys = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if all(isinstance(key, ast.Name) or (isinstance(key, ast.Constant) and type(key.value) is int) for key in keys):
        use.ranks = {len(keys)}
        for position, key in enumerate(keys):
            if isinstance(key, ast.Name):
                use.names[position] = key.id


def members_of(node: ast.ClassDef) -> list[str]:
    targets = (part.targets[0] for part in node.body if isinstance(part, ast.Assign))
    return [f"{node.name}.{target.id}" for target in targets if isinstance(target, ast.Name)]


def _attribute_used(part: ast.Attribute, parents: dict[ast.AST, ast.AST], use: Use) -> None:
    """`part` is an attribute of the name in question: those of tensors tell something."""
    if part.attr in ("shape", "ndim", "dtype"):
        use.kinds.add("tensor")
        {"shape": _shape_used, "ndim": _rank_used, "dtype": _dtype_used}[part.attr](part, parents, use)
    elif part.attr in TENSOR_ATTRIBUTES:
        use.kinds.add("tensor")
    elif part.attr in ("items", "keys", "values", "get"):
        use.kinds.add("dictionary")
    else:
        use.kinds.add("object")


def _loaded(part: ast.expr, parents: dict[ast.AST, ast.AST], use: Use, function: ast.FunctionDef) -> None:
    """The facts that a load of `part`, a part or a view of the tensor, tells: into what, and what that indexes."""
    at = parents.get(part)
    call = parents.get(at) if isinstance(at, ast.keyword) else at
    if isinstance(call, ast.Call) and last_name(call.func) == "register_load":
        use.kinds.add("tensor")
        use.dtypes.append(_REGISTER_DTYPE)
        return
    target = loaded_into(part, parents)
    if target:
        use.kinds.add("tensor")
        tile = dtype_of_tile(function, target)
        if tile in _INTEGERS:
            use.dtypes.append(tile)
        use.indexes += indexed_by(function, target)


# --- shapes -----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def _parents(function: ast.FunctionDef) -> dict[ast.AST, ast.AST]:
    """By node of a function, the one that it is a part of."""
    return {child: node for node in nodes_of(function) for child in ast.iter_child_nodes(node)}


def _aliases(function: ast.FunctionDef, name: str) -> tuple[set[str], set[str]]:
    """Names that are plainly assigned `name`, and names that are assigned its shape."""
    names, shapes = {name}, set()
    for node in nodes_of(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Name) and value.id in names:
                names.add(node.targets[0].id)
            elif isinstance(value, ast.Attribute) and value.attr == "shape" and _is_name(value.value, names):
                shapes.add(node.targets[0].id)
    return names, shapes


def _is_name(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _shape_used(shape: ast.expr, parents: dict[ast.AST, ast.AST], use: Use) -> None:
    """`shape` is an expression for the shape: what is done with it."""
    parent = parents.get(shape)
    if isinstance(parent, ast.Assign) and parent.value is shape:
        for target in parent.targets:
            if isinstance(target, ast.Tuple | ast.List):
                _unpacked(target.elts, use)
    elif isinstance(parent, ast.Subscript) and parent.value is shape:
        index = integer_of(parent.slice)
        if index is not None:
            use.least = max(use.least, index + 1 if index >= 0 else -index)
            name = _assigned_name(parent, parents)
            if name:
                use.names.setdefault(index, name)
    elif isinstance(parent, ast.Call) and last_name(parent.func) == "len":
        _rank_used(parent, parents, use)
    elif isinstance(parent, ast.Compare) and len(parent.ops) == 1 and isinstance(parent.ops[0], ast.Eq | ast.NotEq):
        other = parent.comparators[0] if parent.left is shape else parent.left
        if isinstance(other, ast.Tuple):
            use.ranks.add(len(other.elts))
        elif isinstance(other, ast.Attribute) and other.attr == "shape" and isinstance(other.value, ast.Name):
            use.like.append(other.value.id)


def _unpacked(targets: Sequence[ast.expr], use: Use) -> None:
    starred = next((at for at, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if starred is None:
        use.ranks.add(len(targets))
    else:
        use.least = max(use.least, len(targets) - 1)
    for position, target in enumerate(targets):
        if isinstance(target, ast.Name):
            at = position if starred is None or position < starred else position - len(targets)
            use.names.setdefault(at, target.id)


def _assigned_name(value: ast.expr, parents: dict[ast.AST, ast.AST]) -> str:
    """The name that `value` is assigned to, by itself or as a part of a tuple."""
    parent = parents.get(value)
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        return parent.targets[0].id
    if isinstance(parent, ast.Tuple):
        statement = parents.get(parent)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
            targets, position = statement.targets[0].elts, parent.elts.index(value)
            if position < len(targets) and isinstance(target := targets[position], ast.Name):
                return target.id
    return ""


def _rank_used(rank: ast.expr, parents: dict[ast.AST, ast.AST], use: Use) -> None:
    """`rank` is an expression for the rank: an assert, or a condition to raise, says what it is."""
    parent = parents.get(rank)
    if not isinstance(parent, ast.Compare) or len(parent.comparators) != 1:
        return
    number = integer_of(parent.comparators[0])
    statement = parents.get(parent)
    asserted = isinstance(statement, ast.Assert) and isinstance(parent.ops[0], ast.Eq)
    refused = (
        isinstance(statement, ast.If)
        and isinstance(parent.ops[0], ast.NotEq)
        and any(isinstance(one, ast.Raise) for one in statement.body)
    )
    if number is not None and (asserted or refused):
        use.ranks.add(number)


# --- dtypes -----------------------------------------------------------------------------------------------------------


def _dtype_used(dtype: ast.expr, parents: dict[ast.AST, ast.AST], use: Use) -> None:
    """`dtype` is an expression for a dtype: an assert says what it is."""
    parent = parents.get(dtype)
    if isinstance(parent, ast.Compare) and isinstance(parents.get(parent), ast.Assert | ast.BoolOp):
        for other in (parent.left, *parent.comparators):
            choices = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
            for choice in choices[:1]:
                name = last_name(choice)
                equal = isinstance(parent.ops[0], ast.Eq | ast.In | ast.Is)
                if equal and choice is not dtype and dtype_called(name) is not None:
                    use.dtypes.append(SHORT.get(name, name))


# --- texts, flags, numbers --------------------------------------------------------------------------------------------


def _compared(node: ast.expr, comparison: ast.Compare, use: Use, scope: ModuleScope) -> None:
    for other in (comparison.left, *comparison.comparators):
        if other is node:
            continue
        choices = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
        for choice in choices:
            if isinstance(choice, ast.Constant) and isinstance(choice.value, str):
                use.compared.append(repr(choice.value))
            elif (
                isinstance(choice, ast.Attribute) and isinstance(choice.value, ast.Name) and scope.enum(choice.value.id)
            ):
                use.compared.append(ast.unparse(choice))
            elif isinstance(choice, ast.Attribute) and dtype_called(choice.attr) is not None:
                use.kinds.add("dtype")
            elif isinstance(choice, ast.Constant) and type(choice.value) is float:
                use.kinds.add("number")
            elif not (isinstance(choice, ast.Constant) and choice.value is None):
                use.kinds.add("integer")


def _is_test(node: ast.expr, parent: ast.AST) -> bool:
    return getattr(parent, "test", node) is node
