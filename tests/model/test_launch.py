"""Kernels and their launches in runs of ordinary ints."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.memory import SHARED_HBM
from nkiverify.symbolic.execution import running
from tests.model.stub_library import hbm, nki, nl, old_nki, old_nl, value


def test_every_program_of_a_grid_runs_in_turn() -> None:
    seen: list[tuple[int, ...]] = []

    def kernel() -> None:
        seen.append((old_nl.program_id(0), old_nl.program_id(1), old_nl.num_programs(), old_nl.program_ndim()))

    value(lambda: old_nki.jit(kernel)[2, old_nl.nc(2)]())
    assert seen == [(0, 0, 4, 2), (0, 1, 4, 2), (1, 0, 4, 2), (1, 1, 4, 2)]


def test_cores_and_programs_multiply() -> None:
    seen: list[int] = []
    kernel = old_nki.jit(lambda: seen.append(old_nl.program_id(0)))
    value(lambda: kernel[old_nl.spmd_dim(3, old_nl.nc(2))]())
    assert seen == [0, 1, 2, 3, 4, 5]


def test_without_a_grid_there_is_one_program() -> None:
    kernel = nki.jit(lambda: seen.append((nl.program_id(), nl.num_programs(), nl.program_ndim())))
    seen: list[tuple[int, ...]] = []
    value(kernel)
    assert seen == [(0, 1, 0)]


def test_a_legacy_kernel_sees_legacy_tensors() -> None:
    def kernel(x: Any, pair: Any) -> Any:
        assert isinstance(x, LegacyTensor)
        assert isinstance(pair[1], LegacyTensor)
        out = old_nl.ndarray(x.shape, x.dtype, buffer=SHARED_HBM)
        old_nl.store(out, old_nl.load(x) + old_nl.load(pair[1]))
        return out

    result = value(lambda: old_nki.jit(kernel)(hbm(4, 6), (1, hbm(4, 6))))
    assert result.shape == (4, 6)


class Pair(NamedTuple):
    left: Any
    right: Any


class Named(namedtuple("Named", "x")):  # with attributes, as it has no __slots__
    scale: float


@pytest.mark.parametrize("jit", [nki.jit, old_nki.jit])
def test_a_kernel_sees_named_tuples_as_they_are(jit: Any) -> None:
    def kernel(pair: Any, named: Any) -> Any:
        assert (type(pair), type(named), named.scale) == (Pair, Named, 2.0)
        return pair.left.shape, named.x.shape, pair.right

    named = Named(hbm(2, 3))
    named.scale = 2.0
    assert value(lambda: jit(kernel)(Pair(hbm(4, 6), 1), named)) == ((4, 6), (2, 3), 1)


def test_a_kernel_keeps_name_and_documentation() -> None:
    def add(a: Any, b: Any) -> None:
        """Add."""

    kernel = nki.jit(add)
    assert (kernel.__name__, kernel.__doc__, kernel.__wrapped__) == ("add", "Add.", add)


def test_loops_are_the_runs_loops() -> None:
    assert list(value(lambda: nl.affine_range(3))) == [0, 1, 2]
    assert list(value(lambda: nl.sequential_range(1, 6, 2))) == [1, 3, 5]
    assert list(value(lambda: old_nl.affine_range(2, precise_schedule=True))) == [0, 1]
    assert list(value(lambda: old_nl.static_range(1, 3))) == [1, 2]
    with pytest.raises(UnsupportedConstruct, match="multi_buffer"):
        value(lambda: old_nl.affine_range(2, multi_buffer=2))


def test_stubs_called_outside_a_run_say_so() -> None:
    with pytest.raises(UsageError, match="only while nkiverify runs a kernel"):
        nl.ndarray((2, 2), float32)


def test_names_of_the_other_generation_are_explained() -> None:
    with pytest.raises(AttributeError, match=r"part of neuronxcc\.nki"):
        _ = nl.arange
    assert not hasattr(nl, "mgrid")


@pytest.mark.parametrize(("target", "told"), [("trn2", []), ("trn3", ["leg.generation"])])
def test_the_documentation_of_the_legacy_api_ends_before_gen4(target: str, told: list[str]) -> None:
    kernel = old_nki.jit(lambda: None)
    run = ConcreteExecution(hardware_named(target), stop_at_first=False)
    with running(run):
        kernel()
    assert [one.contract.id for one in run.tolerated] == told
    assert run.broken == []
