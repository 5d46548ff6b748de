"""The registry of operations: everything known about one, declared once in `nkiverify.model.ops` and read by all.

    NC_TRANSPOSE = operation("nisa.nc_transpose", dependence=Dependence(Link.TRANSPOSED), moves=True)

    @NC_TRANSPOSE.current
    def _(dst, data, engine=engine.unknown, name=None): ...       the documented signature; states the contracts

    @NC_TRANSPOSE.legacy
    def _(data, *, mask=None, dtype=None, engine=legacy.engine.unknown, **kwargs): ...

    @NC_TRANSPOSE.meaning
    def _(step): ...                                              what it computes, on numbers

    @NC_TRANSPOSE.bounds
    def _(bounds): ...                                            the same on intervals of numbers

Both trees of stubs are generated from the signatures (`python -m lab.stubs`), and call what is registered here. There
is no default for what is not declared: without a dependence an operation depends on everything and defines nothing,
without a meaning the simulator refuses it, without
bounds its results may be any numbers, and an operation that is not declared cannot be called.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from nkiverify.foundation.errors import InternalError
from nkiverify.model.dependence import Dependence

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Meaning

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

#: The modules that functions are documented in, by the documentation's short names and the generation of the API.
MODULES: Mapping[str, Mapping[str, str]] = {
    "nisa": {"nki": "nki.isa", "neuronxcc": "neuronxcc.nki.isa"},
    "nl": {"nki": "nki.language", "neuronxcc": "neuronxcc.nki.language"},
    "ncc": {"nki": "nki.collectives"},
    "compiler": {"neuronxcc": "neuronxcc.nki.compiler"},
    "compiler.sbuf": {"neuronxcc": "neuronxcc.nki.compiler.sbuf"},
    "compiler.psum": {"neuronxcc": "neuronxcc.nki.compiler.psum"},
}


class Updates(enum.Enum):
    """When `dst` is read as well as written: part of what it holds stays, or is added to."""

    NEVER = "never"
    ALWAYS = "always"
    #: With `accumulate=True`.
    ACCUMULATING = "accumulating"
    #: Where the mask of a shuffle leaves a partition alone.
    SHUFFLING = "shuffling"


@dataclass(slots=True, eq=False)
class Declaration:
    """What is known of one operation. `name` is the documented one: "nisa.nc_matmul"."""

    name: str
    #: Which elements of its operands an element of its results depends on; None: on everything, and nothing is defined.
    dependence: Dependence | None = None
    #: The engine it runs on, where it has no choice; "none" where no engine's access pattern reaches its operands.
    engine: str = "any"
    #: Whether it touches no element: allocation, views, what the host computes.
    host: bool = False
    #: When `dst` is read, too.
    updates: Updates = Updates.NEVER
    #: Whether it adds a product to sums of products in PSUM, which `accumulate` is about.
    product: bool = False
    #: Whether adding the same operand in place commutes with other iterations ("leg.affine_range").
    commutes: bool = False
    #: Whether its result is a sum over the iterations of a loop.
    sums_loop: bool = False
    #: Whether it computes nothing: what it writes it has read, converted to another dtype at most.
    moves: bool = False
    #: Whether it puts its `value` in its place, as Python's assignment to elements: one that nothing else reads was
    #: computed there in the first place, and one that `sums_loop` joins what is there.
    assigns: bool = False
    #: Whether it keeps part of what its result holds, beside what `updates` says.
    keeps: bool = False
    #: Whether leaving it out changes more than what it writes: random state, other cores, registers, the host.
    side_effect: bool = False
    #: Whether it waits for other programs of a launch.
    barrier: bool = False
    #: Whether what it reads decides where others go, so that undefined elements count at once.
    decides: bool = False
    #: Whether counts known at run time decide what it writes: that it writes any element is not known.
    counted: bool = False
    #: The contract that an index which data give, and which is out of bounds, breaks; empty where data give none.
    out_of_bounds: str = ""
    #: Of operands of which only some rows are touched: rows of a group, and how many of them, the first ones.
    rows: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: The engine whose reduction registers it uses ("acc.scalar_regs", "acc.vector_regs"); empty for none.
    registers: str = ""
    #: Whether it may change these registers with `reduce_cmd.idle` ("acc.idle_clobbers").
    clobbers_when_idle: bool = False
    #: The legacy parameter that takes an index expression where the current API takes a pattern.
    index_expression: str = ""
    #: Keywords that published kernels give although they are not documented, and that change nothing it touches.
    tolerates: frozenset[str] = frozenset()
    #: Keywords that are not documented, that published kernels give, and that leave the result to `dst`: the contested
    #: contract that each breaks.
    redundant: Mapping[str, str] = field(default_factory=dict)
    #: The version of NKI that has brought it to the current API, where the documents name one ("api.version").
    since: str = ""
    #: Why it has no meaning: its values are not documented, or not to be had in one core.
    no_values: str = ""
    #: Why calls are refused, by the generation of the API, where it is documented there and has no model.
    refusals: dict[str, str] = field(default_factory=dict)
    #: What states its contracts, by the generation of the API, with the documented signature.
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    #: What it computes.
    computes: Meaning | None = None
    #: The bounds of the numbers that it writes; None: any that its results can hold.
    computes_bounds: Callable[[Bounds], None] | None = None

    def current(self, function: FunctionT) -> FunctionT:
        """`function` is the operation in the current API."""
        return self._bound("nki", function)

    def legacy(self, function: FunctionT) -> FunctionT:
        """`function` is the operation in the legacy API."""
        return self._bound("neuronxcc", function)

    def current_refused(self, reason: str) -> Callable[[FunctionT], FunctionT]:
        """The decorated function has the documented signature in the current API, which has no model."""
        return self._refused("nki", reason)

    def legacy_refused(self, reason: str) -> Callable[[FunctionT], FunctionT]:
        """The decorated function has the documented signature in the legacy API, which has no model."""
        return self._refused("neuronxcc", reason)

    def _refused(self, api: str, reason: str) -> Callable[[FunctionT], FunctionT]:
        self.refusals[api] = reason
        return lambda function: self._bound(api, function)

    def meaning(self, function: Meaning) -> Meaning:
        """`function` computes the operation on numbers, or on marks."""
        if self.computes is not None or self.no_values:
            raise InternalError(f"{self.name} has two meanings")
        self.computes = function
        return function

    def bounds(self, function: Callable[[Bounds], None]) -> Callable[[Bounds], None]:
        """`function` gives the bounds of the numbers that the operation writes."""
        if self.computes_bounds is not None:
            raise InternalError(f"{self.name} has bounds already")
        self.computes_bounds = function
        return function

    def _bound(self, api: str, function: FunctionT) -> FunctionT:
        if api in self.functions:
            raise InternalError(f"{self.name} is declared twice for {api}")
        # What Python says of a wrong call names the operation.
        function.__name__ = function.__qualname__ = self.short_name
        self.functions[api] = function
        return function

    def modules(self) -> Iterator[tuple[str, str, Callable[..., Any]]]:
        """Where it is documented: generation of the API, module, and what is called there."""
        prefix, _, _ = self.name.rpartition(".")
        for api, function in self.functions.items():
            yield api, MODULES[prefix][api], function

    @property
    def short_name(self) -> str:
        """The name without its module."""
        return self.name.rpartition(".")[2]


_declared: dict[str, Declaration] = {}


def operation(name: str, **known: Any) -> Declaration:
    """Declare an operation, once. `known` are the fields of `Declaration`."""
    if name in _declared:
        raise InternalError(f"{name} is declared twice")
    _declared[name] = found = Declaration(name, **known)
    return found


def host(name: str, **known: Any) -> Declaration:
    """Declare a function that touches no element."""
    return operation(name, host=True, **known)


def declaration(name: str) -> Declaration:
    """What is declared of an operation; `InternalError` where nothing is."""
    try:
        return _declared[name]
    except KeyError:
        raise InternalError(f"no operation is declared under the name {name}") from None


def declarations() -> list[Declaration]:
    """All that is declared, in the order of declaration."""
    return list(_declared.values())
