"""`python -m lab.metamorphic`: rewritings of a kernel that must not move its verdict.

A random kernel and the same kernel rewritten: names exchanged, dead code put in, the body moved into a helper, the
first iteration of a loop peeled off, a loop split in two, an expression bound to a name first, neighbours that share no
name exchanged; and the domain made wider, which never turns FAILED into SUCCESSFUL. One may be UNKNOWN or bounded where
the other is not; two verdicts that exclude each other are a defect.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lab.fuzz import subject_number
from lab.subject import PHASES, Bench, OutOfTime, Subject, time_limit, verdicts
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.foundation.records import Run, Verdict

VERDICT_SECONDS = 1.5
KERNEL_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Moved:
    """A rewriting that moved a verdict which it must not move."""

    rewriting: str
    phase: int
    before: Run
    after: Run
    kernel: Subject
    rewritten: Subject


def renamed(tree: ast.Module, source: random.Random) -> bool:
    """Every local name of the kernel exchanged for another one."""
    kernel = _kernel(tree)
    arguments = {argument.arg for argument in kernel.args.args}
    inner = {name for node in ast.walk(kernel) if isinstance(node, ast.Nonlocal | ast.Global) for name in node.names}
    bound = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = {name: f"z_{number}_{name}" for number, name in enumerate(sorted(bound - arguments - inner))}
    for node in ast.walk(kernel):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return bool(names)


def with_dead_code(tree: ast.Module, source: random.Random) -> bool:
    """Statements that change nothing, and a branch never taken, put in at random."""
    dead = ast.parse(source.choice(("dead_1 = 3\ndead_1 += 1", "if False:\n    assert False", "dead_2 = [1, 2]"))).body
    block = source.choice(_blocks(tree))
    position = source.randrange(len(block) + 1)
    block[position:position] = dead
    return True


def outlined(tree: ast.Module, source: random.Random) -> bool:
    """The kernel as a helper that the kernel calls."""
    kernel = _kernel(tree)
    inner = copy.deepcopy(kernel)
    inner.name = "outlined_kernel"
    names = ", ".join(argument.arg for argument in kernel.args.args)
    kernel.body = ast.parse(f"return outlined_kernel({names})").body
    tree.body.insert(tree.body.index(kernel), inner)
    return True


def peeled(tree: ast.Module, source: random.Random) -> bool:
    """The first iteration of a loop taken out of it."""
    return _rewrite_loop(tree, source, "if {n} > 0:\n    {i} = 0", "for {i} in range(1, {n}):\n    pass")


def split(tree: ast.Module, source: random.Random) -> bool:
    """A loop as two, over a first and a last part of its range."""
    part = f"min({source.randint(1, 3)}, max(0, {{n}}))"
    return _rewrite_loop(tree, source, f"for {{i}} in range({part}): pass", f"for {{i}} in range({part}, {{n}}): pass")


def bound_first(tree: ast.Module, source: random.Random) -> bool:
    """The tested value of an assert bound to a name before."""
    places = [
        (block, statement)
        for block in _blocks(tree)
        for statement in block
        if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare)
    ]
    if not places:
        return False
    block, statement = source.choice(places)
    compare = statement.test
    assert isinstance(compare, ast.Compare)
    value = ast.Assign([ast.Name("bound_1", ast.Store())], compare.left)
    compare.left = ast.Name("bound_1", ast.Load())
    block.insert(block.index(statement), value)
    return True


def reordered(tree: ast.Module, source: random.Random) -> bool:
    """Two assignments next to each other that share no name, exchanged."""
    pairs = [
        (block, position)
        for block in _blocks(tree)
        for position in range(len(block) - 1)
        if _independent(block[position], block[position + 1])
    ]
    if not pairs:
        return False
    block, position = source.choice(pairs)
    block[position], block[position + 1] = block[position + 1], block[position]
    return True


REWRITINGS: dict[str, Callable[[ast.Module, random.Random], bool]] = {
    "renamed": renamed,
    "dead code": with_dead_code,
    "outlined": outlined,
    "peeled": peeled,
    "split": split,
    "bound first": bound_first,
    "reordered": reordered,
}


def rewritten(subject: Subject, name: str, source: random.Random) -> Subject | None:
    """The subject with its kernel rewritten; None where there is nothing to rewrite."""
    tree = ast.parse(subject.kernel)
    if not REWRITINGS[name](tree, source):
        return None
    return replace(subject, kernel=ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def widened(subject: Subject) -> Subject:
    """The subject with every dimension reaching further."""
    harness = subject.harness
    for axis in subject.axes:
        old = f"v.dim({axis.name!r}, {axis.low}, {axis.high}"
        harness = harness.replace(old, f"v.dim({axis.name!r}, {axis.low}, {axis.high + 5 * axis.multiple_of}")
    return replace(subject, harness=harness)


def _kernel(tree: ast.Module) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "kernel")


def _blocks(tree: ast.Module) -> list[list[ast.stmt]]:
    """The blocks of the kernel that no function inside it owns."""
    found: list[list[ast.stmt]] = []

    def collect(block: list[ast.stmt]) -> None:
        found.append(block)
        for statement in block:
            if isinstance(statement, ast.For | ast.While | ast.If):
                collect(statement.body)
                if statement.orelse:
                    collect(statement.orelse)

    collect(_kernel(tree).body)
    return found


def _rewrite_loop(tree: ast.Module, source: random.Random, first: str, rest: str) -> bool:
    """Put two statements for a loop over `range(n)`, each with a copy of its body."""
    places = [
        (block, statement)
        for block in _blocks(tree)
        for statement in block
        if isinstance(statement, ast.For) and _may_be_split(statement)
    ]
    if not places:
        return False
    block, loop = source.choice(places)
    assert isinstance(loop.iter, ast.Call) and isinstance(loop.target, ast.Name)
    names = {"i": loop.target.id, "n": f"stop_{loop.target.id}"}
    head = ast.parse(f"{names['n']} = {ast.unparse(loop.iter.args[0])}").body[0]
    one, two = (ast.parse(text.format(**names)).body[0] for text in (first, rest))
    assert isinstance(one, ast.For | ast.If) and isinstance(two, ast.For)
    body = copy.deepcopy(loop.body)
    one.body = [*one.body, *body] if isinstance(one, ast.If) else body
    two.body = loop.body
    position = block.index(loop)
    block[position : position + 1] = [head, one, two]
    return True


def _may_be_split(loop: ast.For) -> bool:
    simple = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
    leaves = any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(loop))
    functions = any(isinstance(node, ast.FunctionDef | ast.Lambda) for node in ast.walk(loop))
    alone = isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1 and isinstance(loop.target, ast.Name)
    return simple and alone and not leaves and not functions and not loop.orelse


def _independent(one: ast.stmt, two: ast.stmt) -> bool:
    if not all(isinstance(statement, ast.Assign | ast.AugAssign) for statement in (one, two)):
        return False
    # What a call or an attribute does is not seen in the names.
    both = (*ast.walk(one), *ast.walk(two))
    if any(isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.NamedExpr | ast.BinOp) for node in both):
        return False
    return not _names(one) & _names(two)


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def excludes(before: Run, after: Run, wider: bool) -> bool:
    """True if one of the two verdicts must be wrong; `wider`: the second domain contains the first."""
    certain = {run.verdict for run in (before, after) if not run.qualifier}
    if wider:
        return before.verdict is Verdict.FAILED and after.verdict is Verdict.SUCCESSFUL and not after.qualifier
    return certain == {Verdict.SUCCESSFUL, Verdict.FAILED} or Verdict.ERROR in certain


def try_rewritings(subject: Subject, bench: Bench, source: random.Random, count: int = 3) -> tuple[list[Moved], int]:
    """The verdicts that `count` random rewritings and a wider domain move, and how many were compared."""
    with bench.target(subject) as target:
        before = verdicts(target, VERDICT_SECONDS)
    variants = {name: rewritten(subject, name, source) for name in source.sample(sorted(REWRITINGS), count)}
    variants["wider"] = widened(subject)
    moved: list[Moved] = []
    compared = 0
    for name, variant in variants.items():
        if variant is None:
            continue
        with bench.target(variant) as target:
            after = verdicts(target, VERDICT_SECONDS)
        compared += len(PHASES)
        for one, two in zip(before, after, strict=True):
            if excludes(one, two, wider=name == "wider"):
                moved.append(Moved(name, one.phase, one, two, subject, variant))
    return moved, compared


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exits 1 where a verdict moved."""
    parser = argparse.ArgumentParser(prog="python -m lab.metamorphic", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many kernels")
    parser.add_argument("--seed", type=int, default=1, help="which kernels")
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    options = parser.parse_args(arguments)
    WitnessBudget.MINIMISE_MS = 50
    bench = Bench()
    moved: list[Moved] = []
    figures: Counter[str] = Counter()
    try:
        for number in range(options.first, options.first + options.count):
            try:
                subject = subject_number(number, options.seed, bench)
                if subject is None:
                    continue
                with time_limit(KERNEL_SECONDS):
                    found, compared = try_rewritings(subject, bench, random.Random(f"{options.seed}/{number}/moved"))
            except OutOfTime:
                figures["kernels that took too long"] += 1
                continue
            figures["kernels"] += 1
            figures["verdicts compared"] += compared
            moved += found
    finally:
        bench.close()
    for one in moved:
        print(f"\nMOVED by {one.rewriting}, phase {one.phase}: {one.before.verdict} -> {one.after.verdict}")
        print(one.kernel.text, one.rewritten.text, sep="\n")
    print(", ".join(f"{what}: {count}" for what, count in figures.items()) + f", moved: {len(moved)}")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
