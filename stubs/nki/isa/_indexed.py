"""Instructions about positions: transposing and adding DMAs, selects, patterns, gathers, cores, registers."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.instruction import ISSUED, NkiInstruction
from nkiverify.model.isa_enums import engine, reduce_cmd
from nkiverify.model.operators import operator
from nkiverify.model.ops import gathers as _gathers
from nkiverify.model.ops import registers as _registers
from nkiverify.model.ops import selection as _selection
from nkiverify.model.registers import VirtualRegister

from ..language import equal, maximum


@documented
def tensor_copy_predicated(
    dst: Any, src: Any, predicate: Any, reverse_pred: Any = False, name: Any = None
) -> NkiInstruction:
    """dst = src where the predicate holds."""
    _selection.tensor_copy_predicated(dst, src, predicate)
    return ISSUED


@documented
def iota(dst: Any, pattern: Any, offset: Any = 0, channel_multiplier: Any = 0, name: Any = None) -> NkiInstruction:
    """dst = an affine pattern of integers."""
    _selection.iota(dst, pattern, offset, channel_multiplier)
    return ISSUED


@documented
def affine_select(
    dst: Any,
    pattern: Any,
    channel_multiplier: Any,
    on_true_tile: Any,
    on_false_value: Any,
    cmp_op: Any = equal,
    offset: Any = 0,
    name: Any = None,
) -> NkiInstruction:
    """dst = on_true_tile where an affine pattern compares with 0 as asked, else a constant."""
    _selection.affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, operator(cmp_op), offset)
    return ISSUED


@documented
def range_select(
    dst: Any,
    on_true_tile: Any,
    comp_op0: Any,
    comp_op1: Any,
    bound0: Any,
    bound1: Any,
    reduce_cmd: Any = reduce_cmd.reset_reduce,
    reduce_res: Any = None,
    reduce_op: Any = maximum,
    range_start: Any = 0,
    on_false_value: Any = ...,
    name: Any = None,
) -> NkiInstruction:
    """dst = on_true_tile where the free position is in a range."""
    _selection.range_select(
        dst,
        on_true_tile,
        operator(comp_op0),
        operator(comp_op1),
        bound0,
        bound1,
        reduce_cmd,
        reduce_res,
        operator(reduce_op),
        range_start,
        on_false_value,
    )
    return ISSUED


@documented
def select_reduce(
    dst: Any,
    predicate: Any,
    on_true: Any,
    on_false: Any,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    reduce_op: Any = maximum,
    reverse_pred: Any = False,
    name: Any = None,
) -> NkiInstruction:
    """dst = on_true where the predicate holds, else on_false, and the maximum."""
    _selection.select_reduce(dst, predicate, on_true, on_false, reduce_res, reduce_cmd, operator(reduce_op))
    return ISSUED


@documented
def nc_stream_shuffle(dst: Any, src: Any, shuffle_mask: Any, name: Any = None) -> NkiInstruction:
    """Partitions of each quadrant in another order."""
    _gathers.nc_stream_shuffle(dst, src, shuffle_mask)
    return ISSUED


@documented
def local_gather(
    dst: Any,
    src_buffer: Any,
    index: Any,
    num_elem_per_idx: Any = 1,
    num_valid_indices: Any = None,
    name: Any = None,
) -> NkiInstruction:
    """Elements gathered by each GpSimd core."""
    _gathers.local_gather(dst, src_buffer, index, num_elem_per_idx, num_valid_indices)
    return ISSUED


@documented
def nc_n_gather(dst: Any, data: Any, indices: Any, name: Any = None) -> NkiInstruction:
    """Elements of each partition gathered by index."""
    _gathers.nc_n_gather(dst, data, indices)
    return ISSUED


@documented
def core_barrier(data: Any, cores: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """Both cores wait for each other."""
    _gathers.core_barrier(data, cores, engine)
    return ISSUED


@documented
def register_alloc(x: Any = None) -> VirtualRegister:
    """A new register."""
    return _registers.register_alloc(x)


@documented
def register_move(dst: Any, src: Any) -> NkiInstruction:
    """A constant or register moved into a register."""
    _registers.register_move(dst, src)
    return ISSUED


@documented
def register_load(dst: Any, src: Any) -> NkiInstruction:
    """One element loaded into a register."""
    _registers.register_load(dst, src)
    return ISSUED


@documented
def register_store(dst: Any, src: Any) -> NkiInstruction:
    """A register stored to one element."""
    _registers.register_store(dst, src)
    return ISSUED
