"""Verdicts on a domain by the ways through its disjunctions, each verified for itself.

Every shape of the domain goes one of them, and proofs are simpler there: `min(N, 512)` is 512 where N % 512 == 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product
from math import prod

from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.domain.syntax import parse


def ways_through(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The domains, as conditions of `--where`, that the domain of the conditions `texts` is together; none where there
    is no disjunction in it, or too many."""
    parts = [_alternatives(text) for text in texts]
    several = 1 < prod(map(len, parts)) <= DerivingBudget.WAYS
    return [tuple(chain.from_iterable(way)) for way in product(*parts)] if several else []


def verdicts_by_ways(verdicts: Iterable[Sequence[Run]]) -> tuple[Run, ...]:
    """The verdicts on a domain, of those for each way through it, where they are SUCCESSFUL in every phase; else
    nothing. Of a phase that is proved within bounds on one way the verdict is that one."""
    runs: tuple[Run, ...] = ()
    for found in verdicts:
        if any(run.verdict is not Verdict.SUCCESSFUL for run in found):
            return ()
        runs = tuple(
            one if one.qualifier or not runs else before for one, before in zip(found, runs or found, strict=True)
        )
    return runs


def _alternatives(text: str) -> list[tuple[str, ...]]:
    """Conditions all of which hold on one way, for each way through a condition; itself where there is one only."""
    found = list(islice(_split(parse("--where", text)[1]), DerivingBudget.WAYS + 1))
    return found if len(found) > 1 else [(text,)]


def _split(node: ast.expr) -> Iterator[tuple[str, ...]]:
    if not isinstance(node, ast.BoolOp):
        yield (ast.unparse(node),)
        return
    if isinstance(node.op, ast.Or):
        for part in node.values:
            yield from _split(part)
        return
    parts = [list(islice(_split(part), DerivingBudget.WAYS + 1)) for part in node.values]
    for way in product(*parts):
        yield tuple(chain.from_iterable(way))
