"""One product of fixed size. Its shapes are fixed, so that only the dtype can vary."""

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import DType, bfloat16, float8_e4m3, float8_e5m2, float16, float32, tfloat32

KERNELS = "kernels/matmul_basic.py"


def multiply(v: Verification, dtype: DType = float16) -> None:
    """Multiply (128, 64) and (128, 512)."""
    result = v.call(v.tensor("lhsT", (128, 64), dtype), v.tensor("rhs", (128, 512), dtype))
    v.returns(result, shape=(64, 512), dtype=dtype)


@target(
    kernel=f"{KERNELS}::matmul_basic",
    family="matmul_basic",
    kind=Kind.CONCRETE,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_basic(v: Verification) -> None:
    """In float16."""
    multiply(v)


@target(
    kernel=f"{KERNELS}::matmul_basic",
    family="matmul_basic",
    kind=Kind.SYMBOLIC,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_basic_symbolic(v: Verification) -> None:
    """In each of three float dtypes."""
    multiply(v, v.choice("dtype", (bfloat16, float16, float32)))


@target(
    kernel=f"{KERNELS}::matmul_basic",
    family="matmul_basic",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_basic_all(v: Verification) -> None:
    """In every dtype the Tensor Engine of trn2 takes; the kernel fixes the shapes."""
    multiply(v, v.choice("dtype", (bfloat16, float16, float32, tfloat32, float8_e4m3, float8_e5m2)))


@target(kernel=f"{KERNELS}::matmul_basic_buggy", family="matmul_basic", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_basic_buggy(v: Verification) -> None:
    """65 partitions for a product of 64 rows."""
    multiply(v)


@target(kernel=f"{KERNELS}::matmul_basic_swapped", family="matmul_basic", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_basic_swapped(v: Verification) -> None:
    """The shapes the kernel asserts are not those it gets."""
    multiply(v)


@target(kernel=f"{KERNELS}::matmul_basic", family="matmul_basic", kind=Kind.BOUNDARY, expect={1: FAILED})
def matmul_basic_mixed(v: Verification) -> None:
    """One operand in float32 and the other not is more than the Tensor Engine does."""
    v.call(v.tensor("lhsT", (128, 64), float32), v.tensor("rhs", (128, 512), bfloat16))
