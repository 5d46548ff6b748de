"""Contracts as a table."""

from __future__ import annotations

from collections.abc import Iterable

from nkiverify.ir.contract import Contract
from nkiverify.model.documentation import places
from nkiverify.model.hardware import ALL_HARDWARE

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


def sources(contract: Contract) -> str:
    """The places of the documentation that state the contract, as links in Markdown."""
    named = (f"[{one}]({one.link})" if one.link else str(one) for one in places(contract.source))
    return "; ".join(dict.fromkeys(named))


def _statement(contract: Contract) -> str:
    parts = [contract.statement]
    if contract.since:
        parts.append(f"From NKI {contract.since} on.")
    if contract.until:
        parts.append(f"Before NKI {contract.until}.")
    if contract.contested:
        parts.append(f"**Contested**: {contract.contested}.")
    return " ".join(parts)


def contested_table(contracts: Iterable[Contract]) -> str:
    """The contested contracts with the evidence, as a Markdown table, by id."""
    rows = [
        f"| `{contract.id}` | {contract.statement} | {contract.contested} |"
        for contract in sorted(contracts, key=lambda contract: contract.id)
        if contract.contested
    ]
    return "\n".join(["| contract | documented | evidence against it |", "| --- | --- | --- |", *rows])


def table(contracts: Iterable[Contract]) -> str:
    """The contracts as a Markdown table, by id. Not padded: a longer statement changes no other line."""
    header = ("contract", "statement", "source", "API", "hardware")
    rows = [
        (f"`{contract.id}`", _statement(contract), sources(contract), apis(contract), hardware(contract))
        for contract in sorted(contracts, key=lambda contract: contract.id)
    ]
    lines = [header, ("---",) * len(header), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
