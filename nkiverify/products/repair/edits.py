"""Small edits of a kernel: what may have been meant instead of what is written at one place.

A kind of edits is a function of a node and its surroundings, in one table. None knows what the finding is; that an
edit is near it, and whether it mends anything, is the matter of the search.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.operation import WRITTEN
from nkiverify.products.repair.kernel_source import KernelSource
from nkiverify.products.repair.patches import Replacement
from nkiverify.products.repair.surroundings import Surroundings, called, divided, rounded_up

#: Pairs of operands that are taken for one another.
_PAIRS = (("stationary", "moving"), ("data1", "data2"), ("data", "operand0"), ("dst", "src"), ("lhsT", "rhs"))
#: Buffers and dtypes, each with what is written for it by mistake.
_BUFFERS = {
    "sbuf": ("psum", "shared_hbm"), "psum": ("sbuf",), "shared_hbm": ("sbuf",), "hbm": ("shared_hbm", "sbuf"),
    "private_hbm": ("shared_hbm",),
}  # fmt: skip
#: Operations that copy, which take the same operands in other memories.
_COPIES = ("tensor_copy", "dma_copy")
#: Flags that change what an operation computes, by its name: one that is not given may have been forgotten.
_FORGOTTEN = {
    "matmul": ("transpose_x",),
    "tensor_reduce": ("keepdims", "negate"),
    **dict.fromkeys(("sum", "max", "min", "mean", "prod", "all"), ("keepdims",)),
}
_SWAPPED: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}

#: The replacements of one edit, and how much less likely it is than the least edit of its kind.
_Change = tuple[Sequence[Replacement], float]
_Kind = Callable[[ast.AST, Surroundings], Iterator[_Change]]


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: what `kind` it is, the line it is at, and its `size`, which is least for what is most often meant."""

    kind: str
    line: int
    size: float
    replacements: tuple[Replacement, ...]


