"""The repository that the user stands in: where it begins, its manifests, its settings, and where reports go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.project.settings import Settings, read
from nkiverify.verify.options import MANIFEST_FILE

#: Where reports of a repository other than ours go, unless its settings say otherwise.
REPORTS = "nkiverify-reports"

#: Folders without manifests of the repository's own, besides hidden ones and virtual environments.
_PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages"})


@dataclass(frozen=True, slots=True)
class Project:
    """A repository with targets. Its `root` is what paths of kernels are relative to; `ours` for the bundled one."""

    root: Path
    reports: Path
    settings: Settings = field(default_factory=Settings)
    ours: bool = False


def here(bundled: bool = False, folder: Path | None = None) -> Project | None:
    """The project that a folder belongs to, by default the working directory; None where there is none.

    It begins at the nearest folder upwards whose pyproject.toml has `[tool.nkiverify]`, else at the nearest one with
    a manifest, else at the top of the repository. In our own checkout, and with `bundled`, it is the one that comes
    with nkiverify. Raises `UsageError` where the settings cannot be used.
    """
    folder = folder or Path.cwd()
    if bundled or resources.holds(folder):
        return _ours()
    around = (folder, *folder.parents)
    for candidate in around:
        settings = _settings(candidate)
        if settings is not None:
            return Project(candidate, candidate / (settings.reports or REPORTS), settings)
    for mark in (MANIFEST_FILE, ".git"):
        for candidate in around:
            if (candidate / mark).exists():
                return Project(candidate, candidate / REPORTS)
    return None


def here_or_ours() -> Project:
    """The project of the working directory, or the one that comes with nkiverify where there is none."""
    return here() or _ours()


def with_targets(bundled: bool) -> Project:
    """The project of the working directory, which is to have targets.

    Raises `UsageError` where it has none: the targets that come with nkiverify are verified only where they are meant,
    as a pass of theirs says nothing of the user's kernels.
    """
    found = here(bundled)
    if found is None or not (found.ours or manifests(found)):
        place = f"{found.root} has" if found is not None else "there is"
        raise UsageError(
            f"{place} no {MANIFEST_FILE}: `nkiverify init PATH` begins one; "
            "--bundled verifies the kernels that come with nkiverify"
        )
    return found


def settings_for(root: Path) -> Settings:
    """The settings that hold for the targets of `root`: those of its own pyproject.toml."""
    return _settings(root) or Settings()


def manifests(project: Project) -> list[Path]:
    """The manifests of a project other than ours, in the order of their paths. Raises `UsageError` for one that its
    settings name and that is not there."""
    return manifests_in(project.root, project.settings)


def manifests_in(root: Path, settings: Settings) -> list[Path]:
    """The files with targets: those that the settings name, else every `nkiverify_targets.py` of the repository."""
    if settings.manifests is None:
        if not any((root / mark).exists() for mark in (".git", "pyproject.toml")):
            return [root / MANIFEST_FILE] if (root / MANIFEST_FILE).is_file() else []
        return sorted(_named(root))
    found: set[Path] = set()
    for pattern in settings.manifests:
        if Path(pattern).is_absolute():
            raise UsageError(f"{settings.file}: the manifest {pattern} is to be named relative to {root}")
        matches = [path for path in root.glob(pattern) if path.is_file()]
        if not matches:
            raise UsageError(f"{settings.file}: no file is or matches the manifest {pattern}")
        found.update(matches)
    return sorted(found)


def ensure_reports(project: Project) -> None:
    """Make the folder for reports, which version control is to pass over. Errors are left to who writes there."""
    if project.ours or project.reports.exists():
        return
    try:
        project.reports.mkdir(parents=True)
        (project.reports / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError:
        return


def _ours() -> Project:
    return Project(resources.root(), resources.reports(), ours=True)


def _settings(folder: Path) -> Settings | None:
    file = folder / "pyproject.toml"
    return read(file) if file.is_file() else None


def _named(root: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(root):
        folder = Path(place)
        if MANIFEST_FILE in files:
            yield folder / MANIFEST_FILE
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in _PASSED_OVER and not (folder / name / "pyvenv.cfg").is_file()
        ]
