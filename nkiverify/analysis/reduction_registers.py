"""The reduction registers of an engine as an operand like any other: 128 numbers, one for each partition.

A reduction begins them again, or continues with what they hold ("acc.scalar_regs", "acc.vector_regs", "acc.cmds").
"""

from __future__ import annotations

import enum
from dataclasses import replace

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import float32
from nkiverify.model.memory import SBUF
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Term

#: The operand that the reduction registers are.
REGISTERS = "reduction registers"

_PARTITIONS = 128


class Command(enum.Enum):
    """The use that an operation makes of the registers of its engine."""

    NOTHING = "nothing"
    #: They hold nothing known afterwards.
    CLOBBER = "clobber"
    #: They begin again with nothing of the operands.
    RESET = "reset"
    #: They begin again with what the operation reduces.
    BEGIN = "begin"
    #: What the operation reduces joins what they hold.
    JOIN = "join"


def command_of(operation: Operation) -> Command:
    """The use that an operation makes of the registers of its engine."""
    if not operation.declared.behaviour.registers:
        return Command.NOTHING
    # Instructions without that parameter begin again.
    implied = "idle" if "reduce_cmd" in operation.attributes else "reset_reduce"
    name = str(getattr(operation.attributes.get("reduce_cmd"), "name", implied))
    if name == "idle":
        return Command.CLOBBER if operation.declared.behaviour.clobbers_when_idle else Command.NOTHING
    return {"reset": Command.RESET, "reduce": Command.JOIN}.get(name, Command.BEGIN)


@dataclass(frozen=True, slots=True, eq=False)
class RegisterFile:
    """The identity of the registers of an engine; those of every program of a launch are others."""

    engine: str
    program: tuple[object, ...] = ()
    indices: tuple[()] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """The name that it is known by."""
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
        identity = RegisterFile(operation.declared.behaviour.registers, operation.program)
        storage = self._storages.get(identity.key)
        if storage is None:
            shape: tuple[Extent, ...] = (_PARTITIONS, 1)
            storage = Storage(identity, shape, float32, SBUF, f"{REGISTERS} of the {identity.engine} engine")
            self._storages[identity.key] = storage
        operands = (*operation.writes.values(), *operation.reads.values())
        rows = next((view.shape[0] for view in operands if view.ndim), _PARTITIONS)
        return Tensor.of(storage, (rows, 1), (1, 1), storage.dtype)


def is_register_file(storage: Storage) -> bool:
    """True if a storage stands for reduction registers."""
    return isinstance(storage.identity, RegisterFile)


def reading_rule(storage: Storage) -> str:
    """The contract that reading undefined elements of a storage breaks, where an output depends on them."""
    return "acc.reduce_needs_init" if is_register_file(storage) else "df.read_unwritten"
