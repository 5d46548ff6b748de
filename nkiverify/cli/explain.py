"""`nkiverify explain ID …`: a rule with a kernel that breaks it and one that keeps it."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from nkiverify.cli.contracts import described, matching
from nkiverify.frontend.language_rules import LANGUAGE_RULES, rule_text
from nkiverify.model.versions import NEWEST
from nkiverify.phases.phase import RULES

if TYPE_CHECKING:
    from nkiverify.project.controls import Example

DESCRIPTION = """\
Explain contracts: what each says and where it is documented, the smallest
kernel that breaks it, and the nearest one that does not. Both kernels come from
the folder controls/ and are verified by the test-suite."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "ids",
        nargs="+",
        metavar="ID",
        help="a contract, all of an operation (dma_copy), a glob ('nc_matmul.*'), or a warning",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Print the explanations; the exit status. Raises `UsageError` for an id or glob that matches none."""
    from nkiverify.model.contracts import all_contracts
    from nkiverify.products.cost.cost_text import explained
    from nkiverify.project.controls import controls
    from nkiverify.project.coverage import WITHOUT_CONTROL

    found = controls()
    parts = [_warning(id) for id in arguments.ids if id in RULES]
    parts += [_language(id) for id in arguments.ids if id in LANGUAGE_RULES]
    ids = []
    for id in arguments.ids:
        cost = explained(id) if id.startswith("cost.") else None
        if cost is not None:
            parts.append(cost)
        elif id not in RULES and id not in LANGUAGE_RULES:
            ids.append(id)
    for contract in matching(all_contracts(), ids) if ids else ():
        part = described(contract)
        control = found.get(contract.id)
        if control is None:
            part += f"\n\n  No kernel breaks it by itself: {WITHOUT_CONTROL.get(contract.id, 'it has no control')}."
        else:
            part += "\n\n" + _shown("wrong", control.wrong) + "\n\n" + _shown("right", control.right)
        parts.append(part)
    print("\n\n".join(parts))
    return 0


def _warning(id: str) -> str:
    """The text of a warning."""
    return _titled(
        id, f"{RULES[id]} A warning of phase 4, which changes no verdict; docs/verdict-details.md says more of it."
    )


def _language(id: str) -> str:
    """The text of a rule of the language."""
    return _titled(
        id,
        f"{rule_text(id)} `nkiverify check` warns of it, which changes no verdict, and fails for it with "
        "--strict-language; docs/checking.md lists these rules.",
    )


def _titled(id: str, text: str) -> str:
    return f"{id}\n{textwrap.fill(text, 80, initial_indent='  ', subsequent_indent='  ', break_on_hyphens=False)}"


def _shown(side: str, example: Example) -> str:
    """One kernel under a line that says where it is."""
    also = f", which breaks {', '.join(example.also)} as well" if example.also else ""
    cores = f", {example.cores} programs" if example.cores else ""
    version = f", with NKI {example.nki}" if example.nki != NEWEST else ""
    place = f"{example.file.parent.name}/{example.file.name}:{example.line}"
    head = f"  {side}: {place}, on {example.hardware}{cores}{version}{also}"
    return f"{head}\n\n{textwrap.indent(example.text, '    ')}"
