"""`nkiverify contracts [ID …]`: what NKI documents and nkiverify checks, rule by rule."""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nkiverify.errors import UsageError

if TYPE_CHECKING:
    from nkiverify.model.contracts import Contract

DESCRIPTION = """\
Show contracts: the rules a kernel is checked against. Violations name them by
id. Each with its statement, the page and section of the NKI documentation that
states it, the API generations it is documented for, and the hardware it binds.
AUDIT.md has them in one table."""

_INDENT = "  "
_COLUMNS = 80


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="a contract, or a glob of contracts: 'nc_matmul.*' (default: all)"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the contracts asked for; the exit status. Raises `UsageError` for an id or glob that matches none."""
    from nkiverify.model import contract_tables  # noqa: F401 (registers the contracts)
    from nkiverify.model.contracts import all_contracts

    chosen = matching(all_contracts(), arguments.ids)
    print("\n\n".join(map(described, chosen)))
    return 0


def matching(contracts: Sequence[Contract], patterns: Iterable[str]) -> list[Contract]:
    """The contracts whose id is or matches one of `patterns`, all for none, in the order they are given."""
    ids = [contract.id for contract in contracts]
    chosen: set[str] = set()
    for pattern in patterns:
        found = fnmatch.filter(ids, pattern)
        if not found:
            raise UsageError(_no_match(pattern, ids))
        chosen.update(found)
    return [contract for contract in contracts if not chosen or contract.id in chosen]


def _no_match(pattern: str, ids: Sequence[str]) -> str:
    if set("*?[") & set(pattern):
        return f"no contract matches {pattern!r}"
    close = difflib.get_close_matches(pattern, ids, n=3, cutoff=0.6)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    return f"no contract has the id {pattern!r}{hint}"


def described(contract: Contract) -> str:
    """One contract in a few lines, for the terminal."""
    from nkiverify.audit import apis, hardware

    facts = [("source", contract.source), ("API", apis(contract)), ("hardware", hardware(contract))]
    if contract.cwe:
        facts.append(("weakness", contract.cwe))
    width = max(len(name) for name, _ in facts) + 1
    lines = [contract.id, _wrapped(contract.statement, _INDENT)]
    lines.extend(_wrapped(text, f"{_INDENT}{name:<{width}}") for name, text in facts)
    return "\n".join(lines)


def _wrapped(text: str, first: str) -> str:
    """`text` behind `first`, its other lines under it."""
    rest = " " * len(first)
    return textwrap.fill(text, _COLUMNS, initial_indent=first, subsequent_indent=rest, break_long_words=False)
