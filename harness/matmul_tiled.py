"""The matmul in tiles."""

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

KERNELS = "kernels/matmul_tiled.py"


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@target(
    kernel=f"{KERNELS}::matmul_tiled",
    family="matmul_tiled",
    kind=Kind.CONCRETE,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_tiled(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@target(kernel=f"{KERNELS}::matmul_tiled_buggy", family="matmul_tiled", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_tiled_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@target(kernel=f"{KERNELS}::matmul_tiled_swapped", family="matmul_tiled", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_tiled_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 512, 1024)


@target(
    kernel=f"{KERNELS}::matmul_tiled",
    family="matmul_tiled",
    kind=Kind.SYMBOLIC,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
    flags="--unwind 4",
)
def matmul_tiled_symbolic(v: Verification) -> None:
    """Up to three tiles of M and two of N, of 256 rows."""
    multiply(v, 256, 128 * v.dim("m", 1, 3), 512 * v.dim("n", 1, 2))


@target(
    kernel=f"{KERNELS}::matmul_tiled",
    family="matmul_tiled",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_tiled_all(v: Verification) -> None:
    """Every K and M that are multiples of 128, every N that is a multiple of 512."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=128), v.dim("N", multiple_of=512))


@target(
    kernel=f"{KERNELS}::matmul_tiled_swapped",
    family="matmul_tiled",
    kind=Kind.FINDING,
    expect={1: SUCCESSFUL, 3: SUCCESSFUL},
)
def matmul_tiled_swapped_square(v: Verification) -> None:
    """Why the inputs of `matmul_tiled_swapped` have M != N: where they are equal, no shape shows that it is wrong."""
    size = v.dim("size", multiple_of=512)
    multiply(v, v.dim("K", multiple_of=128), size, size)
