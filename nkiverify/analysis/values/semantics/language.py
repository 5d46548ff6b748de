"""Functions of nki.language of both generations that return a new tile (reference sections c.5 and f.4)."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Array, Step
from nkiverify.model.ops.arithmetic import difference, mean, multiplied

_REDUCERS = {"sum": "add", "max": "maximum", "min": "minimum", "prod": "multiply", "all": "logical_and"}


@meaning("nl.sum", "nl.max", "nl.min", "nl.prod", "nl.all")
def reduce(step: Step) -> None:
    """A reduction over free axes."""
    name = _REDUCERS[step.name.removeprefix("nl.")]
    step.write(step.only_write, step.reduced("x", name, step.axes("axis", "x")))


def _lines(step: Step, name: str) -> tuple[Array, int]:
    """An operand with its reduced axes made one and put last, and how many elements that one has."""
    step.whole_lines(name, step.axes("axis", name))
    lines = step.gathered_axes(name, step.axes("axis", name))
    return lines, lines.shape[-1]


@meaning("nl.mean")
def mean_of(step: Step) -> None:
    """The mean over free axes, in float32 ("nl.mean")."""
    lines, count = _lines(step, "x")
    step.write(step.only_write, mean(step.n, lines, count))


@meaning("nl.var")
def variance(step: Step) -> None:
    """The mean square distance from the mean over free axes."""
    lines, count = _lines(step, "x")
    away = difference(step.n, lines, mean(step.n, lines, count))
    step.write(step.only_write, mean(step.n, step.n.binary("multiply", away, away), count))


@meaning("nl.softmax")
def softmax(step: Step) -> None:
    """exp(x - max) / sum of it, over free axes."""
    axes = step.axes("axis", "x")
    lines, _ = _lines(step, "x")
    powers = step.n.unary("exp", difference(step.n, lines, step.n.reduce("maximum", lines)))
    inverse = step.n.unary("reciprocal", step.n.reduce("add", powers))
    step.write(step.only_write, step.scattered_axes(step.n.binary("multiply", powers, inverse), "x", axes))


@meaning("nl.rms_norm")
def rms_norm(step: Step) -> None:
    """x / sqrt(sum of squares / n + epsilon) * w."""
    axes = step.axes("axis", "x")
    lines, count = _lines(step, "x")
    divisor = step.attribute("n", None)
    squares = step.n.reduce("add", step.n.binary("multiply", lines, lines))
    inside = multiplied(step.n, squares, 1.0 / (count if divisor is None else float(divisor)))
    epsilon = step.attribute("epsilon", 0.0)
    inside = step.n.binary("add", inside, step.n.constant(float(epsilon), inside.ndim))
    scaled = step.scattered_axes(step.n.binary("multiply", lines, step.n.unary("rsqrt", inside)), "x", axes)
    rows = scaled.reshape(step.n.lanes, scaled.shape[1], -1)
    step.write(step.only_write, step.n.binary("multiply", rows, step.rows("w")))


@meaning("nl.loop_reduce")
def loop_reduce(step: Step) -> None:
    """The tile itself: the assignment that follows joins it to what its destination holds ("L:loop_reduce")."""
    step.write(step.only_write, step.numbers("x"))
    step.start_reduction(step.operator("op").name)
