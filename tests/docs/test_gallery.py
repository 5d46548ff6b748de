"""The gallery has every upstream bug, and says of one what verifying it says now."""

from __future__ import annotations

import re
from pathlib import Path

from lab import contract_pages, gallery
from nkiverify.foundation import resources
from nkiverify.model.contracts import all_contracts
from tests.bundled import TARGETS

DOCS = resources.root() / "docs"
PAGE = (DOCS / gallery.PAGE).read_text(encoding="utf-8")


def test_every_upstream_bug_is_there_and_so_are_the_pictures() -> None:
    assert re.findall("^## (.*)$", PAGE, re.MULTILINE) == [one.name for one in gallery.shown_targets(TARGETS)]
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pictures = set(re.findall(r"\]\((pictures/[^)]*)\)", PAGE + index))
    assert pictures == {f"pictures/{one.name}" for one in (DOCS / gallery.PICTURES).iterdir()}
    assert not any(str(resources.root()) in (DOCS / one).read_text(encoding="utf-8") for one in pictures)


def test_what_it_says_is_what_a_run_says(tmp_path: Path) -> None:
    target = next(one for one in TARGETS if one.name == "audit15_hostarith_unguarded")
    section = "\n\n".join(gallery._section(target, "chunks-of-one-row", tmp_path, resources.root()))
    assert section in PAGE, "run `python -m lab.gallery`"


def test_each_contract_has_a_page_with_the_kernels_that_tell_it() -> None:
    pages = contract_pages.pages()
    assert pages.keys() == {f"contracts/{one.id}.md" for one in all_contracts()}
    text = pages["contracts/nc_matmul.m_le_128.md"]
    assert "\n## Wrong\n" in text and "\n## Right\n" in text and "](https://" in text
    assert "[Hoisted tiles of the wrong width](../upstream-bugs.md#hoisted-tiles-of-the-wrong-width)" in text
    assert re.search(r"\), and in none of the \d+ \[launches of published kernels\]", text)
    broken = pages["contracts/df.read_unwritten.md"]
    assert re.search(r"in 1 of the \d+ \[launches of published kernels\]\S+: `test-quantize-mx`\.\n", broken)


def test_ids_of_contracts_lead_to_their_pages_but_in_code() -> None:
    text = "`idx.oob`, [`idx.oob`](x.md), `no.contract`\n\n    `idx.oob`\n\n```\n`idx.oob`\n```\n"
    assert contract_pages.linked(text) == text.replace("`idx.oob`,", "[`idx.oob`](contracts/idx.oob.md),", 1)
