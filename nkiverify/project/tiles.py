"""The tiles of a kernel, as its text tells them: what fills them, what is computed on them, what they index.

Nothing is executed.
"""

from __future__ import annotations

import ast
import functools

from nkiverify.model import ops
from nkiverify.model.registry import declaration
from nkiverify.project.scope import last_name, nodes_of

#: Keywords under which functions of NKI take numbers.
NUMBER_KEYWORDS = frozenset({"operand0", "operand1", "scale", "bias", "scalar", "imm0", "imm1", "fill_value", "eps"})
#: Dtypes as users write them.
SHORT = {
    "bfloat16": "bf16",
    "float16": "f16",
    "float32": "f32",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "float8_e4m3": "f8_e4m3",
    "float8_e5m2": "f8_e5m2",
}
#: Methods that only tensors have.
TENSOR_ATTRIBUTES = frozenset(
    {"reshape", "ap", "buffer", "rearrange", "permute", "astype", "reshape_dim", "broadcast_to"}
)


def with_elements(node: ast.expr, parents: dict[ast.AST, ast.AST], tiles: set[str]) -> bool:
    """True if arithmetic on `node` is arithmetic on the elements of tiles: one stands next to it, or takes what comes
    out."""
    at: ast.AST = node
    while isinstance(parent := parents.get(at), ast.BinOp | ast.UnaryOp):
        if isinstance(parent, ast.BinOp) and _is_tile(parent.right if parent.left is at else parent.left, tiles):
            return True
        at = parent
    if isinstance(parent, ast.keyword):
        return parent.arg in NUMBER_KEYWORDS
    return isinstance(parent, ast.Call) and at in parent.args and _computes(parent)


@functools.lru_cache(maxsize=32)
def tiles_of(function: ast.FunctionDef) -> set[str]:
    """The names that are assigned what an operation returns, or arithmetic on that."""
    found: set[str] = set()
    assigned = [node for node in nodes_of(function) if isinstance(node, ast.Assign)]
    while True:
        new = {
            target.id
            for node in assigned
            if _is_tile(node.value, found)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if new <= found:
            return found
        found |= new


def _is_tile(value: ast.expr, tiles: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in tiles
    if isinstance(value, ast.BinOp):
        return _is_tile(value.left, tiles) or _is_tile(value.right, tiles)
    if isinstance(value, ast.Subscript):
        return _is_tile(value.value, tiles)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return _computes(value) or (value.func.attr in TENSOR_ATTRIBUTES and _is_tile(value.func.value, tiles))
    return isinstance(value, ast.UnaryOp) and _is_tile(value.operand, tiles)


def _computes(call: ast.Call) -> bool:
    """True if `call` is one of an operation on elements, by its name."""
    name = last_name(call.func)
    named = [f"{module}.{name}" for module in ("nl", "nisa")]
    return any(ops.is_declared(one) and declaration(one).dependence is not None for one in named)


def loaded_into(part: ast.expr, parents: dict[ast.AST, ast.AST]) -> str:
    """The tile that a load, or a copy, of `part` fills."""
    at: ast.AST | None = part
    while at is not None and not isinstance(at, ast.stmt):
        if isinstance(at, ast.Call) and last_name(at.func) in ("dma_copy", "load"):
            for keyword in at.keywords:
                if keyword.arg == "dst" and keyword.value is not part:
                    return _base_name(keyword.value)
            statement = parents.get(at)
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                return statement.targets[0].id
            return ""
        at = parents.get(at)
    return ""


def dtype_of_tile(function: ast.FunctionDef, tile: str) -> str:
    """The dtype that the tile called `tile` is allocated with, as users write it."""
    for node in nodes_of(function):
        if isinstance(node, ast.Assign) and _is_target(node, tile) and isinstance(node.value, ast.Call):
            for keyword in node.value.keywords:
                if keyword.arg == "dtype":
                    name = last_name(keyword.value)
                    return SHORT.get(name, name)
    return ""


def _is_target(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def indexed_by(function: ast.FunctionDef, tile: str) -> list[tuple[str, int]]:
    """The names that are indexed by `tile`, with the dimension: `table[tile, …]`, `table.ap(…, vector_offset=tile)`.

    Not by a scalar offset: how many rows the pattern has from there on is not in the text, so that the last of the
    dimension may be too far.
    """
    found = []
    for node in nodes_of(function):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id != tile:
            keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            found += [(node.value.id, at) for at, key in enumerate(keys) if _base_name(key) == tile]
        elif isinstance(node, ast.Call) and last_name(node.func) == "ap" and isinstance(node.func, ast.Attribute):
            given = {one.arg: one.value for one in node.keywords}
            offset = given.get("vector_offset")
            axis = integer_of(given["indirect_dim"]) if "indirect_dim" in given else 0
            if offset is not None and _base_name(offset) == tile and isinstance(node.func.value, ast.Name):
                found.append((node.func.value.id, axis or 0))
    return found


def _base_name(node: ast.expr) -> str:
    """The name that a view such as `tile[:, 0:1]` is of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def integer_of(node: ast.expr) -> int | None:
    """The integer that an expression states."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = integer_of(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
