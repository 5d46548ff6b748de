"""The fault where a contract breaks, in a few words with its numbers: `the slice starts at -1`."""

from __future__ import annotations

from collections.abc import Mapping

#: Contracts that say of an index, or a slice, that it stays inside.
_INSIDE = frozenset({"idx.oob", "leg.oob_static", "ap.in_bounds"})


def sentence(rule: str, quantities: Mapping[str, object]) -> str:
    """The words for the contract `rule`; empty where it has none of its own."""
    known = dict(quantities)
    tensor, element = known.get("tensor") or "the output", known.get("at", known.get("element"))
    if rule == "df.output_written" and isinstance(element, tuple):
        return f"{tensor}[{_indices(element)}] is never written"
    if rule == "df.read_unwritten" and isinstance(element, tuple):
        why = f": {known['left_by']} stores no sum there with reduce_cmd=idle" if "left_by" in known else ""
        return f"{tensor}[{_indices(element)}] is read unwritten{why}"
    if rule == "df.programs" and isinstance(element, tuple) and "program" in known:
        return f"program {known['program']} touches {tensor}[{_indices(element)}], which another writes"
    if rule in ("sendrecv.pipe", "core_barrier.both") and "because" in known:
        return f"program {known['program']} waits for ever: {known['because']}"
    if rule == "df.affine_range" and isinstance(element, tuple):
        return f"several iterations touch {tensor}[{_indices(element)}]"
    if rule in ("df.input_written", "df.output_parameter") and "tensor" in known:
        return f"the argument {tensor} is written and not returned"
    if rule == "isa.kwargs_checked" and {"function", "unknown"} <= known.keys():
        return f"{known['function']} has no parameter {known['unknown']}"
    if rule in _INSIDE:
        return _outside(known)
    if rule == "idx.empty" and {"start", "stop"} <= known.keys():
        return f"the slice {known['start']}:{known['stop']} is empty"
    if rule == "host.division_by_zero":
        return "divides by zero"
    if rule == "kernel.exception" and "raised" in known:
        return f"raises {known['raised']}"
    return ""


def _outside(known: Mapping[str, object]) -> str:
    start, stop, index, extent = (known.get(name) for name in ("start", "stop", "index", "extent"))
    if isinstance(start, int) and start < 0:
        return f"the slice starts at {start}"
    dimension = known.get("dimension")
    place = f"dimension {dimension} of extent" if isinstance(dimension, int) else "an extent of"
    if isinstance(index, int) and isinstance(extent, int):
        return f"the index is {index}" if index < 0 else f"the index {index} leaves {place} {extent}"
    if isinstance(stop, int) and isinstance(extent, int):
        return f"the slice {start if isinstance(start, int) else ''}:{stop} leaves {place} {extent}"
    if isinstance(index, tuple) and len(index) == 2 and all(type(end) is int for end in (*index, extent)):
        return f"the indices {index[0]} to {index[1]} leave {place} {extent}"
    return f"an index leaves an extent of {extent}" if isinstance(extent, int) else ""


def _indices(element: tuple[object, ...]) -> str:
    return ", ".join(map(str, element))
