"""Checks that many instructions share."""

from __future__ import annotations

import enum
from numbers import Real
from typing import Any, TypeVar

from nkiverify.model import isa_enums
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.emission import claim_in_scope
from nkiverify.model.indirection import claim_reach
from nkiverify.model.memory import PSUM, SBUF
from nkiverify.model.operators import Operator
from nkiverify.model.tensor import IndirectionKind, Tensor
from nkiverify.symbolic import Condition, SymInt, SymRational, all_of, equal

MemberT = TypeVar("MemberT", bound=enum.Enum)


def tile(value: object, argument: str, *, gathers: bool = False) -> Tensor:
    """`value` as a tensor operand without block dimensions.

    An operand that indices known at run time move is claimed to stay inside its tensor; `gathers` says whether the
    operand may be a view of `indirect()`.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{argument} must be a tensor, not {type(value).__name__}")
    if value.block_dims:
        require("leg.tile", False, operand=argument, shape=value.shape)
    if value.storage.body is not None:
        claim_in_scope(value)
    if value.indirect_by is not None:
        if value.indirect_by.kind is IndirectionKind.ELEMENTS:
            require("ti.operands", gathers, operand=argument)
        claim_reach("ap.dynamic_oob", value.indirect_by)
    return value


def moved_elements(*operands: Tensor) -> list[Tensor]:
    """The operands that are views of `indirect()`."""
    for operand in operands:
        if operand.indirect_by is not None:
            break
    else:  # as nearly always
        return []
    return [
        operand
        for operand in operands
        if operand.indirect_by is not None and operand.indirect_by.kind is IndirectionKind.ELEMENTS
    ]


def claim_scattered_by_scalar_engine(result: Tensor) -> None:
    """Claim that the Scalar Engine scatters no elements into PSUM."""
    if moved_elements(result):
        require("ti.scalar_dst_psum", result.buffer is not PSUM, dst=result.buffer)


def destination(value: object, argument: str = "dst", *, gathers: bool = False) -> Tensor:
    """`value` as a tensor that an instruction writes."""
    return tile(value, argument, gathers=gathers)


def dma_operand(value: object, argument: str, *, skips: bool, contract: str = "dma_copy.oob") -> Tensor:
    """`value` as an operand of a DMA, which skips rows out of bounds or fails on them (`skips`)."""
    if isinstance(value, Tensor) and value.indirect_by is not None:
        require("ti.operands", value.indirect_by.kind is not IndirectionKind.ELEMENTS, operand=argument)
        if value.storage.body is not None:
            claim_in_scope(value)
        if not skips:
            claim_reach(contract, value.indirect_by)
        return value
    return tile(value, argument)


def member(value: object, enumeration: type[MemberT], argument: str) -> MemberT:
    """`value`, claimed to be a member of `enumeration`."""
    if isinstance(value, enumeration):
        return value
    meant = next((one for one in enumeration if type(value) in (int, str) and value in (one.value, one.name)), None)
    if meant is not None:
        require("isa.enum_members", False, argument=argument, value=value)
        return meant
    if isinstance(value, SymInt):
        # One path for each member that the number may be, as for plain numbers.
        for one in enumeration:
            if type(one.value) is int and equal(value, one.value):
                require("isa.enum_members", False, argument=argument, value=value)
                return one
    require("isa.enum_values", False, argument=argument, value=value)
    raise TypeError(f"{argument} is a member of {enumeration.__name__}, not {value!r}")


def as_engine(value: object) -> isa_enums.engine:
    """The engine that a member of the legacy `engine`, or its number, stands for."""
    if not isinstance(value, int):
        raise TypeError(f"engine is a member of nki.isa.engine, not {value!r}")
    return isa_enums.engine(int(value))


def as_reduce_cmd(value: object) -> object:
    """The command that a member of the legacy `reduce_cmd`, or its number, stands for; anything else as it is."""
    return isa_enums.reduce_cmd(int(value)) if isinstance(value, int) else value


def on_chip(*operands: Tensor) -> bool:
    """True if every operand is in SBUF or PSUM."""
    return all(operand.storage.buffer is SBUF or operand.storage.buffer is PSUM for operand in operands)


def in_sbuf(*operands: Tensor) -> bool:
    """True if every operand is in SBUF."""
    return all(operand.storage.buffer is SBUF for operand in operands)


def any_in_psum(*operands: Tensor | None) -> bool:
    """True if at least one operand is in PSUM."""
    return any(operand is not None and operand.storage.buffer is PSUM for operand in operands)


def same_layout(first: Tensor, *others: Tensor) -> Any:
    """True if all operands have the same partitions and the same elements per partition."""
    return all_of(
        *(equal(other.shape[0], first.shape[0]) for other in others),
        *(equal(other.free_size, first.free_size) for other in others),
    )


def same_shape(left: Tensor, right: Tensor) -> Any:
    """True if both operands have the same shape."""
    if left.ndim != right.ndim:
        return False
    return all_of(*(equal(one, two) for one, two in zip(left.shape, right.shape, strict=True)))


def claim_same_layout(contract: str, **operands: Tensor) -> None:
    """Claim `same_layout` as `contract`, showing the shapes by argument name."""
    tensors = tuple(operands.values())
    require(contract, same_layout(*tensors), **{name: operand.shape for name, operand in operands.items()})


def claim_integers(op: Operator, *operands: Tensor) -> None:
    """Claim that a bit-wise operator has integer operands only."""
    if op.bitvec:
        dtypes = tuple(operand.dtype for operand in operands)
        require("isa.bitvec_int", all(dtype.is_integer for dtype in dtypes), op=op, dtypes=dtypes)


def claim_available(op: Operator) -> None:
    """Claim that the hardware's ALU has the operator."""
    if op.since > 2:
        generation = current_execution().hardware.generation
        require("isa.operator_gen", generation >= op.since, op=op, generation=generation)


