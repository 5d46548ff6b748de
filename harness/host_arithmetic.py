"""Host arithmetic of two published kernels by itself, before and after the fixes of nki-samples."""

from nkiverify.manifest import Family, Kind, Verification

HOST_ARITHMETIC = Family("host_arithmetic", "kernels/host_arithmetic.py")


@HOST_ARITHMETIC(Kind.HOST_ARITHMETIC, "windows_unguarded", fails=2, flags="--multi-property", tags=("upstream-bug",))
def audit15_hostarith_unguarded(v: Verification) -> None:
    """Windows of the interpolations, https://github.com/aws-neuron/nki-samples/issues/125: divides by 0 for chunk 1."""
    length = v.dim("length", 1, 32)
    chunk = v.dim("chunk", 1, 32)
    v.assume(chunk <= length)
    v.claim(v.call(length, chunk) >= 0, "the number of windows is not negative")


@HOST_ARITHMETIC(Kind.HOST_ARITHMETIC, "windows", holds=(1, 2), flags="--multi-property", tags=("upstream-bug",))
def audit15_hostarith_guarded(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/126: there are windows, and the last is two rows high."""
    length = v.dim("length", 2, 32)
    chunk = v.dim("chunk", 2, 32)
    v.assume(chunk <= length)
    count = v.call(length, chunk)
    v.claim(count >= 1, "there is at least one window")
    v.claim(length - (count - 1) * (chunk - 1) >= 2, "the last window is at least two rows high")


@HOST_ARITHMETIC(
    Kind.HOST_ARITHMETIC, "pooled_shape_unguarded", fails=2, flags="--multi-property", tags=("upstream-bug",)
)
def avgpool_hostarith_unguarded(v: Verification) -> None:
    """Shape of the pooling, https://github.com/aws-neuron/nki-samples/issues/127: divides by 0 twice for pool 0."""
    height = v.dim("height", 1, 32)
    width = v.dim("width", 1, 32)
    pool = v.dim("pool", 0, 32)
    v.assume(pool <= height)
    v.assume(pool <= width)
    out_height, out_width = v.call(height, width, pool)
    v.claim(out_height * out_width >= 0, "the result does not have a negative size")


@HOST_ARITHMETIC(Kind.HOST_ARITHMETIC, "pooled_shape", holds=(1, 2), flags="--multi-property", tags=("upstream-bug",))
def avgpool_hostarith_guarded(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/128: pool is at least 1, and the result is not empty."""
    height = v.dim("height", 1, 32)
    width = v.dim("width", 1, 32)
    pool = v.dim("pool", 1, 32)
    v.assume(pool <= height)
    v.assume(pool <= width)
    out_height, out_width = v.call(height, width, pool)
    v.claim(out_height >= 1, "the result has a row")
    v.claim(out_width >= 1, "the result has a column")
