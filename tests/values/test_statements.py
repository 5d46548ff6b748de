"""Every operation computes what its reference in plain NumPy does, in every float dtype it takes, up to roundings.

`python -m tests.values.test_statements` writes the greatest errors to docs/simulate.md.
"""

from __future__ import annotations

import inspect
import os
import warnings
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lab.operation_calls import CALLS, Call, Slot
from nkiverify.analysis.values.number_formats import STORED, Array, stored, unit_roundoff
from nkiverify.foundation.errors import ContractViolation
from nkiverify.foundation.resources import root
from nkiverify.model.dtypes import DTYPES, DType, bool_, float32, tfloat32
from nkiverify.model.registry import declarations
from nkiverify.products.simulate.simulator import UndefinedResultWarning
from tests.model.stub_library import nisa, nki, nl, old_nisa, old_nki, old_nl
from tests.values import statements
from tests.values.test_other_statements import STATED

FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2")
#: Dtypes that the table does not show; packed ones and scales are those of the microscaled operations alone.
OTHERS = ("tfloat32", "float8_e4m3fn", "bool_", "int8", "int16", "int32", "uint8", "uint16", "uint32")
#: Operations that have no values of their own to state, and why.
NOTHING_TO_STATE = {
    "nl.device_print": "prints",
    "nisa.core_barrier": "waits",
    "nisa.topk": "refused: its documentation contradicts itself on the layout",
}
USES = [call for call in CALLS if call.name not in STATED and call.name not in NOTHING_TO_STATE]
#: Roundings that are allowed: of a narrow dtype, and of float32, in which the engines compute.
COARSE, SINGLE = 2, 32
BEGIN, END = "<!-- errors: written by `python -m tests.values.test_statements` -->", "<!-- end of errors -->"


def named(call: Call) -> str:
    """The operation and its number among the calls."""
    return f"{'legacy ' if call.legacy else ''}{call.name}-{USES.index(call)}"


def varied(call: Call, dtype: str) -> Call:
    """The call with another dtype of its tiles; columns are scalar operands, and sums in PSUM are float32."""

    def other(slot: Slot) -> Slot:
        result = slot.name.startswith("r")
        whole = slot.columns > 1 and slot.memory != "psum" and not (result and "nl.float32" in call.text)
        return replace(slot, dtype=dtype) if slot.dtype == "float32" and whole else slot

    return replace(call, operands=tuple(map(other, call.operands)), results=tuple(map(other, call.results)))


def given(call: Call) -> dict[str, Any]:
    """Random operands: floats from 0.25 to 1.5, integers from 0 to 7."""
    random = np.random.default_rng(zlib.crc32(call.text.encode()))
    found: dict[str, Any] = {}
    for slot in call.operands:
        kind = DTYPES[slot.dtype]
        values = random.uniform(0.25, 1.5, slot.shape) if kind.is_float else random.integers(0, 8, slot.shape)
        values = values % 2 if slot.name == "p" or kind is bool_ else values
        found[slot.name] = stored(values.astype(np.float32), kind)
    if call.name.endswith("8") and "b" in found:
        found["b"] = found["a"][:, 1:9].copy()  # what is looked for is there
    if call.name == "nisa.sequence_bounds":
        found["a"].sort(axis=1)
    return found


