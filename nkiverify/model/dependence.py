"""Which elements of an operand an element of a result depends on, as each operation states it.

One statement an operation, read by the sets for all shapes (`nkiverify.analysis.sets.positions`) and by the marks of a
concrete run (`nkiverify.analysis.dependence`). It errs on the side of too much: an element may be said to depend on
more than it is computed from. There is no default: an operation that is not here depends on everything and defines
nothing (`dependence_of` gives None).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from nkiverify.model.extents import is_sequence
from nkiverify.model.operation import Operation


class Kind(enum.Enum):
    """How the elements of a result are linked with those of an operand. Every link is tested on the shapes of a call:
    where they do not fit, an element depends on the whole operand."""

    #: On none: only the shape or the dtype of the operand counts.
    NOTHING = "nothing"
    #: On the element at the same place in row-major order; both have as many elements.
    ROW_MAJOR = "row-major"
    #: The same, or NumPy's broadcasting: shapes aligned at the last axis, extents of 1 repeated.
    BROADCAST = "broadcast"
    #: The same, both taken as (partitions, all free axes as one): a row, a column or one element are repeated.
    ROWS = "rows"
    #: On all elements of the same partition, or of the only one.
    PARTITION = "partition"
    #: On the elements of the same partition at even places, or at odd ones, as bn_stats has them; counts on none.
    STATISTICS = "statistics"
    #: As ROWS, and on what comes before in the partition.
    BEFORE = "before"
    #: As ROWS, where an affine pattern selects the element.
    SELECTED = "selected"
    #: On what is reduced to it, along the axes in the attribute `axis`.
    REDUCED = "reduced"
    #: On the column of all partitions.
    OVER_PARTITIONS = "over partitions"
    #: (P, F) to (F, P), free axes as one.
    TRANSPOSED = "transposed"
    #: The axes in the order that `dma_transpose` has for the rank.
    PERMUTED = "permuted"
    #: A row of a product depends on a column of the stationary operand (P, F), or on a row if it is not transposed.
    STATIONARY = "stationary"
    #: A column of a product depends on a column of the moving operand.
    MOVING = "moving"
    #: In each quadrant, a partition depends on the one that `shuffle_mask` names for it.
    SHUFFLED = "shuffled"
    #: As ROW_MAJOR, in the partitions that `shuffle_mask` leaves alone.
    LEFT_ALONE = "left alone"
    #: On all elements.
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Dependence:
    """What an operation states: how its results depend on operands, by parameter, or `others` for those not named."""

    others: Kind
    operands: Mapping[str, Kind] = field(default_factory=dict)
    #: Operands of which data choose what is used.
    chosen: frozenset[str] = frozenset()
    #: Whether what is written comes from the operands of another program of the launch.
    exchanges: bool = False
    #: Results that sum a partition up: under a mask they are written where it leaves anything of the partition.
    summaries: frozenset[str] = frozenset()

    def on(self, operand: str) -> Kind:
        """How the results depend on an operand; on one in a list ("srcs[1]") as on the list."""
        if operand.endswith(".index"):
            # What moves an operand moves all of it.
            return Kind.EVERYTHING
        return self.operands.get(operand.partition("[")[0], self.others)


#: What is written for each partition of what is read.
REDUCTION_RESULT = "reduce_res"
_ALL = frozenset(("dst", "result"))


def _chosen(others: Kind, *names: str) -> Dependence:
    return Dependence(others, chosen=frozenset(names))


_ROWS = Dependence(Kind.ROWS)
_ROW_MAJOR = Dependence(Kind.ROW_MAJOR)
_BROADCAST = Dependence(Kind.BROADCAST)
_NOTHING = Dependence(Kind.NOTHING)
_EVERYTHING = Dependence(Kind.EVERYTHING)
_TRANSPOSED = Dependence(Kind.TRANSPOSED)
_SUMMARY = Dependence(Kind.PARTITION, summaries=_ALL)
_REDUCED = Dependence(Kind.REDUCED)
_RUNNING = Dependence(Kind.BEFORE)

_INSTRUCTIONS: dict[str, Dependence] = {
    **dict.fromkeys(("dma_copy", "tensor_copy", "dma_compute"), _ROW_MAJOR),
    **dict.fromkeys(
        ("tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "tensor_scalar_reduce", "activation",
         "activation_reduce", "activate2", "exponential", "reciprocal", "dropout", "rand2"),
        _ROWS,
    ),
    "sendrecv": Dependence(Kind.ROWS, exchanges=True),
    # They write what no tensor holds, or write no tensor.
    **dict.fromkeys(
        ("memset", "iota", "rng", "rand_get_state", "rand_set_state", "set_rng_seed", "core_barrier", "register_alloc",
         "register_move", "register_load", "register_store"),
        _NOTHING,
    ),
    "tensor_copy_predicated": _chosen(Kind.ROWS, "src", "dst"),
    "select_reduce": _chosen(Kind.ROWS, "on_true", "on_false"),
    "range_select": _chosen(Kind.ROWS, "on_true_tile"),
    "affine_select": Dependence(Kind.ROWS, {"on_true_tile": Kind.SELECTED}),
    "tensor_tensor_scan": _RUNNING,
    "tensor_scalar_cumulative": _RUNNING,
    "tensor_reduce": _REDUCED,
    "tensor_partition_reduce": Dependence(Kind.OVER_PARTITIONS),
    "bn_stats": Dependence(Kind.STATISTICS, summaries=_ALL),
    **dict.fromkeys(("bn_aggr", "max8", "nc_find_index8"), _SUMMARY),
    "nc_match_replace8": Dependence(
        Kind.PARTITION, chosen=frozenset(("data", "vals")), summaries=frozenset(("dst_idx",))
    ),
    "nc_n_gather": _chosen(Kind.PARTITION, "data"),
    "nonzero_with_count": Dependence(Kind.PARTITION),
    "nc_matmul": Dependence(
        Kind.ROW_MAJOR, {"stationary": Kind.STATIONARY, "moving": Kind.MOVING, "dst": Kind.ROW_MAJOR}
    ),
    "nc_transpose": _TRANSPOSED,
    "dma_transpose": Dependence(Kind.PERMUTED),
    "nc_stream_shuffle": Dependence(Kind.EVERYTHING, {"src": Kind.SHUFFLED, "dst": Kind.LEFT_ALONE}),
    # The quadrants of scales, the shared indices of 16 partitions, rows of ids, sorted elements: not told apart.
    **dict.fromkeys(("nc_matmul_mx", "quantize_mx", "local_gather", "sequence_bounds", "topk"), _EVERYTHING),
}  # fmt: skip

_LANGUAGE: dict[str, Dependence] = {
    **dict.fromkeys(
        ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "mod", "fmod", "abs_max", "abs_min",
         "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
         "bitwise_xor", "left_shift", "right_shift", "logical_and", "logical_or", "logical_xor"),
        _BROADCAST,
    ),
    **dict.fromkeys(
        ("abs", "square", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "arctan", "tanh", "sigmoid",
         "relu", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu", "silu_dx",
         "softplus", "mish", "erf", "erf_dx", "ceil", "floor", "trunc", "negative", "sign", "invert", "logical_not"),
        _BROADCAST,
    ),
    **dict.fromkeys(("load", "copy", "static_cast"), _ROW_MAJOR),
    **dict.fromkeys(("store", "broadcast_to", "loop_reduce", "dropout"), _BROADCAST),
    **dict.fromkeys(
        ("zeros", "zeros_like", "ones", "full", "rand", "shared_constant", "shared_identity_matrix", "random_seed",
         "device_print"),
        _NOTHING,
    ),
    **dict.fromkeys(("sum", "max", "min", "mean", "prod", "var", "all"), _REDUCED),
    **dict.fromkeys(("load_transpose2d", "transpose"), _TRANSPOSED),
    "where": _chosen(Kind.BROADCAST, "x", "y"),
    "matmul": Dependence(Kind.ROW_MAJOR, {"x": Kind.STATIONARY, "y": Kind.MOVING}),
    "softmax": Dependence(Kind.PARTITION),
    "rms_norm": Dependence(Kind.PARTITION, {"w": Kind.ROWS}),
    "gather_flattened": _chosen(Kind.PARTITION, "data"),
}  # fmt: skip

#: What a rank receives comes from others, of which only the shapes are known.
_COLLECTIVES: dict[str, Dependence] = dict.fromkeys(
    ("all_reduce", "all_gather", "all_gather_v", "reduce_scatter", "all_to_all", "all_to_all_v", "collective_permute",
     "collective_permute_implicit", "collective_permute_implicit_reduce",
     "collective_permute_implicit_current_processing_rank_id", "rank_id"),
    _EVERYTHING,
)  # fmt: skip

#: The dependence of every operation, by its documented name; `setitem` is an assignment to elements of a tile.
DEPENDENCES: Mapping[str, Dependence] = {
    "setitem": _BROADCAST,
    **{f"nisa.{name}": stated for name, stated in _INSTRUCTIONS.items()},
    **{f"nl.{name}": stated for name, stated in _LANGUAGE.items()},
    **{f"ncc.{name}": stated for name, stated in _COLLECTIVES.items()},
}


def dependence_of(operation: Operation) -> Dependence | None:
    """What an operation states; None where nothing does: it depends on everything and defines nothing."""
    return DEPENDENCES.get(operation.name)


def reduced_axes(operation: Operation, rank: int) -> tuple[int, ...] | None:
    """The axes, counted from 0, that the attribute `axis` names of an operand; None where it is not understood."""
    given = operation.attributes.get("axis")
    axes = tuple(given) if is_sequence(given) or isinstance(given, set | frozenset) else (given,)
    if not all(isinstance(axis, int) and -rank <= axis < rank for axis in axes):
        return None
    return tuple(sorted({axis % rank for axis in axes}))


#: The order of axes of dma_transpose by rank ("dma_transpose.axes").
PERMUTATIONS: Mapping[int, tuple[int, ...]] = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
