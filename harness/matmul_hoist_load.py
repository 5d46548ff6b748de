"""The matmul that keeps strips of its operands."""

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import float16
from nkiverify.symbolic import Extent

KERNELS = "kernels/matmul_hoist_load.py"


def multiply(v: Verification, K: Extent, M: Extent, N: Extent) -> None:
    """Multiply (K, M) and (K, N)."""
    result = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
    v.returns(result, shape=(M, N), dtype=float16)


@target(
    kernel=f"{KERNELS}::matmul_hoist_load",
    family="matmul_hoist_load",
    kind=Kind.CONCRETE,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_hoist_load(v: Verification) -> None:
    """Two tiles of each dimension."""
    multiply(v, 256, 256, 1024)


@target(kernel=f"{KERNELS}::matmul_hoist_load_buggy", family="matmul_hoist_load", kind=Kind.CONTROL, expect={1: FAILED})
def matmul_hoist_load_buggy(v: Verification) -> None:
    """Two tiles of lhsT are loaded into one."""
    multiply(v, 256, 256, 1024)


@target(
    kernel=f"{KERNELS}::matmul_hoist_load_swapped", family="matmul_hoist_load", kind=Kind.CONTROL, expect={1: FAILED}
)
def matmul_hoist_load_swapped(v: Verification) -> None:
    """The product is transposed."""
    multiply(v, 256, 512, 1024)


@target(
    kernel=f"{KERNELS}::matmul_hoist_load_historical",
    family="matmul_hoist_load",
    kind=Kind.HISTORICAL,
    expect={1: FAILED},
    tags=("upstream-bug",),
)
def matmul_hoist_load_historical(v: Verification) -> None:
    """Before https://github.com/aws-neuron/nki-samples/pull/74: tiles of lhsT are 512 wide. Any input shows it."""
    multiply(v, 256, 256, 1024)


@target(
    kernel=f"{KERNELS}::matmul_hoist_load",
    family="matmul_hoist_load",
    kind=Kind.CONCRETE,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL},
    tags=("upstream-bug",),
)
def matmul_hoist_load_historical_fixed(v: Verification) -> None:
    """After https://github.com/aws-neuron/nki-samples/pull/74."""
    multiply(v, 256, 256, 1024)


@target(
    kernel=f"{KERNELS}::matmul_hoist_load",
    family="matmul_hoist_load",
    kind=Kind.SYMBOLIC,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
    flags="--unwind 3",
)
def matmul_hoist_load_symbolic(v: Verification) -> None:
    """One or two tiles of each dimension."""
    multiply(v, 128 * v.dim("k", 1, 2), 128 * v.dim("m", 1, 2), 512 * v.dim("n", 1, 2))


@target(
    kernel=f"{KERNELS}::matmul_hoist_load",
    family="matmul_hoist_load",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def matmul_hoist_load_all(v: Verification) -> None:
    """Every K and M that are multiples of 128, every N that is a multiple of 512."""
    multiply(v, v.dim("K", multiple_of=128), v.dim("M", multiple_of=128), v.dim("N", multiple_of=512))
