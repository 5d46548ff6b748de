"""Sources of a repository as data, for machines that have only the wheel; results with the paths of the sender."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.kernel_text import with_texts

#: Folders that hold no source of the repository's own, besides hidden ones and virtual environments.
_PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})
#: Bytes of source above which a folder is not taken for a repository of kernels.
LIMIT = 64 << 20

RecordT = TypeVar("RecordT")


@dataclass(frozen=True, slots=True)
class Parcel:
    """The Python sources and settings under `root`: contents, compressed, by path relative to it."""

    root: str
    files: Mapping[str, bytes]
    digest: str

    @staticmethod
    def of(root: Path) -> Parcel:
        """Pack a repository; of ours, what a wheel has of it. Raises `UsageError` where that is too much or unreadable.

        What is read while kernels are imported and is no Python source does not travel.
        """
        files: dict[str, bytes] = {}
        digest = hashlib.sha256()
        total = 0
        for path in _sources(root):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
            total += len(content)
            if total > LIMIT:
                raise UsageError(f"{root} has more than {LIMIT >> 20} MiB of Python sources: too much to send")
            name = path.relative_to(root).as_posix()
            files[name] = zlib.compress(content)
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        return Parcel(str(root), files, digest.hexdigest())

    def unpacked(self, folder: Path) -> Path:
        """Write the files into a folder below `folder`, once for all who ask with the same content; that folder."""
        place = folder / f"nkiverify-{os.getuid()}-{self.digest[:32]}"
        if _is_ours(place):
            return place
        with tempfile.TemporaryDirectory(dir=folder) as made:
            half = Path(made, "files")
            half.mkdir(mode=0o700)
            # Modules are searched for up to the top of a repository.
            (half / ".git").mkdir()
            for name, content in self.files.items():
                path = half / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(zlib.decompress(content))
            try:
                half.rename(place)
            except OSError:
                if not _is_ours(place):  # where it is, another process of ours was faster
                    return self._beside(folder, half)
        return place

    def _beside(self, folder: Path, half: Path) -> Path:
        """`half` in a new folder of its own: what stands at the place that everybody can compute is not ours."""
        place = Path(tempfile.mkdtemp(prefix=f"nkiverify-{os.getuid()}-", dir=folder)) / "files"
        half.rename(place)
        return place


def _is_ours(place: Path) -> bool:
    """True if `place` is a folder, no link to one, that this user made and nobody else may write to."""
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def relocated(record: RecordT, old: Path, new: str) -> RecordT:
    """`record` with `new` in place of the folder `old` in every text in it, at any depth."""
    return with_texts(record, lambda text: text.replace(str(old), new))


def _sources(root: Path) -> Iterator[Path]:
    tops = [root / "harness", root / "kernels"] if root == resources.root() else [root]
    for top in tops:
        for parent, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if _may_hold_sources(Path(parent, name)))
            yield from (
                Path(parent, name) for name in sorted(names) if name.endswith(".py") or name == "pyproject.toml"
            )


def _may_hold_sources(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _PASSED_OVER
    return not hidden and not (folder / "pyvenv.cfg").exists()
