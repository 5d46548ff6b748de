"""Numbers that stay finite (phase 5): what ranges the inputs of kernels may have."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16, float32
from nkiverify.symbolic import Extent

ATTN_FWD_V1 = Family("attn_fwd_v1", "kernels/attention.py")
ATTN_FWD_V2 = Family("attn_fwd_v2", "kernels/attention.py")
ATTN_FWD_V3 = Family("attn_fwd_v3", "kernels/attention.py")
MATMUL_TILED = Family("matmul_tiled", "kernels/matmul_tiled.py")
MAMBA_V1 = Family("mamba_v1", "kernels/mamba.py")
TENSOR_ADD = Family("tensor_add", "kernels/tensor_add.py")
AVGPOOL = Family("avgpool", "kernels/avgpool.py")


def attend(v: Verification, seq: Extent, most: float) -> None:
    """Attend with a head dimension of 128; all inputs are at most `most` in magnitude."""
    v.call(*(v.tensor(name, (128, seq), float32, values=(-most, most)) for name in "qkv"))


@ATTN_FWD_V1(Kind.CONCRETE, "attn_fwd_v1", holds=5)
def attn_fwd_v1_finite(v: Verification) -> None:
    """128 queries and keys, of up to 1e15: their products are at most 1.28e32."""
    attend(v, 128, 1e15)


@ATTN_FWD_V1(Kind.CONTROL, "attn_fwd_v1", fails=5)
def attn_fwd_v1_overflows(v: Verification) -> None:
    """128 queries and keys of any float32."""
    attend(v, 128, 3.4e38)


@ATTN_FWD_V2(Kind.CONCRETE, "attn_fwd_v2", holds=5)
def attn_fwd_v2_finite(v: Verification) -> None:
    """128 queries and keys, of up to 100."""
    attend(v, 128, 100.0)


@ATTN_FWD_V3(Kind.CONCRETE, "attn_fwd_v3", holds=5)
def attn_fwd_v3_finite(v: Verification) -> None:
    """512 queries and keys, of up to 100: the maximum of a row is that of its tiles."""
    attend(v, 512, 100.0)


@ATTN_FWD_V3(Kind.UNBOUNDED, "attn_fwd_v3", holds=5)
def attn_fwd_v3_finite_all(v: Verification) -> None:
    """Every number of queries and keys that is a multiple of 512, of up to 0.3: scores are no further apart than 24.

    What a tile of HBM has to do with another one is not followed for all sizes.
    """
    seq = v.dim("seq", multiple_of=512)
    attend(v, seq, 0.3)


def multiply(v: Verification, most: float) -> None:
    """Multiply float16 matrices of 256 rows, whose numbers are at most `most` in magnitude, into float16."""
    lhs = v.tensor("lhsT", (256, 128), float16, values=(-most, most))
    v.call(lhs, v.tensor("rhs", (256, 512), float16, values=(-most, most)))


@MATMUL_TILED(Kind.CONCRETE, "matmul_tiled", holds=5)
def matmul_tiled_finite(v: Verification) -> None:
    """Sums of 256 products of up to 225 fit float16."""
    multiply(v, 15.0)


@MATMUL_TILED(Kind.CONTROL, "matmul_tiled", fails=5)
def matmul_tiled_overflows(v: Verification) -> None:
    """Sums of 256 products of up to 289 do not."""
    multiply(v, 17.0)


def scan(v: Verification, most: float) -> None:
    """Scan eight steps; steps are from 0 to 1, the decay from -1 to `most`."""
    v.call(
        v.tensor("delta", (1, 128, 8), float32, values=(0, 1)),
        v.tensor("u", (1, 128, 8), float32, values=(-10, 10)),
        v.tensor("A", (128, 2), float32, values=(-1, most)),
        v.tensor("B", (1, 2, 8), float32, values=(-10, 10)),
        v.tensor("C", (1, 2, 8), float32, values=(-10, 10)),
    )


@MAMBA_V1(Kind.CONCRETE, "mamba_v1", holds=5)
def mamba_v1_finite(v: Verification) -> None:
    """States that decay."""
    scan(v, 0.0)


@MAMBA_V1(Kind.CONTROL, "mamba_v1", fails=5)
def mamba_v1_grows(v: Verification) -> None:
    """States that grow by up to exp(100) in a step."""
    scan(v, 100.0)


@AVGPOOL(Kind.SYMBOLIC, "avgpool", holds=5)
def avgpool_finite(v: Verification) -> None:
    """Images of 6, 8 or 10 each way, of every float16: the sums are float32."""
    H, W = (6 + 2 * v.dim(name, 0, 2) for name in ("kh", "kw"))
    v.call(v.tensor("x", (2, H, W), float16), 2)


@MATMUL_TILED(Kind.SYMBOLIC, holds=5)
def matmul_tiled_finite_all(v: Verification) -> None:
    """Sums of up to 4096 products of up to 4 fit float16, whatever the other extents are."""
    depth, columns = v.dim("K", 1, 4096, multiple_of=128), v.dim("M", multiple_of=128)
    lhs = v.tensor("lhsT", (depth, columns), float16, values=(-2.0, 2.0))
    v.call(lhs, v.tensor("rhs", (depth, v.dim("N", multiple_of=512)), float16, values=(-2.0, 2.0)))


@TENSOR_ADD(Kind.UNBOUNDED, holds=5)
def tensor_add_finite_all(v: Verification) -> None:
    """Sums of two numbers of up to 1e38."""
    shape = v.dim("M", multiple_of=128), v.dim("N", multiple_of=512)
    v.call(v.tensor("a", shape, float32, values=(-1e38, 1e38)), v.tensor("b", shape, float32, values=(-1e38, 1e38)))
