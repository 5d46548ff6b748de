"""The text to write instead where a contract breaks, as far as its declaration says it (`Contract.takes`)."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence

from nkiverify.foundation.budget import ReportingBudget
from nkiverify.ir.contract import Contract, Taken
from nkiverify.model.dtypes import DTYPES, DType
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.operation import WRITTEN

#: Memories as they are spoken of: HBM is one.
_SPOKEN = {"sbuf": "SBUF", "psum": "PSUM", "shared_hbm": "HBM", "private_hbm": "HBM"}
#: Quantities that are about several operands.
_SEVERAL = ("operands", "buffers", "dtypes")


def help_of(rule: Contract, quantities: Mapping[str, object]) -> str:
    """A way to keep `rule`, for the first of the quantities that is none it takes; empty where its declaration says
    nothing of them."""
    if "left_by" in quantities:
        return f"give {quantities['left_by']} reduce_cmd=nisa.reduce_cmd.reset_reduce"
    for name, value in quantities.items():
        taken = rule.takes.get(name, rule.takes.get(""))
        if taken is None:
            continue
        for part in value if isinstance(value, tuple) else (value,):
            if text := _instead(name, part, taken, quantities):
                return text
    return ""


def _instead(name: str, value: object, taken: Taken, quantities: Mapping[str, object]) -> str:
    limit = quantities.get(taken) if isinstance(taken, str) else taken
    if isinstance(limit, DType):
        return f"{_made(name, quantities)} dtype=nl.{limit}, as {taken} has it" if value != limit else ""
    if isinstance(limit, int):
        over = isinstance(value, int) and value > limit
        return f"take {name} in tiles of at most {limit}, in a loop" if over else ""
    if not isinstance(limit, tuple) or value in limit:
        return ""
    if isinstance(value, MemoryRegion):
        return _moved(name, value, [one for one in limit if one in _SPOKEN])
    if isinstance(value, DType):
        dtypes = [f"nl.{one}" for one in limit if one in DTYPES]
        return f"{_made(name, quantities)} dtype={_either(dtypes[: ReportingBudget.NAMES_OFFERED])}" if dtypes else ""
    member = getattr(value, "name", "")
    members = [one for one in limit if one not in _SPOKEN and one not in DTYPES]
    if not member or not members or member in members:
        return ""
    group = f"nisa.{type(value).__name__}." if isinstance(value, enum.Enum) else "nl."
    return f"{name}={_either([group + one for one in members[: ReportingBudget.NAMES_OFFERED]])}"


def _moved(name: str, value: MemoryRegion, legal: Sequence[str]) -> str:
    """The way into one of the `legal` memories."""
    if not legal or value.value in legal:
        return ""
    made = f"nl.ndarray(…, buffer=nl.{legal[0]})"
    operand = name.removesuffix("_buffer")
    if operand == "buffer" or operand in WRITTEN or legal[0] not in ("sbuf", "psum"):
        made = made if operand == "buffer" else f"make {operand} by {made}"
        return made if value.on_chip or "sbuf" not in legal else f"{made}, and copy it to HBM by nl.store"
    several = "the operands" if operand in _SEVERAL else operand
    if not value.on_chip:
        return f"load {several} into SBUF first: nl.load, or nisa.dma_copy to {made}"
    where = _either(dict.fromkeys(_SPOKEN[one] for one in legal))
    return f"copy {several} to {where} first: nisa.tensor_copy to {made}"


def _made(name: str, quantities: Mapping[str, object]) -> str:
    operand = str(quantities.get("argument", "it")) if name == "dtype" else name.removesuffix("_dtype")
    operand = "the operands" if operand in _SEVERAL else operand
    return f"make {operand} with"


def _either(names: Iterable[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} or {last}" if rest else last
