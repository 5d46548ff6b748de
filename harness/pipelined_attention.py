"""Flash attention: the helpers one by one in the current API, and the full pipelined kernel in the legacy one."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import DType, bfloat16, float16
from nkiverify.symbolic import Extent

PIPELINED_ATTENTION = Family("pipelined_attention", "kernels/pipelined_attention_port.py")
PIPELINED_ATTENTION_PIPELINED_ATTENTION = Family("pipelined_attention", "kernels/pipelined_attention.py")


def attend(
    v: Verification, seq_q: Extent, seq_k: Extent, dtype: DType, *, b: Extent = 1, d: int = 128, legacy: bool = False
) -> None:
    """Attend; the legacy kernel has one program per batch entry, and needs to be told that there is no mask."""
    q = v.tensor("q", (b, d, seq_q), dtype)
    k = v.tensor("k", (b, d, seq_k), dtype)
    values = v.tensor("v", (b, seq_k, d), dtype)
    o = v.call(q, k, values, grid=(b,), use_causal_mask=False) if legacy else v.call(q, k, values)
    v.returns(o, shape=(b, seq_q, d), dtype=dtype)


def launch(v: Verification) -> None:
    """Launch the kernel on one section, with default options if it has any."""
    q = v.tensor("q", (1, 128, 8192), bfloat16)
    k = v.tensor("k", (1, 128, 8192), bfloat16)
    v.call(q, k, v.tensor("v", (1, 8192, 128), bfloat16), grid=(1,))


# ------------------------------------------------------------------------------------------------- the helpers, ported


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_shell", fails=4, holds=(1, 2, 3))
def pipelined_attention(v: Verification) -> None:
    """Checks and outer buffers."""
    attend(v, 2048, 2048, bfloat16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_load_q", fails=4, holds=(1, 2, 3))
def pipelined_attention_load_q(v: Verification) -> None:
    """And the load of the queries."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_qk_and_max", holds=(1, 2, 3))
def pipelined_attention_qk_and_max(v: Verification) -> None:
    """And the scores with their maxima."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_update_max", holds=(1, 2, 3))
def pipelined_attention_update_max(v: Verification) -> None:
    """And the running maximum."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_exp", holds=(1, 2, 3))
def pipelined_attention_exp(v: Verification) -> None:
    """And the exponentials."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_tp", holds=(1, 2, 3))
def pipelined_attention_tp(v: Verification) -> None:
    """And their transposes."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_pv", holds=(1, 2, 3))
def pipelined_attention_pv(v: Verification) -> None:
    """And the weighted sums of the values."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.CONCRETE, "attention_full")
def pipelined_attention_full(v: Verification) -> None:
    """All of it, on two sections, the number for which it is right."""
    attend(v, 4096, 4096, float16)


@PIPELINED_ATTENTION(Kind.FINDING, "attention_full", holds=(1, 2, 3), tags=("published-inputs", "finding"))
def pipelined_attention_full_published(v: Verification) -> None:
    """The published inputs: one section, in which `scaling` is read but never written. No shape shows it."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.FINDING, "attention_full", fails=4, tags=("published-inputs", "finding"))
def pipelined_attention_full_one_section(v: Verification) -> None:
    """The published inputs again: what the first section's output is scaled with is read before it is written."""
    attend(v, 2048, 2048, float16)


@PIPELINED_ATTENTION(Kind.UNBOUNDED, "attention_full", holds=(1, 2))
def pipelined_attention_full_all(v: Verification) -> None:
    """Every batch and every number of sections; values are right for two, but shapes are for all."""
    seq = v.dim("seq", multiple_of=2048)
    attend(v, seq, seq, float16, b=v.dim("b"))


@PIPELINED_ATTENTION(Kind.UNBOUNDED, "attention_full", holds=4)
def pipelined_attention_full_sections(v: Verification) -> None:
    """From two sections on, whatever is read was written before; what the sections in the middle write is not used."""
    seq = 2048 * v.dim("sections", 2, 2**20 - 1)
    attend(v, seq, seq, float16, b=v.dim("b"))


# ----------------------------------------------------------------------------------------- the full, pipelined kernel


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONCRETE, "flash_fwd", holds=(1, 2))
def flash_fwd(v: Verification) -> None:
    """The one length it is written for."""
    attend(v, 16384, 16384, bfloat16, legacy=True)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.UNBOUNDED, "flash_fwd", holds=(1, 2))
def flash_fwd_all(v: Verification) -> None:
    """Every batch and every number of sections; values are right for two, but shapes are for all."""
    seq = v.dim("seq", multiple_of=8192)
    attend(v, seq, seq, bfloat16, b=v.dim("b"), legacy=True)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.FINDING, "flash_fwd", fails=1, tags=("finding",))
def flash_fwd_defaults(v: Verification) -> None:
    """Every call with default arguments is refused: the default is a causal mask, which the kernel does not have."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.FINDING, "flash_fwd", fails=1, tags=("finding",))
def flash_fwd_d64(v: Verification) -> None:
    """A head dimension below 128 passes the check, but the kernel writes 128 columns of o."""
    attend(v, 8192, 8192, bfloat16, d=64, legacy=True)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.FINDING, "flash_fwd", fails=1, tags=("finding",))
def flash_fwd_more_keys(v: Verification) -> None:
    """That there are as many keys as queries is not checked: groups of queries are counted by keys."""
    attend(v, 8192, 16384, bfloat16, legacy=True)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.FINDING, "flash_fwd", fails=1, tags=("finding",))
def flash_fwd_more_queries(v: Verification) -> None:
    """That there are as many keys as queries is not checked: sections of keys are counted by queries."""
    attend(v, 16384, 8192, bfloat16, legacy=True)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_queries", fails=1)
def flash_fwd_late_queries(v: Verification) -> None:
    """The last group takes its queries from past the end of q."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_keys", fails=1)
def flash_fwd_late_keys(v: Verification) -> None:
    """Tile 16 of 16 tiles of keys is multiplied."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_sums", fails=1)
def flash_fwd_late_sums(v: Verification) -> None:
    """Column 4 of 4 columns of sums is written."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_transposes", fails=1)
def flash_fwd_late_transposes(v: Verification) -> None:
    """The last transposed block ends in column 513 of 512."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_values", fails=1)
def flash_fwd_late_values(v: Verification) -> None:
    """Tile 64 of 64 tiles of values is multiplied."""
    launch(v)


@PIPELINED_ATTENTION_PIPELINED_ATTENTION(Kind.CONTROL, "flash_fwd_late_output", fails=1)
def flash_fwd_late_output(v: Verification) -> None:
    """The last group writes past the end of o."""
    launch(v)


@PIPELINED_ATTENTION(Kind.SYMBOLIC, "attention_full", holds=3)
def pipelined_attention_full_fits(v: Verification) -> None:
    """Every number of sections with which the statistics of all rows fit a partition."""
    seq = v.dim("seq", high=2**21, multiple_of=2048)
    attend(v, seq, seq, float16, b=v.dim("b"))
