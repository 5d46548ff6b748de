"""What to write instead follows from what the declaration of a contract takes."""

from __future__ import annotations

import pytest

from nkiverify.model import isa_enums, ops  # noqa: F401 (they register what is asked for)
from nkiverify.model.contracts import all_contracts, contract
from nkiverify.model.dtypes import DTYPES, bfloat16, float32, int32
from nkiverify.model.memory import PSUM, SBUF, SHARED_HBM, MemoryRegion
from nkiverify.model.operators import OPERATORS
from nkiverify.verify.witness.helping import help_of

NAMES = {*MemoryRegion.__members__, *DTYPES, *OPERATORS, *(one.name for one in isa_enums.engine)}


@pytest.mark.parametrize(
    ("rule", "quantities", "text"),
    [
        ("nc_matmul.n_le_512", {"N": 513, "limit": 512}, "take N in tiles of at most 512, in a loop"),
        ("nc_matmul.n_le_512", {"N": 512, "limit": 512}, ""),
        ("mem.partitions_128", {"partitions": 129, "shape": (129, 4)}, "take partitions in tiles of at most 128"),
        ("isa.on_chip", {"dst": SBUF, "data": SHARED_HBM}, "load data into SBUF first: nl.load, or nisa.dma_copy to"),
        ("isa.on_chip", {"dst": SHARED_HBM}, "make dst by nl.ndarray(…, buffer=nl.sbuf), and copy it to HBM by"),
        ("isa.on_chip", {"dst": PSUM, "data": SBUF}, ""),
        ("nc_matmul.buffers", {"dst": SBUF, "operands": (SBUF, SBUF)}, "make dst by nl.ndarray(…, buffer=nl.psum)"),
        ("nc_matmul.buffers", {"dst": PSUM, "operands": (SBUF, SHARED_HBM)}, "load the operands into SBUF first"),
        ("tensor_tensor.psum_pair", {"data1": PSUM, "data2": PSUM}, "copy data1 to SBUF first: nisa.tensor_copy to"),
        ("nc_matmul.dst_dtype", {"dst": bfloat16, "generation": 3}, "make dst with dtype=nl.float32"),
        ("nc_transpose.same_dtype", {"dst": float32, "data": bfloat16}, "make dst with dtype=nl.bfloat16, as data has"),
        ("nzc.dtypes", {"src": bfloat16, "dst": int32}, "make src with dtype=nl.float32 or nl.int32"),
        ("tsc.imm", {"argument": "imm0", "dtype": bfloat16}, "make imm0 with dtype=nl.float32"),
        (
            "tensor_copy.engine",
            {"engine": isa_enums.engine.tensor, "generation": 3},
            "engine=nisa.engine.vector or nisa.engine.gpsimd",
        ),
        ("range_select.reduce_op", {"reduce_op": OPERATORS["add"]}, "reduce_op=nl.maximum"),
        ("idx.oob", {"stop": 129, "extent": 128}, ""),
    ],
)
def test_the_way_to_keep_a_contract_is_said_where_its_declaration_has_it(
    rule: str, quantities: dict[str, object], text: str
) -> None:
    found = help_of(contract(rule), quantities)
    assert found.startswith(text) and bool(found) == bool(text)


def test_what_contracts_take_are_memories_dtypes_and_members() -> None:
    taken = {one.id: names for one in all_contracts() for names in one.takes.values() if isinstance(names, tuple)}
    assert {id: set(names) - NAMES for id, names in taken.items() if set(names) - NAMES} == {}
