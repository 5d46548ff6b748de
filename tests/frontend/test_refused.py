"""Constructs of every kind that is refused inside a launch end a symbolic run, with their place and advice."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from nkiverify.frontend.paths import Limits, Unsupported
from nkiverify.frontend.refused import TABLE
from nkiverify.verify.exploration import explore
from tests.soundness.trap import HARDWARE, target_for

#: Of each kind some kernels: what the module has, and the line of the kernel that is refused.
KERNELS = {
    "Signals": [("import signal", "signal.alarm(0)"), ("from signal import getsignal", "getsignal(2)")],
    "Memory": [("import gc", "gc.isenabled()"), ("from weakref import ref\nclass A: pass", "ref(A())")],
    "Threads and contexts": [("import threading", "threading.Lock()"), ("import contextvars", "contextvars.Context()")],
    "Interpreters and processes": [("import atexit", "atexit.unregister(len)")],
    "Frames, tracebacks and tracing": [
        ("import sys", "sys._getframe()"),
        ("from inspect import currentframe", "currentframe()"),
        ("CODE = (one for one in ())", "CODE.gi_frame"),
        ("import sys\nFRAME = sys._getframe()", "getattr(FRAME, 'f_locals')"),
    ],
    "What an exception carries": [("ERROR = ValueError()", "ERROR.__traceback__"), ("", "ValueError().add_note('x')")],
    "The import system": [
        ("import sys", "sys.modules"),
        ("import importlib", "importlib.import_module('math')"),
        ("", "__import__('math')"),
        ("FUNCTION = __import__", "FUNCTION('math')"),
    ],
    "The text of programs, and namespaces": [
        ("", "eval('1')"),
        ("", "globals()"),
        ("import builtins", "builtins.exec('1')"),
        ("class A: pass", "A.__dict__"),
    ],
    "The environment and the working directory": [
        ("import os", "os.environ"),
        ("from os import getenv", "getenv('HOME')"),
    ],
    "Limits of the interpreter": [("import sys\nLIMIT = sys.getrecursionlimit", "LIMIT()")],
    "The locale": [("import locale", "locale.localeconv()")],
    "Filters of warnings": [
        ("import warnings", "warnings.simplefilter('ignore')"),
        ("from warnings import catch_warnings", "catch_warnings()"),
    ],
    "Loggers that are set up": [
        ("import logging", "logging.getLogger('x').setLevel(10)"),
        ("import logging\nSET = logging.getLogger('x').setLevel", "SET(10)"),
        ("import logging, operator\nLOG = logging.getLogger('x')", "operator.methodcaller('setLevel', 10)(LOG)"),
        ("import logging\nLOG = logging.getLogger('x')", "LOG.handlers.append(logging.NullHandler())"),
    ],
    "Decimal numbers": [
        ("import decimal", "decimal.getcontext()"),
        ("from decimal import Decimal", "sum(map(Decimal, [1]))"),
    ],
    "Random numbers": [
        ("import random", "random.random()"),
        ("from random import random", "random()"),
        ("import functools, random\nDRAW = functools.partial(random.random)", "DRAW()"),
        ("import numpy as np", "np.random"),
        ("import numpy.random as r", "r.rand()"),
        ("from numpy import random", "random.rand()"),
    ],
    "How NumPy prints and treats errors": [
        ("import numpy as np", "np.seterr(all='ignore')"),
        ("from numpy import errstate", "errstate(all='ignore')"),
    ],
    "Registers of classes": [("import abc\nclass A(abc.ABC): pass", "A.register(int)")],
    "What a function or a class is made of": [
        ("def helper(x=0): return x", "helper.__code__"),
        ("def helper(x=0): return x", "helper.__defaults__ = (1,)"),
        ("class A: pass\nclass B: pass\nA1 = A()", "A1.__class__ = B"),
        ("class A: pass\nclass B(A): pass", "A.__subclasses__()"),
    ],
    "Which object it is, as a number, whatever the object says of itself": [
        ("", "object.__hash__(n)"),
        ("class A: pass", "A.__hash__(A())"),
    ],
    "Assigning attributes of modules, classes, functions and loggers of libraries, and of objects written in C": [
        ("import math", "math.trap = 1"),
        ("import string", "setattr(string.Template, 'trap', 1)"),
        ("import string", "type.__setattr__(string.Template, 'trap', 1)"),
        ("import logging\nLOG = logging.getLogger('x')", "LOG.trap = 1"),
        ("import nki.language as nl", "nl.add.trap = 1"),
    ],
    "Lists, dictionaries and sets of libraries": [
        ("import keyword", "keyword.softkwlist"),
        ("import sys", "getattr(sys, 'ar' + 'gv')"),
    ],
    "Metaclasses of the kernel's own": [
        ("", "class A(type): pass\n    class B(metaclass=A): pass"),
        ("import enum", "class A(enum.EnumMeta): pass"),
    ],
    "Classes with `__del__`": [("", "class A:\n        def __del__(self): pass")],
    "Classes derived from numbers, texts, tuples or frozen sets with an `__eq__` or `__hash__` of their own": [
        ("", "class A(int):\n        def __eq__(self, other): return True"),
        ("", "type('A', (str,), {'__hash__': lambda self: 1})"),
    ],
    "Classes with a `__class__` of their own": [("", "class A:\n        __class__ = property(lambda self: int)")],
    "Classes derived from one that is refused": [("from random import Random", "class A(Random): pass")],
}


def _unsupported(text: str, folder: Path) -> Unsupported | None:
    """The construct that ends the symbolic run of the kernel in `text`, if one does."""
    return explore(target_for(text, folder), HARDWARE, Limits()).run.unsupported_construct


def test_there_are_kernels_of_every_kind() -> None:
    assert list(KERNELS) == [one.what for one in TABLE]


@pytest.mark.parametrize(
    ("kind", "module", "statement"),
    [pytest.param(kind, *one, id=one[1]) for kind, kernels in KERNELS.items() for one in kernels],
)
def test_a_launch_ends_where_it_is_refused(kind: str, module: str, statement: str, tmp_path: Path) -> None:
    (refused,) = (one for one in TABLE if one.what == kind)
    found = _unsupported(f"{module}\ndef kernel(n):\n    {statement}\n    assert n >= 0\n", tmp_path)
    assert found is not None and refused.reason in found.construct and found.advice == refused.advice
    text = (tmp_path / "kernel.py").read_text(encoding="utf-8").splitlines()
    assert found.site is not None and text.index("def kernel(n):") + 1 < found.site.line < len(text)


@pytest.mark.parametrize(
    "made",
    [
        "class A(type): pass",
        "class A:\n    def __del__(self): pass",
        "class A(str):\n    def __hash__(self): return 1",
    ],
)
def test_a_class_of_the_module_is_refused_where_it_is_defined(made: str, tmp_path: Path) -> None:
    found = _unsupported(f"{made}\ndef kernel(n):\n    assert n >= 0\n", tmp_path)
    assert found is not None and found.construct.startswith("the class `A` in a launch: ")
    text = (tmp_path / "kernel.py").read_text(encoding="utf-8").splitlines()
    assert found.site is not None and text[found.site.line - 1].startswith("class A")


ALLOWED = {
    "state that importing sets up": (
        "import gc, logging, os, random, sys, warnings\nwarnings.simplefilter('ignore')\nos.environ['X'] = '1'\n"
        "random.seed(0)\nWIDTH = random.randrange(4)\nlogging.getLogger('x').setLevel(30)\n"
        "DEPTH = sys._getframe().f_lineno",
        "n + WIDTH + DEPTH",
    ),
    "logging and warning": (
        "import logging, warnings\nLOG = logging.getLogger('x')",
        "LOG.info('%s', n)\n    warnings.warn('x')",
    ),
    "a register of the kernel's own": (
        "class A:\n    def register(self, x): return x\n    def disable(self): return 1\nONE = A()",
        "ONE.register(n) + ONE.disable()",
    ),
    "ordinary classes": (
        "import abc, dataclasses, enum, typing\nclass A(abc.ABC):\n    def __eq__(self, other): return self is other\n"
        "    def __hash__(self): return 1\n@dataclasses.dataclass(frozen=True)\nclass B:\n    x: int = 0\n"
        "    def __post_init__(self): object.__setattr__(self, 'x', 2)\n"
        "class C(str, enum.Enum):\n    ONE = 'one'\nclass D(typing.NamedTuple):\n    x: int = 1\nclass E(A): pass",
        "E() == E(), B().x, C.ONE.value, D().x",
    ),
    "a class that a refused module has from another": ("from queue import deque", "deque([n])"),
    "an import statement": ("", "import math, os.path\n    math.ceil(1.5), os.path.join('a', 'b')"),
}


@pytest.mark.parametrize(("module", "statement"), ALLOWED.values(), ids=ALLOWED)
def test_the_rest_of_the_language_is_there(module: str, statement: str, tmp_path: Path) -> None:
    text = f"{module}\ndef kernel(n):\n    {statement}\n    for i in range(n):\n        assert i < n\n"
    assert _unsupported(text, tmp_path) is None


def test_what_a_library_puts_in_place_of_a_module_is_no_state_of_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `zipp` does so, and whether it has been imported depends on the tests that ran before in the process.
    library = ModuleType("a_library")
    exec("import types\nclass Lazy(types.SimpleNamespace):\n    def __hash__(self): return 1", vars(library))
    monkeypatch.setitem(sys.modules, "a_library", library)
    monkeypatch.setitem(sys.modules, "a_library.lazy", library.Lazy(part=print))
    module, statement = ALLOWED["state that importing sets up"]
    text = f"{module}\ndef kernel(n):\n    {statement}\n    for i in range(n):\n        assert i < n\n"
    assert _unsupported(text, tmp_path) is None
