"""A page for each contract, for the site that `make docs` builds.

It has the rule, where it is documented, a kernel that breaks it and one that does not, and how often published kernels
break it: launches of docs/published.md, and upstream bugs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.ir.contract import Contract
from nkiverify.model.contracts import all_contracts
from nkiverify.model.versions import NEWEST
from nkiverify.project.controls import Control, Example, controls
from nkiverify.project.coverage import WITHOUT_CONTROL
from nkiverify.report.contract_table import apis, hardware, sources
from nkiverify.verify.options import PHASES

#: The folder of the pages, in that of the site.
FOLDER = "contracts"
#: The id of a contract as code, where it is no link already.
_CODE = re.compile(r"(?<![\[`])`([a-z]\w*\.\w+)`(?![`\]])")
#: What code blocks stand between, and lines that are code by their indent.
_BLOCK = re.compile(r"(```.*?```|^(?: {4}|\t).*$)", re.DOTALL | re.MULTILINE)


def pages() -> dict[str, str]:
    """The text of each page, by its file in the site."""
    found = controls()
    docs = resources.root() / "docs"
    bugs = _bugs(docs / "upstream-bugs.md")
    launches = _launches(docs / "published.md")

    def text(one: Contract) -> str:
        broken = _broken(one.id, launches, bugs.get(one.id, ()))
        return "\n\n".join(_page(one, found.get(one.id), broken)) + "\n"

    return {f"{FOLDER}/{one.id}.md": text(one) for one in all_contracts()}


def linked(markdown: str) -> str:
    """A page with the ids of contracts in its text leading to their pages."""
    known = {contract.id for contract in all_contracts()}

    def link(match: re.Match[str]) -> str:
        id = match[1]
        return f"[`{id}`]({FOLDER}/{id}.md)" if id in known else match[0]

    parts = _BLOCK.split(markdown)
    # Every other part is a block of code.
    return "".join(part if number % 2 else _CODE.sub(link, part) for number, part in enumerate(parts))


def _page(contract: Contract, control: Control | None, broken: str) -> Iterator[str]:
    yield f"# {contract.id}\n\n{contract.statement}"
    yield _facts(contract)
    if contract.contested:
        yield f"It is contested: {contract.contested}. What breaks it is warned of, and FAILED with `--strict`."
    if control is None:
        yield f"No kernel breaks it by itself: {WITHOUT_CONTROL.get(contract.id, 'it has no control')}."
    else:
        yield f"## Wrong\n\n{_shown(control.wrong)}"
        yield f"## Right\n\n{_shown(control.right)}"
    yield f"## In published kernels\n\n{broken}"
    yield f"On the command line: `nkiverify explain {contract.id}`. All of them: [Contracts](../contracts.md)."


def _facts(contract: Contract) -> str:
    facts = [("documented in", sources(contract)), ("API", f"`{apis(contract)}`"), ("hardware", hardware(contract))]
    facts.append(("phase", f"{contract.phase}, {PHASES[contract.phase]}"))
    if contract.since:
        facts.append(("since", f"NKI {contract.since}"))
    if contract.until:
        facts.append(("until", f"NKI {contract.until}, which does without it"))
    if contract.cwe:
        facts.append(("weakness", contract.cwe))
    rows = [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in facts]
    return "\n".join(["| | |", "| --- | --- |", *rows])


def _shown(example: Example) -> str:
    cores = f", as {example.cores} programs" if example.cores else ""
    version = f", with NKI {example.nki}" if example.nki != NEWEST else ""
    also = f"; it breaks {', '.join(f'`{id}`' for id in example.also)} as well" if example.also else ""
    given = f", called with `{', '.join(example.arguments)}`" if example.arguments else ""
    return f"On {example.hardware}{cores}{version}{given}{also}:\n\n```python\n{example.text.strip()}\n```"


def _broken(id: str, launches: Mapping[str, frozenset[str]], bugs: Sequence[tuple[str, str]]) -> str:
    """How often a contract is broken in what others have published."""
    names = [name for name, broken in launches.items() if id in broken]
    corpus = f"of the {len(launches)} [launches of published kernels](../published.md)"
    told = [f"the upstream bug [{heading}](../upstream-bugs.md#{anchor})" for heading, anchor in bugs]
    told += [f"{len(names)} {corpus}: {', '.join(f'`{name}`' for name in names)}"] if names else [f"none {corpus}"]
    return f"Broken in {', and in '.join(told)}."


def _launches(page: Path) -> dict[str, frozenset[str]]:
    """By launch of the page of published kernels, the contracts that it is right to call broken."""
    table = page.read_text(encoding="utf-8").partition("<!-- concrete:")[2].partition("<!-- end of concrete")[0]
    found: dict[str, frozenset[str]] = {}
    for row in re.findall(r"^\| (?!launch )(\S.*) \|$", table, re.MULTILINE):
        cells = [cell.strip() for cell in row.split(" | ")]
        right = "FAILED" in cells[3:7] and cells[7] == "right"
        found[cells[0]] = frozenset(re.findall(r"[a-z]\w*\.\w+", cells[-1]) if right else ())
    return found


def _bugs(page: Path) -> dict[str, list[tuple[str, str]]]:
    """By contract, the sections of the page of upstream bugs whose tables name it: heading and anchor."""
    found: dict[str, list[tuple[str, str]]] = {}
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        anchor = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
        for id in dict.fromkeys(re.findall(r"`([a-z]\w*\.\w+)`", "\n".join(re.findall(r"^\|.*$", text, re.MULTILINE)))):
            found.setdefault(id, []).append((heading, anchor))
    return found
