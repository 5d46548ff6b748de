"""Registers of the engines' sequencers: numbers known at run time only ("VirtualRegister", reference section c.4)."""

from __future__ import annotations

from typing import Any, NoReturn

from nkiverify.foundation.source import kernel_frame
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.emission import goes_round, is_bare_while
from nkiverify.model.known_numbers import UNKNOWN, Interval, Value
from nkiverify.model.tensor import Register
from nkiverify.symbolic.execution import unsupported


class VirtualRegister(Register):
    """A 32-bit register: `nki.isa.VirtualRegister`."""

    __slots__ = ()

    def __init__(self, state: object = None, frozen: bool = False, *, keeps: bool = False) -> None:
        if state is not None:
            raise unsupported("constructing a VirtualRegister directly", "allocate it with nisa.register_alloc")
        run = current_execution()
        self.identity = run.allocation_id()
        self.frozen = frozen
        self.keeps = keeps
        run.model.allocated(self.identity)

    @classmethod
    def holding(cls, values: Interval | None, *, exact: bool = True) -> VirtualRegister:
        """A register with some number of an interval, or with any where that is None; `exact`: its ends are there."""
        register = cls()
        set_register(register, UNKNOWN if values is None else Value((values,), exact=exact))
        return register

    def __bool__(self) -> bool:
        # A bare `while register:` is documented (and deprecated). `if register:` is a TypeError where kernels are
        # traced ("reg.python"); of kernels that are parsed no page says anything. Both ask this.
        frame = kernel_frame(2)
        if frame is None or not is_bare_while(frame):
            advice = "nl.while_loop is a loop with a condition register; no page says what `if register:` means"
            raise unsupported("the truth value of a register", advice)
        return goes_round(frame, self)

    def __repr__(self) -> str:
        return "register"


def set_register(register: Register, value: Value | None) -> None:
    """A register gets a number of `value`; None: of something not yet written."""
    run = current_execution()
    whole = run.is_one_allocation(register.identity)
    run.model.write(register, UNKNOWN if value is None else value, whole=whole)


def held_by(register: Register) -> Value | None:
    """The numbers that a register may hold; None where nothing has set it."""
    return current_execution().model.read(register)


def _host_use(what: str) -> Any:
    def use(self: VirtualRegister, *others: object) -> NoReturn:
        require("reg.python", False, use=what)
        raise TypeError(f"a register cannot be used in {what}: its value is known at run time only")

    return use


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    setattr(VirtualRegister, f"__{_name}__", _host_use("Python arithmetic"))
    setattr(VirtualRegister, f"__r{_name}__", _host_use("Python arithmetic"))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(VirtualRegister, f"__{_name}__", _host_use("Python arithmetic"))
for _name in ("lt", "le", "gt", "ge"):
    setattr(VirtualRegister, f"__{_name}__", _host_use("a Python comparison"))
for _name in ("int", "index", "float"):
    setattr(VirtualRegister, f"__{_name}__", _host_use("place of a Python number"))
