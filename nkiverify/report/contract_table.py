"""Contracts as a table."""

from __future__ import annotations

from collections.abc import Iterable

from nkiverify.ir.contract import Contract
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


def table(contracts: Iterable[Contract]) -> str:
    """The contracts as a Markdown table, by id. Not padded: a longer statement changes no other line."""
    header = ("contract", "statement", "source", "API", "hardware")
    rows = [
        (f"`{contract.id}`", contract.statement, contract.source, apis(contract), hardware(contract))
        for contract in sorted(contracts, key=lambda contract: contract.id)
    ]
    lines = [header, ("---",) * len(header), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
