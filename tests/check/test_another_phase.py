"""A phase is what it claims of a program: it is decided, confirmed, replayed and reported without another line."""

from __future__ import annotations

import pytest

from nkiverify.ir.contract import Contract
from nkiverify.ir.walk import of_kind
from nkiverify.model import contracts
from nkiverify.model.recorded import Executed
from nkiverify.phases import PHASES
from nkiverify.phases.phase import Claimed, Explored, Phase, Statement, state
from nkiverify.verify import options
from tests.check.kernel_files import Checker, write

RULE = Contract("scratch.dma_64k", "A DMA moves at least 64 KiB.", "tests", phase=6)

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def copy(a):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        for i in range(F // 512):
            tile = nl.ndarray((P, 512), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[:, 512 * i : 512 * i + 512])
            nisa.dma_copy(dst=out[:, 512 * i : 512 * i + 512], src=tile)
        return out
"""


class LargeTransfers(Phase):
    """Every DMA is worth its descriptor."""

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        copies = [one for one in of_kind(kernel.program.body, Executed) if one.operation.name == "nisa.dma_copy"]
        sizes = [(one, one.operation.reads["src"].size * one.operation.reads["src"].itemsize) for one in copies]
        found = (Statement(one, RULE, size >= 65536, one.site, (("bytes", size),)) for one, size in sizes)
        state(kernel.program, kernel.run.policy, found)
        return Claimed()


@pytest.fixture(autouse=True)
def sixth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(contracts._registry, RULE.id, RULE)
    monkeypatch.setitem(PHASES, 6, LargeTransfers(6, "transfers"))
    monkeypatch.setitem(options.PHASES, 6, "transfers")


@pytest.mark.parametrize(("rows", "status", "verdict"), [("P:64..128", 0, "SUCCESSFUL"), ("P:63..128", 1, "FAILED")])
def test_it_is_decided_for_all_shapes(check: Checker, rows: str, status: int, verdict: str) -> None:
    write(check.folder, k=KERNEL)
    assert check("k.py::copy", "--arg", f"a=bf16[{rows},512*n]", "--phase", "6") == status, check.out
    assert verdict in check.out
    assert "not replayed" not in check.out.lower()
    assert ("P = 63, n = 1" in check.out) is (status == 1)


@pytest.mark.parametrize(("rows", "status"), [(64, 0), (63, 1)])
def test_it_is_decided_for_one_shape(check: Checker, rows: int, status: int) -> None:
    write(check.folder, k=KERNEL)
    assert check("k.py::copy", "--arg", f"a=bf16[{rows},1024]", "--phase", "6") == status, check.out
    assert ("bytes = 64512" in check.out) is (status == 1)