def simulated(call: Call, operands: dict[str, Any]) -> list[Any]:
    """What the simulator gives for the results of a call."""
    lines = [f"def kernel({', '.join(operands)}):"]
    for slot in call.operands:
        if slot.memory != "hbm":
            lines.append(f"    {slot.name} = nl.load({slot.name})")
        if slot.dtype in ("bool_", "tfloat32"):  # arguments are uint8 or float32
            lines.append(f"    {slot.name} = nl.copy({slot.name}, dtype=nl.{slot.dtype})")
    for slot in call.results:
        if not call.legacy or slot.memory == "hbm":
            lines.append(
                f"    {slot.name} = nl.ndarray({slot.shape}, dtype=nl.{slot.dtype}, buffer=nl.{_buffer(slot)})"
            )
    lines += [f"    {part.strip()}" for part in _text(call).split("; ")]
    for slot in call.results:
        if slot.memory != "hbm":
            value = f"nl.copy({slot.name})" if slot.memory == "psum" else slot.name
            lines.append(f"    out = nl.ndarray({slot.name}.shape, dtype={slot.name}.dtype, buffer=nl.shared_hbm)")
            lines += [f"    nl.store(out, {value})", f"    {slot.name} = out"]
    lines.append(f"    return ({', '.join(slot.name for slot in call.results)},)")
    space: dict[str, Any] = {"np": np, "nisa": old_nisa if call.legacy else nisa, "nl": old_nl if call.legacy else nl}
    exec("\n".join(lines), space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedResultWarning)
        run = old_nki.simulate_kernel if call.legacy else nki.simulate_kernel
        return list(run((old_nki if call.legacy else nki).jit(space["kernel"]), *operands.values()))


def _buffer(slot: Slot) -> str:
    return "shared_hbm" if slot.memory == "hbm" else slot.memory


def _text(call: Call) -> str:
    names = {slot.name: slot.name for slot in (*call.operands, *call.results)}
    return call.text.format(**names, m="")


def expected(call: Call, operands: dict[str, Any]) -> list[Any]:
    """What the references give for the results of a call."""
    statements.KEPT.clear()
    statements.KEPT.update(vector=None, scalar=0.0)
    space = statements.modules(call.legacy)
    for name, array in operands.items():
        space[name] = array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)
    for slot in call.results:
        space[slot.name] = np.full(slot.shape, np.nan)
    with np.errstate(all="ignore"):
        exec(_text(call), space)
    return [np.asarray(space[slot.name], dtype=np.float64) for slot in call.results]


def takes(call: Call, dtype: str) -> bool:
    """False for a dtype that the API has not got, or that no argument of the host has."""
    given_as_it_is = any(slot.memory == "hbm" and slot.dtype == "float32" for slot in call.operands)
    return not (call.legacy and dtype == "float8_e4m3fn") and not (given_as_it_is and dtype in ("bool_", "tfloat32"))


def roundings(call: Call, dtype: str) -> float | None:
    """The greatest difference from the reference, in roundings of the result's dtype relative to its greatest
    magnitude; None where the operation does not take the dtype. Integers are the nearest ones."""
    call = varied(call, dtype)
    operands = given(call)
    try:
        found = simulated(call, operands)
    except ContractViolation:
        assert dtype != "float32", call
        return None
    worst = 0.0
    for slot, got, wanted in zip(call.results, found, expected(call, operands), strict=True):
        kind = DTYPES["bool_" if got.dtype == np.bool_ else str(got.dtype)]
        if kind is float32 and dtype == "tfloat32" and (slot.dtype == dtype or call.legacy):
            # NumPy has no such dtype; legacy operations choose that of their results.
            kind = tfloat32 if np.array_equal(stored(got, tfloat32), got, equal_nan=True) else kind
        values, reference = got.astype(np.float64).ravel(), wanted.ravel()
        # Undefined elements are NaN in floats, and no number of its own in integers.
        held = ~np.isnan(values if kind.is_float else reference)
        assert held.any()
        assert not np.isnan(reference[held]).any()
        if not kind.is_float:
            rounding_to_integers(values[held], reference[held], kind)
            continue
        rounded = stored(reference[held].astype(np.float32), kind).astype(np.float64)
        finite = np.isfinite(rounded)
        assert np.array_equal(values[held][~finite], rounded[~finite])
        apart = float(np.abs(values[held][finite] - rounded[finite]).max(initial=0.0))
        scale = max(float(np.abs(rounded[finite]).max(initial=0.0)), 1e-30)
        worst = max(worst, apart / (scale * unit_roundoff(kind)))
    return worst


