"""`nkiverify contracts [ID …]`: what NKI documents and nkiverify checks, rule by rule."""

from __future__ import annotations

import argparse
import fnmatch
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean

if TYPE_CHECKING:
    from nkiverify.ir.contract import Contract
    from nkiverify.project.controls import Example

DESCRIPTION = """\
Show contracts: the rules a kernel is checked against. Violations name them by
id. Each with its statement, the page and section of the NKI documentation that
states it, the API generations it is documented for, and the hardware it binds.
docs/contracts.md has them in one table; `nkiverify explain ID` shows kernels
that break and keep one. With --coverage: which targets of the manifest exercise
each, the controls that keep and break it, and what is missing, with exit status
1 where something is."""

_INDENT = "  "
_COLUMNS = 80


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="a contract, all of an operation (dma_copy), or a glob: 'nc_matmul.*' (default: all)",
    )
    parser.add_argument("--coverage", action="store_true", help="show what exercises and what breaks each contract")
    parser.add_argument("--bundled", action="store_true", help="coverage by the targets that come with nkiverify")


def execute(arguments: argparse.Namespace) -> int:
    """Print the contracts asked for; the exit status. Raises `UsageError` for an id or glob that matches none."""
    from nkiverify.model.contracts import all_contracts

    chosen = matching(all_contracts(), arguments.ids)
    if arguments.coverage:
        text, complete = _coverage(chosen, arguments.bundled)
        print(text)
        return 0 if complete else 1
    print("\n\n".join(map(described, chosen)))
    return 0


def _coverage(chosen: Sequence[Contract], bundled: bool) -> tuple[str, bool]:
    """The targets and controls that exercise and break the contracts, as a table, with the sums under it; and whether
    nothing is missing."""
    from nkiverify.project.coverage import NOTHING_TO_CLAIM, WITHOUT_CONTROL, coverage
    from nkiverify.project.manifest_targets import load_targets
    from nkiverify.project.repository import with_targets
    from nkiverify.report.columns import columns

    targets = load_targets(with_targets(bundled).root)
    ids = {contract.id for contract in chosen}
    covered = coverage(targets, chosen)
    rows = []
    for entry in covered:
        example = entry.targets[0] if entry.targets else "-"
        right = entry.control.right if entry.control is not None and entry.kept else None
        wrong = entry.control.wrong if entry.control is not None else None
        rows.append((entry.contract.id, str(len(entry.targets)), example, _place(right), _place(wrong)))
    headings = ("contract", "targets", "the first", "kept by", "broken by")
    table = columns(headings, rows, ("left", "right", "left", "left", "left"))
    exercised = sum(bool(entry.targets) for entry in covered)
    kept = sum(entry.kept for entry in covered)
    controlled = sum(entry.control is not None for entry in covered)
    parts = [
        table,
        f"{len(covered)} contracts: {exercised} exercised by {len(targets)} targets, {kept} by a control that keeps "
        f"them, {controlled} broken by a control",
    ]
    for heading, reasons in (("broken by no control", WITHOUT_CONTROL), ("claimed by none", NOTHING_TO_CLAIM)):
        listed = [f"{_INDENT}{id}: {reason}" for id, reason in reasons.items() if id in ids]
        if listed:
            parts.append("\n".join([f"{heading}:", *listed]))
    gaps = [f"{_INDENT}{entry.contract.id}: {entry.gap}" for entry in covered if entry.gap]
    if gaps:
        parts.append("\n".join(["MISSING:", *gaps]))
    return "\n\n".join(parts), not gaps


def _place(example: Example | None) -> str:
    return f"{example.file.parent.name}/{example.file.name}:{example.line}" if example is not None else "-"


def matching(contracts: Sequence[Contract], patterns: Iterable[str]) -> list[Contract]:
    """The contracts whose id is, matches, or begins, apart from `leg.`, with one of `patterns`, all for none, in the
    order they are given."""
    ids = [contract.id for contract in contracts]
    chosen: set[str] = set()
    for pattern in patterns:
        found = fnmatch.filter(ids, pattern) or [id for id in ids if f".{pattern}." in f".{id}"]
        if not found:
            raise UsageError(_no_match(pattern, ids))
        chosen.update(found)
    return [contract for contract in contracts if not chosen or contract.id in chosen]


def _no_match(pattern: str, ids: Sequence[str]) -> str:
    from nkiverify.frontend.language_rules import LANGUAGE_RULES
    from nkiverify.phases.phase import RULES

    if set("*?[") & set(pattern):
        return f"no contract matches {pattern!r}"
    others = (*RULES, *LANGUAGE_RULES)
    if pattern in others:
        return f"{pattern} is a warning, and no contract: nkiverify explain {pattern}"
    return f"no contract has the id {pattern!r}{did_you_mean(pattern, (*ids, *others))}"


def described(contract: Contract) -> str:
    """One contract in a few lines, for the terminal."""
    from nkiverify.model.documentation import places, readable
    from nkiverify.report.contract_table import apis, hardware

    facts = [("source", readable(contract.source)), ("API", apis(contract)), ("hardware", hardware(contract))]
    if contract.contested:
        facts.append(("contested", f"{contract.contested}: a warning, FAILED with --strict"))
    if contract.since or contract.until:
        since, until = contract.since and f"from {contract.since} on", contract.until and f"before {contract.until}"
        facts.append(("versions", ", ".join(filter(None, (since, until)))))
    if contract.cwe:
        facts.append(("weakness", contract.cwe))
    width = max(len(name) for name, _ in facts) + 1
    lines = [contract.id, _wrapped(contract.statement, _INDENT)]
    lines.extend(_wrapped(text, f"{_INDENT}{name:<{width}}") for name, text in facts)
    addresses = dict.fromkeys(place.link for place in places(contract.source) if place.address)
    lines[3:3] = [f"{_INDENT}{'':<{width}}{address}" for address in addresses]
    return "\n".join(lines)


def _wrapped(text: str, first: str) -> str:
    """`text` behind `first`, its other lines under it."""
    rest = " " * len(first)
    return textwrap.fill(text, _COLUMNS, initial_indent=first, subsequent_indent=rest, break_long_words=False)
