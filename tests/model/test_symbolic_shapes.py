"""What the model claims of symbolic shapes says, shape by shape, what it says of ordinary ints.

A concolic run has symbolic dimensions and a choice of their values: claims are built symbolically, branches taken as
the values say. The first claim that is false for the values must be the contract a run of ordinary ints breaks first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

import pytest

from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Assumed
from nkiverify.model.current_execution import SHAPE_PHASES, Elements
from nkiverify.model.dtypes import float32, int8, int32, uint16
from nkiverify.model.hardware import TRN2
from nkiverify.model.memory import SBUF
from nkiverify.model.policy import STRICT, Policy, applied
from nkiverify.model.state import ModelState
from nkiverify.symbolic import Extent, as_term, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.enumeration import counterexample
from nkiverify.symbolic.execution import running
from tests.model.stub_library import hbm, nisa, nl, old_hbm, old_nl, old_psum, old_sbuf, psum, sbuf
from tests.model.test_indexed_operations import indices


class ConcolicExecution:
    """A symbolic run along the path that one choice of values takes."""

    symbolic = True
    states_claims = True
    isolated = True
    hardware = TRN2
    phases = SHAPE_PHASES
    records = False
    only_traced = False
    no_spills = False
    elements = Elements()
    rests_on: frozenset[Assumed] = frozenset()
    about = None

    def __init__(self, values: Mapping[str, int]) -> None:
        self.dimensions = {name: terms.dimension(name) for name in values}
        self._values = {
            next(iter(term.monomials))[0]: terms.constant(values[name]) for name, term in self.dimensions.items()
        }
        self._count = 0
        self.model = ModelState()

    def is_of_another_iteration(self, identity: object) -> bool:
        """No loop hands anything on here."""
        return False

    def computed_by_library(self, value: object) -> None:
        """Nothing is claimed of integers here."""

    def _holds(self, condition: object) -> bool:
        if not isinstance(condition, Condition):
            return bool(condition)
        return counterexample(condition.substitute(self._values)) is None

    def placement(self, given: object) -> object:
        return given

    def entails(self, condition: object) -> bool:
        """Not seen at once."""
        return condition is True

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Raise at the first claim that is false for the values."""
        if not self._holds(condition):
            raise ContractViolation(rule.id, rule.statement)

    def suffices(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Nothing to raise."""

    def leaves_open(self, rule: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """Nothing to raise."""

    def assume(self, condition: object) -> None:
        """Nothing to remember."""

    def unsupported(self, construct: str, advice: str = "") -> BaseException:
        """The exception to raise."""
        return UnsupportedConstruct(construct, advice)

    def fresh_index(self, name: str, extent: Extent) -> Extent:
        """A representative."""
        size = as_term(extent)
        assert size is not None
        self._count += 1
        return terms.index(name, size, ("concolic", self._count), representative=True)  # type: ignore[return-value]

    def loop_range(self, start: Extent, stop: Extent, step: Extent) -> object:
        """No scenario loops."""
        raise NotImplementedError

    def operation(self, operation: object) -> None:
        """Not looked at."""

    def allocation(self, storage: object) -> None:
        """Not looked at."""

    def device_loop(self, body: object, *, begins: bool) -> None:
        """Nothing is recorded."""

    def round_index(self, number: object) -> None:
        """No iteration stands for others."""

    def run_time_number(self) -> None:
        """No number is a term."""

    def allocation_id(self) -> object:
        """The ordinal of the allocation."""
        self._count += 1
        return self._count

    def is_one_allocation(self, identity: object) -> bool:
        """No scenario loops."""
        return True

    def host_extents(self, extents: Sequence[Extent]) -> None:
        """Not looked at."""

    def decide(self, condition: Condition) -> bool:
        """The branch the values take."""
        return self._holds(condition)

    def holds(self, condition: Condition) -> bool:
        """Nothing is known for sure: the model must be right without."""
        return False

    def forced_value(self, term: Term) -> int | None:
        """No term is forced."""
        return term.constant

    def host_integer(self, value: Term, frame: FrameType) -> None:
        """Not looked at."""

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        """Not looked at."""


def first_broken(scenario: Callable[..., object], run: Any, arguments: Sequence[Any]) -> str:
    """The contract that is broken first, "" for none."""
    with running(run):
        try:
            scenario(*arguments)
        except ContractViolation as violation:
            return violation.contract
    return ""


def mask_load(a: Any, b: Any, c: Any) -> None:
    """A masked load whose index has an offset on top of what the mask filters."""
    i_p, i_f = old_nl.mgrid[0:4, 0:2]
    old_nl.load(old_hbm(b + 2, 2)[a + i_p + c, i_f], mask=a + i_p < b)


def grid_load(extent: Any, rows: Any) -> None:
    """A load of rows without a mask."""
    old_nl.load(old_hbm(extent, 2)[rows, old_nl.arange(2)[None, :]])


def diagonal(a: Any, b: Any, c: Any) -> None:
    """Index and mask from separate index tensors of one axis, with a symbolic coefficient."""
    rows, columns = a * old_nl.arange(3)[:, None], old_nl.arange(2)[None, :]
    old_nl.load(old_hbm(b + 1, 2)[rows + c, columns], mask=old_nl.arange(3)[:, None] <= c)


def edges(a: Any, b: Any, c: Any) -> None:
    """An axis of two whose coefficient may have either sign."""
    i_p, i_e = old_nl.mgrid[0:2, 0:2]
    old_nl.exp(old_sbuf(2, a + 3)[i_p, b + (c - 1) * i_e])


def accumulate(a: Any, b: Any, c: Any) -> None:
    """PSUM accumulation of products."""
    total = old_psum(a + 1, b + 1)
    total += old_nl.matmul(old_sbuf(c + 1, a + 1), old_sbuf(2, b + 1), transpose_x=True)


SCENARIOS: dict[str, Callable[..., object]] = {
    "slice": lambda a, b, c: hbm(a + 1)[b:c],
    "slice from the end": lambda a, b, c: hbm(a + 1)[-b:c],
    "slice to the end": lambda a, b, c: hbm(a + 1)[b:-c],
    "slice by tiles": lambda a, b, c: hbm(4 * a + 1)[b * 2 : (b + 1) * 2],
    "stepped slice": lambda a, b, c: nl.store(hbm(c + 1), nl.load(hbm(a + 1)[b::2])),
    "ds": lambda a, b, c: hbm(a + 1)[nl.ds(b, c)],
    "integer": lambda a, b, c: hbm(a + 1, b + 1)[b, c],
    "negative integer": lambda a, b, c: sbuf(4, a + 1)[:, b - c],
    "reshape": lambda a, b, c: hbm(a + 1, b + 1).reshape((c + 1, 2)),
    "reshape_dim": lambda a, b, c: sbuf(2, a + 1).reshape_dim(1, (b + 1, c + 1)),
    "reshape_dim by -1": lambda a, b, c: sbuf(2, a + 1).reshape_dim(1, (b + 1, -1)),
    "flatten_dims": lambda a, b, c: hbm(a + 1, b + 1, c + 1)[:, 0:1].flatten_dims(0, 1),
    "select": lambda a, b, c: hbm(a + 1, 2).select(0, b - c),
    "slice()": lambda a, b, c: hbm(a + 1).slice(0, b, c),
    "broadcast": lambda a, b, c: sbuf(2, a + 1).broadcast(1, b),
    "view": lambda a, b, c: sbuf(2, a + 1, dtype=int8)[:, b:].view(int32),
    "ap in SBUF": lambda a, b, c: sbuf(4, 3 * (a + 1)).ap([[3 * (a + 1), 4], [b, 3], [1, c]]),
    "ap at an offset": lambda a, b, c: sbuf(4, a + 1).ap([[a + 1, 2], [1, c]], offset=b),
    "ap in HBM": lambda a, b, c: nisa.dma_copy(sbuf(c + 1, 2), hbm(a + 2, 3).ap([[3, c + 1], [b - 1, 2]], offset=a)),
    "ap of a view": lambda a, b, c: sbuf(4, a + 3)[:, b:].ap([[a + 3, 4], [1, c + 1]]),
    "ndarray": lambda a, b, c: nl.ndarray((64 * a, b), float32, SBUF),
    "dma_copy": lambda a, b, c: nisa.dma_copy(sbuf(a + 1, b + 1), hbm(c + 1, 2)),
    "tensor_copy": lambda a, b, c: nisa.tensor_copy(sbuf(2, a + 1), sbuf(2, b + 1, c + 1)),
    "nc_matmul": lambda a, b, c: nisa.nc_matmul(psum(a + 1, 2), sbuf(32 * (b + 1), 2), sbuf(64, c + 1)),
    "nc_matmul limits": lambda a, b, c: nisa.nc_matmul(
        psum(128, 200 * (b + 1)), sbuf(4, 64 * (a + 1)), sbuf(4, 200 * (c + 1))
    ),
    "nc_transpose": lambda a, b, c: nisa.nc_transpose(psum(a + 1, b + 1), sbuf(2, c + 1)),
    "tensor_tensor": lambda a, b, c: nisa.tensor_tensor(sbuf(2, a + 1), sbuf(2, b + 1), sbuf(2, c + 1), nl.add),
    "tensor_scalar": lambda a, b, c: nisa.tensor_scalar(sbuf(2, 2), sbuf(2, 2), nl.add, sbuf(a + 1, b + 1)),
    "tensor_reduce": lambda a, b, c: nisa.tensor_reduce(sbuf(2, c + 1), nl.add, sbuf(2, a + 1, b + 1), axis=2),
    "nl.add": lambda a, b, c: nl.add(sbuf(2, a + 1), sbuf(b + 1, c + 1)),
    "nl.matmul": lambda a, b, c: nl.matmul(sbuf(a + 1, 64 * (b + 1)), sbuf(2, 256 * (c + 1)), True),
    "legacy add": lambda a, b, c: old_nl.add(old_sbuf(2, a + 1), old_sbuf(b + 1, c + 1)),
    "legacy +": lambda a, b, c: old_sbuf(2, a + 1) + old_sbuf(b + 1, c + 1),
    "legacy assignment": lambda a, b, c: old_sbuf(2, a + 1).__setitem__((..., slice(b, None)), old_sbuf(2, c + 1)),
    "legacy store": lambda a, b, c: old_nl.store(old_hbm(a + 1, b + 1), old_sbuf(2, c + 1)),
    "legacy grid": lambda a, b, c: grid_load(a + 1, b + 2 * old_nl.arange(c)[:, None]),
    "legacy reversed": lambda a, b, c: grid_load(a + 1, b - old_nl.arange(c)[:, None]),
    "gathered rows": lambda a, b, c: nisa.dma_copy(
        sbuf(2, b + 1), hbm(a + 1, b + 1).ap([[b + 1, 2], [1, b + 1]], vector_offset=indices(2, 1, high=c))
    ),
    "selected row": lambda a, b, c: nl.load(hbm(a + 1, b + 1, 2).select(0, indices(1, 1, high=c))),
    "device loop": lambda a, b, c: nl.fori_loop(
        a, b, lambda i: nisa.dma_copy(sbuf(1, 2), hbm(c + 1, 2).ap([[2, 1], [1, 2]], scalar_offset=i)), 2
    ),
    "dynamic column": lambda a, b, c: nisa.memset(
        sbuf(2, a + 1).ap([[a + 1, 2], [1, b + 1]], scalar_offset=nisa.register_alloc(c), indirect_dim=1), 0
    ),
    "rearrange": lambda a, b, c: hbm(a + 1, b + 1).rearrange((("p", "q"), "r"), ("q", ("p", "r")), {"q": c + 1}),
    "iota": lambda a, b, c: nisa.iota(sbuf(2, a + 1), [[c, b + 1], [1, 2]], c),
    "dma_transpose": lambda a, b, c: nisa.dma_transpose(sbuf(a + 1, b + 1), hbm(2, c + 1)),
    "max8": lambda a, b, c: nisa.max8(sbuf(a + 1, 8), sbuf(2, b + 1, 4 * c + 1)),
    "local_gather": lambda a, b, c: nisa.local_gather(
        sbuf(16, 16 * (a + 1)), sbuf(16 * (b + 1), 4), sbuf(16, c + 1, dtype=uint16)
    ),
    "mask": mask_load,
    "diagonal": diagonal,
    "edges": edges,
    "accumulate": accumulate,
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_claims_agree_with_ordinary_ints(name: str) -> None:
    scenario = SCENARIOS[name]
    outcomes = set()
    for values in itertools.product(range(4), repeat=3):
        concolic = ConcolicExecution(dict(zip("abc", values, strict=True)))
        claimed = first_broken(scenario, concolic, list(concolic.dimensions.values()))
        with applied(Policy((STRICT,))):
            run = first_broken(scenario, ConcreteExecution(TRN2), values)
        assert claimed == run, f"{name} with a, b, c = {values}"
        outcomes.add(run)
    assert "" in outcomes, "no values are legal: the scenario shows nothing"
    assert len(outcomes) > 1, "no values are illegal: the scenario shows nothing"
