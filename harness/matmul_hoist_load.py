"""The matmul that keeps strips of its operands."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

MATMUL_HOIST_LOAD = Family("matmul_hoist_load", "kernels/matmul_hoist_load.py")


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@MATMUL_HOIST_LOAD(Kind.CONCRETE)
def matmul_hoist_load(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@MATMUL_HOIST_LOAD(Kind.CONTROL, "matmul_hoist_load_buggy", fails=1)
def matmul_hoist_load_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@MATMUL_HOIST_LOAD(Kind.CONTROL, "matmul_hoist_load_swapped", fails=1)
def matmul_hoist_load_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 512, 1024)


@MATMUL_HOIST_LOAD(Kind.HISTORICAL, "matmul_hoist_load_historical", fails=1, tags=("upstream-bug",))
def matmul_hoist_load_historical(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/74: tiles of lhsT are 512 wide. Any input shows it."""
    multiply(v, 256, 256, 1024)


@MATMUL_HOIST_LOAD(Kind.CONCRETE, holds=(1, 2), tags=("upstream-bug",))
def matmul_hoist_load_historical_fixed(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/74."""
    multiply(v, 256, 256, 1024)


@MATMUL_HOIST_LOAD(Kind.SYMBOLIC, flags="--unwind 3")
def matmul_hoist_load_symbolic(v: Verification) -> None:
    """One or two tiles of each dimension."""
    multiply(v, 128 * v.dim("k", 1, 2), 128 * v.dim("m", 1, 2), 512 * v.dim("n", 1, 2))


@MATMUL_HOIST_LOAD(Kind.UNBOUNDED)
def matmul_hoist_load_all(v: Verification) -> None:
    """Every K and M that are multiples of 128, every N that is a multiple of 512."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=128), v.dim("N", multiple_of=512))
