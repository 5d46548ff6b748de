"""Average pooling: by an access pattern, and in the legacy API by index tensors."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

AVGPOOL = Family("avgpool", "kernels/avgpool.py")
AVGPOOL_AVGPOOL_LEGACY = Family("avgpool", "kernels/avgpool_legacy.py")
INT32_MAX = 2**31 - 1


def pool(v: Verification, C: Extent, H: Extent, W: Extent, size: Extent) -> None:
    """Pool C images (H, W) with windows of `size` by `size`."""
    out = v.call(v.tensor("x", (C, H, W), float16), size)
    v.returns(out, shape=(C, H // size, W // size), dtype=float16)


@AVGPOOL(Kind.CONCRETE)
def avgpool(v: Verification) -> None:
    """Two images of 6 by 6, windows of 2 by 2."""
    pool(v, 2, 6, 6, 2)


@AVGPOOL(Kind.CONTROL, "avgpool_buggy", fails=1)
def avgpool_buggy(v: Verification) -> None:
    """The last window ends past the last element."""
    pool(v, 2, 6, 6, 2)


@AVGPOOL(Kind.SYMBOLIC, flags="--unwind 5")
def avgpool_symbolic(v: Verification) -> None:
    """Images of 6, 8 or 10 each way."""
    pool(v, 2, 6 + 2 * v.dim("kh", 0, 2), 6 + 2 * v.dim("kw", 0, 2), 2)


@AVGPOOL(Kind.UNBOUNDED, holds=(1, 2, 4))
def avgpool_all(v: Verification) -> None:
    """Every window, and every image it fits into, also where it leaves a rest.

    Up to 128 images, as each takes a partition; strides are 32-bit numbers, so an image has no more elements than that.
    """
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    v.assume(H * W <= INT32_MAX)
    pool(v, v.dim("C", 1, 128), H, W, size)


@AVGPOOL_AVGPOOL_LEGACY(Kind.CONCRETE, "avgpool_legacy")
def avgpool_legacy(v: Verification) -> None:
    """Two images of 6 by 6, windows of 2 by 2."""
    pool(v, 2, 6, 6, 2)


@AVGPOOL_AVGPOOL_LEGACY(Kind.UNBOUNDED, "avgpool_legacy", holds=(1, 2, 4))
def avgpool_legacy_all(v: Verification) -> None:
    """Every window, and every image it fits into; the square of the window's size is a 32-bit number.

    Up to 128 images, as each takes a partition.
    """
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    v.assume(size * size <= INT32_MAX)
    pool(v, v.dim("C", 1, 128), H, W, size)


# ---------------------------------------------------------------------------------------- sizes that cannot be pooled


@AVGPOOL(Kind.HISTORICAL, "avgpool_unguarded", fails=2, tags=("upstream-bug",))
def avgpool_pool0_unguarded(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/128: windows of size 0 end in a division by zero."""
    pool_size = v.dim("size", 0, 6)
    v.call(v.tensor("x", (2, 6, 6), float16), pool_size)


@AVGPOOL(Kind.BOUNDARY, fails=1, tags=("upstream-bug",))
def avgpool_pool0(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/128, windows of size 0 are rejected."""
    v.call(v.tensor("x", (2, 6, 6), float16), 0)


@AVGPOOL(Kind.FINDING, "avgpool_unguarded", fails=1, tags=("upstream-bug", "finding"))
def avgpool_negative_pool_unguarded(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/128: a negative size gives a result of negative extents."""
    v.call(v.tensor("x", (2, 6, 6), float16), -2)


@AVGPOOL(Kind.FINDING, fails=1, tags=("finding",))
def avgpool_pool_too_large(v: Verification) -> None:
    """Windows larger than the image give an empty result."""
    v.call(v.tensor("x", (2, 6, 6), float16), 7)


@AVGPOOL(Kind.FINDING, "avgpool_unguarded", fails=1, tags=("finding",))
def avgpool_129_channels_unguarded(v: Verification) -> None:
    """That there are at most 128 images is not checked."""
    v.call(v.tensor("x", (129, 6, 6), float16), 2)


@AVGPOOL(Kind.SYMBOLIC, holds=3)
def avgpool_fits(v: Verification) -> None:
    """Every window and image that fits a partition, with strides of 16 bits."""
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    v.assume(H * W <= 32767)
    pool(v, v.dim("C", 1, 128), H, W, size)


@AVGPOOL_AVGPOOL_LEGACY(Kind.SYMBOLIC, "avgpool_legacy", holds=3)
def avgpool_legacy_fits(v: Verification) -> None:
    """Every window and image that fits a partition, with strides of 16 bits."""
    size, H, W = v.dim("size"), v.dim("H"), v.dim("W")
    v.assume(size <= H)
    v.assume(size <= W)
    v.assume(H * W <= 32767)
    pool(v, v.dim("C", 1, 128), H, W, size)
