"""Every sentence of the documented facts that says must, with the contract that states it, or why none can.

`python -m lab.musts` writes docs/musts.md, `--check` compares it; `--read FILE` takes the sentences from a survey of
the documents, and writes them to tests/docs/musts.txt. A test fails for a sentence that has neither a contract nor
a reason (`nkiverify.model.documented_facts`).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.contracts import all_contracts
from nkiverify.model.documented_facts import LEFT_OUT, SENTENCES, STATED_BY

SENTENCES_FILE = resources.root() / "tests" / "docs" / "musts.txt"
PAGE = resources.root() / "docs" / "musts.md"

#: The words that make a sentence one that a kernel can break.
_SAYS_MUST = re.compile(r"\b(?:must|only|cannot|at most|at least|multiples? of)\b", re.IGNORECASE)
_TAG = r"(?:MUST NOT|MUST/DEF|MUST|DEF|UB|RT|PERF|SILENT|CONTRA|NOTE)"
_FACT = re.compile(rf"`([a-z0-9_]+(?:\.[a-zA-Z0-9_]+)+)(?:\([^`]*\))?` ({_TAG})")
_END = re.compile(r'(?<=[.;])\s+(?=[A-Z`"«(])')
#: What a survey says of itself, and where the documents are silent or only advise.
_ABOUT = re.compile(r"^(?:Tags:|\*\*PERF\*\*|PERF|SILENT|\||#|\d+\. )")

_HEADER = """# Every must

Each sentence of the documented facts that says *must*, *only*, *cannot*, *at most*, *at least* or *multiple of*, in the
project's own words, with the contract that states it ([contracts](contracts.md)), or why none can.

<!-- written by `python -m lab.musts` -->

"""


@dataclass(frozen=True, slots=True)
class Must:
    """One sentence; `fact` is the id of the fact that it is a part of."""

    fact: str
    text: str

    @property
    def answer(self) -> tuple[str, ...] | str | None:
        """The contracts that state it, or why none does; None where nobody has said."""
        for start, answer in SENTENCES.items():
            if self.text.startswith(start) or f"{self.fact}: {self.text}".startswith(start):
                return answer
        if self.fact in {contract.id for contract in all_contracts()}:
            return (self.fact,)
        return STATED_BY.get(self.fact) or LEFT_OUT.get(self.fact)


def sentences_of(survey: str) -> Iterator[Must]:
    """The sentences of a survey's facts that say must."""
    for line in survey.splitlines():
        facts = list(_FACT.finditer(line))
        ends = [fact.start() for fact in facts[1:]]
        for fact, end in zip(facts, [*ends, len(line)], strict=False):
            text = line[fact.end(1) + 1 : end].removeprefix("`").strip(" ·-")
            for sentence in _END.split(re.sub(r"^\([^)]*\)` ", "", text)):
                plain = re.sub(rf"^{_TAG} ", "", sentence).strip(" ·-")
                must = sentence.startswith("MUST") or _SAYS_MUST.search(plain)
                if must and plain and not _ABOUT.match(sentence):
                    yield Must(fact[1], plain)


def known() -> list[Must]:
    """The sentences that the repository has."""
    lines = SENTENCES_FILE.read_text(encoding="utf-8").splitlines()
    return [Must(*line.split("\t", 1)) for line in lines if line]


def page() -> str:
    """The page of all sentences."""
    found = known()
    stated = sum(isinstance(must.answer, tuple) for must in found)
    rows = ["| sentence | fact | stated by, or why not |", "| --- | --- | --- |"]
    for must in found:
        answer = must.answer
        told = ", ".join(f"`{rule}`" for rule in answer) if isinstance(answer, tuple) else answer or "**nobody said**"
        rows.append(f"| {must.text.replace('|', chr(92) + '|')} | `{must.fact}` | {told} |")
    others = len(found) - stated
    counted = f"{len(found)} sentences: {stated} are stated by contracts, {others} by none, for the reason given."
    return _HEADER + counted + "\n\n" + "\n".join(rows) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(prog="python -m lab.musts", description=__doc__)
    parser.add_argument("--read", type=Path, metavar="FILE", help="take the sentences from this survey")
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    options = parser.parse_args(arguments)
    if options.read is not None:
        found = dict.fromkeys(sentences_of(options.read.read_text(encoding="utf-8")))
        SENTENCES_FILE.write_text("".join(f"{must.fact}\t{must.text}\n" for must in found), encoding="utf-8")
    missing = [must for must in known() if must.answer is None]
    for must in missing:
        print(f"{must.fact}: {must.text}: no contract, and no reason", file=sys.stderr)
    if options.check:
        return int(bool(missing) or PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
