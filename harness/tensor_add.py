"""Element-wise addition: the loop form, and the legacy form on a grid of programs."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import DType, bfloat16, float16
from nkiverify.symbolic import Extent

TENSOR_ADD = Family("tensor_add", "kernels/tensor_add.py")
TENSOR_ADD_TENSOR_ADD_SPMD = Family("tensor_add", "kernels/tensor_add_spmd.py")


def add(v: Verification, M: Extent, N: Extent, dtype: DType = bfloat16) -> None:
    """Add two tensors of shape (M, N)."""
    c = v.call(v.tensor("a", (M, N), dtype), v.tensor("b", (M, N), dtype))
    v.returns(c, shape=(M, N), dtype=dtype)


@TENSOR_ADD(Kind.CONCRETE)
def tensor_add(v: Verification) -> None:
    """256 by 1024."""
    add(v, 256, 1024)


@TENSOR_ADD(Kind.CONTROL, "tensor_add_buggy", fails=1)
def tensor_add_buggy(v: Verification) -> None:
    """Two tiles of `a` are loaded into one."""
    add(v, 256, 1024)


@TENSOR_ADD(Kind.SYMBOLIC, flags="--unwind 6")
def tensor_add_symbolic(v: Verification) -> None:
    """Up to four tiles each way."""
    add(v, 128 * v.dim("km", 1, 4), 512 * v.dim("kn", 1, 4))


@TENSOR_ADD(Kind.UNBOUNDED)
def tensor_add_all(v: Verification) -> None:
    """Every M that is a multiple of 128, every N that is a multiple of 512."""
    add(v, v.dim("M", multiple_of=128), v.dim("N", multiple_of=512))


@TENSOR_ADD_TENSOR_ADD_SPMD(Kind.CONCRETE, "tensor_add_spmd")
def tensor_add_spmd(v: Verification) -> None:
    """256 by 1024, one tile for each program."""
    add(v, 256, 1024, float16)


@TENSOR_ADD_TENSOR_ADD_SPMD(Kind.UNBOUNDED, "tensor_add_spmd")
def tensor_add_spmd_all(v: Verification) -> None:
    """Every M that is a multiple of 128, every N that is a multiple of 512."""
    add(v, v.dim("M", multiple_of=128), v.dim("N", multiple_of=512), float16)


@TENSOR_ADD_TENSOR_ADD_SPMD(Kind.FINDING, "tensor_add_spmd", fails=1, tags=("finding",))
def tensor_add_spmd_short_b(v: Verification) -> None:
    """That the operands have the same shape is not checked: rows past the end of a smaller `b` are loaded."""
    v.call(v.tensor("a", (256, 1024), float16), v.tensor("b", (128, 1024), float16))


@TENSOR_ADD_TENSOR_ADD_SPMD(Kind.CONCRETE, "tensor_add_spmd_two_cores")
def tensor_add_spmd_two_cores(v: Verification) -> None:
    """512 by 1024, the rows of tiles dealt out to two cores."""
    add(v, 512, 1024, float16)


@TENSOR_ADD_TENSOR_ADD_SPMD(Kind.UNBOUNDED, "tensor_add_spmd_two_cores")
def tensor_add_spmd_two_cores_all(v: Verification) -> None:
    """Every M that is a multiple of 256, every N that is a multiple of 512."""
    add(v, v.dim("M", multiple_of=256), v.dim("N", multiple_of=512), float16)
