"""Bilinear and trilinear up-scaling of nki-samples/contributed.

C stands for batch times channels, which are folded into one axis.
"""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float32
from nkiverify.symbolic import Extent

INTERPOLATE_BILINEAR = Family("interpolate_bilinear", "kernels/interpolation.py")
INTERPOLATE_TRILINEAR = Family("interpolate_trilinear", "kernels/interpolation.py")
#: The largest extent whose double is a 32-bit integer.
HALF_MAX = 2**30 - 1


def scale(v: Verification, shape: tuple[Extent, ...], chunk: Extent) -> None:
    """Up-scale a tensor whose first axis holds batch and channels, in chunks of `chunk` along the second."""
    out = v.call(v.tensor("src", shape, float32), chunk)
    v.returns(out, shape=(shape[0], *(2 * extent for extent in shape[1:])), dtype=float32)


# ------------------------------------------------------------------------------------------------------------ bilinear


@INTERPOLATE_BILINEAR(Kind.CONCRETE)
def interpolate_bilinear(v: Verification) -> None:
    """Windows of rows 0 to 10, 9 to 19, 18 to 20."""
    scale(v, (8, 20, 20), 10)


@INTERPOLATE_BILINEAR(Kind.CONTROL, "interpolate_bilinear_buggy", fails=1)
def interpolate_bilinear_buggy(v: Verification) -> None:
    """The row after the window is read."""
    scale(v, (8, 20, 20), 10)


@INTERPOLATE_BILINEAR(Kind.BOUNDARY, fails=1, flags="--unwind 1", tags=("upstream-bug",))
def interpolate_bilinear_chunk1(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/126: chunks of one row are rejected."""
    scale(v, (8, 10, 10), 1)


@INTERPOLATE_BILINEAR(Kind.HISTORICAL, "interpolate_bilinear_unguarded", fails=2, tags=("upstream-bug",))
def interpolate_bilinear_chunk1_unguarded(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/126: chunks of one row end in a division by zero."""
    scale(v, (8, 10, 10), 1)


@INTERPOLATE_BILINEAR(Kind.SYMBOLIC, flags="--unwind 5")
def interpolate_bilinear_symbolic(v: Verification) -> None:
    """One to three windows, each way 10, 19 or 28."""
    scale(v, (8, 10 + 9 * v.dim("kh", 0, 2), 10 + 9 * v.dim("kw", 0, 2)), 10)


@INTERPOLATE_BILINEAR(Kind.UNBOUNDED, holds=(1, 2, 4))
def interpolate_bilinear_all(v: Verification) -> None:
    """The default chunk: every number of channels and every image at least one chunk high and two columns wide.

    Extents are bounded by 2**30 - 1, as those of the result are twice as large.
    """
    scale(v, (v.dim("C"), v.dim("H", 10, HALF_MAX), v.dim("W", 2, HALF_MAX)), 10)


@INTERPOLATE_BILINEAR(Kind.UNBOUNDED, holds=(1, 2, 4))
def interpolate_bilinear_chunks_all(v: Verification) -> None:
    """As `interpolate_bilinear_all`, and every chunk of 2 to 32 rows."""
    chunk, H = v.dim("chunk", 2, 32), v.dim("H", 2, HALF_MAX)
    v.assume(chunk <= H)
    scale(v, (v.dim("C"), H, v.dim("W", 2, HALF_MAX)), chunk)


@INTERPOLATE_BILINEAR(Kind.FINDING, fails=1, tags=("finding",))
def interpolate_bilinear_width1(v: Verification) -> None:
    """That there are at least two columns is not checked: the inner region of a single one is empty."""
    scale(v, (8, 20, 1), 10)


@INTERPOLATE_BILINEAR(Kind.FINDING, "interpolate_bilinear_unguarded", holds=(1, 2), tags=("upstream-bug", "finding"))
def interpolate_bilinear_low_unguarded(v: Verification) -> None:
    """Before PR #126: images lower than a chunk are one window, with the right result."""
    scale(v, (8, v.dim("H", 2, 9), 20), 10)


@INTERPOLATE_BILINEAR(Kind.FINDING, fails=1, tags=("upstream-bug", "finding"))
def interpolate_bilinear_low(v: Verification) -> None:
    """After PR #126 they are rejected: its guard is stricter than needed."""
    scale(v, (8, v.dim("H", 2, 9), 20), 10)


@INTERPOLATE_BILINEAR(Kind.SYMBOLIC, holds=3)
def interpolate_bilinear_fits(v: Verification) -> None:
    """The default chunk: images of any height whose rows leave room for all that is live at once."""
    scale(v, (v.dim("C"), v.dim("H", 10, HALF_MAX), v.dim("W", 2, 281)), 10)


# ----------------------------------------------------------------------------------------------------------- trilinear


@INTERPOLATE_TRILINEAR(Kind.CONCRETE)
def interpolate_trilinear(v: Verification) -> None:
    """Windows of slices 0 to 4, 3 to 6."""
    scale(v, (8, 6, 6, 6), 4)


@INTERPOLATE_TRILINEAR(Kind.CONTROL, "interpolate_trilinear_buggy", fails=1)
def interpolate_trilinear_buggy(v: Verification) -> None:
    """The slice after the window is read."""
    scale(v, (8, 6, 6, 6), 4)


@INTERPOLATE_TRILINEAR(Kind.BOUNDARY, fails=1, flags="--unwind 1", tags=("upstream-bug",))
def interpolate_trilinear_chunk1(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/126: chunks of one slice are rejected."""
    scale(v, (8, 6, 6, 6), 1)


@INTERPOLATE_TRILINEAR(Kind.HISTORICAL, "interpolate_trilinear_unguarded", fails=2, tags=("upstream-bug",))
def interpolate_trilinear_chunk1_unguarded(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/126: chunks of one slice end in a division by zero."""
    scale(v, (8, 6, 6, 6), 1)


@INTERPOLATE_TRILINEAR(Kind.SYMBOLIC, holds=(1, 2, 4), flags="--unwind 5")
def interpolate_trilinear_symbolic(v: Verification) -> None:
    """One or two windows, each way 10 or 19."""
    D, H, W = (10 + 9 * v.dim(name, 0, 1) for name in ("kd", "kh", "kw"))
    scale(v, (8, D, H, W), 10)


@INTERPOLATE_TRILINEAR(Kind.UNBOUNDED, holds=(1, 2, 4))
def interpolate_trilinear_all(v: Verification) -> None:
    """The default chunk: every number of channels and every volume one chunk deep and at least two each other way.

    Extents are bounded by 2**30 - 1, as those of the result are twice as large.
    """
    D, H, W = v.dim("D", 4, HALF_MAX), v.dim("H", 2, HALF_MAX), v.dim("W", 2, HALF_MAX)
    scale(v, (v.dim("C"), D, H, W), 4)


@INTERPOLATE_TRILINEAR(Kind.FINDING, fails=1, tags=("finding",))
def interpolate_trilinear_height1(v: Verification) -> None:
    """That there are at least two rows is not checked: the inner region of a single one is empty."""
    scale(v, (8, 6, 1, 6), 4)


@INTERPOLATE_BILINEAR(Kind.FINDING, "interpolate_bilinear_unguarded", fails=4, tags=("finding",))
def interpolate_bilinear_one_row(v: Verification) -> None:
    """A source of one row has no window: the kernel returns an output that nothing has written."""
    scale(v, (8, 1, v.dim("W", 2, 64)), 10)
