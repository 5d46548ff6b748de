"""The effects of an operation: what is read comes before what is written, and each says what is sure of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nkiverify.analysis.effects import Does, Effects
from nkiverify.analysis.reduction_registers import REGISTERS
from tests.model.stub_library import hbm, nisa, nl, old_nl, old_sbuf, psum, sbuf, uses
from tests.model.test_operation import MORE_USES, recorded

#: What is done to which operand; certain; part of a sum that commutes.
Listed = tuple[Does, str, bool, bool]


def effects_of(action: Callable[[], object]) -> list[Listed]:
    effects = Effects()
    operations = recorded(action)
    return [
        (effect.does, effect.argument, effect.certain, effect.commutes)
        for operation in operations
        for effect in effects.of(operation)
    ]


def product(accumulate: object) -> Callable[[], object]:
    return lambda: nisa.nc_matmul(psum(128, 128), sbuf(128, 128), sbuf(128, 128), accumulate=accumulate)


FACTORS: list[Listed] = [(Does.READ, "stationary", True, False), (Does.READ, "moving", True, False)]


@pytest.mark.parametrize(
    ("accumulate", "rest"),
    [
        (False, [(Does.WRITE, "dst", True, False)]),
        (None, [(Does.ACCUMULATE, "dst", True, False), (Does.WRITE, "dst", True, True)]),
        (True, [(Does.ACCUMULATE, "dst", True, False), (Does.WRITE, "dst", True, True)]),
    ],
)
def test_a_product_adds_to_what_is_there_unless_it_begins_anew(accumulate: object, rest: list[Listed]) -> None:
    assert effects_of(product(accumulate)) == [*FACTORS, *rest]


def reduction(command: str) -> Callable[[], object]:
    given = {"reduce_op": nl.add, "reduce_cmd": getattr(nisa.reduce_cmd, command)}
    return lambda: nisa.activation(sbuf(8, 4), nl.exp, sbuf(8, 4), reduce_res=sbuf(8, 1), **given)


@pytest.mark.parametrize(
    ("command", "registers"),
    [
        ("reset_reduce", [(Does.WRITE, REGISTERS, True, False)]),
        ("reset", [(Does.WRITE, REGISTERS, True, False)]),
        ("reduce", [(Does.READ, REGISTERS, True, False), (Does.WRITE, REGISTERS, True, False)]),
        ("idle", []),
    ],
)
def test_a_reduction_reads_and_writes_the_registers_of_its_engine(command: str, registers: list[Listed]) -> None:
    found = effects_of(reduction(command))
    assert [effect for effect in found if effect[1] == REGISTERS] == registers
    # What an idle reduction leaves in its result is not documented.
    assert (Does.WRITE, "reduce_res", command != "idle", False) in found


def test_a_barrier_reads_nothing() -> None:
    found = effects_of(lambda: nisa.core_barrier(hbm(8, 4), (0, 1)))
    assert [effect[:2] for effect in found] == [(Does.WAIT, "data")]


def test_adding_in_place_commutes_and_subtracting_does_not() -> None:
    def add() -> None:
        total = old_sbuf(8, 4)
        total += old_sbuf(8, 4)

    def subtract() -> None:
        total = old_sbuf(8, 4)
        total -= old_sbuf(8, 4)

    assert {commutes for does, argument, _, commutes in effects_of(add) if argument in ("x", "dst")} == {True}
    assert {commutes for _, _, _, commutes in effects_of(subtract)} == {False}


def test_what_loop_reduce_gives_joins_what_it_is_assigned_to() -> None:
    def summed() -> None:
        total = old_sbuf(8, 4)
        total[...] = old_nl.loop_reduce(old_sbuf(8, 4), op=old_nl.add, loop_indices=[0])

    def assigned() -> None:
        total = old_sbuf(8, 4)
        total[...] = old_nl.negative(old_sbuf(8, 4))

    assert effects_of(summed)[-2:] == [(Does.JOIN, "dst", True, False), (Does.WRITE, "dst", True, True)]
    assert effects_of(assigned)[-2:] == [(Does.READ, "value", True, False), (Does.WRITE, "dst", True, False)]


def test_every_operand_has_its_effect_and_all_is_read_before_anything_is_written() -> None:
    effects = Effects()
    seen: set[Does] = set()
    for hardware, kernel in (*uses(), *MORE_USES):
        for operation in recorded(kernel, hardware):
            found = effects.of(operation)
            assert [effect.writes for effect in found] == sorted(effect.writes for effect in found)
            operands = {effect.argument for effect in found} - {REGISTERS}
            assert operands == operation.reads.keys() | operation.writes.keys(), operation.name
            seen |= {effect.does for effect in found}
    assert seen >= {Does.WAIT, Does.READ, Does.ACCUMULATE, Does.WRITE}
