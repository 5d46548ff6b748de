"""The last failure of `check`, kept in the user's cache for `nkiverify replay`: what was asked, and what broke."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Run
from nkiverify.foundation.resources import LAST, kept_folder

#: The command that runs it again, concretely and in the debugger.
REPLAY = "nkiverify replay --pdb"

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.results.file import RecordedViolation


@dataclass(frozen=True, slots=True)
class CheckQuestion:
    """The question that `check` was asked about one kernel: everything that it needs to be run again."""

    folder: str
    reference: str
    arguments: tuple[str, ...]
    where: tuple[str, ...]
    grid: str | None
    hardware: str
    assume_asserts: bool
    no_spills: bool

    def target(self) -> Target:
        """The kernel with these arguments."""
        from nkiverify.project.request import request

        asked = request(
            self.reference,
            Path(self.folder),
            self.arguments,
            self.where,
            self.grid,
            assume_asserts=self.assume_asserts,
            no_spills=self.no_spills,
        )
        return asked.target(self.hardware, False)


def remember(question: CheckQuestion, runs: Iterable[Run]) -> bool:
    """Keep the first violation among `runs` that Python itself has shown; whether there is one, and it is kept."""
    import json

    found = next(((run.phase, one) for run in runs for one in run.violations if one.replayed), None)
    place = kept_folder(LAST)
    if found is None or place is None:
        return False
    from nkiverify.results import codec
    from nkiverify.results.codec import encoded

    phase, violation = found
    root = Path(question.folder)
    kept = {"question": encoded(question, root), "phase": phase, "violation": encoded(violation, root)}
    with suppress(OSError):
        codec.write(json.dumps(kept, indent=2) + "\n", place / "failure.json")
        return True
    return False


def last() -> tuple[CheckQuestion, RecordedViolation]:
    """The last failure. Raises `UsageError` where none is kept."""
    import json

    from nkiverify.foundation.records import Violation
    from nkiverify.results.codec import decoded
    from nkiverify.results.file import RecordedViolation

    place = kept_folder(LAST)
    try:
        kept = json.loads((place / "failure.json").read_text(encoding="utf-8")) if place is not None else None
    except FileNotFoundError:
        kept = None
    except (OSError, ValueError) as error:
        raise UsageError(f"the last failure of `nkiverify check` cannot be read: {error}") from None
    if kept is None:
        raise UsageError("no failure of `nkiverify check` is known here: --target NAME replays one of `nkiverify run`")
    question = decoded(CheckQuestion, kept["question"])
    return question, RecordedViolation(question.reference, kept["phase"], decoded(Violation, kept["violation"]))
