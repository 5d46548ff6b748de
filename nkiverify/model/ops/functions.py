"""Functions of nl over every element, in both generations of the API, and Python's operators on legacy tiles.

They are the tokens of the operators of instructions as well. References: sections c.5 and f.4; RN-x.y release notes,
MIG-x.y migration, LKI known issues of the legacy API, L:op docstring of that legacy function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nkiverify.model import allocation, legacy_tensor, operators_on_tiles
from nkiverify.model.access import Access, MovedIndex
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import INTEGER_NAMES, DType, bool_, float32
from nkiverify.model.extents import is_one
from nkiverify.model.indices import IndexTensor, Mask, broadcast_shapes
from nkiverify.model.legacy_tensor import LegacyTensor, claim_assignable, named_dtype, operand
from nkiverify.model.memory import PSUM
from nkiverify.model.operators import OPERATORS
from nkiverify.model.ops.operands import any_in_psum, generation, is_number, on_chip, tile
from nkiverify.model.promotion import promoted, scalar_dtype
from nkiverify.model.recording import issue
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import Extent, all_of, any_of, equal, negate
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


#: Functions of one operand.
UNARY = (
    "abs", "square", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "arctan", "tanh", "sigmoid",
    "relu", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu", "silu_dx",
    "softplus", "mish", "erf", "erf_dx", "ceil", "floor", "trunc", "negative", "sign", "invert", "logical_not",
)  # fmt: skip
#: Functions of two operands.
BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "mod", "fmod", "abs_max", "abs_min",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
    "bitwise_xor", "left_shift", "right_shift", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip
#: Those that the current API alone has.
_CURRENT_ONLY = frozenset(("abs_max", "abs_min", "gelu_apprx_sigmoid_dx"))
#: Functions whose legacy results are truth values.
_COMPARISONS = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor")
)
#: Functions that the current API lists and no engine computes.
_NO_HARDWARE = frozenset(("divide", "mod", "fmod"))
_REMAINDERS = frozenset(("mod", "fmod"))
_INTEGERS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "invert"))
#: Functions whose ranges do not concern the language: nl.sin reduces its argument, the others say nothing.
_UNRANGED = frozenset(("sin", "reciprocal"))

# --- the current API --------------------------------------------------------------------------------------------------

define(
    "nl.binary.same_shape",
    "Two tile operands must have identical shapes; a broadcast one must have extents of 1 in free dimensions.",
    "RN-0.3; RN-0.4 known issues",
    api=("nki",),
)
define(
    "nl.binary.broadcast",
    "No tile operand may be broadcast.",
    "RN-0.3; RN-0.4 known issues",
    api=("nki",),
    contested="the documentation's own examples of nl.abs_max combine (128, 512) with (128, 1), and published kernels "
    "broadcast such tiles and pass their tests",
)
define(
    "nl.operand_on_chip",
    "A function of nl must be given tiles in SBUF or PSUM: tensors in HBM are loaded first.",
    "A2",
    api=("nki",),
    takes={"": ("sbuf", "psum")},
    contested="reported of published kernels: they give nl.add operands in HBM, as if the call loaded them",
)
define(
    "nl.binary.one_tile",
    "At least one operand must be a tile.",
    "nl.equal; nl.bitwise_and; nl.logical_and",
    api=("nki",),
)
define(
    "nl.bitwise.int",
    "Bit-wise functions must be given integer tiles.",
    "nl.bitwise_and",
    api=("nki",),
    takes={"": INTEGER_NAMES},
)
define(
    "nl.divide.unsupported",
    "nl.divide must not be used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=("nki",),
    same_elements=True,
)
define(
    "nl.mod.unsupported",
    "nl.mod must not be used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=("nki",),
    same_elements=True,
)
define(
    "nl.fmod.unsupported",
    "nl.fmod must not be used: no hardware instruction, fails to compile.",
    "RN-0.4 known issues",
    api=("nki",),
    same_elements=True,
)
define(
    "nl.power.tile",
    "The exponent of nl.power must be a tile, and no operand may be in PSUM.",
    "RN-0.4; tensor_tensor",
    api=("nki",),
)
define("nl.abs_max.gen4", "nl.abs_max and nl.abs_min must run on gen4 or later.", "nl.abs_max", api=("nki",))
define(
    "nl.rsqrt.psum",
    "The input of nl.rsqrt must not be in PSUM.",
    "MIG-0.5",
    api=("nki",),
    since="0.5",
    takes={"": ("sbuf",)},
)


def _binary(name: str) -> Callable[..., Tensor]:
    def function(x: object, y: object, dtype: object = None) -> Tensor:
        tiles = [value for value in (x, y) if isinstance(value, Tensor)]
        require("nl.binary.one_tile", len(tiles) >= 1, x=type(x).__name__, y=type(y).__name__)
        if not tiles:
            raise TypeError(f"nl.{name} needs at least one tile")
        if name in _NO_HARDWARE:
            require(f"nl.{name}.unsupported", False)
        if name in ("abs_max", "abs_min"):
            require("nl.abs_max.gen4", generation() >= 4, generation=generation())
        for each in tiles:
            tile(each, "operand")
            require_if_open("nl.operand_on_chip", on_chip(each), operand=each.buffer)
        if name == "power":
            require("nl.power.tile", isinstance(y, Tensor) and not any_in_psum(*tiles), y=type(y).__name__)
        if name in _INTEGERS:
            require(
                "nl.bitwise.int",
                all(each.dtype.is_integer for each in tiles),
                dtypes=tuple(each.dtype for each in tiles),
            )
        if len(tiles) == 2:
            claim_broadcast(*tiles)
        natural = promoted(tiles[0].dtype, tiles[-1].dtype)
        shape = tiles[0].shape if len(tiles) == 1 else _broadcast(*tiles)
        return allocation.result_tile(shape, natural if dtype is None else declared_dtype(dtype))

    return function


def claim_broadcast(x: Tensor, y: Tensor) -> None:
    """Claim that two tiles have one shape, or that the free extents of 1 in one are broadcast."""
    if x.ndim != y.ndim:
        require("nl.binary.same_shape", False, x=x.shape, y=y.shape)
        return
    pairs = list(zip(x.shape[1:], y.shape[1:], strict=True))
    ones = [any_of(equal(a, 1), equal(b, 1)) for a, b in pairs]
    fits = [any_of(equal(a, b), one) for (a, b), one in zip(pairs, ones, strict=True)]
    require("nl.binary.same_shape", all_of(equal(x.shape[0], y.shape[0]), *fits), x=x.shape, y=y.shape)
    kept = (any_of(equal(a, b), negate(one)) for (a, b), one in zip(pairs, ones, strict=True))
    require_if_open("nl.binary.broadcast", all_of(*kept), x=x.shape, y=y.shape)


def _broadcast(x: Tensor, y: Tensor) -> tuple[Extent, ...]:
    """The shape of what two tiles are combined to."""
    if x.ndim != y.ndim:
        return tuple(x.shape)
    return (x.shape[0], *(b if is_one(a) else a for a, b in zip(x.shape[1:], y.shape[1:], strict=True)))


def _unary(name: str) -> Callable[..., Tensor]:
    def function(x: object, dtype: object = None) -> Tensor:
        source = tile(x, "x")
        require_if_open("nl.operand_on_chip", on_chip(source), x=source.buffer)
        if name == "rsqrt":
            require("nl.rsqrt.psum", not any_in_psum(source), x=source.buffer)
        if name in _INTEGERS:
            require("nl.bitwise.int", source.dtype.is_integer, x=source.dtype)
        return allocation.result_tile(source.shape, source.dtype if dtype is None else declared_dtype(dtype))

    return function


# --- the legacy API ---------------------------------------------------------------------------------------------------

define("leg.partition_bcast", "Operators must not broadcast the partition dimension.", "LKI", api=("neuronxcc",))
define(
    "leg.binary.broadcast",
    "The operands of an element-wise function must broadcast to a common shape.",
    "L:add",
    api=("neuronxcc",),
)


def _legacy_binary(name: str) -> Callable[..., LegacyTensor]:
    def function(
        x: object, y: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object
    ) -> LegacyTensor:
        return _combined(name, x, y, dtype, mask)

    return function


def _legacy_comparison(name: str) -> Callable[..., LegacyTensor]:
    def function(
        x: object, y: object, *, dtype: object = bool, mask: Mask | None = None, **kwargs: object
    ) -> LegacyTensor:
        return _combined(name, x, y, dtype, mask)

    return function


def _legacy_remainder(name: str) -> Callable[..., LegacyTensor]:
    def function(
        x: object, y: object, dtype: object = None, mask: Mask | None = None, **kwargs: object
    ) -> LegacyTensor:
        return _combined(name, x, y, dtype, mask)

    return function


def _legacy_unary(name: str) -> Callable[..., LegacyTensor]:
    def function(x: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
        return _computed(name, x, dtype, mask)

    return function


def _legacy_negation(name: str) -> Callable[..., LegacyTensor]:
    def function(x: object, *, dtype: object = bool, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
        return _computed(name, x, dtype, mask)

    return function


def _combined(name: str, x: object, y: object, dtype: object = None, mask: Mask | None = None) -> LegacyTensor:
    """A new SBUF tile: x op y; shapes broadcast as in NumPy, one operand may be a number."""
    tiles: list[Tensor] = []
    dtypes: list[DType] = []
    for value, argument in ((x, "x"), (y, "y")):
        if isinstance(value, Tensor | Access):
            given = operand(value, mask, argument)
            tiles.append(given)
            dtypes.append(given.dtype)
        elif is_number(value):
            dtypes.append(scalar_dtype(value))
        else:
            raise unsupported(f"an operand of type {type(value).__name__} of nl.{name}")
    if not tiles:
        raise unsupported(f"nl.{name} of two numbers")
    require("isa.on_chip", on_chip(*tiles), operands=tuple(each.buffer for each in tiles))
    shape = broadcast_shapes("leg.binary.broadcast", *(each.shape for each in tiles))
    if name in _INTEGERS:
        require("isa.bitvec_int", all(found.is_integer for found in dtypes), op=name, dtypes=tuple(dtypes))
    return legacy_tensor.result_tile(shape, named_dtype(dtype, _natural_dtype(name, dtypes)), mask=mask)


def _natural_dtype(name: str, dtypes: list[DType]) -> DType:
    if name in _COMPARISONS:
        return bool_
    result = promoted(dtypes[0], dtypes[-1])
    return float32 if name == "divide" and result.is_integer else result


def _computed(name: str, x: object, dtype: object = None, mask: Mask | None = None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    if name == "invert":
        require("isa.bitvec_int", source.dtype.is_integer, op=name, dtypes=(source.dtype,))
    natural = bool_ if name == "logical_not" else source.dtype
    return legacy_tensor.result_tile(source.shape, named_dtype(dtype, natural), mask=mask)


# --- Python's operators on legacy tiles -------------------------------------------------------------------------------


def _operator(name: str, x: object, y: object) -> Any:
    """The result of an operator on tiles; the partition dimension is not broadcast ("leg.partition_bcast")."""
    if not all(isinstance(value, Tensor | Access) or is_number(value) for value in (x, y)):
        moved = name == "add" and any(isinstance(value, Tensor | Access) for value in (x, y))
        places = [value for value in (x, y) if isinstance(value, IndexTensor)]
        return MovedIndex(y if places[0] is x else x, places[0]) if moved and places else NotImplemented
    tiles = [operand(value, None, "operand") for value in (x, y) if isinstance(value, Tensor | Access)]
    if len(tiles) == 2:
        require(
            "leg.partition_bcast",
            equal(tiles[0].shape[0], tiles[1].shape[0]),
            left=tiles[0].shape,
            right=tiles[1].shape,
        )
    values = iter(tiles)
    left, right = (next(values) if isinstance(value, Tensor | Access) else value for value in (x, y))
    result = _combined(name, left, right)
    reads: dict[str, Tensor] = {}
    numbers: dict[str, Any] = {}
    for argument, value in (("x", left), ("y", right)):
        if isinstance(value, Tensor):
            reads[argument] = value
        else:
            numbers[argument] = value
    issue(f"nl.{name}", writes={"result": result}, reads=reads, **numbers)
    return result


def _operator_on(name: str, x: object) -> LegacyTensor:
    """The result of an operator on one tile."""
    source = operand(x, None, "x")
    result = _computed(name, source)
    issue(f"nl.{name}", writes={"result": result}, reads={"x": source})
    return result


def _in_place(name: str, target: object, value: object) -> Any:
    """`target op= value`: the tile itself, its elements changed ("leg.plus_eq")."""
    if not isinstance(value, Tensor | Access) and not is_number(value):
        return NotImplemented
    changed = operand(target, None, "target")
    require("leg.assign_buffer", changed.on_chip, dst=changed.buffer)
    if isinstance(value, Tensor | Access):
        other = operand(value, None, "value")
        require("leg.assign_buffer", other.on_chip, src=other.buffer)
        claim_assignable(changed.shape, other.shape)
        # The first product that is added to PSUM begins the sum there ("df.sum_unwritten").
        begins: dict[str, Any] = (
            {"begins_sum": True} if name == "add" and changed.buffer is PSUM and other.storage.product else {}
        )
        issue(f"nl.{name}", writes={"dst": changed}, reads={"x": changed, "y": other}, **begins)
    else:
        issue(f"nl.{name}", writes={"dst": changed}, reads={"x": changed}, y=value)
    return changed


operators_on_tiles.compute_with(binary=_operator, unary=_operator_on, in_place=_in_place)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _binary_numbers(step: Step) -> None:
    """x op y; shapes broadcast, one operand may be a number."""
    name = step.name.removeprefix("nl.")
    (target,) = step.written
    rank = len(step.shape(target)) + 1
    operator = OPERATORS.get(name)
    exact = operator is not None and operator.bitvec
    x, y = (
        step.aligned(part, rank, exact=exact) if step.has(part) else step.constant(part, rank) for part in ("x", "y")
    )
    if exact:
        x, y = step.n.integral(x), step.n.integral(y)
    if name == "right_shift" and not step.tracking:
        x = step.n.unsigned(x, step.dtype("x" if step.has("x") else target))
    step.write(target, step.n.binary(name, x, y), broadcast=True, bits=exact)


def _unary_numbers(step: Step) -> None:
    """A function of each element."""
    name = step.name.removeprefix("nl.")
    inverts = name == "invert"
    value = step.numbers("x", exact=inverts)
    outside = None if name in _UNRANGED else step.n.out_of_range(name, value)
    because = f"{name} outside its range"
    step.write(step.only_write, step.n.unary(name, value), bits=inverts, undefined=outside, because=because)


# --- their declarations -----------------------------------------------------------------------------------------------


def _declare(name: str) -> None:
    two = name in BINARY
    declared = operation(
        f"nl.{name}",
        dependence=Dependence(Link.BROADCAST),
        engine="any",
        behaviour=OVERWRITES.but(commutes=name == "add"),
    )
    declared.meaning(_binary_numbers if two else _unary_numbers)
    declared.bounded_by_meaning()
    document = f"`{name}` of {'two operands, element by element' if two else 'every element'}; as `op=` of an "
    document += "instruction, the operator."
    declared.current(_documented(_binary(name) if two else _unary(name), document))
    if name not in _CURRENT_ONLY:
        declared.legacy(_documented(_legacy_form(name)(name), document))


def _documented(function: Callable[..., Tensor], document: str) -> Callable[..., Tensor]:
    function.__doc__ = document
    return function


def _legacy_form(name: str) -> Callable[[str], Callable[..., LegacyTensor]]:
    """The maker of the function of this name, by its signature."""
    if name not in BINARY:
        return _legacy_negation if name == "logical_not" else _legacy_unary
    if name in _COMPARISONS:
        return _legacy_comparison
    return _legacy_remainder if name in _REMAINDERS else _legacy_binary


for _name in (*UNARY, *BINARY):
    _declare(_name)
