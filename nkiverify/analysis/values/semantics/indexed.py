"""Operations that choose elements: selects, patterns, gathers (reference sections c.1 and c.3)."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step

#: The least finite float32, with which range_select fills ("range_select.false").
_LEAST = -3.4028234663852886e38
_GROUP = 16
_COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


@meaning("nisa.register_alloc")
def register_alloc(step: Step) -> None:
    """A new register takes a constant, if one is given."""
    number = step.register_or_number("x")
    if number is not None:
        step.set_register("result", number)


@meaning("nisa.register_move")
def register_move(step: Step) -> None:
    """A register takes a constant or another register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.set_register("dst", number)


@meaning("nisa.register_load")
def register_load(step: Step) -> None:
    """A register takes the one element of a tensor."""
    step.set_register("dst", int(step.indices("src").ravel()[0]))


@meaning("nisa.register_store")
def register_store(step: Step) -> None:
    """The one element of a tensor takes a register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.write_integers("dst", np.array([number], dtype=np.int64))
