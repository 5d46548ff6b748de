"""The matmul of the tutorial that blocks its free dimensions."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

MATMUL_BLOCK_FREE = Family("matmul_block_free", "kernels/matmul_block_free.py")


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@MATMUL_BLOCK_FREE(Kind.CONCRETE)
def matmul_block_free(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@MATMUL_BLOCK_FREE(Kind.CONTROL, "matmul_block_free_buggy", fails=1)
def matmul_block_free_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@MATMUL_BLOCK_FREE(Kind.CONTROL, "matmul_block_free_swapped", fails=1)
def matmul_block_free_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 1024, 2048)


@MATMUL_BLOCK_FREE(Kind.SYMBOLIC, flags="--unwind 3")
def matmul_block_free_symbolic(v: Verification) -> None:
    """One or two blocks of each dimension."""
    multiply(v, 128 * v.dim("k", 1, 2), 256 * v.dim("m", 1, 2), 1024 * v.dim("n", 1, 2))


@MATMUL_BLOCK_FREE(Kind.UNBOUNDED)
def matmul_block_free_all(v: Verification) -> None:
    """Every K that is a multiple of 128, M of 256, N of 1024."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=256), v.dim("N", multiple_of=1024))


@MATMUL_BLOCK_FREE(Kind.FINDING, "matmul_block_free_unguarded", fails=(1, 4), tags=("upstream-bug", "finding"))
def matmul_block_free_unguarded(v: Verification) -> None:
    """As published, K need not be a multiple of 128; what is left over does not enter the product.

    No contract of a call is broken by that, so the target states what should hold: the tiles of K cover it.
    """
    K = v.dim("K")
    multiply(v, K, v.dim("M", multiple_of=256), v.dim("N", multiple_of=1024))
    v.claim(K // 128 * 128 == K, "the tiles of K cover all rows of the operands")


@MATMUL_BLOCK_FREE(Kind.BOUNDARY, fails=1, tags=("upstream-bug",))
def matmul_block_free_ragged(v: Verification) -> None:
    """The guarded kernel rejects K = 192."""
    multiply(v, 192, 256, 1024)