def rounding_to_integers(values: Array, reference: Array, kind: DType) -> None:
    """Assert that integers are the nearest ones to a reference, or the ends of their dtype; booleans what is not 0."""
    if kind is bool_:
        assert np.array_equal(values != 0, reference != 0)
        return
    limits = np.iinfo(STORED[kind])
    wanted = np.clip(reference, limits.min, limits.max)
    assert np.array_equal(values, np.rint(values))
    # What is within a rounding of float32 of the middle between two may be either.
    assert (np.abs(values - wanted) <= 0.5 + 2.0**-20 * np.maximum(np.abs(wanted), 1)).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", USES, ids=named)
def test_operations_compute_what_their_references_do(call: Call, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", call.hardware)
    found = roundings(call, dtype)
    if found is None:
        pytest.skip(f"does not take {dtype}")
    # In sums of float32 the order counts, which is not the same on every machine.
    single = "nl.float32" in call.text or any(slot.dtype == "float32" for slot in varied(call, dtype).results)
    assert found <= (SINGLE if dtype == "float32" or single else COARSE)


@pytest.mark.parametrize("call", USES, ids=named)
def test_operations_on_other_dtypes(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEURON_PLATFORM_TARGET_OVERRIDE", call.hardware)
    for dtype in OTHERS:
        found = roundings(call, dtype) if takes(call, dtype) else None
        assert found is None or found <= SINGLE, dtype


def test_all_dtypes_are_tried() -> None:
    assert set(FLOATS) | set(OTHERS) == {str(name) for name, kind in DTYPES.items() if kind.is_float or kind.is_integer}


def test_every_operation_has_a_statement_or_a_reason() -> None:
    stated = {call.name for call in USES} | STATED
    assert not stated & NOTHING_TO_STATE.keys()
    for declared in declarations():
        # What touches no element, what is not to be had in one process, and what no call has values of.
        without = declared.host or declared.no_values or declared.dependence is None
        assert without or declared.name in stated or declared.name in NOTHING_TO_STATE, declared.name


def test_a_statement_has_at_most_ten_lines() -> None:
    functions = [one for one in vars(statements).values() if inspect.isfunction(one)]
    assert len(functions) > 30
    assert {one.__name__ for one in functions if len(inspect.getsource(one).splitlines()) > 11} == set()


def test_the_page_shows_every_operation() -> None:
    page = (root() / "docs" / "simulate.md").read_text(encoding="utf-8")
    shown = page.partition(BEGIN)[2].partition(END)[0]
    names = {call.name for call in USES} | STATED
    assert {name for name in names if f"`{name}`" not in shown} == set()


def table() -> str:
    """The greatest differences, operations with the same ones in one line."""
    found: dict[str, list[float | None]] = {}
    for call in USES:
        os.environ["NEURON_PLATFORM_TARGET_OVERRIDE"] = call.hardware
        row = found.setdefault(call.name, [None] * len(FLOATS))
        for column, dtype in enumerate(FLOATS):
            worst = roundings(call, dtype)
            row[column] = max((each for each in (row[column], worst) if each is not None), default=None)
    lines: dict[str, list[str]] = {}
    for name, row in sorted(found.items()):
        shown = " | ".join("" if each is None else "0" if each == 0 else f"{each:.1f}" for each in row)
        lines.setdefault(shown, []).append(f"`{name}`")
    head = [f"| operations | {' | '.join(FLOATS)} |", f"| --- |{' --- |' * len(FLOATS)}"]
    rows = [f"| {', '.join(names)} | {shown} |" for shown, names in lines.items()]
    others = (
        "Stated in `tests/values/test_other_statements.py`: " + ", ".join(f"`{name}`" for name in sorted(STATED)) + "."
    )
    return "\n".join([*head, *rows, "", others])


if __name__ == "__main__":
    file = root() / "docs" / "simulate.md"
    before, _, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    file.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
