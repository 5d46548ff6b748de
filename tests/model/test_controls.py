"""Every contract of the model has a control: a legal use beside an illegal one."""

from __future__ import annotations

from nkiverify.model import contract_tables
from nkiverify.model.contracts import all_contracts
from tests.model import (
    test_collectives_contracts,
    test_data_movement_contracts,
    test_elementwise_contracts,
    test_indexed_contracts,
    test_language_contracts,
    test_legacy_contracts,
    test_memory_contracts,
    test_numeric_contracts,
    test_tensor_contracts,
    test_tensor_engine_contracts,
)

#: Contracts that a run states, not the model: tested with the frontend, the phases and the manifest.
STATED_BY_RUNS = ("df.", "host.", "kernel.", "loop.range_step_nonzero", "target.")


def test_every_contract_has_a_control() -> None:
    assert contract_tables.__all__
    controlled = {
        control.contract
        for module in (
            test_collectives_contracts,
            test_data_movement_contracts,
            test_elementwise_contracts,
            test_indexed_contracts,
            test_language_contracts,
            test_legacy_contracts,
            test_memory_contracts,
            test_numeric_contracts,
            test_tensor_contracts,
            test_tensor_engine_contracts,
        )
        for control in module.CONTROLS
    }
    stated = {contract.id for contract in all_contracts() if not contract.id.startswith(STATED_BY_RUNS)}
    assert stated - controlled == set()
    assert controlled - stated == set()


def test_statements_are_sentences_with_a_source() -> None:
    for contract in all_contracts():
        assert contract.source, contract.id
        assert contract.statement.endswith("."), contract.id
