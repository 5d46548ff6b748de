"""The permissions that users give kernels: `--allow`, and the setting `allow`."""

from __future__ import annotations

from nkiverify.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Allowed:
    """Files that may be read, and folders with what is below them, as whole paths; whether the network may be used."""

    reads: tuple[str, ...] = ()
    network: bool = False

    def __bool__(self) -> bool:
        """True if it is anything."""
        return bool(self.reads) or self.network

    def assumed(self) -> tuple[str, ...]:
        """The assumptions of a verdict where kernels may ask for it, in words."""
        reads = [f"what kernels may read stays as it is: {path}" for path in self.reads]
        return (*reads, *(["what the network gives to kernels stays as it is"] if self.network else []))


#: What users allow unless they say otherwise.
NOTHING = Allowed()
