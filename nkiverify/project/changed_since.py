"""The targets of a repository that changed since a commit: those that are verified from a file which differs."""

from __future__ import annotations

import contextlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.seen import read_by
from nkiverify.frontend.target import Target
from nkiverify.project.repository import settings_for
from nkiverify.results.cache.sources import Sources, harness_sources, kernel_sources


@contextlib.contextmanager
def tree_at(commit: str, root: Path) -> Iterator[Path]:
    """The files of `root` as they are at a commit, in a folder of their own for as long as the block runs.

    Raises `UsageError` where git does not know the commit.
    """
    packed = _git(root, "archive", "--format=tar", commit)
    with tempfile.TemporaryDirectory(prefix="nkiverify-since-") as name:
        folder = Path(name).resolve() / root.name
        folder.mkdir()
        # It is a repository of its own, where nothing else says so.
        (folder / ".git").mkdir()
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for member in archive.getmembers():
                if _is_inside(member):
                    archive.extract(member, folder)
        yield folder


def merge_base(commit: str, root: Path) -> str:
    """The commit that the sources here and `commit` come from both: what others have done since does not count.

    Raises `UsageError` where there is none.
    """
    if commit.startswith("-"):
        raise UsageError(f"--since: {commit} is no commit")
    return _git(root, "merge-base", commit, "HEAD").decode().strip()


def changed(targets: Sequence[Target], root: Path, before: Path) -> list[Target]:
    """The targets that are verified from other files in `root` than in `before`, or by other settings; those, too, of
    which that is not known."""
    if replace(settings_for(root), file=None) != replace(settings_for(before), file=None):
        return list(targets)
    known: dict[tuple[str, str], bool] = {}
    found = []
    for target in targets:
        harness = Path(target.file).resolve()
        path = target.kernel.partition("::")[0]
        key = (path, str(harness))
        if key not in known:
            inside = harness.is_relative_to(root.resolve())
            known[key] = (
                inside
                and not read_by([target.file])
                and _alike(
                    [kernel_sources(path, root), harness_sources(harness)],
                    [kernel_sources(path, before), harness_sources(before / harness.relative_to(root.resolve()))],
                    (root, before),
                )
            )
        if not known[key]:
            found.append(target)
    return found


def _alike(here: Sequence[Sources], there: Sequence[Sources], roots: tuple[Path, Path]) -> bool:
    sides = [
        [(_relative(one.files, root), _relative(one.found, root)) for one in side]
        for side, root in zip((here, there), roots, strict=True)
    ]
    return not any(one.obstacle for one in (*here, *there)) and sides[0] == sides[1]


def _relative(named: dict[str, str], root: Path) -> dict[str, str]:
    """Names and values with the folder left out that they lie in."""
    folder = f"{root.resolve()}/"
    return {name.removeprefix(folder): value.removeprefix(folder) for name, value in named.items()}


def _is_inside(member: tarfile.TarInfo) -> bool:
    """True for a file or folder that is unpacked below the folder it is unpacked in; links are left out."""
    return (member.isfile() or member.isdir()) and not Path(member.name).is_absolute() and ".." not in member.name


def _git(root: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"--since needs git: {error.strerror or error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git says no more"]
        raise UsageError(f"--since: {said[-1]}")
    return done.stdout
