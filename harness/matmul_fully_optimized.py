"""The fully optimised matmul of the tutorial, with its blocks given, by default, and of any size."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

MATMUL_FULLY_OPTIMIZED = Family("matmul_fully_optimized", "kernels/matmul_fully_optimized.py")


def multiply(v: Verification, K: Extent, M: Extent, N: Extent, *options: Extent) -> None:
    """Multiply (K, M) and (K, N); `options` are the kernel's other arguments."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16), *options)
    v.returns(result, shape=(M, N), dtype=float16)


@MATMUL_FULLY_OPTIMIZED(Kind.CONCRETE)
def matmul_fully_optimized(v: Verification) -> None:
    """One block of two tiles in each dimension."""
    multiply(v, 256, 256, 1024, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.CONTROL, "matmul_fully_optimized_buggy", fails=1)
def matmul_fully_optimized_buggy(v: Verification) -> None:
    """Two tiles of rhs are loaded into one."""
    multiply(v, 256, 256, 1024, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.CONTROL, "matmul_fully_optimized_swapped", fails=1)
def matmul_fully_optimized_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 1024, 2048, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.SYMBOLIC, flags="--unwind 3")
def matmul_fully_optimized_symbolic(v: Verification) -> None:
    """One or two blocks of two tiles in each dimension."""
    multiply(v, 256 * v.dim("k", 1, 2), 256 * v.dim("m", 1, 2), 1024 * v.dim("n", 1, 2), 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.UNBOUNDED)
def matmul_fully_optimized_all(v: Verification) -> None:
    """The default blocks: every K that is a multiple of 1024, M of 2048, N of 1024."""
    multiply(v, v.dim("K", multiple_of=1024), v.dim("M", multiple_of=2048), v.dim("N", multiple_of=1024))


@MATMUL_FULLY_OPTIMIZED(Kind.UNBOUNDED, holds=(1, 2, 4))
def matmul_fully_optimized_blocks_all(v: Verification) -> None:
    """Every block size, and every number of blocks."""
    tiles_m, tiles_n, tiles_k = v.dim("tiles_m"), v.dim("tiles_n"), v.dim("tiles_k")
    K = 128 * tiles_k * v.dim("blocks_k")
    M = 128 * tiles_m * v.dim("blocks_m")
    N = 512 * tiles_n * v.dim("blocks_n")
    multiply(v, K, M, N, tiles_m, tiles_n, tiles_k)


@MATMUL_FULLY_OPTIMIZED(Kind.HISTORICAL, "matmul_fully_optimized_pr89", holds=(1, 2, 4), tags=("upstream-bug",))
def matmul_fully_optimized_pr89(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/89: counts tiles of M in tiles of K, which are as large."""
    multiply(v, 256, 256, 1024, 128, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.HISTORICAL, "matmul_fully_optimized_pr89", fails=1, tags=("upstream-bug",))
def matmul_fully_optimized_pr89_apart(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/89, tiles of M of 64 rows: the write-back takes 128."""
    multiply(v, 256, 256, 1024, 64, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.UNBOUNDED, "matmul_fully_optimized_tile_m", holds=(1, 2, 4), tags=("upstream-bug",))
def matmul_fully_optimized_pr89_fixed(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/89: every size of the tiles of M up to its limit of 128."""
    tile_m = v.dim("tile_m", 1, 128)
    M = 2 * tile_m * v.dim("blocks_m")
    multiply(v, v.dim("K", multiple_of=256), M, v.dim("N", multiple_of=1024), tile_m, 2, 2, 2)


@MATMUL_FULLY_OPTIMIZED(Kind.SYMBOLIC, holds=3)
def matmul_fully_optimized_blocks_fits(v: Verification) -> None:
    """Every block of which a row fits a partition, and every number of blocks."""
    tiles_m, tiles_n, tiles_k = v.dim("tiles_m", high=415), v.dim("tiles_n", high=100), v.dim("tiles_k")
    K = 128 * tiles_k * v.dim("blocks_k")
    M = 128 * tiles_m * v.dim("blocks_m")
    N = 512 * tiles_n * v.dim("blocks_n")
    multiply(v, K, M, N, tiles_m, tiles_n, tiles_k)


@MATMUL_FULLY_OPTIMIZED(Kind.SYMBOLIC, holds=3)
def matmul_fully_optimized_no_spills(v: Verification) -> None:
    """The default blocks: every M with which the sums of a row of blocks stay in SBUF, with all else that is live."""
    v.no_spills()
    multiply(v, v.dim("K", multiple_of=1024), v.dim("M", high=8192, multiple_of=2048), v.dim("N", multiple_of=1024))


@MATMUL_FULLY_OPTIMIZED(Kind.CONTROL, fails=3)
def matmul_fully_optimized_spills(v: Verification) -> None:
    """With one more block of rows, from M = 10240 on, they do not."""
    v.no_spills()
    multiply(v, v.dim("K", multiple_of=1024), v.dim("M", multiple_of=2048), v.dim("N", multiple_of=1024))
