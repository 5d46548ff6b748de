"""One product of fixed size. Its shapes are fixed, so that only the dtype can vary."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import DType, bfloat16, float8_e4m3, float8_e5m2, float16, float32, tfloat32

MATMUL_BASIC = Family("matmul_basic", "kernels/matmul_basic.py")


def multiply(v: Verification, dtype: DType = float16) -> None:
    """Multiply (128, 64) and (128, 512)."""
    result = v.call(v.tensor("lhsT", (128, 64), dtype), v.tensor("rhs", (128, 512), dtype))
    v.returns(result, shape=(64, 512), dtype=dtype)


@MATMUL_BASIC(Kind.CONCRETE)
def matmul_basic(v: Verification) -> None:
    """In float16."""
    multiply(v)


@MATMUL_BASIC(Kind.SYMBOLIC)
def matmul_basic_symbolic(v: Verification) -> None:
    """In each of three float dtypes."""
    multiply(v, v.choice("dtype", (bfloat16, float16, float32)))


@MATMUL_BASIC(Kind.UNBOUNDED)
def matmul_basic_all(v: Verification) -> None:
    """In every dtype the Tensor Engine of trn2 takes; the kernel fixes the shapes."""
    multiply(v, v.choice("dtype", (bfloat16, float16, float32, tfloat32, float8_e4m3, float8_e5m2)))


@MATMUL_BASIC(Kind.CONTROL, "matmul_basic_buggy", fails=1)
def matmul_basic_buggy(v: Verification) -> None:
    """65 partitions for a product of 64 rows."""
    multiply(v)


@MATMUL_BASIC(Kind.CONTROL, "matmul_basic_swapped", fails=1)
def matmul_basic_swapped(v: Verification) -> None:
    """The shapes the kernel asserts are not those it gets."""
    multiply(v)


@MATMUL_BASIC(Kind.BOUNDARY, fails=1)
def matmul_basic_mixed(v: Verification) -> None:
    """One operand in float32 and the other not is more than the Tensor Engine does."""
    v.call(v.tensor("lhsT", (128, 64), float32), v.tensor("rhs", (128, 512), bfloat16))
