"""Every operation states which elements of its operands its results depend on; what states nothing defines nothing."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.model.registry import declaration, declarations
from tests.dataflow.subject import Subject
from tests.model.stub_library import nisa, nki, nl, old_nisa, old_nl

MODULES = (
    ("nki", "nisa", nisa),
    ("nki", "nl", nl),
    ("nki", "ncc", nki.collectives),
    ("neuronxcc", "nisa", old_nisa),
    ("neuronxcc", "nl", old_nl),
)


def recorded_functions() -> set[str]:
    """The names of all stub functions whose calls are recorded."""
    found = set()
    for api, prefix, module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and value.__module__.startswith(module.__name__):
                declared = declaration(f"{prefix}.{name}")
                if api not in declared.refusals and not declared.host:
                    found.add(declared.name)
    return found


def test_every_recorded_function_states_its_dependence() -> None:
    stated = {each.name for each in declarations() if each.dependence is not None}
    assert recorded_functions() == stated - {"setitem"}


COPIES = """
@nki.jit
def kernel(x):
    out = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.sbuf)
    full = nl.load(x)
    nisa.reciprocal(tile, full)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.mark.parametrize("concrete", [True, False])
def test_an_operation_that_states_nothing_defines_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concrete: bool
) -> None:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (32 if concrete else v.dim("R", 32, 32), 8), float32))

    subject = Subject.of(tmp_path, COPIES, domain)
    assert subject.verdict().verdict is Verdict.SUCCESSFUL
    monkeypatch.setattr(declaration("nisa.reciprocal"), "dependence", None)
    assert subject.proof().open
    assert subject.verdict().verdict is Verdict.UNKNOWN
