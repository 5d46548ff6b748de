"""The dataflow phase: what is read was written, the output is complete, sums start anew, nothing unordered meets."""

from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import bfloat16, float32

KERNELS = "kernels/dataflow.py"
LEGACY = "kernels/dataflow_legacy.py"


def rows(v: Verification, least: int = 1) -> None:
    """Any number of rows of up to 2048 columns."""
    R, C = v.dim("R"), v.dim("C", least, 2048)
    v.returns(v.call(v.tensor("x", (R, C), float32)), shape=(R, C))


def tiles(v: Verification) -> None:
    """Any number of tiles of 128 rows, of up to 2048 columns."""
    v.call(v.tensor("x", (v.dim("R", multiple_of=128), v.dim("C", 2, 2048)), float32))


def multiply(v: Verification) -> None:
    """Any K that is a multiple of 128, any N that is one of 512."""
    K, N = v.dim("K", multiple_of=128), v.dim("N", multiple_of=512)
    v.returns(v.call(v.tensor("lhsT", (K, 128), bfloat16), v.tensor("rhs", (K, N), bfloat16)), shape=(128, N))


@target(
    kernel=f"{KERNELS}::doubled",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_rows(v: Verification) -> None:
    """Every number of rows: the last tile is as short as it has to be."""
    rows(v)


@target(
    kernel=f"{KERNELS}::doubled_missing_load", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED}
)
def dataflow_missing_load(v: Verification) -> None:
    """The last column is computed with and stored, and never loaded."""
    rows(v, least=2)


@target(
    kernel=f"{KERNELS}::doubled_skipped_tail", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED}
)
def dataflow_skipped_tail(v: Verification) -> None:
    """One row: there is no full tile, and nothing is written."""
    rows(v)


@target(
    kernel=f"{KERNELS}::products",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_products(v: Verification) -> None:
    """The first product of each sum overwrites the sum before it."""
    multiply(v)


@target(
    kernel=f"{KERNELS}::products_without_reset", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED}
)
def dataflow_products_without_reset(v: Verification) -> None:
    """From N = 1024 on there is a second sum, and it goes on with the first."""
    multiply(v)


@target(
    kernel=f"{KERNELS}::products_on_nothing", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED}
)
def dataflow_products_on_nothing(v: Verification) -> None:
    """accumulate=True in the first product."""
    multiply(v)


@target(
    kernel=f"{LEGACY}::copied",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_affine(v: Verification) -> None:
    """Iterations of an affine_range with rows of their own."""
    tiles(v)


@target(kernel=f"{LEGACY}::copied_overlapping", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED})
def dataflow_affine_overlapping(v: Verification) -> None:
    """Two iterations store one row."""
    tiles(v)


@target(
    kernel=f"{LEGACY}::summed",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_affine_sum(v: Verification) -> None:
    """A sum over iterations in place."""
    tiles(v)


@target(kernel=f"{LEGACY}::chained", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED})
def dataflow_affine_chained(v: Verification) -> None:
    """An iteration reads what the one before it has written."""
    tiles(v)


def products(v: Verification) -> None:
    """Sums over every number of tiles."""
    K = v.dim("K", multiple_of=128)
    v.call(v.tensor("x", (K, 128), float32), v.tensor("y", (K, 512), float32))


@target(
    kernel=f"{LEGACY}::products_added",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_affine_products(v: Verification) -> None:
    """A sum of products in PSUM begins with zeros."""
    products(v)


@target(
    kernel=f"{LEGACY}::products_added_to_nothing",
    family="dataflow",
    kind=Kind.FINDING,
    expect={4: FAILED},
    tags=("finding",),
)
def dataflow_affine_products_on_nothing(v: Verification) -> None:
    """It begins with a tensor that nothing has written, as in published kernels."""
    products(v)


@target(
    kernel=f"{LEGACY}::halves",
    family="dataflow",
    kind=Kind.UNBOUNDED,
    expect={1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL},
)
def dataflow_programs(v: Verification) -> None:
    """Two programs with rows of their own."""
    v.call(v.tensor("x", (256, v.dim("C", 2, 16)), float32), grid=(2,))


@target(kernel=f"{LEGACY}::halves_overlapping", family="dataflow", kind=Kind.CONTROL, expect={1: SUCCESSFUL, 4: FAILED})
def dataflow_programs_overlapping(v: Verification) -> None:
    """Two programs that share rows of the output."""
    v.call(v.tensor("x", (256, v.dim("C", 2, 16)), float32), grid=(2,))
