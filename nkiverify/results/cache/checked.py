"""The results of checks of files, as text, kept until something that they depend on changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass
from nkiverify.results.cache import store
from nkiverify.results.cache.key import Keys
from nkiverify.results.cache.store import CacheError
from nkiverify.verify.options import Options


@dataclass(slots=True)
class CheckedFiles:
    """The results of checks, as text, in the database `path`; files are distinguished by their paths.

    `problem` says what is wrong with the database: it is then left alone.
    """

    path: Path
    root: Path
    problem: str = ""

    def digest(self, file: Path, asked: Sequence[str]) -> str:
        """The digest of everything that a check of `file` depends on, `asked` being how; empty where that is not
        known."""
        return Keys(Options(root=self.root)).digest_of_file(file, asked)

    def lookup(self, slot: str, digest: str) -> str | None:
        """The results in a slot, of a file that has a digest; None where there are none."""
        if not digest or self.problem:
            return None
        try:
            return store.load_texts(self.path, {slot: digest}).get(slot)
        except CacheError as error:
            self.problem = str(error)
            return None

    def remember(self, file: Path, content: str, digest: str, asked: Sequence[str], started: int, slot: str) -> None:
        """Remember, in a slot, the results of a check of a file that had `digest` when it began, at `started` in
        nanoseconds."""
        now = Keys(Options(root=self.root))
        same = bool(digest) and digest == now.digest_of_file(file, asked)
        if self.problem or not same or not now.file_unchanged_since(file, started):
            return
        try:
            store.save_texts(self.path, [(slot, digest, content)])
        except CacheError as error:
            self.problem = str(error)
