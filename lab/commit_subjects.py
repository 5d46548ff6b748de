"""Subjects of commits that are not `area: imperative` in at most 72 characters: `make lint`.

Commits from `FIRST` on are read; older ones are as they are. In a shallow clone those are read that are there, and
outside of a repository of git nothing is.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from nkiverify.foundation import resources

#: The first commit whose subject is checked.
FIRST = "132ac2cc68555a3e7506fbec3f15002d61d6a566"
LONGEST = 72
#: Areas, then what the commit does: `check, docs: say which limit is meant`.
_FORM = re.compile(r"[\w./-]+(, [\w./-]+)*: [^\W\d]\S*( .*)?[^.]")
#: What no imperative ends in; nouns that a subject begins with are for readers to see.
_PARTICIPLE = re.compile(r"[a-z]{3,}(ed|ing)")
_VERBS = frozenset({"bring", "embed", "exceed", "feed", "heed", "need", "ping", "proceed", "seed", "shed", "speed"})


def complaint(subject: str) -> str:
    """The fault of a subject; empty if it has none."""
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, more than {LONGEST}"
    if not _FORM.fullmatch(subject):
        return "not like `area: what the commit does`, without a full stop"
    word = subject.partition(": ")[2].partition(" ")[0].lower()
    if _PARTICIPLE.fullmatch(word) and word not in _VERBS:
        return f"{word!r} is no imperative"
    return ""


def subjects(root: Path, first: str = FIRST) -> list[tuple[str, str]] | None:
    """Hash and subject of the commits from `first` on, without merges; None where `root` is no repository that has it,
    nor a shallow clone."""
    if _git(root, "rev-parse", "--show-prefix") != "\n":
        return None
    older: list[str] = []
    if _git(root, "cat-file", "-e", f"{first}^{{commit}}") is not None:
        older = ["--not", f"{first}^@"]
    elif _git(root, "rev-parse", "--is-shallow-repository") != "true\n":
        return None
    lines = (_git(root, "log", "--no-merges", "--format=%h %s", "HEAD", *older) or "").splitlines()
    return [(name, subject) for name, _, subject in (line.partition(" ") for line in lines)]


def _git(root: Path, *words: str) -> str | None:
    """The output of git; None where there is no git, or it fails."""
    try:
        found = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return found.stdout if found.returncode == 0 else None


def main() -> int:
    """Print what is wrong; exit 1 where something is."""
    found = subjects(resources.root())
    if found is None:
        print(f"subjects of commits are not checked: no repository of git here has {FIRST[:8]}")
    wrong = [(name, subject, text) for name, subject in found or () if (text := complaint(subject))]
    for name, subject, text in wrong:
        print(f"{name}: {text}: {subject}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
