"""The output of a check: a report for people, or one of the forms that programs read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkiverify.results.session import Session

#: The first is for people.
FORMATS = ("full", "concise", "json", "github", "sarif")


def annotate(session: Session, form: str) -> None:
    """Print GitHub's commands next to what is printed in a form: to stderr where that is one that programs read."""
    if form != "github":
        print(text_of(session, "github"), end="", file=sys.stderr if form in ("json", "sarif") else None, flush=True)


def text_of(session: Session, form: str) -> str:
    """The session in a form that programs read, any of `FORMATS` but the first."""
    if form == "concise":
        from nkiverify.report import concise

        return concise.text(session)
    if form == "github":
        from nkiverify.report import annotations

        return annotations.text(session)
    if form == "sarif":
        from nkiverify.model.contracts import all_contracts
        from nkiverify.report import sarif

        return sarif.text(session, {contract.id: contract for contract in all_contracts()})
    from nkiverify.results import codec

    return codec.text(session)
