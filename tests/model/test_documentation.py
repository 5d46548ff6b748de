"""The places in the public documentation that the sources of contracts stand for."""

from __future__ import annotations

import re

import pytest

from nkiverify.model.contracts import all_contracts
from nkiverify.model.documentation import address, link, places, readable
from nkiverify.model.registry import declarations

#: What no page of the documentation says.
ELSEWHERE = {
    "Python language reference",
    "command line: --unwind",
    "the kernel",
    "the target",
    "each TI op",
    "simulator of 0.6",
    "listed without a text",
}


@pytest.mark.parametrize(
    ("source", "text", "page"),
    [
        ("nc_matmul:Tile size", "nki.isa.nc_matmul, Tile size", "v2.32.0/nki/api/generated/nki.isa.nc_matmul.html"),
        (
            "LERR err_tensor_access_out_of_bound; NkiTensor.slice",
            "NKI API errors (legacy), err_tensor_access_out_of_bound; nki.language.NkiTensor",
            "v2.26.0/general/nki/api/nki.errors.html#err-tensor-access-out-of-bound",
        ),
        ("L:load", "nki.language.load (legacy)", "v2.26.0/general/nki/api/generated/nki.language.load.html"),
        ("L:iota", "nki.isa.iota (legacy)", "v2.26.0/general/nki/api/generated/nki.isa.iota.html"),
        (
            "mem.uninit: LG Creating; TIL",
            "NKI language guide, Creating; What is tiling?",
            "v2.32.0/nki/get-started/nki-language-guide.html",
        ),
        ("MIG-0.3", "NKI migration guides, NKI 0.3", "v2.32.0/nki/migration/index.html"),
        ("cc.all_gather", "nki.collectives.all_gather", "v2.32.0/nki/api/generated/nki.collectives.all_gather.html"),
        (
            "nc_transpose:Layout; Tile size",
            "nki.isa.nc_transpose, Layout; nki.isa.nc_transpose, Tile size",
            "v2.32.0/nki/api/generated/nki.isa.nc_transpose.html",
        ),
        ("the kernel", "the kernel", ""),
    ],
)
def test_a_source_is_a_page_and_a_section(source: str, text: str, page: str) -> None:
    assert readable(source) == text
    assert address(source) == (f"https://awsdocs-neuron.readthedocs-hosted.com/en/{page}" if page else "")


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("nc_matmul:Tile size", "nki.isa.nc_matmul.html#:~:text=Tile%20size"),
        ("LG Creating; TIL", "nki-language-guide.html#:~:text=Creating"),
        ("LERR err_unsupported_memory", "nki.errors.html#err-unsupported-memory"),
        ("AP (implied)", "nki-aps.html"),
        # A table by its label; what is no heading of the page leads to its beginning.
        ("SH tbl-aluop; RN-0.4", "nki.api.shared.html#tbl-aluop"),
        ("nc_matmul_mx:TI", "nki.isa.nc_matmul_mx.html"),
        ("SH engine selection", "nki.api.shared.html"),
        ("A4 and the compiler's public front end", "trainium3_arch.html"),
        ("MIG-0.3", "migration/index.html"),
        ("L:load", "nki.language.load.html"),
        ("the kernel", ""),
    ],
)
def test_a_link_leads_to_the_words_of_the_section(source: str, end: str) -> None:
    assert link(source).endswith(end) and link(source).startswith(address(source))


def test_every_source_is_understood() -> None:
    unknown = {str(one) for each in all_contracts() for one in places(each.source) if not one.address}
    assert unknown <= ELSEWHERE


def test_pages_of_operations_are_about_declared_ones() -> None:
    named = {one.title.removesuffix(" (legacy)") for each in all_contracts() for one in places(each.source)}
    declared = {f"nki.isa.{one.short_name}" for one in declarations() if one.name.startswith("nisa.")}
    assert {title for title in named if title.startswith("nki.isa.")} <= declared


def test_statements_say_what_must_hold() -> None:
    """Under FAILED a sentence without *must* would read as a fact about the kernel."""
    facts = [one.id for one in all_contracts() if not re.search(r"\b(must|may)\b", one.statement)]
    assert facts == []
