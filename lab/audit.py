"""The generated parts of AUDIT.md, the documented functions without a model, of docs/contracts.md, every contract, of
docs/language.md, what is refused inside a launch, and of the schema of results, the phases and the values of records.

`make pages` writes them, `--check` compares them. A generated section of a document stands between two comments,
`<!-- NAME: … -->` and `<!-- end of NAME -->`, each on a line of its own; what is between them is replaced, what is
around them is written by hand.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Basis, Kind, Verdict
from nkiverify.frontend import refused as refused_constructs
from nkiverify.model.contracts import all_contracts
from nkiverify.model.documented_facts import documented_elsewhere
from nkiverify.model.policy import ACCEPT_BOUNDED
from nkiverify.model.registry import declarations
from nkiverify.phases import PHASES
from nkiverify.report.contract_table import contested_table, table
from nkiverify.results.session import ExitStatus

#: Characters in a line of the schema.
_WIDTH = 120


def with_section(text: str, name: str, content: str) -> str:
    """`text` with `content` as its generated section `name`. Raises `UsageError` where the section is missing."""
    begin, end = rf"<!-- {re.escape(name)}:[^\n]* -->\n", rf"<!-- end of {re.escape(name)} -->"
    found = re.search(f"({begin}).*?({end})", text, flags=re.DOTALL)
    if found is None:
        raise UsageError(f"there is no section {name}: a line <!-- {name}: … --> and a line <!-- end of {name} -->")
    return f"{text[: found.start()]}{found[1]}\n{content}\n\n{found[2]}{text[found.end() :]}"


def with_measured_section(text: str, name: str, content: str) -> str:
    """The same, with the revision that was measured and the day: of what no test compares with the code."""
    asked = ["git", "-C", str(resources.root()), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        revision = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise UsageError("measurements are written from a checkout with git, which says their revision") from None
    return with_section(text, name, f"Revision {revision}, {date.today()}.\n\n{content.strip()}")


def unmodelled() -> str:
    """The documented functions that end in UNKNOWN when they are called, and why, as a Markdown table."""
    rows = [
        (module, declared.short_name, declared.refusals[api])
        for declared in declarations()
        for api, module, _ in declared.modules()
        if api in declared.refusals
    ]
    lines = [f"| `{module}.{name}` | {reason} |" for module, name, reason in sorted(rows, key=_in_order)]
    return "\n".join(["| function | why |", "| --- | --- |", *lines])


def _in_order(row: tuple[str, str, str]) -> tuple[bool, str, str]:
    """The current API first."""
    return row[0].startswith("neuronxcc"), row[0], row[1]


def facts() -> str:
    """The documented rules without a contract of their name, as a Markdown table."""
    rows = documented_elsewhere(contract.id for contract in all_contracts())
    return "\n".join(
        ["| fact | stated by, or why not |", "| --- | --- |", *(f"| `{a}` | {b} |" for a, b in rows.items())]
    )


def refused() -> str:
    """The constructs that are refused inside a launch, as a Markdown table."""
    rows = (f"| {one.what} | {one.members} | {one.reason} | {one.advice} |" for one in refused_constructs.TABLE)
    return "\n".join(["| refused | names | reason | instead |", "| --- | --- | --- | --- |", *rows])


def sections() -> dict[Path, dict[str, str]]:
    """The generated sections by page and name, as they are to be."""
    contracts = all_contracts()
    root = resources.root()
    return {
        root / "AUDIT.md": {"contested": contested_table(contracts), "unmodelled": unmodelled(), "facts": facts()},
        root / "docs" / "contracts.md": {"contracts": f"{len(contracts)} contracts.\n\n{table(contracts)}"},
        root / "docs" / "language.md": {"refused": refused()},
    }


_PHASES = re.compile(r'("phase": \{\n *"type": "integer",\n)(?: *"[^\n]*\n)*?( *\})')


#: The values that the schema of results lists for a key.
_LISTED: dict[str, list[str] | list[int]] = {
    "verdict": [one.value for one in Verdict],
    "kind": [one.value for one in Kind],
    "basis": [one.value for one in Basis],
    "accept": [ACCEPT_BOUNDED],
    # A usage error ends the program before there is anything to write.
    "exit_status": sorted(int(one) for one in ExitStatus if one is not ExitStatus.USAGE),
}


def with_records(schema: str) -> str:
    """The schema of results, as text, with the phases, and the values of the records, that there are."""
    for key, values in _LISTED.items():
        listed = re.compile(rf'("{key}": {{(?:[^{{}}]*"items": {{)?\s*"enum": )\[[^]]*\]')
        found = list(listed.finditer(schema))
        assert len(found) == 1, key
        at = found[0]
        schema = schema[: at.start()] + at[1] + _enumeration(values, at) + schema[at.end() :]
    return _with_phases(schema)


def _enumeration(values: Sequence[object], at: re.Match[str]) -> str:
    """The list as it stands in the schema: in one line, or in several where that is too long."""
    before = at[1].rpartition("\n")[2]
    words = [json.dumps(value) for value in values]
    line = f"[{', '.join(words)}]"
    if len(before) + len(line) <= _WIDTH:
        return line
    indent = " " * (len(before) - len(before.lstrip()) + 2)
    lines = textwrap.wrap(", ".join(word.replace(" ", "\0") for word in words), _WIDTH - len(indent))
    body = "\n".join(indent + one.replace("\0", " ") for one in lines)
    return f"[\n{body}\n{indent[2:]}]"


def _with_phases(schema: str) -> str:
    """The schema of results, as text, with the phases that there are."""
    named = ", ".join(f"{phase.number} {phase.name}" for phase in PHASES.values())
    described = (f'"minimum": {min(PHASES)},', f'"maximum": {max(PHASES)},', f'"description": "{named}."')
    lines = "".join(f"          {line}\n" for line in described)
    return _PHASES.sub(lambda found: found[1] + lines + found[2], schema)


def main() -> int:
    """Bring the pages up to date, or with `--check` exit 1 where one is not."""
    stale = 0
    for page, found in sections().items():
        text = page.read_text(encoding="utf-8")
        wanted = text
        for name, content in found.items():
            wanted = with_section(wanted, name, content)
        stale |= text != wanted
        if "--check" not in sys.argv:
            page.write_text(wanted, encoding="utf-8")
    schema = resources.schema().read_text(encoding="utf-8")
    stale |= schema != with_records(schema)
    if "--check" not in sys.argv:
        resources.schema().write_text(with_records(schema), encoding="utf-8")
    return int(stale and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
