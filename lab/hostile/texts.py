"""The texts of hostile inputs: a kernel with lines put into it, manifests, spoiled files, a step of the Action."""

from __future__ import annotations

import io
import re
import textwrap
import tokenize

#: Where lines are put into the kernel.
PLACES = ("module", "helper", "kernel", "loop")

_KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl
{module}


def helper(a):
    {helper}
    return a


@nki.jit
def k(a):
    P, F = a.shape
    assert P <= 128 and F <= 512
    a = helper(a)
    {kernel}
    for i in nl.affine_range(F):
        {loop}
        pass
    out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=a)
    nisa.dma_copy(dst=out, src=t)
    return out
"""

_MANIFEST = """\
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import bfloat16

CALL = "v.call(v.tensor('a', (v.dim('P', 1, 128), v.dim('F', 1, 512)), bfloat16))"


def made(body=CALL, **given):
    def k(v):
        exec(body, globals(), {"v": v})

    k.__doc__ = "K."
    usual = dict(kernel="k.py::k", family="f", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
    return target(**{**usual, **given})(k)


"""

#: A tensor that is given by so many dimensions that nobody means it.
ARGUMENT = f"bf16[{','.join(f'D{number}' for number in range(400))}]"


def kernel_with(lines: str, place: str) -> bytes:
    """The kernel with `lines` at `place`. Lines are separated by line ends, or by semicolons."""
    depths = {"module": 0, "helper": 4, "kernel": 4, "loop": 8}
    parts = {other: "pass" if other != "module" else "" for other in PLACES}
    parts[place] = textwrap.indent(_one_a_line(lines), " " * depths[place]).lstrip()
    return _KERNEL.format(**parts).encode("utf-8", "surrogatepass")


def _one_a_line(lines: str) -> str:
    """`lines` with the statements that semicolons separate on lines of their own."""
    ends = [
        token.start[1]
        for token in tokenize.generate_tokens(io.StringIO(lines).readline)
        if token.string == ";" and "\n" not in lines
    ]
    starts = [0, *(end + 1 for end in ends)]
    return "\n".join(lines[first:last].strip() for first, last in zip(starts, [*ends, len(lines)], strict=True))


KERNEL = kernel_with("", "module").decode()
#: What keeps it from failing, and a target for which it does without.
WITHIN = "P <= 128 and "
WIDE = "@TARGET(body=CALL.replace('128', '256'), expect={1: FAILED})"


def expanded(text: str) -> str:
    """`text` with `@KERNEL` replaced by the kernel."""
    return text.replace("@KERNEL", KERNEL)


def manifest(text: str) -> str:
    """A manifest of targets, each of which `@TARGET(…)` stands for on a line of its own."""
    lines = [re.sub(r"^@TARGET", "made", line) for line in text.splitlines()]
    return _MANIFEST + "\n".join(
        f"t{number} = {line if '(' in line else line + '()'}" for number, line in enumerate(lines)
    )


def spoiled(text: str, original: bytes) -> bytes:
    """The text that a file of an earlier run is replaced with: `text`, or what it says with a name in capitals."""
    middle = len(original) // 2
    return {
        "@NESTED": b"[" * 100_000,
        "@DIGITS": b'{"schema": ' + b"9" * 10_000 + b"}",
        "@TRUNCATED": original[:middle],
        "@OVERWRITTEN": original[:middle] + b"\xff" * 64 + original[middle + 64 :],
        "@TEXTS": re.sub(rb'(?<=": )"(?!nkiverify-results)', rb'"\\u001b[2J\\n::error::<script>', original),
        "@NUMBERS": re.sub(rb"(?<=: )\d+", b"9" * 400, original),
    }.get(text, text.encode("latin-1"))


def verify_step(action: str) -> str:
    """The script of the last step of action.yml."""
    lines = action[action.index("- name: Verify") :].splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip() == "run: |")
    return textwrap.dedent("\n".join(lines[first + 1 :]))
