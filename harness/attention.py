"""Attention forward pass, versions 1 to 3.

The published inputs are float16. Versions 1 and 2 multiply them with float32 weights, which the Tensor Engine does not;
the good targets have float32 there.
"""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import DType, bfloat16, float16, float32, tfloat32
from nkiverify.symbolic import Extent

ATTN_FWD_V1 = Family("attn_fwd_v1", "kernels/attention.py")
ATTN_FWD_V2 = Family("attn_fwd_v2", "kernels/attention.py")
ATTN_FWD_V3 = Family("attn_fwd_v3", "kernels/attention.py")


def attend(v: Verification, queries: Extent, keys: Extent, dtype: DType) -> None:
    """Attend with a head dimension of 128."""
    q = v.tensor("q", (128, queries), dtype)
    k = v.tensor("k", (128, keys), dtype)
    out = v.call(q, k, v.tensor("v", (128, keys), dtype))
    v.returns(out, shape=(queries, 128), dtype=dtype)


# ----------------------------------------------------------------------------------------------------------- version 1


@ATTN_FWD_V1(Kind.CONCRETE)
def attn_fwd_v1(v: Verification) -> None:
    """128 queries and keys."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V1(Kind.CONTROL, "attn_fwd_v1_buggy", fails=1)
def attn_fwd_v1_buggy(v: Verification) -> None:
    """129 columns are copied from 128."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V1(Kind.FINDING, fails=1, tags=("published-inputs", "finding"))
def attn_fwd_v1_published(v: Verification) -> None:
    """The published inputs: float32 weights times float16 values."""
    attend(v, 128, 128, float16)


@ATTN_FWD_V1(Kind.UNBOUNDED)
def attn_fwd_v1_all(v: Verification) -> None:
    """Every dtype that can be multiplied with float32; the kernel fixes the shapes."""
    attend(v, 128, 128, v.choice("dtype", (float32, tfloat32)))


@ATTN_FWD_V1(Kind.CONCRETE, "attn_fwd_v1_asym")
def attn_fwd_v1_asym(v: Verification) -> None:
    """64 queries, 32 keys."""
    attend(v, 64, 32, float32)


@ATTN_FWD_V1(Kind.CONTROL, "attn_fwd_v1_asym_buggy", fails=1)
def attn_fwd_v1_asym_buggy(v: Verification) -> None:
    """The contraction is of 64 queries with 32 keys."""
    attend(v, 64, 32, float32)


@ATTN_FWD_V1(Kind.FINDING, "attn_fwd_v1_asym_buggy", holds=(1, 3))
def attn_fwd_v1_asym_buggy_square(v: Verification) -> None:
    """Why there is `attn_fwd_v1_asym_buggy`: on 128 queries and keys, no shape shows that it is wrong."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V1(Kind.FINDING, "attn_fwd_v1_asym", fails=1, tags=("published-inputs", "finding"))
def attn_fwd_v1_asym_published(v: Verification) -> None:
    """The published inputs: float32 weights times float16 values."""
    attend(v, 64, 32, float16)


@ATTN_FWD_V1(Kind.UNBOUNDED, "attn_fwd_v1_asym")
def attn_fwd_v1_asym_all(v: Verification) -> None:
    """All numbers of queries and keys up to 128, as they are transposed in one tile."""
    attend(v, v.dim("queries", 1, 128), v.dim("keys", 1, 128), float32)


# ----------------------------------------------------------------------------------------------------------- version 2


@ATTN_FWD_V2(Kind.CONCRETE)
def attn_fwd_v2(v: Verification) -> None:
    """128 queries and keys."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V2(Kind.CONTROL, "attn_fwd_v2_buggy", fails=1)
def attn_fwd_v2_buggy(v: Verification) -> None:
    """128 columns are transposed into 129."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V2(Kind.FINDING, fails=1, tags=("published-inputs", "finding"))
def attn_fwd_v2_published(v: Verification) -> None:
    """The published inputs: float16 values transposed into float32, and multiplied with float32 weights."""
    attend(v, 128, 128, float16)


@ATTN_FWD_V2(Kind.UNBOUNDED)
def attn_fwd_v2_all(v: Verification) -> None:
    """One shape and one dtype are all that this version takes."""
    attend(v, 128, 128, float32)


@ATTN_FWD_V2(Kind.CONCRETE, "attn_fwd_v2_asym")
def attn_fwd_v2_asym(v: Verification) -> None:
    """64 queries, 32 keys."""
    attend(v, 64, 32, float32)


@ATTN_FWD_V2(Kind.CONTROL, "attn_fwd_v2_asym_swapped", fails=1)
def attn_fwd_v2_asym_swapped(v: Verification) -> None:
    """The weights of 32 keys for 64 queries are multiplied with the values of 32 keys."""
    attend(v, 64, 32, float32)


@ATTN_FWD_V2(Kind.UNBOUNDED, "attn_fwd_v2_asym")
def attn_fwd_v2_asym_all(v: Verification) -> None:
    """All numbers of queries and keys up to 128, as they are transposed in one tile."""
    attend(v, v.dim("queries", 1, 128), v.dim("keys", 1, 128), float32)


# ----------------------------------------------------------------------------------------------------------- version 3


@ATTN_FWD_V3(Kind.CONCRETE, flags="--unwind 5")
def attn_fwd_v3(v: Verification) -> None:
    """512 queries and keys, the fewest it takes."""
    attend(v, 512, 512, float16)


@ATTN_FWD_V3(Kind.CONTROL, "attn_fwd_v3_buggy", fails=1, flags="--unwind 5")
def attn_fwd_v3_buggy(v: Verification) -> None:
    """The stationary operand has 512 columns."""
    attend(v, 512, 512, float16)


@ATTN_FWD_V3(Kind.SYMBOLIC, flags="--unwind 9")
def attn_fwd_v3_symbolic(v: Verification) -> None:
    """512 or 1024 queries and keys."""
    seq = 512 * v.dim("k", 1, 2)
    attend(v, seq, seq, float16)


@ATTN_FWD_V3(Kind.UNBOUNDED, holds=(1, 2, 4))
def attn_fwd_v3_all(v: Verification) -> None:
    """Every number of queries and keys that is a multiple of 512, in every dtype of the tutorial."""
    seq = v.dim("seq", multiple_of=512)
    attend(v, seq, seq, v.choice("dtype", (bfloat16, float16, float32)))


@ATTN_FWD_V3(Kind.FINDING, "attn_fwd_v3_unguarded", fails=(1, 4), tags=("finding",))
def attn_fwd_v3_unguarded(v: Verification) -> None:
    """As published, the sequence need not be a multiple of 512; keys that are left over are not looked at.

    No contract of a call is broken by that, so the target states what should hold: the wide tiles cover the keys.
    """
    seq = v.dim("seq", 512)
    attend(v, seq, seq, float16)
    v.claim(seq // 512 * 512 == seq, "the tiles of the scores cover all keys")


@ATTN_FWD_V3(Kind.BOUNDARY, fails=1)
def attn_fwd_v3_ragged(v: Verification) -> None:
    """The guarded kernel rejects 640."""
    attend(v, 640, 640, float16)


@ATTN_FWD_V3(Kind.SYMBOLIC, holds=3)
def attn_fwd_v3_fits(v: Verification) -> None:
    """Every length of which two rows of float32 scores fit a partition."""
    seq = v.dim("seq", multiple_of=512)
    v.assume(seq <= 26112)
    attend(v, seq, seq, v.choice("dtype", (bfloat16, float16, float32)))
