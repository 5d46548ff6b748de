"""The targets of the manifest that a run is about, and in which phases."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.verify.options import phases_to_run

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.verify.options import Options

_GLOB_CHARACTERS = frozenset("*?[")


def select(targets: Sequence[Target], options: Options) -> list[Target]:
    """The targets that the names, globs, families, tags and phases of `options` leave, in the order of the manifest.

    Raises `UsageError` for a name, glob, family or tag that no target of the whole manifest has. The result is empty
    where each filter matches something, and nothing matches them all.
    """
    chosen = _any_of(options.patterns, [target.name for target in targets], "target")
    families = _any_of(options.families, [target.family for target in targets], "family")
    tags = _any_of(options.tags, [tag for target in targets for tag in target.tags], "tag")
    return [
        target
        for target in targets
        if chosen(target.name)
        and families(target.family)
        and (not options.tags or any(map(tags, target.tags)))
        and phases_to_run(target, options)
    ]


def _any_of(patterns: Sequence[str], known: Iterable[str], what: str) -> Callable[[str], bool]:
    """A test whether a name matches one of `patterns`; every name passes where there are none."""
    names = list(dict.fromkeys(known))
    for pattern in patterns:
        if not fnmatch.filter(names, pattern) and pattern not in names:
            raise UsageError(_no_match(pattern, names, what))
    return lambda name: not patterns or any(name == p or fnmatch.fnmatchcase(name, p) for p in patterns)


def _no_match(pattern: str, names: Sequence[str], what: str) -> str:
    if _GLOB_CHARACTERS & set(pattern):
        return f"no {what} matches {pattern!r}"
    return f"no {what} is named {pattern!r}{did_you_mean(pattern, names)}"
