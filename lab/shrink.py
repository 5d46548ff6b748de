"""Making a kernel with a defect small: statements are taken out and expressions simplified while the defect persists.

Of two kernels the simpler one has the shorter text.
"""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

from lab.subject import Axis, Subject

#: Attributes of statements that hold blocks.
_BLOCKS = ("body", "orelse", "finalbody")


def shrink(subject: Subject, persists: Callable[[Subject], bool], seconds: float = 30.0) -> Subject:
    """The smallest subject found for which `persists`."""
    deadline = time.monotonic() + seconds
    best = subject
    improved = True
    while improved and time.monotonic() < deadline:
        improved = False
        for candidate in _candidates(best):
            if time.monotonic() > deadline:
                return best
            if len(candidate.text) < len(best.text) and persists(candidate):
                best, improved = candidate, True
                break
    return best


def _candidates(subject: Subject) -> Iterator[Subject]:
    for kernel in _smaller_sources(subject.kernel):
        yield replace(subject, kernel=kernel)
    for harness in _smaller_sources(subject.harness):
        if "v.call" in harness:
            yield replace(subject, harness=harness)
    yield from _fewer_values(subject)


def _fewer_values(subject: Subject) -> Iterator[Subject]:
    for position, axis in enumerate(subject.axes):
        if len(axis.values) > 1 and axis.high == axis.values[-1]:
            values = axis.values[:-1]
            smaller = Axis(axis.name, axis.low, values[-1], axis.multiple_of, values)
            harness = subject.harness.replace(
                f"{axis.name!r}, {axis.low}, {axis.high}", f"{axis.name!r}, {axis.low}, {values[-1]}"
            )
            axes = (*subject.axes[:position], smaller, *subject.axes[position + 1 :])
            if harness != subject.harness:
                # The text does not become shorter by this: it counts only when a digit goes.
                yield replace(subject, harness=harness, axes=axes)


def _smaller_sources(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    count = sum(1 for _ in ast.walk(tree))
    for edit in (_without_statements, _unwrapped, _simpler_expressions):
        for position in range(count):
            changed = edit(tree, position)
            if changed is None:
                break
            if changed is not tree:
                try:
                    text = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        compile(text, "candidate", "exec")
                except (SyntaxError, ValueError):
                    continue
                yield text


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _without_statements(tree: ast.Module, position: int) -> ast.Module | None:
    changed = copy.deepcopy(tree)
    places = [(block, index) for block in _blocks(changed) for index in range(len(block))]
    if position >= len(places):
        return None
    block, index = places[position]
    if isinstance(block[index], ast.Pass) and len(block) == 1:
        return tree
    del block[index]
    if not block:
        for node in ast.walk(changed):
            for name in ("orelse", "finalbody"):
                if getattr(node, name, None) is block:
                    return changed
        block.append(ast.Pass())
    return changed


def _unwrapped(tree: ast.Module, position: int) -> ast.Module | None:
    changed = copy.deepcopy(tree)
    places = [
        (block, index, part)
        for block in _blocks(changed)
        for index, statement in enumerate(block)
        for part in _BLOCKS
        if isinstance(statement, ast.For | ast.While | ast.If | ast.Try | ast.With) and getattr(statement, part, None)
    ]
    if position >= len(places):
        return None
    block, index, part = places[position]
    block[index : index + 1] = getattr(block[index], part)
    return changed


def _simpler_expressions(tree: ast.Module, position: int) -> ast.Module | None:
    changed = copy.deepcopy(tree)
    places = [
        (parent, name, index, option)
        for parent in ast.walk(changed)
        for name, index, child in _children(parent)
        for option in _options(child)
    ]
    if position >= len(places):
        return None
    parent, name, index, option = places[position]
    if index is None:
        setattr(parent, name, option)
    else:
        getattr(parent, name)[index] = option
    return changed


def _children(parent: ast.AST) -> Iterator[tuple[str, int | None, ast.expr]]:
    for name, value in ast.iter_fields(parent):
        if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
            yield name, None, value
        elif isinstance(value, list):
            for index, part in enumerate(value):
                if isinstance(part, ast.expr) and isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
                    yield name, index, part


def _options(node: ast.expr) -> Iterator[ast.expr]:
    """Simpler expressions that could stand for `node`."""
    if isinstance(node, ast.Constant | ast.Name):
        return
    yield ast.Constant(0)
    yield ast.Constant(1)
    if isinstance(node, ast.Call):
        yield from (part for part in node.args if not isinstance(part, ast.Starred))
    elif isinstance(node, ast.Subscript | ast.Attribute):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield child
