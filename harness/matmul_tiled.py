"""The matmul in tiles."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

MATMUL_TILED = Family("matmul_tiled", "kernels/matmul_tiled.py")


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@MATMUL_TILED(Kind.CONCRETE)
def matmul_tiled(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@MATMUL_TILED(Kind.CONTROL, "matmul_tiled_buggy", fails=1)
def matmul_tiled_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@MATMUL_TILED(Kind.CONTROL, "matmul_tiled_swapped", fails=1)
def matmul_tiled_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 512, 1024)


@MATMUL_TILED(Kind.SYMBOLIC, flags="--unwind 4")
def matmul_tiled_symbolic(v: Verification) -> None:
    """Up to three tiles of M and two of N, of 256 rows."""
    multiply(v, 256, 128 * v.dim("m", 1, 3), 512 * v.dim("n", 1, 2))


@MATMUL_TILED(Kind.UNBOUNDED)
def matmul_tiled_all(v: Verification) -> None:
    """Every K and M that are multiples of 128, every N that is a multiple of 512."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=128), v.dim("N", multiple_of=512))


@MATMUL_TILED(Kind.FINDING, "matmul_tiled_swapped", holds=(1, 3))
def matmul_tiled_swapped_square(v: Verification) -> None:
    """Why the inputs of `matmul_tiled_swapped` have M != N: where they are equal, no shape shows that it is wrong."""
    size = v.dim("size", multiple_of=512)
    multiply(v, v.dim("K", multiple_of=128), size, size)