def _another_name(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for other in around.like(node.id):
            unlike = not around.is_near(node.id, other)
            yield [around.source.replaced(node, other)], 1.5 if unlike else 1.0 if node.id in around.tensors else 0.0


def _another_name_throughout(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """Another name or number wherever one stands in a slice, a call or an assignment."""
    if not isinstance(node, ast.Slice | ast.Call | ast.Subscript | ast.Assign):
        return
    stands: dict[str, list[ast.Name]] = {}
    numbers: dict[int, list[ast.Constant]] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and type(part.value) is int and part.value > 1:
            numbers.setdefault(part.value, []).append(part)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            stands.setdefault(part.id, []).append(part)
    for name, places in stands.items():
        for other in around.like(name) if len(places) > 1 and name not in around.tensors else ():
            if around.is_near(name, other):
                yield [around.source.replaced(one, other) for one in places], 0.0
    for number, written in numbers.items():
        for other_number in around.numbers if len(written) > 1 else ():
            if other_number != number and other_number > 1:
                yield [around.source.replaced(one, str(other_number)) for one in written], 0.5


def _off_by_one(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    source = around.source
    if isinstance(node, ast.BinOp) and _is_moved(node):
        yield [source.replaced(node, source.of(node.left))], 0.0 if ast.unparse(node.right) == "1" else 1.0
    parent = source.parents.get(node)
    stored = isinstance(getattr(node, "ctx", None), ast.Store)
    counted = (
        isinstance(node, ast.expr)
        and not stored
        and (
            isinstance(parent, ast.Slice | ast.Compare)
            or (
                isinstance(parent, ast.Call)
                and called(parent).endswith(("range", "arange", "ds"))
                and node in parent.args
            )
            or (isinstance(parent, ast.Tuple | ast.List) and not isinstance(node, ast.Slice | ast.Tuple | ast.List))
            or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult) and isinstance(node, ast.Constant))
        )
    )
    if counted and isinstance(node, ast.expr) and not isinstance(node, ast.Starred):
        if isinstance(node, ast.Constant):
            if type(node.value) is int:
                yield [source.replaced(node, str(node.value + 1))], 1.0
                if node.value > 0:
                    yield [source.replaced(node, str(node.value - 1))], 1.0
        elif isinstance(node, ast.BinOp | ast.Name):
            for sign in "+-":
                yield [source.replaced(node, f"{source.of(node)} {sign} 1")], 1.5


def _shifted_slice(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """Both ends of a slice without the number that is added to them, or one further on or back."""
    if not isinstance(node, ast.Slice) or node.lower is None or node.upper is None:
        return
    for lower in _moved_in(node.lower):
        for upper in _moved_in(node.upper):
            if ast.dump(lower.right) == ast.dump(upper.right) and type(lower.op) is type(upper.op):
                yield [around.source.replaced(one, around.source.of(one.left)) for one in (lower, upper)], 0.0
    for lower_number in _numbers_in(node.lower):
        for upper_number in _numbers_in(node.upper):
            for step in (-1, 1):
                yield (
                    [
                        around.source.replaced(one, str(value + step))
                        for one, value in (lower_number, upper_number)
                        if value + step >= 0
                    ],
                    1.0,
                )


def _another_number(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        source = around.source
        parent = source.parents.get(node)
        if isinstance(parent, ast.keyword) and parent.arg == "axis":
            for axis in range(4):
                if axis != node.value:
                    yield [source.replaced(node, str(axis))], 0.0
            return
        for number in around.numbers:
            if number != node.value and number not in (0, 1):
                yield [source.replaced(node, str(number))], 1.0
        for name in (*around.indices[::-1], *around.constants, *around.extents, *around.sizes):
            yield [source.replaced(node, name)], 1.0


def _swapped(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """Operands of a call, and neighbours in a tuple, in each other's place."""
    source = around.source

    def exchanged(one: ast.expr, other: ast.expr, size: float) -> Iterator[_Change]:
        if source.of(one) != source.of(other):
            texts = source.of(one), source.of(other)
            yield [Replacement(*source.span(one), texts[1]), Replacement(*source.span(other), texts[0])], size

    if isinstance(node, ast.Call):
        keywords = {one.arg: one.value for one in node.keywords}
        for one, other in _PAIRS:
            if one in keywords and other in keywords:
                yield from exchanged(keywords[one], keywords[other], 0.0)
        for first, second in zip(node.args, node.args[1:], strict=False):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield from exchanged(first, second, 0.5)
    elif isinstance(node, ast.Tuple | ast.List) and (not isinstance(node.ctx, ast.Store) or _unpacks(node, source)):
        # Dimensions in the other order are those of all lines that have their names.
        size = 1.0 if isinstance(node.ctx, ast.Store) else 0.0
        for first, second in zip(node.elts, node.elts[1:], strict=False):
            yield from exchanged(first, second, size)
            # The counts of an access pattern, `[[0, F], [1, P]]`, each with the other's step.
            if (
                isinstance(first, ast.List)
                and isinstance(second, ast.List)
                and len(first.elts) == len(second.elts) == 2
            ):
                yield from exchanged(first.elts[1], second.elts[1], size)


def _unpacks(node: ast.expr, source: KernelSource) -> bool:
    """True if a tuple names the dimensions of a tensor: `K, M = a.shape`."""
    parent = source.parents.get(node)
    return isinstance(parent, ast.Assign) and isinstance(parent.value, ast.Attribute) and parent.value.attr == "shape"


def _rounded(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """A quotient rounded the other way."""
    source = around.source
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        whole, part = divided(source, node)
        if whole:
            yield [source.replaced(node, f"{whole} // {part}")], 0.0
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        whole, part = source.of(node.left), source.of(node.right)
        up = rounded_up(node)
        if up is not None:
            yield [source.replaced(node, f"{source.of(up)} // {part}")], 0.0
        else:
            less = str(int(part) - 1) if part.isdecimal() else f"{part} - 1"
            yield [source.replaced(node, f"({whole} + {less}) // {part}")], 0.0
    elif called(node) in ("floor", "ceil") and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        other = {"floor": "ceil", "ceil": "floor"}[node.func.attr]
        _, end = source.span(node.func)
        yield [Replacement(end - len(node.func.attr), end, other)], 0.0


def _at_most_what_is_left(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """The size of a tile, or the end of a slice, no greater than what is left; or without such a bound."""
    source = around.source
    if isinstance(node, ast.Call) and called(node) in ("min", "max"):
        if isinstance(node.func, ast.Name):
            yield [source.replaced(node.func, "max" if node.func.id == "min" else "min")], 0.0
        for one in node.args:
            yield [source.replaced(node, source.of(one))], 1.0
        return
    if not isinstance(node, ast.expr) or isinstance(node, ast.Slice):
        return
    parent = source.parents.get(node)
    if any(isinstance(one, ast.Call) and called(one) == "min" for one in (parent, source.parents.get(parent))):  # type: ignore[arg-type]
        return
    text = source.of(node)
    for loop in reversed(around.loops):
        if not loop.whole:
            continue
        if text == loop.tile and not isinstance(parent, ast.BinOp):
            yield [source.replaced(node, f"min({text}, {loop.left})")], 0.0
        elif isinstance(parent, ast.Slice) and parent.upper is node and loop.variable in text:
            yield [source.replaced(node, f"min({text}, {loop.whole})")], 0.5


def _subscripts(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """An operand with the subscript of another operand of the same call, or without its own; a slice as long as
    another, or the whole axis; slices of two operands that both begin one earlier."""
    source = around.source
    if isinstance(node, ast.Slice) and (node.lower is not None or node.upper is not None):
        start = source.span(node.lower or node.upper)[0]  # type: ignore[arg-type]
        yield [Replacement(*source.span(node), ":")] if start >= 0 else [], 1.5
    if not isinstance(node, ast.Call):
        return
    operands = [one.value for one in node.keywords] + [one for one in node.args if not isinstance(one, ast.Starred)]
    subscripts = [one for one in operands if isinstance(one, ast.Subscript)]
    statement = source.parents.get(node)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        subscripts.append(statement.targets[0])
    for one in operands:
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name | ast.Attribute):
            yield [source.replaced(one, source.of(one.value))], 0.5
        elif isinstance(one, ast.Name) and one.id in around.tensors:
            for text in dict.fromkeys(source.of(other.slice) for other in subscripts):
                yield [source.replaced(one, f"{one.id}[{text}]")], 0.5
    slices = [(one, _parts(one)) for one in subscripts]
    begins = [
        begin
        for _, parts in slices
        for part in parts
        if isinstance(part, ast.Slice) and part.lower is not None
        for begin in _one_back(part.lower, around)
    ]
    for first, second in combinations(begins, 2):
        yield [first, second], 1.0
    for one, parts in slices:
        for part in parts:
            if not isinstance(part, ast.Slice):
                continue
            start, end = source.span(part)
            for other, others in slices:
                for model in others if other is not one else ():
                    if not isinstance(model, ast.Slice) or ast.dump(model) == ast.dump(part):
                        continue
                    yield [Replacement(start, end, source.text[slice(*source.span(model))])], 1.0
                    length = _length(source.of(model.upper), model, around) if model.upper is not None else ""
                    if length and part.lower is not None:
                        low = source.of(part.lower)
                        upper = length if low == "0" else f"{low} + {length}"
                        yield [Replacement(start, end, f"{low} : {upper}" if low != "0" else f"0:{upper}")], 0.5


def _tile_slice(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """A slice or an index that a loop moves, in place of one that stays or moves otherwise."""
    if not isinstance(node, ast.Slice) or node.upper is None:
        return
    source = around.source
    sizes = dict.fromkeys((*around.constants, *(str(one) for one in around.numbers if one > 1)))
    for at, loop in enumerate(reversed(around.loops)):
        tiles = [loop.tile] if loop.tile else [_length(source.of(node.upper), node, around) or "", *sizes]
        for tile in dict.fromkeys(filter(None, tiles)):
            variable = loop.variable
            low = variable if loop.strided else f"{variable} * {tile}"
            high = f"{variable} + {tile}" if loop.strided else f"({variable} + 1) * {tile}"
            new = f"{low} : {high}"
            if source.text[slice(*source.span(node))] != new:
                yield [Replacement(*source.span(node), new)], 1.0 + 0.5 * at


def _masks(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """A mask of another call, or of none so far; comparisons of a mask with each other's bounds."""
    source = around.source
    if isinstance(node, ast.BinOp | ast.BoolOp):
        compared = [one for one in ast.walk(node) if isinstance(one, ast.Compare)]
        for number, one in enumerate(compared):
            for other in compared[number + 1 :]:
                bounds = one.comparators[-1], other.comparators[-1]
                if source.of(bounds[0]) != source.of(bounds[1]):
                    texts = [source.of(each) for each in bounds]
                    yield [source.replaced(bounds[0], texts[1]), source.replaced(bounds[1], texts[0])], 0.0
    if called(node) not in ("load", "store") and not (
        isinstance(node, ast.Call) and any(one.arg == "mask" for one in node.keywords)
    ):
        return
    assert isinstance(node, ast.Call)
    own = next((one for one in node.keywords if one.arg == "mask"), None)
    calls = [one for one in ast.walk(around.function) if isinstance(one, ast.Call) and one is not node]
    others = dict.fromkeys(source.of(each.value) for one in calls for each in one.keywords if each.arg == "mask")
    made = _made_mask(node, around)
    for text in dict.fromkeys((*others, *made)):
        if own is not None:
            if text != source.of(own.value):
                yield [Replacement(*source.span(own.value), text)], 0.5
        else:
            _, end = source.span(node)
            comma = "" if source.text[: end - 1].rstrip().endswith(",") else ", "
            yield [Replacement(end - 1, end - 1, f"{comma}mask={text}")], 0.0


def _made_mask(node: ast.Call, around: Surroundings) -> Iterator[str]:
    """The mask that keeps the indices of a load or a store within the extents of what they index."""
    source = around.source
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Subscript) or not isinstance(first.value, ast.Name):
        return
    shape = first.value.id
    parts = [f"({source.of(one)} < {shape}.shape[{at}])" for at, one in enumerate(_parts(first)) if not _is_plain(one)]
    if parts:
        yield " & ".join(parts)
        if len(parts) > 1:
            yield from parts


def _compared(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    source = around.source
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SWAPPED:
        left, right = source.of(node.left), source.of(node.comparators[0])
        start, end = source.span(node)[0], source.span(node.comparators[0])[1]
        whole = source.text[start:end]
        old = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}[type(node.ops[0])]
        if whole == f"{left} {old} {right}":
            yield [Replacement(start, end, f"{left} {_SWAPPED[type(node.ops[0])]} {right}")], 0.0


def _flags(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    source = around.source
    if isinstance(node, ast.Call):
        given = {one.arg for one in node.keywords}
        _, end = source.span(node)
        for flag in _FORGOTTEN.get(called(node), ()):
            if flag not in given and isinstance(node.func, ast.Attribute):
                yield [Replacement(end - 1, end - 1, f", {flag}=True")], 0.0
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        parent = source.parents.get(node)
        if isinstance(parent, ast.keyword) and parent.arg == "accumulate" and around.indices:
            # A sum begins where its loop does.
            yield [source.replaced(node, f"{around.indices[-1]} > 0")], 0.0
        yield [source.replaced(node, str(not node.value))], 0.0
    elif (
        isinstance(node, ast.Call)
        and called(node) == "nc_matmul"
        and not any(one.arg == "accumulate" for one in node.keywords)
    ):
        first = f"{around.indices[-1]} > 0" if around.indices else ""
        _, end = source.span(node)
        for text in filter(None, (first, "True", "False")):
            yield [Replacement(end - 1, end - 1, f", accumulate={text}")], 1.0
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        named = {one.arg: one.value for one in node.keywords}
        if "reduce_res" not in named:
            return
        begins = f"{source.of(node.func.value)}.reduce_cmd.reset_reduce"
        if "reduce_cmd" not in named:
            # Who names a tensor for the sum wants one there: nothing is as likely to have been forgotten.
            _, end = source.span(node)
            yield [Replacement(end - 1, end - 1, f", reduce_cmd={begins}")], -0.5
        elif source.of(named["reduce_cmd"]) != begins:
            yield [source.replaced(named["reduce_cmd"], begins)], 0.0


def _kinds_of_memory(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    source = around.source
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        text = source.of(node)
        for other in _BUFFERS.get(node.attr, ()):
            yield [source.replaced(node, f"{source.of(node.value)}.{other}")], 0.0
        if text in around.dtypes:
            library = next((one.rpartition(".")[0] for one in around.dtypes if not one.endswith(".dtype")), "")
            usual = [f"{library}.{one}" for one in ("float32", "bfloat16", "int32")] if library else []
            for other in dict.fromkeys((*around.dtypes, *usual)):
                if other != text:
                    yield [source.replaced(node, other)], 0.5


def _another_copy(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _COPIES:
        for other in _COPIES:
            if other != node.func.attr:
                yield [around.source.replaced(node.func, f"{around.source.of(node.func.value)}.{other}")], 0.0


def _accumulated(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """A sum that is added to, in place of one that is written over; and the other way round."""
    source = around.source
    if isinstance(node, ast.Assign) and around.loops and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name | ast.Subscript) and not isinstance(node.value, ast.Constant):
            end = source.span(target)[1]
            start = source.span(node.value)[0]
            yield [Replacement(end, start, " += ")], 0.0
    elif isinstance(node, ast.AugAssign):
        yield [Replacement(source.span(node.target)[1], source.span(node.value)[0], " = ")], 0.5


def _initialised(node: ast.AST, around: Surroundings) -> Iterator[_Change]:
    """A tensor that is filled when it is allocated."""
    source = around.source
    if not isinstance(node, ast.Assign) or called(node.value) != "ndarray" or not isinstance(node.targets[0], ast.Name):
        return
    assert isinstance(node.value, ast.Call)
    if "hbm" in source.of(node.value):
        # An output that is filled hides that some of it is never written.
        return
    # Where it is stored to as well, zeros hide a store that is too short.
    more = _SIZE_OF_HIDING if _is_stored_to(node.targets[0].id, source.tree) else 0.0
    if isinstance(node.value.func, ast.Attribute):
        _, end = source.span(node.value.func)
        yield [Replacement(end - len("ndarray"), end, "zeros")], more + 0.5
    isa = next((one for one in ast.walk(source.tree) if isinstance(one, ast.Attribute) and one.attr == "memset"), None)
    modules = [
        alias.asname or alias.name.rpartition(".")[2]
        for one in ast.walk(source.tree)
        if isinstance(one, ast.Import)
        for alias in one.names
        if alias.name.endswith(".isa")
    ]
    module = source.of(isa.value) if isa is not None else (modules or [""])[0]
    if module:
        yield [source.line_after(node, f"{module}.memset(dst={node.targets[0].id}, value=0.0)")], more


def _is_stored_to(name: str, tree: ast.AST) -> bool:
    """True if something is stored to a tensor, or to a part of it, that does not depend on what is there: a sum of
    products does, and what is filled."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) not in ("nc_matmul", "memset"):
            written = [one.value for one in node.keywords if one.arg in WRITTEN]
            others = [*node.args, *(one.value for one in node.keywords if one.arg not in WRITTEN)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            written, others = [node.targets[0]], [node.value]
        else:
            continue
        if any(_base(one) == name for one in written) and not any(_mentions(one, name) for one in others):
            return True
    return False


def _base(node: ast.expr) -> str:
    """The name of a tensor, or of one that a part is taken of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


#: The kind of an edit that fills a tensor, and how much larger it counts where that may hide a mistake.
INITIALISED, _SIZE_OF_HIDING = "initialised", 2.5

#: The kinds of edits, with what each is called and the size of its least.
_KINDS: tuple[tuple[str, _Kind, float], ...] = (
    ("another name", _another_name, 1.0),
    ("another name throughout", _another_name_throughout, 1.25),
    ("swapped", _swapped, 1.0),
    ("off by one", _off_by_one, 1.0),
    ("a slice moved", _shifted_slice, 1.0),
    ("rounded the other way", _rounded, 1.0),
    ("comparison", _compared, 1.0),
    ("a flag", _flags, 1.0),
    ("mask", _masks, 1.0),
    ("no more than is left", _at_most_what_is_left, 1.5),
    ("accumulated", _accumulated, 1.5),
    (INITIALISED, _initialised, 1.5),
    ("memory or dtype", _kinds_of_memory, 1.5),
    ("another copy", _another_copy, 1.5),
    ("another subscript", _subscripts, 1.5),
    ("another number", _another_number, 1.5),
    ("a tile's slice", _tile_slice, 2.0),
)


def edits_of(statement: ast.stmt, around: Surroundings) -> Iterator[Edit]:
    """The edits of a statement's own text, without that of the statements in it. What is returned stays as it is."""
    if isinstance(statement, ast.Return):
        return
    for node in _own_nodes(statement):
        for kind, found, size in _KINDS:
            for replacements, more in found(node, around):
                line = getattr(node, "lineno", statement.lineno)
                if replacements:
                    yield Edit(kind, line, size + more, tuple(replacements))


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that are not in statements within it; none of annotations and decorators."""
    yield statement
    left: list[ast.AST] = [
        part
        for name, value in ast.iter_fields(statement)
        if name not in ("body", "orelse", "finalbody", "handlers", "target", "annotation", "decorator_list")
        or (name == "target" and isinstance(statement, ast.AugAssign))
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST)
    ]
    while left:
        node = left.pop(0)
        yield node
        left.extend(one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt))


def _one_back(node: ast.expr, around: Surroundings) -> Iterator[Replacement]:
    """A beginning that is one earlier: `a` for `a + 1`, `0` for `1`."""
    if isinstance(node, ast.BinOp) and _is_moved(node) and ast.unparse(node.right) == "1":
        yield around.source.replaced(node, around.source.of(node.left))
    elif isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0:
        yield around.source.replaced(node, str(node.value - 1))


def _numbers_in(node: ast.expr) -> list[tuple[ast.Constant, int]]:
    """The integers that are written in an expression."""
    numbers = (one for one in ast.walk(node) if isinstance(one, ast.Constant))
    return [(one, one.value) for one in numbers if type(one.value) is int]


def _moved_in(node: ast.expr) -> list[ast.BinOp]:
    """The sums in an expression of which one part is a number."""
    return [one for one in ast.walk(node) if isinstance(one, ast.BinOp) and _is_moved(one)]


def _is_moved(node: ast.BinOp) -> bool:
    """True if a number is added or subtracted."""
    number = isinstance(node.right, ast.Constant) and type(node.right.value) is int
    return isinstance(node.op, ast.Add | ast.Sub) and number


def _parts(subscript: ast.Subscript) -> list[ast.expr]:
    return subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]


def _is_plain(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice | ast.Constant)


def _length(upper: str, part: ast.Slice, around: Surroundings) -> str:
    """How many elements a slice has, as text: `n` of `a : a + n`, `0:n` and `i * n : (i + 1) * n`; empty for others."""
    source = around.source
    if part.lower is None or source.of(part.lower) == "0":
        return upper
    low = source.of(part.lower)
    if upper.startswith(f"{low} + "):
        return upper.removeprefix(f"{low} + ")
    if isinstance(part.lower, ast.BinOp) and isinstance(part.lower.op, ast.Mult):
        times, size = source.of(part.lower.left), source.of(part.lower.right)
        if upper.replace(" ", "") == f"({times}+1)*{size}".replace(" ", ""):
            return size
    return ""
