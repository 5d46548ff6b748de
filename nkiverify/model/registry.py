"""The registry of operations: everything known about one, declared once in `nkiverify.model.ops` and read by all.

    NC_TRANSPOSE = operation(
        "nisa.nc_transpose", dependence=Dependence(Link.TRANSPOSED), engine="any", behaviour=OVERWRITES.but(moves=True)
    )

    @NC_TRANSPOSE.current
    def _(dst, data, engine=engine.unknown, name=None): ...       the documented signature; states the contracts

    @NC_TRANSPOSE.legacy
    def _(data, *, mask=None, dtype=None, engine=legacy.engine.unknown, **kwargs): ...

    @NC_TRANSPOSE.meaning
    def _(step): ...                                              what it computes, on numbers

    @NC_TRANSPOSE.bounds
    def _(bounds): ...                                            the same on intervals of numbers

Both trees of stubs are generated from the signatures (`python -m lab.stubs`), and call what is registered here. There
is no default for what is not declared: `operation` asks for dependence, engine and behaviour, without a meaning the
simulator refuses an operation, without bounds its results may be any numbers, and one that is not declared cannot be
called.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError
from nkiverify.model import ops
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
    #: With a `dst_rmw_op`.
    MODIFYING = "modifying"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The effects of a call on memory and on what is around it. No field has a default: a new one is stated for
    `OVERWRITES`, and so for every operation."""

    #: When `dst` is read, too.
    updates: Updates
    #: Whether it adds a product to sums of products in PSUM, which `accumulate` is about.
    product: bool
    #: Whether adding the same operand in place commutes with other iterations ("leg.affine_range").
    commutes: bool
    #: Whether its result is a sum over the iterations of a loop.
    sums_loop: bool
    #: Whether it computes nothing: what it writes it has read, converted to another dtype at most.
    moves: bool
    #: Whether it puts its `value` in its place, as Python's assignment to elements: one that nothing else reads was
    #: computed there in the first place, and one that `sums_loop` joins what is there.
    assigns: bool
    #: Whether it keeps part of what its result holds, besides what `updates` says.
    keeps: bool
    #: What it fills its results with: a number, or the attribute that is the number; None where it computes them.
    fills: int | str | None
    #: Whether `data1` and `data2` may be exchanged where its `op` commutes.
    exchangeable: bool
    #: Whether leaving it out changes more than what it writes: random state, other cores, registers, the host.
    side_effect: bool
    #: Whether it waits for other programs of a launch.
    barrier: bool
    #: Whether what it reads decides where others go, so that undefined elements count at once.
    decides: bool
    #: The operand of indices that say what is read of another one, empty for none: undefined ones may be out of bounds.
    indices: str
    #: Whether counts known at run time decide what it writes: that it writes any element is not known.
    counted: bool
    #: The contract that an index which data give, and which is out of bounds, breaks; empty where data give none.
    out_of_bounds: str
    #: Of operands of which only some rows are touched: rows of a group, and how many of them, the first ones.
    rows: Mapping[str, tuple[int, int]]
    #: The engine whose reduction registers it uses ("acc.scalar_regs", "acc.vector_regs"); empty for none.
    registers: str
    #: Whether it may change these registers with `reduce_cmd.idle` ("acc.idle_clobbers").
    clobbers_when_idle: bool

    def but(self, **differs: Any) -> Behaviour:
        """The behaviour that differs from this one in the fields given."""
        return replace(self, **differs)


#: It overwrites its results as a whole, with what it computes from its operands, and does nothing else.
OVERWRITES = Behaviour(
    updates=Updates.NEVER,
    product=False,
    commutes=False,
    sums_loop=False,
    moves=False,
    assigns=False,
    keeps=False,
    fills=None,
    exchangeable=False,
    side_effect=False,
    barrier=False,
    decides=False,
    indices="",
    counted=False,
    out_of_bounds="",
    rows={},
    registers="",
    clobbers_when_idle=False,
)

#: The engine that an operation runs on: "any" where the compiler, or a parameter, chooses; "none" where no engine's
#: access pattern reaches its operands.
Engine = Literal["any", "dma", "gpsimd", "none", "scalar", "tensor"]


