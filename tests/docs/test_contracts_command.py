"""`nkiverify contracts` shows the rules by id."""

from __future__ import annotations

import pytest

from nkiverify.cli.main import main
from nkiverify.model.contracts import all_contracts


def test_a_contract_has_statement_source_and_generations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "nc_matmul.n_le_512"]) == 0
    assert capsys.readouterr().out == (
        "nc_matmul.n_le_512\n"
        "  Moving must have at most 512 columns (N).\n"
        "  source   nki.isa.nc_matmul, Tile size\n"
        "           https://awsdocs-neuron.readthedocs-hosted.com/en/v2.32.0/nki/api/generated/nki.isa.nc_matmul.html#:~:text=Tile%20size\n"
        "  API      nki.*, neuronxcc.nki.*\n"
        "  hardware trn1, trn2\n"
    )


def test_a_weakness_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "host.int32"]) == 0
    assert "  weakness CWE-190\n" in capsys.readouterr().out


def test_a_glob_takes_all_that_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "quantize_mx.*", "host.int32"]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]
    expected = [c.id for c in all_contracts() if c.id.startswith("quantize_mx.") or c.id == "host.int32"]
    assert shown == expected


def test_no_id_means_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts"]) == 0
    out = capsys.readouterr().out
    assert all(f"{contract.id}\n" in out for contract in all_contracts())
    assert max(len(line) for line in out.splitlines() if "https://" not in line) <= 80


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nc_matmul.k_le_12", "no contract has the id 'nc_matmul.k_le_12'; did you mean nc_matmul.k_le_128"),
        ("zzz.*", "no contract matches 'zzz.*'"),
    ],
)
def test_a_mistake_gets_one_line(wrong: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", wrong]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"nkiverify: error: {message}")


def test_the_name_of_an_operation_means_its_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "dma_copy"]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]
    assert shown == [c.id for c in all_contracts() if c.id.startswith(("dma_copy.", "leg.dma_copy."))]
    assert "dma_copy.count" in shown
