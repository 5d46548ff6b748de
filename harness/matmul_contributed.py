"""The contributed matmul, whose target names have no prefix as its kernel has none."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

MATMUL = Family("matmul", "kernels/matmul_contributed.py")


def multiply(v: Verification, K: Extent, M: Extent, N: Extent, *blocks: Extent) -> None:
    """Multiply (K, M) and (K, N) in blocks of as many tiles of K, M and N as `blocks` says, if anything."""
    names = ("TILES_IN_BLOCK_K", "TILES_IN_BLOCK_M", "TILES_IN_BLOCK_N")
    Z = v.call(v.tensor("A", (K, M), float16), v.tensor("B", (K, N), float16), **dict(zip(names, blocks, strict=False)))
    v.returns(Z, shape=(M, N), dtype=float16)


@MATMUL(Kind.CONCRETE)
def matmul(v: Verification) -> None:
    """One block of two tiles in each dimension."""
    multiply(v, 256, 256, 1024, 2, 2, 2)


@MATMUL(Kind.CONCRETE)
def matmul_big(v: Verification) -> None:
    """Two blocks of two tiles in each dimension."""
    multiply(v, 512, 512, 2048, 2, 2, 2)


@MATMUL(Kind.CONTROL, "matmul_buggy", fails=1)
def matmul_buggy(v: Verification) -> None:
    """The stationary operand has 129 columns."""
    multiply(v, 256, 256, 1024, 2, 2, 2)


@MATMUL(Kind.CONTROL, "matmul_swapped", fails=1)
def matmul_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 512, 2048, 1024, 2, 2, 2)


@MATMUL(Kind.UNBOUNDED)
def matmul_all(v: Verification) -> None:
    """The default blocks: every K that is a multiple of 1024, M of 512, N of 2048."""
    multiply(v, v.dim("K", multiple_of=1024), v.dim("M", multiple_of=512), v.dim("N", multiple_of=2048))


@MATMUL(Kind.UNBOUNDED, holds=(1, 2, 4))
def matmul_blocks_all(v: Verification) -> None:
    """Every block size, and every number of blocks."""
    tiles_k, tiles_m, tiles_n = v.dim("tiles_k"), v.dim("tiles_m"), v.dim("tiles_n")
    K = 128 * tiles_k * v.dim("blocks_k")
    M = 128 * tiles_m * v.dim("blocks_m")
    N = 512 * tiles_n * v.dim("blocks_n")
    multiply(v, K, M, N, tiles_k, tiles_m, tiles_n)


@MATMUL(Kind.FINDING, fails=1, tags=("finding",))
def matmul_short_b(v: Verification) -> None:
    """That B has as many rows as A is not checked: rows past its end are loaded."""
    v.call(v.tensor("A", (512, 256), float16), v.tensor("B", (256, 1024), float16), 2, 2, 2)


@MATMUL(Kind.SYMBOLIC, holds=3)
def matmul_blocks_fits(v: Verification) -> None:
    """Every block of up to 4096 rows and columns, and every number of blocks."""
    tiles_k, tiles_m, tiles_n = v.dim("tiles_k", high=32), v.dim("tiles_m", high=32), v.dim("tiles_n", high=8)
    K = 128 * tiles_k * v.dim("blocks_k")
    M = 128 * tiles_m * v.dim("blocks_m")
    N = 512 * tiles_n * v.dim("blocks_n")
    multiply(v, K, M, N, tiles_k, tiles_m, tiles_n)
