"""Derivatives of litmus kernels, as dual numbers carry them through their operations, beside differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nkiverify.analysis.values.asked_kernel import contents, declared_range, execute
from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.duals import Duals
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import Mode
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.hardware import hardware_named
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Tensor
from nkiverify.project.request import parameters_of, request
from tests.litmus import SHAPES
from tests.litmus.test_litmus import FOLDER, PAIRS
from tests.representatives import representatives

STEP = 1e-6
#: Operations that have no derivative, or no values over fields, among the litmus kernels.
REFUSED = (
    "the derivative of", "which has no derivative", "over prime fields", "the bits of", "that is not finite",
    "a comparison of numbers that rounding",
)  # fmt: skip


def floats_of(tensor: Tensor, name: str, seed: int) -> Array:
    random = np.random.default_rng((seed, *name.encode()))
    shape = tuple(map(int, tensor.shape))
    given = declared_range(tensor)
    if tensor.dtype.is_integer:
        low, high = given or (-100, 100)
        return random.integers(int(low), int(high) + 1, shape)
    return random.uniform(-1, 1, shape)


def outputs(file: str, name: str, numbers: Numbers, fill: Callable[[str, Tensor], Array]) -> list[Array]:
    reference = f"{file}.py::{name}"
    given = [f"{parameter}={SHAPES[parameter]}" for parameter in parameters_of(reference, FOLDER)]
    run = ComputedElements(numbers).execution(hardware_named("trn2"), stop_at_first=False)
    execution = execute(request(reference, FOLDER, given, [], None), run, {}, fill)
    return [contents(execution.elements, tensor)[0] for _, tensor in execution.outputs()]


def shifted(file: str, name: str, by: float) -> list[Array]:
    """The floats of what a kernel leaves where its arguments are moved along a direction."""
    numbers = Pieces(Fields(5, roundings=False, mode=Mode.EXPONENTIAL))

    def fill(parameter: str, tensor: Tensor) -> Array:
        values = floats_of(tensor, parameter, 0)
        if tensor.dtype.is_integer:
            return numbers.entered(values, tensor.dtype)
        return numbers.entered(values + by * floats_of(tensor, parameter, 1), tensor.dtype)

    return [numbers.floats(part)[0] for part in outputs(file, name, numbers, fill)]


def carried(file: str, name: str) -> list[tuple[Array, Array]]:
    """The floats of the value, and of the derivative along the same direction."""
    base = Pieces(Fields(5, roundings=False, mode=Mode.EXPONENTIAL))
    numbers = Duals(base, 1)

    def fill(parameter: str, tensor: Tensor) -> Array:
        values = base.entered(floats_of(tensor, parameter, 0), tensor.dtype)
        if tensor.dtype.is_integer:
            return numbers.dual(values)
        return numbers.dual(values, base.entered(floats_of(tensor, parameter, 1), tensor.dtype))

    parts = outputs(file, name, numbers, fill)
    return [(base.floats(numbers.value(part))[0], base.floats(numbers.derivatives(part)[0])[0]) for part in parts]


#: One of each pair: the other one does the same, or nearly.
KERNELS = sorted({(pair[0], f"{pair[1]}_a") for pair in PAIRS if pair[0] not in ("probes", "roundings")})


@pytest.mark.parametrize(
    ("file", "name"), representatives(KERNELS, kind=lambda one: one[0], name=lambda one: one[1], parts=2)
)
def test_derivatives_of_litmus_kernels(file: str, name: str) -> None:
    try:
        found = carried(file, name)
    except UnsupportedConstruct as limit:
        assert any(known in limit.construct for known in REFUSED), limit.construct
        pytest.skip(limit.construct)
    for (value, derivative), ahead in zip(found, shifted(file, name, STEP), strict=True):
        finite = np.isfinite(value) & np.isfinite(ahead)
        wanted = (ahead - value)[finite] / STEP
        # The difference of two great values has lost digits.
        lost = 4 * np.finfo(value.dtype).eps * abs(value[finite]).max(initial=0) / STEP
        np.testing.assert_allclose(
            derivative[finite], wanted, rtol=1e-4, atol=lost + 1e-4 * max(1.0, abs(wanted).max(initial=0))
        )
