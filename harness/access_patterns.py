"""Access patterns by themselves."""

from nkiverify.manifest import FAILED, Kind, Verification, target
from nkiverify.model.dtypes import float16


@target(
    kernel="kernels/access_patterns.py::ap_partition_crossing",
    family="access_patterns",
    kind=Kind.CONTROL,
    expect={1: FAILED},
)
def ap_partition_crossing(v: Verification) -> None:
    """128 elements of one partition, taken for 128 partitions; each is inside the tile."""
    v.call(v.tensor("x", (1, 4, 32), float16))
