"""What an operation does beyond the operands of its call: reduction registers, rows of a result that it leaves alone.

The registers of an engine are an operand like any other here: 128 numbers, one for each partition, that a reduction
begins anew or goes on with ("acc.scalar_regs", "acc.vector_regs", "acc.cmds").
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.model.dtypes import float32
from nkiverify.model.extents import is_sequence
from nkiverify.model.memory import SBUF
from nkiverify.model.operation import LANE_STAYS, Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.terms import Term

#: The operand that the reduction registers are.
REGISTERS = "reduction registers"

_PARTITIONS = 128


class Command(enum.Enum):
    """What an operation does with the registers of its engine."""

    NOTHING = "nothing"
    #: They hold nothing known afterwards.
    CLOBBER = "clobber"
    #: They begin anew with nothing of the operands.
    RESET = "reset"
    #: They begin anew with what the operation reduces.
    BEGIN = "begin"
    #: What the operation reduces joins what they hold.
    JOIN = "join"


def command_of(operation: Operation) -> Command:
    """What an operation does with the registers of its engine."""
    if not operation.declared.registers:
        return Command.NOTHING
    # Instructions without that parameter begin anew.
    implied = "idle" if "reduce_cmd" in operation.attributes else "reset_reduce"
    name = str(getattr(operation.attributes.get("reduce_cmd"), "name", implied))
    if name == "idle":
        return Command.CLOBBER if operation.declared.clobbers_when_idle else Command.NOTHING
    return {"reset": Command.RESET, "reduce": Command.JOIN}.get(name, Command.BEGIN)


@dataclass(frozen=True, slots=True, eq=False)
class RegisterFile:
    """The identity of the registers of an engine; those of every program of a launch are others."""

    engine: str
    program: tuple[object, ...] = ()
    indices: tuple[()] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What it is known by."""
        # A symbolic program is hashed by what it is: its value is not known.
        program = tuple(("any", part.uid) if isinstance(part, Term) else part for part in self.program)
        return (REGISTERS, self.engine, program)


class Registers:
    """Gives operations their reduction registers as operands."""

    def __init__(self) -> None:
        self._storages: dict[tuple[object, ...], Storage] = {}
        #: By operation, which is kept so that no other has its id.
        self._known: dict[int, tuple[Operation, Operation]] = {}

    def made_explicit(self, operation: Operation) -> Operation:
        """The operation with the registers it reads and writes; itself where it does neither."""
        command = command_of(operation)
        if command is Command.NOTHING:
            return operation
        known = self._known.get(id(operation))
        if known is None:
            known = self._known[id(operation)] = (operation, self._with(operation, command))
        return known[1]

    def _with(self, operation: Operation, command: Command) -> Operation:
        view = self._view(operation)
        reads = {**operation.reads, REGISTERS: view} if command is Command.JOIN else operation.reads
        # First, since what is reduced into `reduce_res` is what they hold then.
        return replace(operation, reads=reads, writes={REGISTERS: view, **operation.writes})

    def _view(self, operation: Operation) -> Tensor:
        identity = RegisterFile(operation.declared.registers, operation.program)
        storage = self._storages.get(identity.key)
        if storage is None:
            shape: tuple[Extent, ...] = (_PARTITIONS, 1)
            storage = Storage(identity, shape, float32, SBUF, f"{REGISTERS} of the {identity.engine} engine")
            self._storages[identity.key] = storage
        operands = (*operation.writes.values(), *operation.reads.values())
        rows = next((view.shape[0] for view in operands if view.ndim), _PARTITIONS)
        return Tensor.of(storage, (rows, 1), (1, 1), storage.dtype)


def is_register_file(storage: Storage) -> bool:
    """Whether a storage stands for reduction registers."""
    return isinstance(storage.identity, RegisterFile)


def reading_rule(storage: Storage) -> str:
    """The contract that reading undefined elements of a storage breaks, where an output depends on them."""
    return "acc.reduce_needs_init" if is_register_file(storage) else "df.read_unwritten"


def rows_touched(operation: Operation, argument: str) -> tuple[int, int] | None:
    """Of how many rows (partitions) how many are touched, the first ones of each group; None for all rows."""
    return operation.declared.rows.get(argument)


def exchanges(operation: Operation) -> bool:
    """Whether what it writes comes from the operands of another program of the launch."""
    stated = operation.declared.dependence
    return stated is not None and stated.exchanges


def _shuffles_from_outside(operation: Operation) -> bool:
    """Whether a shuffle may take a partition that its source has not got: what comes from there is not documented."""
    lanes = operation.attributes.get("shuffle_mask")
    source, target = operation.reads.get("src"), operation.writes.get("dst")
    if operation.name != "nisa.nc_stream_shuffle" or source is None or target is None or not is_sequence(lanes):
        return False
    moved = [(at, int(lane)) for at, lane in enumerate(lanes) if lane != LANE_STAYS]
    rows, wanted = constant_value(source.shape[0]), constant_value(target.shape[0])
    if rows is not None and wanted is not None:
        return any(start + lane >= rows for at, lane in moved for start in range(0, wanted - at, len(lanes)))
    full = all(size % len(lanes) == 0 for size in as_term(source.shape[0]).monomials.values())
    same = as_term(source.shape[0]) is as_term(target.shape[0])
    return not same or not (full or all(lane <= at for at, lane in moved))


def may_leave_out(operation: Operation, argument: str) -> bool:
    """Whether it is not known which elements of a result are written."""
    if operation.declared.dependence is None:
        # What nobody described defines nothing.
        return True
    if _shuffles_from_outside(operation):
        return True
    if operation.declared.counted:
        return True
    # What `reduce_res` holds after an idle command is not documented.
    return argument == "reduce_res" and command_of(operation) in (Command.NOTHING, Command.CLOBBER)


def reduced_axes(operation: Operation, rank: int) -> tuple[int, ...] | None:
    """The axes, counted from 0, that the attribute `axis` names of an operand; None where it is not understood."""
    given = operation.attributes.get("axis")
    axes = tuple(given) if is_sequence(given) or isinstance(given, set | frozenset) else (given,)
    if not all(isinstance(axis, int) and -rank <= axis < rank for axis in axes):
        return None
    return tuple(sorted({axis % rank for axis in axes}))
