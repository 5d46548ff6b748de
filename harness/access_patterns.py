"""Access patterns by themselves."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import float16

ACCESS_PATTERNS = Family("access_patterns", "kernels/access_patterns.py")


@ACCESS_PATTERNS(Kind.CONTROL, "ap_partition_crossing", fails=1)
def ap_partition_crossing(v: Verification) -> None:
    """128 elements of one partition, taken for 128 partitions; each is inside the tile."""
    v.call(v.tensor("x", (1, 4, 32), float16))
