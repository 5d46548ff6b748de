"""Every sentence of the documented facts that says must, with the contract that states it, or why none can; and the
verdicts of the documented ways to use registers and device loops.

`python -m lab.musts` writes docs/musts.md, `--check` compares it; `--read FILE` takes the sentences from a survey of
the documents, and writes them to tests/docs/musts.txt. A test fails for a sentence that has neither a contract nor
a reason (`nkiverify.model.documented_facts`).
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

from lab.kernel_files import kernel_files, read_header
from nkiverify.foundation import resources
from nkiverify.project.release_facts import Must, sentences_of

#: Kernels of our own that use registers, device loops and `.ap(scalar_offset=…)` as the documents do.
EXAMPLES = resources.root() / "tests" / "soundness" / "kernels" / "loops" / "documented"
SENTENCES_FILE = resources.root() / "tests" / "docs" / "musts.txt"
PAGE = resources.root() / "docs" / "musts.md"

_HEADER = """# Every must

Each sentence of the documented facts that says *must*, *only*, *cannot*, *at most*, *at least* or *multiple of*, in the
project's own words, with the contract that states it ([contracts](contracts.md)), or why none can.

<!-- written by `python -m lab.musts` -->

"""

_EXAMPLES = """
## Registers and device loops

The documented ways to use registers, device loops and `.ap(scalar_offset=…)`, each in a kernel of the project's own
(the documentation's text is not copied), proved for all its shapes and for all numbers that tensors of integers may
have. Right and wrong kernels about device loops are beside them, in `tests/soundness/kernels/loops/device`.

"""


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
    return _HEADER + counted + "\n\n" + "\n".join(rows) + "\n" + _examples()


def _examples() -> str:
    """The section about the documented ways to use registers and device loops."""
    rows = ["| kernel | what is documented | verdicts of phases 1 to 4 |", "| --- | --- | --- |"]
    proved = 0
    for file in (files := kernel_files(EXAMPLES)):
        words = ["|".join(one.allowed) for one in read_header(file).expected]
        proved += words == ["SUCCESSFUL"] * 4
        said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        link = f"[{file.stem}](../{file.relative_to(resources.root()).as_posix()})"
        rows.append(f"| {link} | {said} | {', '.join(dict.fromkeys(words))} |")
    return _EXAMPLES + f"{len(files)} kernels: {proved} are SUCCESSFUL in all phases.\n\n" + "\n".join(rows) + "\n"


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
