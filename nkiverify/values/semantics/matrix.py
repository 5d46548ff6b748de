"""The Tensor Engine (reference section c.2): products accumulate in PSUM, in float32."""

from __future__ import annotations

from nkiverify.values.semantics.table import meaning
from nkiverify.values.step import Step


@meaning("nisa.nc_matmul", "nl.matmul")
def matmul(step: Step) -> None:
    """stationary (K, M) transposed, times moving (K, N), added to what the destination accumulates.

    With `accumulate` not given, the first product into a place overwrites and later ones accumulate, decided element by
    element ("nc_matmul.accum_none"): the destination's marks say what has been written.
    """
    left, right = _operands(step)
    product = step.n.matmul(left, right)
    step.accumulate_product(product)


def _operands(step: Step):  # type: ignore[no-untyped-def]
    names = ("stationary", "moving") if step.has("stationary") else ("x", "y")
    left, right = (step.rows(name) for name in names)
    if getattr(step.attribute("perf_mode", None), "name", "none").startswith("double_row"):
        # (K, 2, M): both halves of the rows contract ("nc_matmul.double_row_shape").
        left, right = (
            part.reshape(part.shape[0], part.shape[1], 2, -1).transpose(0, 2, 1, 3).reshape(part.shape[0], -1, part.shape[2] // 2)
            for part in (left, right)
        )
    if names[0] == "x" and not step.flag("transpose_x"):
        left = left.transpose(0, 2, 1)
    return left, right
