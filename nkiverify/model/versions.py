"""The versions of NKI that kernels can be verified for: what of the documents changed from one to the next.

Version 0.2 is the first with the current API (Neuron 2.27), 0.6 the newest that is documented. The legacy API has no
versions here: its documents are those of Neuron 2.26.
"""

from __future__ import annotations

from nkiverify.foundation.errors import UsageError

#: The versions, the oldest first.
VERSIONS = ("0.2", "0.3", "0.4", "0.5", "0.6")
#: What is verified for unless the user says otherwise.
NEWEST = VERSIONS[-1]


def version(text: str) -> str:
    """`0.3`, also for `0.3.0`. Raises `UsageError` for a version that there is not."""
    found = text.removesuffix(".0") if text.count(".") == 2 else text
    if found not in VERSIONS:
        raise UsageError(f"there is no NKI {text!r} to verify for; the versions are {', '.join(VERSIONS)}")
    return found


def within(version: str, since: str, until: str) -> bool:
    """True if `version` is not before `since`, and is before `until`; empty for no such limit."""
    at = VERSIONS.index(version)
    return (not since or at >= VERSIONS.index(since)) and (not until or at < VERSIONS.index(until))
