"""The Tensor Engine: matmuls (reference section c.2).

Products accumulate in PSUM, in float32. `op:Section` is a section of that operation's page. A2/A3 architecture of
gen2/gen3, RN-x.y release notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.contracts import define, require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    tfloat32,
)
from nkiverify.model.extents import as_extent
from nkiverify.model.indices import Mask
from nkiverify.model.isa_enums import member_name
from nkiverify.model.legacy_tensor import LegacyTensor, mask_of_factor, operand, result_tile
from nkiverify.model.memory import PSUM
from nkiverify.model.ops.operands import (
    destination,
    generation,
    in_sbuf,
    member,
    moved_elements,
    tile,
)
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Tensor, free_elements
from nkiverify.symbolic import Extent, all_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Step


GEN23 = ("gen2", "gen3")

# Sets, as types are searched for in them at every matmul: those of a tuple would be compared one by one.
_FLOAT8: frozenset[DType] = frozenset({float8_e4m3, float8_e5m2})
_FLOAT8_GEN4 = _FLOAT8 | {float8_e4m3fn}
_INPUTS: frozenset[DType] = _FLOAT8 | {bfloat16, float16, tfloat32, float32}
_INPUTS_GEN4 = _INPUTS | {float8_e4m3fn}
_WIDE: frozenset[DType] = frozenset({float32, tfloat32})

# --- nc_matmul --------------------------------------------------------------------------------------------------------

NC_MATMUL = operation(
    "nisa.nc_matmul",
    dependence=Dependence(
        Link.ROW_MAJOR, {"stationary": Link.STATIONARY, "moving": Link.MOVING, "dst": Link.ROW_MAJOR}
    ),
    engine="tensor",
    behaviour=OVERWRITES.but(product=True, updates=Updates.ACCUMULATING),
    # Not on the page of the legacy API, which says **kwargs; the modes are those of the current one.
    tolerates=frozenset({"perf_mode"}),
)

define(
    "nc_matmul.buffers",
    "Stationary and moving must be in SBUF, dst in PSUM.",
    "nc_matmul:Memory types",
    takes={"": ("sbuf",), "dst": ("psum",)},
)
define(
    "nc_matmul.k_equal",
    "Stationary and moving must have the same partitions (the contraction axis K).",
    "nc_matmul:Tile size",
)
define(
    "nc_matmul.k_le_128",
    "K must be at most 128, or the row tile size.",
    "nc_matmul:Tile size",
    takes={"K": "limit"},
    limit=True,
)
define(
    "nc_matmul.m_le_128",
    "Stationary must have at most 128 columns (M), or the column tile size.",
    "nc_matmul:Tile size",
    takes={"M": "limit"},
    limit=True,
)
define(
    "nc_matmul.n_le_512",
    "Moving must have at most 512 columns (N).",
    "nc_matmul:Tile size",
    hardware=GEN23,
    takes={"N": "limit"},
    limit=True,
)
define(
    "nc_matmul.n_gen4",
    "Moving must have at most 4096 columns (float32 dst) or 8192 (bfloat16 dst).",
    "nc_matmul:Tile size",
    hardware=("gen4",),
    takes={"N": "limit"},
    limit=True,
)
define("nc_matmul.out_shape", "dst must have M partitions and N elements per partition.", "nc_matmul:Layout")
define(
    "nc_matmul.dst_dtype",
    "dst must be float32; on gen4 float32 or bfloat16.",
    "nc_matmul:Data types",
    takes={"dst": ("float32",)},
)
define(
    "nc_matmul.in_dtype",
    "Inputs must be float8_e4m3, float8_e5m2, bfloat16, float16, tfloat32 or float32; on gen4 also float8_e4m3fn.",
    "nc_matmul:Data types",
    takes={"": ("bfloat16", "float16", "float32", "tfloat32", "float8_e4m3", "float8_e5m2")},
)
define(
    "nc_matmul.fp32_pair",
    "If one input is float32 or tfloat32 the other must be too.",
    "nc_matmul:Data types",
    takes={"moving": "stationary"},
)
define(
    "nc_matmul.e4m3_mix",
    "float8_e4m3 and float8_e4m3fn must not be mixed.",
    "nc_matmul:Data types; RN-0.4",
    api=("nki",),
    takes={"moving": "stationary"},
)
define(
    "nc_matmul.double_row_gen",
    "perf_mode double_row must be used on gen3 or later with float8 inputs.",
    "nc_matmul:Performance mode",
)
define(
    "nc_matmul.double_row_shape",
    "With double_row the first free extent of both inputs must be 2, without column tiling or transpose.",
    "nc_matmul:Layout; A3",
)
define("nc_matmul.tiling_both", "tile_position and tile_size must be both set or neither.", "nc_matmul:Tiling mode")
define(
    "nc_matmul.tiling_sizes",
    "Row and column tile sizes must be 64 or 128, from gen3 on also 32.",
    "nc_matmul:Tiling mode",
)
define(
    "nc_matmul.tiling_pos",
    "Start row and column must be multiples of the tile sizes and inside the 128 x 128 array.",
    "nc_matmul:Tiling mode",
)

define(
    "nc_matmul.ti",
    "Operands of a matmul that indices move must hold floats of at most 16 bits, tile_position must be unset or"
    " (0, 0), and a moved moving operand must not be transposed.",
    "nc_matmul:Tensor indirection; Transpose mode",
    api=("nki",),
)


@NC_MATMUL.current
def _(
    dst: object,
    stationary: object,
    moving: object,
    is_stationary_onezero: object = False,
    is_moving_onezero: object = False,
    is_transpose: object = False,
    accumulate: object = None,
    tile_position: Sequence[Extent] | None = (),
    tile_size: Sequence[Extent] | None = (),
    perf_mode: object = isa.matmul_perf_mode.none,
    name: object = None,
) -> None:
    """dst (M, N) = stationary (K, M) transposed, times moving (K, N); K and M are at most 128."""
    result = destination(dst, gathers=True)
    left, right = tile(stationary, "stationary", gathers=True), tile(moving, "moving", gathers=True)
    mode = member(perf_mode, isa.matmul_perf_mode, "perf_mode")
    claim_matmul(result, left, right, bool(is_transpose), tile_position, tile_size, mode)


@NC_MATMUL.legacy
def _(
    stationary: object,
    moving: object,
    *,
    is_stationary_onezero: object = False,
    is_moving_onezero: object = False,
    is_transpose: object = False,
    tile_position: Sequence[Extent] = (),
    tile_size: Sequence[Extent] = (),
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """stationary (K, M) transposed, times moving (K, N): a new PSUM tile (M, N), always float32.

    N may be several dimensions, which the result has as well; not where both have rows in pairs.
    """
    left = operand(stationary, mask_of_factor(mask, stationary, moving), "stationary", masked=True)
    right = operand(moving, mask_of_factor(mask, moving, stationary), "moving", masked=True)
    mode = _legacy_mode(kwargs.get("perf_mode"))
    rows, columns = left.free_size, right.shape[1:] if right.ndim > 1 else (1,)
    if mode is isa.matmul_perf_mode.double_row and left.ndim >= 3 and right.ndim >= 3:
        rows, columns = free_elements(left.shape[2:]), right.shape[2:]
    result = result_tile((rows, *columns), float32, PSUM, mask, product=True)
    claim_matmul(result, left, right, bool(is_transpose), tile_position, tile_size, mode)
    return result


def _legacy_mode(value: object) -> isa.matmul_perf_mode:
    """The mode that a legacy kernel names, of which one has the name of a hardware generation as well."""
    if value is None or value == "none":
        return isa.matmul_perf_mode.none
    if member_name(value) in ("double_row", "double_row_gen3"):
        return isa.matmul_perf_mode.double_row
    raise unsupported(f"perf_mode {value} of nc_matmul, which is not documented")


def claim_matmul(
    result: Tensor,
    left: Tensor,
    right: Tensor,
    is_transpose: bool = False,
    tile_position: Sequence[Extent] | None = (),
    tile_size: Sequence[Extent] | None = (),
    mode: isa.matmul_perf_mode = isa.matmul_perf_mode.none,
) -> None:
    """Claim what a matmul demands: result (M, N) = left (K, M) transposed, times right (K, N)."""
    claim_matmul_buffers(result, left, right)
    _claim_input_dtypes(left.dtype, right.dtype)
    _claim_result_dtype(result.dtype, transposes=is_transpose)
    rows, columns = claim_tiling("nc_matmul", tile_position, tile_size)
    _claim_indirect(result, left, right, is_transpose, tile_position)
    if mode is isa.matmul_perf_mode.double_row:
        m, n = _claim_double_row(left, right, is_transpose, columns)
    else:
        m, n = left.free_size, right.free_size
    k = left.partitions
    require("nc_matmul.k_equal", equal(k, right.partitions), stationary=left.shape, moving=right.shape)
    require("nc_matmul.k_le_128", k <= rows, K=k, limit=rows)
    require("nc_matmul.m_le_128", m <= columns, M=m, limit=columns)
    hardware = current_execution().hardware
    limit = hardware.moving_fmax(result.dtype.itemsize)
    require("nc_matmul.n_gen4" if hardware.generation >= 4 else "nc_matmul.n_le_512", n <= limit, N=n, limit=limit)
    require(
        "nc_matmul.out_shape",
        all_of(equal(result.partitions, m), equal(result.free_size, n)),
        dst=result.shape,
        M=m,
        N=n,
    )


def _claim_indirect(
    result: Tensor, left: Tensor, right: Tensor, transposes: bool, position: Sequence[Extent] | None
) -> None:
    """Claim what a matmul of operands that indices move needs: narrow floats, the whole array, no transposed moving."""
    if not moved_elements(result, left, right):
        return
    require(
        "nc_matmul.ti",
        all(operand.dtype not in _WIDE for operand in moved_elements(left, right))
        and _pair(position) in (None, (0, 0))
        and not (transposes and moved_elements(right)),
        stationary=left.dtype,
        moving=right.dtype,
        tile_position=position,
    )


def claim_matmul_buffers(result: Tensor, *operands: Tensor, contract: str = "nc_matmul.buffers") -> None:
    """Claim that a matmul reads SBUF and writes PSUM."""
    require(
        contract,
        result.buffer is PSUM and in_sbuf(*operands),
        dst=result.buffer,
        operands=tuple([operand.buffer for operand in operands]),
    )


def _claim_input_dtypes(left: DType, right: DType) -> None:
    allowed = _INPUTS_GEN4 if generation() >= 4 else _INPUTS
    require("nc_matmul.in_dtype", left in allowed and right in allowed, stationary=left, moving=right)
    require("nc_matmul.fp32_pair", (left in _WIDE) == (right in _WIDE), stationary=left, moving=right)
    if float8_e4m3fn in (left, right):
        require("nc_matmul.e4m3_mix", float8_e4m3 not in (left, right), stationary=left, moving=right)


def _claim_result_dtype(dtype: DType, transposes: bool) -> None:
    allowed: tuple[DType, ...] = (float32, bfloat16) if generation() >= 4 else (float32,)
    if transposes and generation() >= 3:
        # The Tensor Engine's transpose mode passes 16-bit data through (A3), which the page of nc_matmul leaves out.
        allowed = (float32, bfloat16, float16)
    require("nc_matmul.dst_dtype", dtype in allowed, dst=dtype, generation=generation())


def claim_tiling(op: str, position: Sequence[Extent] | None, size: Sequence[Extent] | None) -> tuple[Extent, Extent]:
    """Claim the tiling-mode rules; returns the rows and columns of the array the operation may use."""
    place, extent = _pair(position), _pair(size)
    require(f"{op}.tiling_both", (place is None) == (extent is None), tile_position=position, tile_size=size)
    if place is None or extent is None:
        return 128, 128
    sizes = (32, 64, 128) if generation() >= 3 else (64, 128)
    require(f"{op}.tiling_sizes", all(part in sizes for part in extent), tile_size=extent, generation=generation())
    inside = all(
        part > 0 and start >= 0 and start % part == 0 and start + part <= 128
        for start, part in zip(place, extent, strict=True)
    )
    require(f"{op}.tiling_pos", inside, tile_position=place, tile_size=extent)
    return extent


def _pair(value: Sequence[Extent] | None) -> tuple[Extent, Extent] | None:
    if value is None or len(value) == 0:
        return None
    parts = [as_extent(part) for part in value]
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        raise TypeError(f"a tile position or size is a pair of integers, not {value!r}")
    return parts[0], parts[1]


def _claim_double_row(left: Tensor, right: Tensor, transposes: bool, columns: Extent) -> tuple[Extent, Extent]:
    allowed = _FLOAT8_GEN4 if generation() >= 4 else _FLOAT8
    require(
        "nc_matmul.double_row_gen",
        generation() >= 3 and left.dtype in allowed and right.dtype in allowed,
        stationary=left.dtype,
        moving=right.dtype,
        generation=generation(),
    )
    shaped = left.ndim >= 3 and right.ndim >= 3
    require(
        "nc_matmul.double_row_shape",
        all_of(equal(left.shape[1], 2), equal(right.shape[1], 2), equal(columns, 128), not transposes)
        if shaped
        else False,
        stationary=left.shape,
        moving=right.shape,
    )
    return free_elements(left.shape[2:]), free_elements(right.shape[2:])


@NC_MATMUL.meaning
def _(step: Step) -> None:
    """stationary transposed, times moving, added to what the destination accumulates.

    With `accumulate` not given, the first product into a place overwrites and later ones accumulate, decided element by
    element ("nc_matmul.accum_none"): the destination's marks say what has been written.
    """
    left, right = step.rows("stationary"), step.rows("moving")
    if step.name_of("perf_mode").startswith("double_row"):
        left, right = _joined_rows(left), _joined_rows(right)
    step.accumulate_product(step.n.matmul(left, right))


def _joined_rows(operand: Array) -> Array:
    """(K, 2, F) as (2 K, F): both halves of the rows contract ("nc_matmul.double_row_shape")."""
    lanes, rows, columns = operand.shape
    split = operand.reshape(lanes, rows, 2, columns // 2)
    return split.transpose(0, 2, 1, 3).reshape(lanes, 2 * rows, columns // 2)


# --- nl.matmul --------------------------------------------------------------------------------------------------------

MATMUL = operation(
    "nl.matmul",
    dependence=Dependence(Link.ROW_MAJOR, {"x": Link.STATIONARY, "y": Link.MOVING}),
    engine="tensor",
    behaviour=OVERWRITES,
)

define(
    "nl.matmul.x",
    "x of nl.matmul must be in SBUF, with at most 128 partitions and 128 free elements.",
    "nl.matmul; L:matmul",
    limit=True,
)
define(
    "nl.matmul.y",
    "y of nl.matmul must be in SBUF, with at most 128 partitions and 512 free elements.",
    "nl.matmul; L:matmul",
    limit=True,
)
define(
    "nl.matmul.transpose_x",
    "nl.matmul must be called with transpose_x=True: the default is a known failure.",
    "RN-0.4",
    api=("nki",),
)


@MATMUL.current
def _(x: object, y: object, transpose_x: object = False) -> Tensor:
    """A new PSUM tile: x.T @ y, or x @ y with x (M, K); x (K, M), y (K, N)."""
    require("nl.matmul.transpose_x", bool(transpose_x), transpose_x=transpose_x)
    left, right = tile(x, "x"), tile(y, "y")
    for contract, factor, columns in (("nl.matmul.x", left, 128), ("nl.matmul.y", right, 512)):
        fits = all_of(in_sbuf(factor), factor.shape[0] <= 128, factor.free_size <= columns)
        require(contract, fits, shape=factor.shape, buffer=factor.buffer)
    if not transpose_x:
        require("nc_matmul.k_equal", equal(left.free_size, right.shape[0]), x=left.shape, y=right.shape)
        return new_tile((left.shape[0], right.free_size), float32, PSUM)
    result = new_tile((left.free_size, right.free_size), float32, PSUM)
    claim_matmul(result, left, right)
    return result


@MATMUL.legacy
def _(x: object, y: object, *, transpose_x: object = False, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new PSUM tile: x @ y with x (M, K), or x.T @ y with x (K, M); y (K, N)."""
    left = operand(x, mask_of_factor(mask, x, y), "x", masked=transpose_x is True)
    right = operand(y, mask_of_factor(mask, y, x), "y", masked=True)
    for contract, factor, columns in (("nl.matmul.x", left, 128), ("nl.matmul.y", right, 512)):
        fits = all_of(in_sbuf(factor), factor.ndim == 2, factor.shape[0] <= 128, factor.free_size <= columns)
        require(contract, fits, shape=factor.shape, buffer=factor.buffer)
    k, m = (left.shape[0], left.free_size) if transpose_x else (left.free_size, left.shape[0])
    require("leg.matmul.shape", equal(k, right.shape[0]), x=left.shape, y=right.shape, transpose_x=transpose_x)
    return result_tile((m, right.free_size), float32, PSUM, mask, product=True)


@MATMUL.meaning
def _(step: Step) -> None:
    """x, transposed or not, times y."""
    left = step.rows("x")
    step.accumulate_product(
        step.n.matmul(left if step.flag("transpose_x") else left.transpose(0, 2, 1), step.rows("y"))
    )
