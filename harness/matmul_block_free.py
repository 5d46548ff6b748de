"""The matmul of the tutorial that blocks its free dimensions."""

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

KERNELS = "kernels/matmul_block_free.py"


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@target(
    kernel=f"{KERNELS}::matmul_block_free",
    family="matmul_block_free",
    kind=Kind.CONCRETE,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_block_free(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@target(kernel=f"{KERNELS}::matmul_block_free_buggy", family="matmul_block_free", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_block_free_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@target(
    kernel=f"{KERNELS}::matmul_block_free_swapped", family="matmul_block_free", kind=Kind.CONTROL, expect={1: FAILED}
)
def matmul_block_free_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 1024, 2048)


@target(
    kernel=f"{KERNELS}::matmul_block_free",
    family="matmul_block_free",
    kind=Kind.SYMBOLIC,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
    flags="--unwind 3",
)
def matmul_block_free_symbolic(v: Verification) -> None:
    """One or two blocks of each dimension."""
    multiply(v, 128 * v.dim("k", 1, 2), 256 * v.dim("m", 1, 2), 1024 * v.dim("n", 1, 2))


@target(
    kernel=f"{KERNELS}::matmul_block_free",
    family="matmul_block_free",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_block_free_all(v: Verification) -> None:
    """Every K that is a multiple of 128, M of 256, N of 1024."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=256), v.dim("N", multiple_of=1024))


@target(
    kernel=f"{KERNELS}::matmul_block_free_unguarded",
    family="matmul_block_free",
    kind=Kind.FINDING,
    expect={1: FAILED, 4: FAILED},
    tags=("upstream-bug", "finding"),
)
def matmul_block_free_unguarded(v: Verification) -> None:
    """As published, K need not be a multiple of 128; what is left over does not enter the product.

    No contract of a call is broken by that, so the target states what should hold: the tiles of K cover it.
    """
    K = v.dim("K")
    multiply(v, K, v.dim("M", multiple_of=256), v.dim("N", multiple_of=1024))
    v.claim(K // 128 * 128 == K, "the tiles of K cover all rows of the operands")


@target(
    kernel=f"{KERNELS}::matmul_block_free",
    family="matmul_block_free",
    kind=Kind.BOUNDARY,
    expect={1: FAILED},
    tags=("upstream-bug",),
)
def matmul_block_free_ragged(v: Verification) -> None:
    """The guarded kernel rejects K = 192."""
    multiply(v, 192, 256, 1024)
