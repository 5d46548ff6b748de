"""Max pooling of nki-samples/contributed."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float32
from nkiverify.symbolic import Extent

MAXPOOLING = Family("maxpooling", "kernels/maxpooling.py")


def pool(v: Verification, H: Extent, W: Extent, size: Extent) -> None:
    """Pool an image (H, W) with windows of `size` by `size`."""
    out = v.call(v.tensor("x", (H, W), float32), size)
    v.returns(out, shape=(H - size + 1, W - size + 1), dtype=float32)


@MAXPOOLING(Kind.CONCRETE)
def maxpooling(v: Verification) -> None:
    """448 by 448, windows of 3 by 3."""
    pool(v, 448, 448, 3)


@MAXPOOLING(Kind.CONTROL, "maxpooling_buggy", fails=1)
def maxpooling_buggy(v: Verification) -> None:
    """The window of base row 446 ends in row 448 of 448."""
    pool(v, 448, 448, 3)


@MAXPOOLING(Kind.SYMBOLIC, flags="--unwind 5")
def maxpooling_symbolic(v: Verification) -> None:
    """Up to four tiles of rows."""
    pool(v, 128 * v.dim("k", 1, 4), 64, 3)


@MAXPOOLING(Kind.UNBOUNDED, holds=(1, 2, 4))
def maxpooling_all(v: Verification) -> None:
    """Every window, and every image it fits into."""
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    pool(v, H, W, size)


@MAXPOOLING(Kind.CONTROL, "maxpooling_buggy", fails=1)
def maxpooling_buggy_all(v: Verification) -> None:
    """The control on every window and image: some shape shows the fault."""
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    pool(v, H, W, size)


@MAXPOOLING(Kind.BOUNDARY, fails=1)
def maxpooling_pool0(v: Verification) -> None:
    """Windows without elements are rejected."""
    v.call(v.tensor("x", (448, 448), float32), 0)


@MAXPOOLING(Kind.BOUNDARY, fails=1)
def maxpooling_pool_too_large(v: Verification) -> None:
    """Windows that do not fit into the image are rejected."""
    v.call(v.tensor("x", (8, 8), float32), 9)


@MAXPOOLING(Kind.SYMBOLIC, holds=3)
def maxpooling_fits(v: Verification) -> None:
    """Every window and image of which the rows under a window, and one of the result, fit a partition."""
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    v.assume((size + 1) * W <= 32767)
    pool(v, H, W, size)
