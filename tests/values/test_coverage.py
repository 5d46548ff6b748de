"""Every modelled function has values, or is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements, ValueAllocation
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.model.hardware import hardware_named
from nkiverify.model.meaning import Numbers
from nkiverify.model.registry import declaration
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.execution import running
from tests.model.stub_library import uses
from tests.model.test_operation import MORE_USES

#: Operations that no document gives values, and exchanges between cores and devices.
REFUSED = {
    "ncc", "nisa.core_barrier",
    "nisa.dropout", "nisa.rand2", "nisa.rand_get_state", "nisa.rand_set_state", "nisa.rng", "nisa.sendrecv",
    "nisa.set_rng_seed", "nisa.topk", "nl.dropout", "nl.rand", "nl.random_seed",
}  # fmt: skip
#: Refused over prime fields as well: they order numbers or look at their bits.
ORDERED = {"max8", "nc_find_index8", "nc_match_replace8", "nc_matmul_mx", "nonzero_with_count", "quantize_mx"}
#: What legal uses of a contract break where operands have values: they leave the scope, or look at the bits of numbers.
BROKEN = {"ap.in_bounds", "loop.escape"}

USES: list[tuple[str, Callable[[], object]]] = [
    *uses(but=BROKEN),
    *MORE_USES,
]


class FilledElements(ComputedElements):
    """Elements of tensors that are filled: with ones, or zeros where they are integers."""

    def __init__(self, numbers: Numbers) -> None:
        super().__init__(numbers)
        self.names: list[str] = []
        self.watch = lambda operation, site: self.names.append(operation.name)

    def cells(self, tensor: Tensor) -> Cells:
        identity = tensor.storage.identity
        known = identity.cells if isinstance(identity, ValueAllocation) else self.arguments.get(identity)
        if known is not None:
            return known
        made = tensor.storage
        cells = Cells(self.numbers, int(made.size), made.dtype, written=True)
        if made.dtype.is_packed:
            cells.buffer[...] = 0
        else:
            filling = np.full(int(made.size), 0 if made.dtype.is_integer else 1.0)
            entered = self.numbers.entered(filling, made.dtype)
            self.numbers.flat(cells.buffer, made.dtype, made.dtype)[...] = entered
        if isinstance(identity, ValueAllocation):
            identity.cells = cells
        else:
            self.arguments[identity] = cells
        return cells


def refusals(numbers: Callable[[], Numbers]) -> dict[str, str]:
    """The last operation of every use that is refused, with what is said."""
    found: dict[str, str] = {}
    for hardware, action in USES:
        elements = FilledElements(numbers())
        try:
            with running(elements.execution(hardware_named(hardware))):
                action()
        except UnsupportedConstruct as limit:
            found[elements.names[-1] if elements.names else "?"] = limit.construct
        except ContractViolation as violation:
            assert violation.contract.endswith(".unsupported"), violation
    return found


def without_documented_conditions(found: dict[str, str]) -> dict[str, str]:
    """Refusals of operations as such."""
    # The uses of a contract are no kernels, whose variables a device loop would put back.
    conditions = ("reduce_cmd.idle", "name a row twice", "a device loop outside of a kernel")
    return {name: text for name, text in found.items() if not any(each in text for each in conditions)}


@pytest.mark.parametrize("numbers", [Floats, lambda: Fields(0), Degrees], ids=["floats", "fields", "degrees"])
def test_every_use_has_values_or_is_refused_by_name(numbers: Any) -> None:
    found = without_documented_conditions(refusals(numbers))
    known = REFUSED if numbers is Floats else REFUSED | {f"nisa.{name}" for name in ORDERED}
    assert {name for name in found if name not in known and name.partition(".")[0] not in known} == set()
    for name, text in found.items():
        assert name.partition(".")[2] in text, (name, text)


def test_refused_operations_say_why() -> None:
    for name in REFUSED:
        if "." in name:
            declared = declaration(name)
            assert declared.no_values or declared.computes, name