def claim_on_chip(**operands: Tensor) -> None:
    """Claim that every operand is in SBUF or PSUM."""
    require(
        "isa.on_chip",
        on_chip(*operands.values()),
        **{name: operand.buffer for name, operand in operands.items()},
    )


def claim_in_sbuf(contract: str, **operands: Tensor) -> None:
    """Claim that every operand is in SBUF."""
    require(contract, in_sbuf(*operands.values()), **{name: operand.buffer for name, operand in operands.items()})


def claim_one_psum(contract: str, **operands: Tensor) -> None:
    """Claim that not more than one of the operands is in PSUM."""
    in_psum = sum(operand.storage.buffer is PSUM for operand in operands.values())
    require(contract, in_psum < 2, **{name: operand.buffer for name, operand in operands.items()})


def claim_generation(contract: str, since: int) -> None:
    """Claim that the hardware is of generation `since` or later."""
    require(contract, generation() >= since, generation=generation())


def claim_partitions(contract: str, **operands: Tensor) -> None:
    """Claim that all operands have the same partitions."""
    first, *others = operands.values()
    require(
        contract,
        all_of(*(equal(other.shape[0], first.shape[0]) for other in others)),
        **{name: operand.shape for name, operand in operands.items()},
    )


def claim_columns(contract: str, result: Tensor, source: Tensor, columns: int) -> None:
    """Claim that a result has the partitions of `source` and this many elements in each."""
    require(
        contract,
        all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, columns)),
        dst=result.shape,
        data=source.shape,
    )


def generation() -> int:
    """The hardware generation the kernel is checked for: 2, 3 or 4."""
    return current_execution().hardware.generation


def is_number(value: object) -> bool:
    """True if `value` is a scalar operand: a number of Python, a truth value among them, of NumPy, or symbolic."""
    return isinstance(value, int | float | SymInt | SymRational | Condition | Real)


def claim_scalar_operand(contract: str, value: object, data: Tensor, argument: str) -> None:
    """Claim that `value` is a constant or one element per partition of `data`, on chip."""
    if is_number(value):
        return
    if not isinstance(value, Tensor):
        require(contract, False, argument=argument, value=type(value).__name__)
        raise TypeError(f"{argument} is a number or a (P, 1) tile, not {type(value).__name__}")
    _claim_column(contract, tile(value, argument), data, argument)


def claim_column(contract: str, value: object, data: Tensor, argument: str) -> Tensor:
    """Claim that `value`, which is written, is an on-chip tile with one element per partition of `data`."""
    column = destination(value, argument)
    _claim_column(contract, column, data, argument)
    return column


def _claim_column(contract: str, column: Tensor, data: Tensor, argument: str) -> None:
    require(
        contract,
        all_of(on_chip(column), equal(column.shape[0], data.shape[0]), equal(column.free_size, 1)),
        argument=argument,
        shape=column.shape,
        data=data.shape,
        buffer=column.buffer,
    )
