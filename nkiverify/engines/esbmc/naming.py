"""Names of variables in lowered programs."""

from __future__ import annotations

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
