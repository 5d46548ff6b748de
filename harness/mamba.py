"""Selective scan of Mamba.

The published inputs are bfloat16; the Scalar Engine takes a scale only in float32, so the good targets have that.
"""

from __future__ import annotations

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import DType, bfloat16, float32
from nkiverify.symbolic import Extent

MAMBA_V1 = Family("mamba_v1", "kernels/mamba.py")
MAMBA_V2 = Family("mamba_v2", "kernels/mamba.py")
MAMBA_V3 = Family("mamba_v3", "kernels/mamba.py")


def scan(
    v: Verification,
    batch: Extent,
    channels: Extent,
    seq: Extent,
    states: Extent,
    *seq_tile: Extent,
    dtype: DType = float32,
    u_channels: Extent | None = None,
    A_channels: Extent | None = None,
) -> None:
    """Scan sequences of `seq` steps; u and A have as many rows as `channels` where not said otherwise."""
    out = v.call(
        v.tensor("delta", (batch, channels, seq), dtype),
        v.tensor("u", (batch, channels if u_channels is None else u_channels, seq), dtype),
        v.tensor("A", (channels if A_channels is None else A_channels, states), dtype),
        v.tensor("B", (batch, states, seq), dtype),
        v.tensor("C", (batch, states, seq), dtype),
        *seq_tile,
    )
    v.returns(out, shape=(batch, channels, seq), dtype=dtype)


# ----------------------------------------------------------------------------------------------------------- version 1


@MAMBA_V1(Kind.CONCRETE)
def mamba_v1(v: Verification) -> None:
    """One tile of channels, four steps, two states."""
    scan(v, 1, 128, 4, 2)


@MAMBA_V1(Kind.CONTROL, "mamba_v1_buggy", fails=1)
def mamba_v1_buggy(v: Verification) -> None:
    """Row 128 of 128 rows of delta is loaded."""
    scan(v, 1, 128, 4, 2)


@MAMBA_V1(Kind.SYMBOLIC, flags="--unwind 5")
def mamba_v1_symbolic(v: Verification) -> None:
    """Up to four states and eight steps."""
    scan(v, 1, 128, v.dim("seq", 2, 8), v.dim("states", 1, 4))


@MAMBA_V1(Kind.UNBOUNDED, holds=(1, 2, 4))
def mamba_v1_all(v: Verification) -> None:
    """Every batch, number of states and length; every number of channels that is a multiple of 128."""
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), v.dim("seq"), v.dim("states"))


@MAMBA_V1(Kind.FINDING, fails=1, tags=("published-inputs", "finding"))
def mamba_v1_published(v: Verification) -> None:
    """The published inputs: a scale in bfloat16."""
    scan(v, 1, 128, 4, 2, dtype=bfloat16)


@MAMBA_V1(Kind.FINDING, fails=1, tags=("finding",))
def mamba_v1_short_u(v: Verification) -> None:
    """That u has as many channels as delta is not checked: rows past its end are loaded."""
    scan(v, 1, 256, 4, 2, u_channels=128)


@MAMBA_V1(Kind.BOUNDARY, fails=1)
def mamba_v1_short_a(v: Verification) -> None:
    """An A with fewer rows than there are channels is rejected."""
    scan(v, 1, 256, 4, 2, A_channels=128)


# ----------------------------------------------------------------------------------------------------------- version 2


@MAMBA_V2(Kind.CONCRETE)
def mamba_v2(v: Verification) -> None:
    """One tile of channels, four steps, two states."""
    scan(v, 1, 128, 4, 2)


@MAMBA_V2(Kind.CONTROL, "mamba_v2_buggy", fails=1)
def mamba_v2_buggy(v: Verification) -> None:
    """Row 128 of 128 rows of u is loaded."""
    scan(v, 1, 128, 4, 2)


@MAMBA_V2(Kind.UNBOUNDED, holds=(1, 2, 4))
def mamba_v2_all(v: Verification) -> None:
    """Every batch, number of states and length; every number of channels that is a multiple of 128."""
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), v.dim("seq"), v.dim("states"))


@MAMBA_V2(Kind.FINDING, fails=1, tags=("published-inputs", "finding"))
def mamba_v2_published(v: Verification) -> None:
    """The published inputs: a scale in bfloat16."""
    scan(v, 1, 128, 4, 2, dtype=bfloat16)


# ----------------------------------------------------------------------------------------------------------- version 3


@MAMBA_V3(Kind.CONCRETE)
def mamba_v3(v: Verification) -> None:
    """One tile of channels, two tiles of eight steps, two states."""
    scan(v, 1, 128, 16, 2, 8)


@MAMBA_V3(Kind.CONTROL, "mamba_v3_buggy", fails=1)
def mamba_v3_buggy(v: Verification) -> None:
    """Nine columns of C are loaded into eight."""
    scan(v, 1, 128, 16, 2, 8)


@MAMBA_V3(Kind.SYMBOLIC, flags="--unwind 5")
def mamba_v3_symbolic(v: Verification) -> None:
    """Up to three tiles of four steps, and four states."""
    scan(v, 1, 128, 4 * v.dim("n", 1, 3), v.dim("states", 1, 4), 4)


@MAMBA_V3(Kind.UNBOUNDED, holds=(1, 2, 4))
def mamba_v3_all(v: Verification) -> None:
    """Every tile of steps and number of such tiles, batch and number of states; channels in multiples of 128."""
    seq_tile = v.dim("seq_tile")
    seq = seq_tile * v.dim("seq_tiles")
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), seq, v.dim("states"), seq_tile)


@MAMBA_V3(Kind.FINDING, fails=1, tags=("published-inputs", "finding"))
def mamba_v3_published(v: Verification) -> None:
    """The published inputs: a scale in bfloat16."""
    scan(v, 1, 128, 16, 2, 8, dtype=bfloat16)


@MAMBA_V1(Kind.SYMBOLIC, holds=3)
def mamba_v1_fits(v: Verification) -> None:
    """Every length of which three rows of float32 fit a partition."""
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), v.dim("seq", high=17748), v.dim("states"))


@MAMBA_V2(Kind.SYMBOLIC, holds=3)
def mamba_v2_fits(v: Verification) -> None:
    """Every length of which three rows of float32 fit a partition."""
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), v.dim("seq", high=17748), v.dim("states"))


@MAMBA_V3(Kind.SYMBOLIC, holds=3)
def mamba_v3_fits(v: Verification) -> None:
    """Every length of which three rows of float32 fit a partition, in every number of tiles."""
    seq_tile, seq_tiles = v.dim("seq_tile", high=4096), v.dim("seq_tiles")
    v.assume(seq_tile * seq_tiles <= 17748)
    scan(v, v.dim("batch"), v.dim("channels", multiple_of=128), seq_tile * seq_tiles, v.dim("states"), seq_tile)
