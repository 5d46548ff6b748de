"""The ids of all rules of which findings can be known: contracts, warnings and language rules."""

from __future__ import annotations

from collections.abc import Iterable

from nkiverify.foundation.comments import ignore_comments
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.frontend.language_rules import LANGUAGE_RULES
from nkiverify.model.contracts import all_contracts
from nkiverify.phases.phase import RULES

#: What no verdict can do without: whether loops were unrolled far enough.
_NEEDED = frozenset({"host.unwinding"})


def warned_of() -> list[str]:
    """The rules that are warned of."""
    return [*RULES, *LANGUAGE_RULES, *(rule.id for rule in all_contracts() if rule.contested)]


def acceptable() -> frozenset[str]:
    """The rules whose findings a user can accept."""
    return frozenset((*RULES, *LANGUAGE_RULES, *(rule.id for rule in all_contracts()))) - _NEEDED


def check_comments(files: Iterable[str]) -> None:
    """Raise `UsageError` for a comment in one of the files that accepts findings and is not as it should be."""
    for file in files:
        for comment in ignore_comments(file):
            if comment.problem:
                raise UsageError(comment.problem)
            ids = acceptable()
            for id in comment.ids:
                if id not in ids:
                    raise UsageError(f"{comment.place}: there is no rule {id!r} to ignore{did_you_mean(id, ids, 1)}")
