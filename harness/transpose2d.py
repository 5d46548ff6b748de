"""Transpose of the matrix stored in each row."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import int8
from nkiverify.symbolic import Extent

TRANSPOSE2D = Family("transpose2d", "kernels/transpose2d.py")


def transpose(v: Verification, P: Extent, F1: Extent, F2: Extent) -> None:
    """Transpose P matrices of F1 by F2."""
    out = v.call(v.tensor("x", (P, F1 * F2), int8), (F1, F2))
    v.returns(out, shape=(P, F1 * F2), dtype=int8)


@TRANSPOSE2D(Kind.CONCRETE)
def transpose2d(v: Verification) -> None:
    """Two matrices of 3 by 4."""
    transpose(v, 2, 3, 4)


@TRANSPOSE2D(Kind.CONTROL, "transpose2d_buggy", fails=1)
def transpose2d_buggy(v: Verification) -> None:
    """The last columns go past the end of the row."""
    transpose(v, 2, 3, 4)


@TRANSPOSE2D(Kind.SYMBOLIC, flags="--unwind 5")
def transpose2d_symbolic(v: Verification) -> None:
    """Two matrices of up to 4 by 4."""
    transpose(v, 2, v.dim("F1", 1, 4), v.dim("F2", 1, 4))


@TRANSPOSE2D(Kind.UNBOUNDED, holds=(1, 2, 4))
def transpose2d_all(v: Verification) -> None:
    """Every size of the matrix; up to 128 matrices, as each takes a partition."""
    transpose(v, v.dim("P", 1, 128), v.dim("F1"), v.dim("F2"))


@TRANSPOSE2D(Kind.FINDING, fails=1, tags=("finding",))
def transpose2d_129_rows(v: Verification) -> None:
    """That there are at most 128 matrices is not checked."""
    transpose(v, 129, 3, 4)


@TRANSPOSE2D(Kind.BOUNDARY, fails=1)
def transpose2d_ragged(v: Verification) -> None:
    """Rows that are longer than the matrix are rejected."""
    v.call(v.tensor("x", (2, 13), int8), (3, 4))


@TRANSPOSE2D(Kind.SYMBOLIC, holds=3)
def transpose2d_fits(v: Verification) -> None:
    """Every matrix that fits a partition."""
    F1, F2 = v.dim("F1"), v.dim("F2")
    v.assume(F1 * F2 <= 32767)
    transpose(v, v.dim("P", 1, 128), F1, F2)
