"""Phase 5 on kernels derived by hand: the right ones are proved on realistic ranges, the broken ones have an input."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.project.request import request
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

KERNELS = Path(__file__).parent / "kernels"

WIDE, TALL = "bf16[8,16] in -1000..1000", "f32[8,16] in -1e4..1e4"

#: The kernel, what it is given, and what its broken variant breaks.
TABLE = [
    ("softmax", "x=bf16[8,16]  in -1e30..1e30", "num.overflow"),
    ("softmax_by_difference", f"x={WIDE}", "num.overflow"),
    ("softmax_scaled", f"x={TALL}", "num.overflow"),
    ("softmax_by_temperature", "x=f32[8,16] in -50..50; t=f32[8,1] in 0..2", "num.division"),
    ("log_sum_exp", f"x={TALL}", "num.overflow"),
    ("log_softmax", f"x={TALL}", "num.invalid"),
    ("cross_entropy", f"x={WIDE}", "num.overflow"),
    ("attention", "q=bf16[16,8] in -10..10; k=bf16[16,8] in -10..10; v=bf16[8,16] in -10..10", "num.overflow"),
    ("attention_online", "x=f32[8,16] in -30..30", "num.overflow"),
    ("attention_from_infinity", "x=f32[8,16] in -30..30", "num.invalid"),
    ("causal_mask", "x=f32[8,8] in -50..50", "num.invalid"),
    ("causal_mask_by_number", "x=f32[8,8] in -50..50", "num.masked"),
    ("mask_by_window", "x=f32[8,8] in -50..50", "num.masked"),
    ("scaled_to_unit", f"x={TALL}", "num.division"),
    ("rest_of_rounding", f"x={TALL}", "num.overflow"),
    ("mask_by_predicate", "x=f32[8,16] in -50..50; m=u8[8,16]", "num.masked"),
    ("mask_by_range", "x=f32[8,16] in -50..50; ends=f32[8,1] in 0..16", "num.masked"),
    ("mask_by_small_number", "x=f32[8,16] in -2000..2000; m=u8[8,16]", "num.masked"),
    ("masked_scores", "x=f32[8,8] in -50..50", "num.masked"),
    ("masked_scores_in_steps", "x=f32[8,8] in -50..50", "num.masked"),
    ("masked_minima", "x=f32[8,8] in -50..50", "num.masked"),
    ("mask_by_fill", "x=f32[8,16] in -100..100", "num.overflow"),
    ("layer_norm", f"x={WIDE}", "num.invalid"),
    ("layer_norm_by_moments", "x=f32[8,16] in 1000..1010", "num.invalid"),
    ("layer_norm_by_statistics", "x=f32[8,16] in -10..10", "num.invalid"),
    ("rms_norm", f"x={WIDE}", "num.invalid"),
    ("rms_norm_by_power", "x=f32[8,16] in -10..10", "num.division"),
    ("unit_length", "x=f32[8,16] in -10..10", "num.division"),
    ("clipped_by_norm", "x=f32[8,16] in -10..10", "num.division"),
    ("to_fp8", f"x={WIDE}", "num.overflow"),
    ("to_wide_fp8", "x=f32[8,16] in -100..100", "num.overflow"),
    ("to_int8", "x=f32[8,16] in -20..20", "num.integer"),
    ("to_fp8_by_rows", "x=f32[8,16] in -100..100", "num.division"),
    ("from_int8", "x=i8[8,16]; s=f32[8,1] in 0..0.1", "num.division"),
    ("sum_of_bytes", "x=i8[8,16]", "num.integer"),
    ("mean_of_bytes", "x=u8[8,16]; y=u8[8,16]", "num.integer"),
    ("sigmoid", "x=f32[8,16] in -100..100", "num.overflow"),
    ("softplus", "x=f32[8,16] in -100..100", "num.overflow"),
    ("gelu", "x=f32[8,16] in -100..100", "num.overflow"),
    ("gated", "x=f32[8,16] in -100..100; y=f32[8,16] in -100..100", "num.overflow"),
    ("logit", "p=f32[8,16] in 0..1", "num.division"),
    ("entropy", "p=f32[8,16] in 0..1", "num.invalid"),
    ("exponential", "x=f32[8,16] in -100..100", "num.overflow"),
    ("distance", "x=f32[8,16] in -10..10; y=f32[8,16] in -10..10", "num.invalid"),
    ("matmul", "x=bf16[64,16] in -100..100; y=bf16[64,16] in -100..100", "num.overflow"),
    ("accumulated", "x=f32[8,80] in -1000..1000", "num.overflow"),
    ("cumulative_product", "x=f32[8,16] in -1..1", "num.overflow"),
    ("moving_average", "x=f32[8,16] in -10..10", "num.overflow"),
    ("reciprocal_of_sums", "x=f32[8,16] in 0..1", "num.division"),
    ("harmonic_mean", "x=f32[8,16] in 0..10", "num.division"),
    ("quotient", "x=f32[8,16] in -10..10; y=f32[8,16] in -1..1", "num.division"),
    ("adam", "g=f32[8,16] in -10..10; m=f32[8,16] in -10..10; v=f32[8,16] in 0..100", "num.division"),
]


def verdict(name: str, given: str, *more: str, where: tuple[str, ...] = ()) -> Run:
    """The verdict of phase 5 about a kernel of the table."""
    arguments = [part.strip() for part in given.split(";")]
    asked = request("finite.py::" + name, KERNELS, [*arguments, *more], where, None)
    (run,) = verify(asked.target("trn2", False), Options(root=KERNELS, phases=(5,), largest_range=True))
    return run


@pytest.mark.parametrize(("name", "given", "contract"), TABLE, ids=[row[0] for row in TABLE])
def test_the_right_one_is_proved_and_the_broken_one_refuted(name: str, given: str, contract: str) -> None:
    right = verdict(name, given)
    assert (right.verdict, right.qualifier) == (Verdict.SUCCESSFUL, ""), right.reason or right.violations
    broken = verdict(name, given, "broken=True")
    assert broken.verdict is Verdict.FAILED, broken.reason
    assert contract in {violation.contract for violation in broken.violations}, broken.violations
