"""`nkiverify run --since COMMIT`: the targets that changed, and what is found of them as they were at the commit."""

from __future__ import annotations

import argparse
import pickle
import subprocess
import sys
from collections.abc import Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.target import Target
from nkiverify.project.changed_since import changed, merge_base, tree_at
from nkiverify.project.repository import Project
from nkiverify.report.changes import SinceCommit, compared
from nkiverify.results import file as results_file
from nkiverify.results.run_history import past
from nkiverify.results.session import Session

#: What the process runs that verifies the targets as they were; the manifests are other modules of the same names.
_PROGRAM = (
    "import sys; sys.path[:] = filter(None, sys.path); from nkiverify.cli.as_it_was import console; sys.exit(console())"
)


@dataclass(frozen=True, slots=True)
class Before:
    """The targets to verify, those that changed since `commit`, and the results of an earlier version of them.

    `problem` says why there are none.
    """

    commit: str
    targets: list[Target]
    left_out: int
    results: results_file.Results | None
    problem: str = ""

    def attached(self, session: Session) -> SinceCommit:
        """The changes in the verdicts."""
        old = [past(run, self.commit) for run in self.results.runs] if self.results is not None else []
        changes = compared(old, session.runs) if self.results is not None else ()
        return SinceCommit(self.commit, changes, self.left_out, self.problem)


def before(commit: str, arguments: argparse.Namespace, targets: Sequence[Target], project: Project) -> Before:
    """Verify, as they were, those of `targets` that changed since `commit`, with the same options.

    Raises `UsageError` where git does not know the commit.
    """
    base = merge_base(commit, project.root)
    with tree_at(base, project.root) as folder:
        chosen = changed(targets, project.root, folder)
        found = Before(base[:12], chosen, len(targets) - len(chosen), None)
        if not chosen:
            return found
        results = folder.parent / "results.json"
        # What is printed and written of them is nobody's to read.
        asked = vars(arguments) | {
            "names": [target.name for target in chosen],
            "json": results,
            "sarif": None,
            "junit": None,
            "markdown": None,
            "annotations": False,
            "keep_lowered": None,
            "no_page": True,
            "no_cache": True,
            "fail_fast": False,
            "since": None,
        }
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], input=pickle.dumps(asked), capture_output=True, cwd=folder, check=False
        )
        try:
            return Before(found.commit, chosen, found.left_out, results_file.read(results))
        except UsageError:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["its verification said nothing"]
            return Before(found.commit, chosen, found.left_out, None, said[-1].removeprefix("nkiverify: "))


def text(found: SinceCommit) -> str:
    """The changes, for the terminal."""
    if found.problem:
        return f"since {found.commit}: there is nothing to compare with: {found.problem}\n"
    lines = [f"  {one.kind:<6}  {one.target}, {one.words}" for one in found.changes]
    return "\n".join([f"since {found.commit}:", *(lines or ["  no verdict has changed"])]) + "\n"
