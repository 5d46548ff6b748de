"""The outcomes of claims, by contract and line of source: what a reader of the kernel wants to see beside it."""

from __future__ import annotations

from collections.abc import Iterable

from nkiverify.foundation.records import Decided
from nkiverify.ir.program import Claim


def decided(outcomes: Iterable[tuple[Claim, str, str]]) -> tuple[Decided, ...]:
    """The claims, each with its outcome and what decided it, put together by everything but their lines."""
    groups: dict[tuple[str, str, str, str], list[int]] = {}
    for claim, outcome, by in outcomes:
        file, line = (claim.site.file, claim.site.line) if claim.site is not None else ("", 0)
        groups.setdefault((file, claim.contract.id, outcome, by), []).append(line)
    return tuple(Decided(*group, lines=tuple(sorted(lines))) for group, lines in sorted(groups.items()))
