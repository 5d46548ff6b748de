"""The generated parts of AUDIT.md: every contract with its source, and the documented functions without a model.

`make audit` writes them, `--check` compares them. A generated section of a document stands between two comments,
`<!-- NAME: … -->` and `<!-- end of NAME -->`, each on a line of its own; what is between them is replaced, what is
around them is written by hand.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace
from nkiverify.ir.contract import Contract
from nkiverify.model import contract_tables as _contract_tables  # noqa: F401 (registers the contracts)
from nkiverify.model.contracts import all_contracts
from nkiverify.model.facts import documented_elsewhere
from nkiverify.model.hardware import ALL_HARDWARE

#: Modules of the stub library that know documented functions without having a model of them.
_STUBS = ("nki.isa", "nki.language", "nki.collectives", "neuronxcc.nki.isa", "neuronxcc.nki.language")

#: What kernels import, by the name of the API generation in the registry.
_APIS = {"nki": "nki.*", "neuronxcc": "neuronxcc.nki.*"}


def apis(contract: Contract) -> str:
    """The API generations the contract is documented for, by the name of their package."""
    return ", ".join(_APIS[api] for api in contract.api)


def hardware(contract: Contract) -> str:
    """The hardware generations the contract binds."""
    if not contract.hardware:
        return "all"
    return ", ".join(one.name for one in ALL_HARDWARE if f"gen{one.generation}" in contract.hardware)


def table(contracts: Iterable[Contract]) -> str:
    """The contracts as a Markdown table, by id. Not padded: a longer statement changes no other line."""
    header = ("contract", "statement", "source", "API", "hardware")
    rows = [
        (f"`{contract.id}`", contract.statement, contract.source, apis(contract), hardware(contract))
        for contract in sorted(contracts, key=lambda contract: contract.id)
    ]
    lines = [header, ("---",) * len(header), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def with_section(text: str, name: str, content: str) -> str:
    """`text` with `content` as its generated section `name`. Raises `UsageError` where the section is missing."""
    begin, end = rf"<!-- {re.escape(name)}:[^\n]* -->\n", rf"<!-- end of {re.escape(name)} -->"
    found = re.search(f"({begin}).*?({end})", text, flags=re.DOTALL)
    if found is None:
        raise UsageError(f"there is no section {name}: a line <!-- {name}: … --> and a line <!-- end of {name} -->")
    return f"{text[: found.start()]}{found[1]}\n{content}\n\n{found[2]}{text[found.end() :]}"


def unmodelled() -> str:
    """The documented functions that end in UNKNOWN when they are called, and why, as a Markdown table."""
    lines = ["| function | why |", "| --- | --- |"]
    with KernelSpace(resources.root() / "kernels", rewriting=Rewriting.NONE).active():
        for name in _STUBS:
            module = importlib.import_module(name)
            for function in sorted(module._DOCUMENTED - vars(module).keys()):
                lines.append(f"| `{name}.{function}` | {getattr(module, function).reason} |")
    return "\n".join(lines)


def facts() -> str:
    """The documented rules without a contract of their name, as a Markdown table."""
    rows = documented_elsewhere(contract.id for contract in all_contracts())
    return "\n".join(
        ["| fact | stated by, or why not |", "| --- | --- |", *(f"| `{a}` | {b} |" for a, b in rows.items())]
    )


def audit_file() -> Path:
    """AUDIT.md of the checkout."""
    return resources.root() / "AUDIT.md"


def with_generated_sections(text: str) -> str:
    """The text of AUDIT.md with its generated sections as they are to be."""
    contracts = all_contracts()
    text = with_section(text, "unmodelled", unmodelled())
    text = with_section(text, "facts", facts())
    return with_section(text, "contracts", f"{len(contracts)} contracts.\n\n{table(contracts)}")


def main() -> int:
    """Bring AUDIT.md up to date, or with `--check` exit 1 where it is not."""
    text = audit_file().read_text(encoding="utf-8")
    wanted = with_generated_sections(text)
    if "--check" in sys.argv:
        return int(text != wanted)
    audit_file().write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
