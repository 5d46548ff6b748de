"""Names in lowered programs: of variables, and of places in the kernel."""

from __future__ import annotations

from nkiverify.foundation.source import Site
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, render


def readable(atom: Atom) -> str:
    """A name that says what the atom is, where that is short."""
    if isinstance(atom, Dimension | Index):
        plain = "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in atom.name)
        plain = plain.lstrip("_") or "i"
        return plain if not plain[0].isdigit() else f"i{plain}"
    if isinstance(atom, Div):
        parts = [render(atom.numerator), render(atom.denominator)]
        if parts[0].isidentifier() and parts[0].isascii() and (parts[1].isidentifier() or parts[1].isdecimal()):
            return "_div_".join(parts)
        return "quotient"
    return "least" if isinstance(atom, Min) else "choice"


def place(site: Site | None) -> str:
    """A place in the kernel, `kernels/matmul.py:52`."""
    if site is None:
        return ""
    return f"{'/'.join(site.file.rsplit('/', 2)[-2:])}:{site.line}"
