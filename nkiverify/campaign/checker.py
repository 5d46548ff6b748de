"""`python -m nkiverify.campaign.checker`: faults put into the checker itself; its tests must notice every one.

Works on a copy of the checkout. One place of one module at a time is changed: a comparison or a sign weakened, a test
taken as passed or failed, an `and` exchanged with `or`, a refusal left out. Then the tests that answer for the module
run until the first failure. A fault that no test notices is printed with its line.

With `--fuzz N`, N random kernels are tried instead of the tests: how much the fuzzer sees.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nkiverify import resources

#: The modules a verdict rests on, each with the tests that answer for it, the quickest first.
ANSWERING = {
    "nkiverify/symbolic/terms.py": ("tests/symbolic", "tests/engines/test_embedded.py", "tests/soundness"),
    "nkiverify/symbolic/conditions.py": ("tests/symbolic", "tests/engines/test_embedded.py", "tests/soundness"),
    "nkiverify/symbolic/facts.py": ("tests/symbolic", "tests/engines/test_embedded.py", "tests/soundness"),
    "nkiverify/symbolic/enumeration.py": ("tests/symbolic", "tests/engines", "tests/soundness"),
    "nkiverify/frontend/summaries.py": ("tests/soundness", "tests/frontend", "tests/campaign"),
    "nkiverify/frontend/snapshot.py": ("tests/soundness", "tests/frontend", "tests/campaign"),
    "nkiverify/frontend/loops.py": ("tests/frontend", "tests/soundness", "tests/campaign"),
    "nkiverify/engines/embedded.py": ("tests/engines/test_embedded.py", "tests/soundness"),
    "nkiverify/engines/smt.py": ("tests/engines", "tests/symbolic"),
    "nkiverify/engines/esbmc/lowering.py": ("tests/engines/esbmc",),
}

#: What a copy needs.
_COPIED = ("nkiverify", "stubs", "kernels", "harness", "tests", "tools", "pyproject.toml", "verify.py")

#: A comparison and what a slip of the pen makes of it.
_WEAKER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

#: Calls that refuse to go on; without one, something unsupported is taken for supported.
_REFUSALS = ("_give_up", "unsupported", "refuse")


@dataclass(frozen=True, slots=True)
class Fault:
    """One changed place of a module: `text` is the whole module with it."""

    module: str
    line: int
    what: str
    text: str


def faults_of(module: str, source: str) -> Iterator[Fault]:
    """Every fault of `module`, in the order of its lines within each kind."""
    count = sum(1 for _ in _places(ast.parse(source)))
    for number in range(count):
        tree = ast.parse(source)
        for position, (node, what, change) in enumerate(_places(tree)):
            if position == number:
                line = getattr(node, "lineno", 0)
                change()
                yield Fault(module, line, what, ast.unparse(tree) + "\n")
                break


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, Callable[[], None]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for position, operator in enumerate(node.ops):
                other = _WEAKER[type(operator)]
                yield node, f"{type(operator).__name__} -> {other.__name__}", _set_operator(node, position, other())
        elif isinstance(node, ast.BoolOp):
            other_bool = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"{type(node.op).__name__} -> {type(other_bool).__name__}", _set(node, "op", other_bool)
        elif isinstance(node, ast.If) and not _checks_types_only(node):
            yield node, "if -> never", _set(node, "test", ast.Constant(False))
        elif isinstance(node, ast.Constant) and type(node.value) is int and -2 <= node.value <= 2:
            yield node, f"{node.value} -> {node.value + 1}", _set(node, "value", node.value + 1)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and _is_truth(node.value):
            yield node, "returned truth inverted", _set(node.value, "value", not node.value.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) in _REFUSALS:
            yield node, "refusal left out", _set(node, "value", ast.Constant(None))


def _checks_types_only(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_truth(constant: ast.Constant) -> bool:
    return isinstance(constant.value, bool)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _set(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _set_operator(node: ast.Compare, position: int, operator: ast.cmpop) -> Callable[[], None]:
    return lambda: node.ops.__setitem__(position, operator)


class Copy:
    """A copy of the checkout in which a module can be exchanged."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nkiverify-checker-"))
        for name in _COPIED:
            source = resources.root() / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, self.folder / name)

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """The copy with the fault in it."""
        path = self.folder / fault.module
        before = path.read_text(encoding="utf-8")
        path.write_text(fault.text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def fails(self, command: Sequence[str], seconds: float) -> bool:
        """Whether the command, run by this Python in the copy, fails; one that does not end in time does."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(seconds) != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()


def _noticed(copy: Copy, tests: Sequence[str], seconds: float) -> str:
    """The first group of tests that fails, or nothing."""
    for group in tests:
        options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
        if copy.fails(("-m", "pytest", *options, group), seconds):
            return group
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Exits 1 where a fault was not noticed."""
    parser = argparse.ArgumentParser(prog="python -m nkiverify.campaign.checker", description=__doc__)
    parser.add_argument("--module", action="append", choices=sorted(ANSWERING), help="the modules; default: all")
    parser.add_argument("--each", type=int, default=10, metavar="N", help="faults of one module, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--seconds", type=float, default=300.0, help="after which a group of tests counts as failed")
    parser.add_argument("--fuzz", type=int, metavar="N", help="try N random kernels instead of the tests")
    options = parser.parse_args(arguments)
    copy = Copy()
    unnoticed = tried = 0
    try:
        for module in options.module or ANSWERING:
            source = (copy.folder / module).read_text(encoding="utf-8")
            faults = list(faults_of(module, source))
            random.Random(f"{options.seed}/{module}").shuffle(faults)
            for fault in faults[: options.each]:
                tried += 1
                started = time.monotonic()
                with copy.with_fault(fault):
                    if options.fuzz:
                        fuzz = ("-m", "nkiverify.campaign.fuzz", "--count", str(options.fuzz), "--shrink", "0")
                        by = "fuzz" if copy.fails((*fuzz, "--seed", str(options.seed)), options.seconds) else ""
                    else:
                        by = _noticed(copy, ANSWERING[module], options.seconds)
                unnoticed += not by
                took = f"{time.monotonic() - started:.0f} s"
                line = source.splitlines()[fault.line - 1].strip()
                print(f"{by or 'NOT NOTICED':32} {took:>6}  {module}:{fault.line}: {fault.what}: {line}", flush=True)
    finally:
        copy.close()
    print(f"faults: {tried}, not noticed: {unnoticed}")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
