"""Registers of the engines' sequencers: numbers known at run time only ("VirtualRegister", reference section c.4)."""

from __future__ import annotations

from typing import Any, NoReturn

from nkiverify.model.contents import Contents, Interval, contents_of
from nkiverify.model.contracts import require
from nkiverify.run import current_run, unsupported


class VirtualRegister:
    """A 32-bit register: `nki.isa.VirtualRegister`. A frozen one belongs to a loop and is only read."""

    __slots__ = ("frozen", "identity")

    def __init__(self, state: object = None, frozen: bool = False) -> None:
        if state is not None:
            raise unsupported("constructing a VirtualRegister directly", "allocate it with nisa.register_alloc")
        self.identity = current_run().allocation_id()
        self.frozen = frozen

    @property
    def contents(self) -> Contents:
        """The numbers it may hold, as far as they are known."""
        return contents_of(self.identity)

    @classmethod
    def of_loop(cls, values: Interval | None) -> VirtualRegister:
        """The induction register of a loop on the device."""
        register = cls(frozen=True)
        if values is None:
            register.contents.add_unknown()
        else:
            register.contents.add(values)
        return register

    @classmethod
    def given(cls, values: Interval) -> VirtualRegister:
        """A register that is an argument, with numbers from a declared range."""
        register = cls()
        register.contents.add(values)
        return register

    def __bool__(self) -> NoReturn:
        # `while register:` is documented (and deprecated), `if register:` is not; both ask this.
        raise unsupported("the truth value of a register", "write nl.while_loop for a loop with a condition register")

    def __repr__(self) -> str:
        return "register"


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
