"""The dataflow phase: what is read was written, the output is complete, sums start anew, nothing unordered meets."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import bfloat16, float32

DATAFLOW = Family("dataflow", "kernels/dataflow.py")
DATAFLOW_LEGACY = Family("dataflow", "kernels/dataflow_legacy.py")


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


@DATAFLOW(Kind.UNBOUNDED, "doubled")
def dataflow_rows(v: Verification) -> None:
    """Every number of rows: the last tile is as short as it has to be."""
    rows(v)


@DATAFLOW(Kind.CONTROL, "doubled_missing_load", fails=4, holds=1)
def dataflow_missing_load(v: Verification) -> None:
    """The last column is computed with and stored, and never loaded."""
    rows(v, least=2)


@DATAFLOW(Kind.CONTROL, "doubled_skipped_tail", fails=4, holds=1)
def dataflow_skipped_tail(v: Verification) -> None:
    """One row: there is no full tile, and nothing is written."""
    rows(v)


@DATAFLOW(Kind.UNBOUNDED, "products")
def dataflow_products(v: Verification) -> None:
    """The first product of each sum overwrites the sum before it."""
    multiply(v)


@DATAFLOW(Kind.CONTROL, "products_without_reset", fails=4, holds=1)
def dataflow_products_without_reset(v: Verification) -> None:
    """From N = 1024 on there is a second sum, and it goes on with the first."""
    multiply(v)


@DATAFLOW(Kind.CONTROL, "products_on_nothing", fails=4, holds=1)
def dataflow_products_on_nothing(v: Verification) -> None:
    """accumulate=True in the first product."""
    multiply(v)


@DATAFLOW_LEGACY(Kind.UNBOUNDED, "copied")
def dataflow_affine(v: Verification) -> None:
    """Iterations of an affine_range with rows of their own."""
    tiles(v)


@DATAFLOW_LEGACY(Kind.CONTROL, "copied_overlapping", fails=4, holds=1)
def dataflow_affine_overlapping(v: Verification) -> None:
    """Two iterations store one row."""
    tiles(v)


@DATAFLOW_LEGACY(Kind.UNBOUNDED, "summed")
def dataflow_affine_sum(v: Verification) -> None:
    """A sum over iterations in place."""
    tiles(v)


@DATAFLOW_LEGACY(Kind.CONTROL, "chained", fails=4, holds=1)
def dataflow_affine_chained(v: Verification) -> None:
    """An iteration reads what the one before it has written."""
    tiles(v)


def products(v: Verification) -> None:
    """Sums over every number of tiles."""
    K = v.dim("K", multiple_of=128)
    v.call(v.tensor("x", (K, 128), float32), v.tensor("y", (K, 512), float32))


@DATAFLOW_LEGACY(Kind.UNBOUNDED, "products_added")
def dataflow_affine_products(v: Verification) -> None:
    """A sum of products in PSUM begins with zeros."""
    products(v)


@DATAFLOW_LEGACY(Kind.FINDING, "products_added_to_nothing", holds=4, tags=("finding",))
def dataflow_affine_products_on_nothing(v: Verification) -> None:
    """It begins with a tensor that nothing has written, as in published kernels: a contested rule, and a warning."""
    products(v)


@DATAFLOW_LEGACY(Kind.UNBOUNDED, "halves")
def dataflow_programs(v: Verification) -> None:
    """Two programs with rows of their own."""
    v.call(v.tensor("x", (256, v.dim("C", 2, 16)), float32), grid=(2,))


@DATAFLOW_LEGACY(Kind.CONTROL, "halves_overlapping", fails=4, holds=1)
def dataflow_programs_overlapping(v: Verification) -> None:
    """Two programs that share rows of the output."""
    v.call(v.tensor("x", (256, v.dim("C", 2, 16)), float32), grid=(2,))