@dataclass(slots=True, eq=False, kw_only=True)
class Declaration:
    """The facts about one operation. `name` is the documented one: "nisa.nc_matmul".

    What is stated for every operation has no default. The other fields are about documents and calls; left out, each
    has the value that allows less, or claims less.
    """

    name: str
    #: The elements of its operands that an element of its results depends on; None, of one that every call of is
    #: refused: on everything, and nothing is defined.
    dependence: Dependence | None
    engine: Engine
    #: Whether it touches no element: allocation, views, what the host computes.
    host: bool
    behaviour: Behaviour
    #: The legacy parameter that takes an index expression where the current API takes a pattern. Left out: none does.
    index_expression: str = ""
    #: Keywords that published kernels give although they are not documented, and that change nothing it touches. Left
    #: out: Python refuses such a call.
    tolerates: frozenset[str] = frozenset()
    #: Keywords that are not documented, that published kernels give, and that leave the result to `dst`: the contested
    #: contract that each breaks. Left out: as for `tolerates`.
    redundant: Mapping[str, str] = field(default_factory=dict)
    #: The version of NKI that has brought it to the current API, where the documents name one ("api.version"). Left
    #: out: no document names one.
    since: str = ""
    #: Why it has no meaning: its values are not documented, or not to be had in one core. Left out: it needs one.
    no_values: str = ""
    #: Why calls are refused, by the generation of the API, where it is documented there and has no model.
    refusals: dict[str, str] = field(default_factory=dict)
    #: What states its contracts, by the generation of the API, with the documented signature.
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    #: What it is outside a kernel, of arrays of the host. Left out: what it is for tiles that hold them.
    of_arrays: Callable[..., Any] | None = None
    #: What it computes. Left out: the simulator refuses it.
    computes: Meaning | None = None
    #: The bounds of the numbers that it writes, where its meaning does not give them.
    computes_bounds: Callable[[Bounds], None] | None = None
    #: Whether its meaning gives them (`followed_meaning`).
    bounded: bool = False

    @property
    def has_bounds(self) -> bool:
        """True if something is known of the numbers that it writes; else they are any that its results can hold."""
        return self.bounded or self.computes_bounds is not None

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

    def check(self) -> None:
        """Raise `InternalError` where a fact is missing: which API documents the operation; of one that has a model,
        what its results depend on, and a meaning or why it has none."""
        modelled = self.functions.keys() - self.refusals.keys()
        if not self.functions and self.name != "setitem":
            raise InternalError(f"no API documents {self.name}")
        if modelled and not self.host and self.dependence is None:
            raise InternalError(f"{self.name} does not say what its results depend on")
        if modelled and not self.host and (self.computes is None) != bool(self.no_values):
            raise InternalError(f"{self.name} needs a meaning, or a reason why it has none")
        if self.functions and not modelled and self.dependence is not None:
            raise InternalError(f"{self.name} has no model that could depend on anything")

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
        if self.has_bounds:
            raise InternalError(f"{self.name} has bounds already")
        self.computes_bounds = function
        return function

    def bounded_by_meaning(self) -> None:
        """The meaning, computed on what is known of whole operands, gives the bounds of what the operation writes."""
        if self.has_bounds or self.computes is None:
            raise InternalError(f"{self.name} has bounds already, or no meaning")
        self.bounded = True

    def arrays(self, function: FunctionT) -> FunctionT:
        """`function` is the operation outside a kernel, of arrays of the host."""
        self.of_arrays = function
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


def operation(
    name: str,
    *,
    dependence: Dependence,
    engine: Engine,
    behaviour: Behaviour,
    index_expression: str = "",
    tolerates: frozenset[str] = frozenset(),
    redundant: Mapping[str, str] = MappingProxyType({}),
    since: str = "",
    no_values: str = "",
) -> Declaration:
    """Declare an operation on elements, once; the arguments are fields of `Declaration`."""
    return _declare(
        Declaration(
            name=name,
            dependence=dependence,
            engine=engine,
            host=False,
            behaviour=behaviour,
            index_expression=index_expression,
            tolerates=tolerates,
            redundant=redundant,
            since=since,
            no_values=no_values,
        )
    )


def host(name: str, *, tolerates: frozenset[str] = frozenset(), since: str = "") -> Declaration:
    """Declare a function that touches no element."""
    return _declare(
        Declaration(
            name=name,
            dependence=None,
            engine="none",
            host=True,
            behaviour=OVERWRITES,
            tolerates=tolerates,
            since=since,
        )
    )


def refused(name: str) -> Declaration:
    """Declare an operation that is documented and has no model: every call of it is to be refused."""
    return _declare(Declaration(name=name, dependence=None, engine="any", host=False, behaviour=OVERWRITES))


def _declare(found: Declaration) -> Declaration:
    if found.name in _declared and not ops.may_be_declared_again():
        raise InternalError(f"{found.name} is declared twice")
    _declared[found.name] = found
    return found


def declaration(name: str) -> Declaration:
    """The declaration of an operation, whose module is imported; `InternalError` where none is declared."""
    if name not in _declared:
        ops.load(name)
    try:
        return _declared[name]
    except KeyError:
        raise InternalError(f"no operation is declared under the name {name}") from None


def declarations() -> list[Declaration]:
    """All that is declared, in the order of the table, whatever was asked for first. Raises `InternalError` for a
    declaration that lacks a fact."""
    order = [name for name in ops.load_all() if name in _declared]
    found = [_declared[name] for name in dict.fromkeys([*order, *_declared])]
    for one in found:
        one.check()
    return found
