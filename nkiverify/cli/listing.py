"""The output of `nkiverify check FILE`: the kernels of the file, their parameters, and what they assert."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.project.discovery import Found


def listing(path: str, found: Sequence[Found]) -> str:
    """The kernels of `path`, in the order they are written; functions that are no kernels by themselves say so."""
    blocks = []
    for kernel in found:
        kind = f"   ({kernel.kind})" if kernel.kind else ""
        lines = [f"{path}::{kernel.name}{kind}", f"  line {kernel.line}: ({kernel.parameters})"]
        lines += [f"  asserts {stated.text}   (line {stated.first})" for stated in kernel.preconditions]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
