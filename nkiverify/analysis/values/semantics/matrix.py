"""The Tensor Engine (reference section c.2): products accumulate in PSUM, in float32."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Array, Step


@meaning("nisa.nc_matmul", "nl.matmul")
def matmul(step: Step) -> None:
    """stationary (K, M) transposed, times moving (K, N), added to what the destination accumulates.

    With `accumulate` not given, the first product into a place overwrites and later ones accumulate, decided element by
    element ("nc_matmul.accum_none"): the destination's marks say what has been written.
    """
    left, right = _operands(step)
    product = step.n.matmul(left, right)
    step.accumulate_product(product)


def _operands(step: Step) -> tuple[Array, Array]:
    names = ("stationary", "moving") if step.has("stationary") else ("x", "y")
    left, right = (step.rows(name) for name in names)
    if step.name_of("perf_mode").startswith("double_row"):
        left, right = _joined_rows(left), _joined_rows(right)
    if names[0] == "x" and not step.flag("transpose_x"):
        left = left.transpose(0, 2, 1)
    return left, right


def _joined_rows(operand: Array) -> Array:
    """(K, 2, F) as (2 K, F): both halves of the rows contract ("nc_matmul.double_row_shape")."""
    lanes, rows, columns = operand.shape
    split = operand.reshape(lanes, rows, 2, columns // 2)
    return split.transpose(0, 2, 1, 3).reshape(lanes, 2 * rows, columns // 2)
