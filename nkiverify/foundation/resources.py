"""Where the stubs, kernels, harness and result schema are: next to the package in a checkout, inside it in a wheel; and
where things are kept between runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

#: The folder of the last failure of `check`.
LAST = "last"

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent
_WHEEL_DATA = _PACKAGE / "_data"


def in_checkout() -> bool:
    """True if the package runs from a checkout of the repository, editable installations included."""
    return not _WHEEL_DATA.is_dir()


def holds(folder: Path) -> bool:
    """True if `folder` is in the checkout of the repository that the package runs from."""
    return in_checkout() and folder.resolve().is_relative_to(_CHECKOUT)


def root() -> Path:
    """The folder that holds `stubs/`, `kernels/`, `harness/` and `docs/results.schema.json`."""
    return _CHECKOUT if in_checkout() else _WHEEL_DATA


def import_paths() -> list[str]:
    """The folders that programs of this Python need on their path for `nki` and `neuronxcc` to be the stubs."""
    return [str(root() / "stubs"), *([str(_CHECKOUT)] if in_checkout() else [])]


def schema() -> Path:
    """The JSON schema that `results.json` conforms to."""
    return root() / "docs" / "results.schema.json"


def templates() -> Path:
    """The folder of the dashboard's templates, styles and scripts."""
    return root() / "dashboard"


def reports() -> Path:
    """The folder that runs write to: the checkout's `reports/`; for an installed wheel, `./reports/`."""
    return _CHECKOUT / "reports" if in_checkout() else Path.cwd() / "reports"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where things are kept that can be made again: `nkiverify` in the user's cache. It need not exist.

    None for a user without a home. A folder that everyone can write to is no place for a program to be executed.
    """
    caches = environment.get("XDG_CACHE_HOME")
    try:
        return (Path(caches) if caches else Path.home() / ".cache") / "nkiverify"
    except RuntimeError:
        return None


def kept_folder(name: str) -> Path | None:
    """The folder of this name in the user's cache, made if need be; None where that cannot be."""
    caches = cache_folder()
    if caches is not None:
        try:
            (caches / name).mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
    return caches / name if caches is not None else None
