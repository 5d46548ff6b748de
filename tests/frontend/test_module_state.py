"""Concrete executions import a kernel once in a process, and each finds its modules as they were imported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from lab.state_holders import HOLDERS
from nkiverify.frontend import loader
from nkiverify.frontend.module_code import execute
from nkiverify.phases.witness_replay import replay
from tests.soundness.trap import HARDWARE, make_target

#: Others that a run changes and no loop is asked about: how one is made, how the run changes it, and a number that is 0
#: before it has.
OTHERS = {
    "cycle": ("import itertools\nheld = itertools.cycle([0, 1])", "next(held)", "next(held)"),
    "zip": ("held = zip([0, 1], [0, 1])", "next(held)", "next(held)[0]"),
    "map over a list": ("held = map(int, [0, 1])", "next(held)", "next(held)"),
    "filter": ("held = filter(lambda one: True, [0, 1])", "next(held)", "next(held)"),
    "iterator of a range": ("held = iter(range(9))", "next(held)", "next(held)"),
    "iterator of a dictionary": ("held = iter({0: 1, 1: 2})", "next(held)", "next(held)"),
    "iterator of a text": ("held = iter('01')", "next(held)", "int(next(held))"),
    "reversed list": ("held = reversed([1, 0])", "next(held)", "next(held)"),
    "enumeration of a list": ("held = enumerate('ab')", "next(held)", "next(held)[0]"),
    "copies of an iterator": ("import itertools\none, held = itertools.tee([0, 1])", "next(held)", "next(held)"),
    "chained iterators": ("import itertools\nheld = itertools.chain([0], [1])", "next(held)", "next(held)"),
    "generator expression": ("held = (i for i in [0, 1])", "next(held)", "next(held)"),
    "generator that is sent to": (
        "def made():\n    sent = 0\n    while True:\n        sent = (yield sent) or sent\nheld = made()\nnext(held)",
        "held.send(1)",
        "held.send(None)",
    ),
    "generator in a closure": (
        "def made():\n    numbers = iter([0, 1, 2])\n    return lambda: next(numbers)\nheld = made()",
        "held()",
        "held()",
    ),
    "match of a scanner": ("import re\nheld = re.finditer('.', '01')", "next(held)", "int(next(held).group())"),
    "remembered calls of the import": (
        "import functools\n@functools.lru_cache\ndef held(i): return i\nheld(0)",
        "held(1)",
        "held.cache_info().currsize - 1",
    ),
    "remembered result that grows": (
        "import functools\n@functools.lru_cache\ndef held(): return []\nheld()",
        "held().append(1)",
        "len(held())",
    ),
    "cached property": (
        "import functools\nclass Held:\n    calls = 0\n    @functools.cached_property\n    def made(self):\n"
        "        Held.calls += 1\n        return 1\nheld = Held()",
        "held.made",
        "Held.calls",
    ),
    "cache of a decorator": (
        "def remembered(f):\n    known = {}\n    def call(i):\n        if i not in known: known[i] = f(i)\n"
        "        return len(known)\n    return call\n@remembered\ndef held(i): return i",
        "held(1)",
        "held(0) - 1",
    ),
    "registered functions": (
        "import functools\n@functools.singledispatch\ndef held(x): return 0",
        "held.register(int, lambda x: 1)",
        "held(0)",
    ),
    "subclasses that a class lists": (
        "class Held:\n    made = []\n    def __init_subclass__(cls): Held.made.append(cls)",
        "type('Part', (Held,), {})",
        "len(Held.made)",
    ),
    "instances that a class counts": (
        "class Held:\n    made = 0\n    def __init__(self): type(self).made += 1",
        "Held()",
        "Held.made",
    ),
    "class that only a base leads to": (
        "def made():\n    class Base: count = 0\n    class Held(Base): pass\n    return Held\nHeld = made()",
        "Held.__base__.count = 1",
        "Held.count",
    ),
    "name of a class": ("class Held: pass", "Held.__name__ = 'H'", "4 - len(Held.__name__)"),
    "descriptor": (
        "class Kept:\n    of = {}\n    def __get__(self, one, kind): return self.of.get(1, 0)\n"
        "    def __set__(self, one, value): self.of[1] = value\nclass Held:\n    count = Kept()\nheld = Held()",
        "held.count = 1",
        "held.count",
    ),
    "frozen data class": (
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Held:\n    count: int = 0\nheld = Held()",
        "object.__setattr__(held, 'count', 1)",
        "held.count",
    ),
    "shared default of a data class": (
        "import dataclasses\nSHARED = []\n@dataclasses.dataclass\nclass Held:\n"
        "    parts: list = dataclasses.field(default_factory=lambda: SHARED)",
        "Held().parts.append(1)",
        "len(Held().parts)",
    ),
    "metaclass": (
        "class Meta(type):\n    def __call__(cls):\n        cls.calls += 1\n        return super().__call__()\n"
        "class Held(metaclass=Meta):\n    calls = 0",
        "Held()",
        "Held.calls",
    ),
    "attribute of a method": ("class Held:\n    def m(self): pass", "Held.m.seen = 1", "int(hasattr(Held.m, 'seen'))"),
    "annotations": (
        "def held(x: int): pass",
        "held.__annotations__['x'] = str",
        "int(held.__annotations__['x'] is str)",
    ),
    "name that is deleted": ("held = 0", "globals().pop('held')", "int('held' not in globals())"),
    "name that is added": ("", "globals()['added'] = 1", "int('added' in globals())"),
    "order of a dictionary": ("held = {0: 0, 1: 1}", "held[0] = held.pop(0)", "next(iter(held))"),
    "view of a dictionary": ("inner = {}\nheld = inner.keys()", "inner[1] = 1", "len(held)"),
    "read-only view": ("import types\ninner = {}\nheld = types.MappingProxyType(inner)", "inner[1] = 1", "len(held)"),
    "heap": ("import heapq\nheld = [3, 0, 5]\nheapq.heapify(held)", "heapq.heappop(held)", "held[0]"),
    "rotated deque": ("import collections\nheld = collections.deque([0, 1])", "held.rotate(1)", "held[0]"),
    "part of a bytearray": ("inner = bytearray(4)\nheld = memoryview(inner)[1:3]", "held[0] = 1", "inner[1]"),
    "array of objects": (
        "import numpy as np\nheld = np.array([[], 0], dtype=object)",
        "held[0].append(1)",
        "len(held[0])",
    ),
    "part of an array": ("import numpy as np\ninner = np.zeros(4)\nheld = inner[1:3]", "held[0] = 1", "int(inner[1])"),
    "generator of random numbers": (
        "import numpy as np\nheld = np.random.default_rng(0)\nfirst = str(held.bit_generator.state)",
        "held.random()",
        "int(str(held.bit_generator.state) != first)",
    ),
    "random numbers of Python": (
        "import random\nrandom.seed(3)\nfirst = random.getstate()",
        "random.random()",
        "int(random.getstate() != first)",
    ),
    "random numbers of NumPy": (
        "import numpy as np\nnp.random.seed(3)\nfirst = np.random.get_state()[2]",
        "np.random.rand()",
        "int(np.random.get_state()[2] != first)",
    ),
    "logger": ("import logging\nlogging.root.setLevel(30)", "logging.root.setLevel(10)", "30 - logging.root.level"),
    "lock": ("import threading\nheld = threading.Lock()", "held.acquire()", "int(held.locked())"),
    "event": ("import threading\nheld = threading.Event()", "held.set()", "int(held.is_set())"),
    "semaphore": ("import threading\nheld = threading.Semaphore(1)", "held.acquire()", "1 - held._value"),
    "stack of exits": (
        "import contextlib\nheld = contextlib.ExitStack()",
        "held.callback(print)",
        "len(held._exit_callbacks)",
    ),
    "position in a stream": ("import io\nheld = io.BytesIO(b'ab')", "held.read(1)", "held.tell()"),
    "arguments of an exception": ("held = ValueError(0)", "held.args = (1,)", "held.args[0]"),
    "raised exception": (
        "held = ValueError()",
        "\n        try: raise held\n        except ValueError: pass",
        "int(held.__traceback__ is not None)",
    ),
    "weak reference": (
        "import weakref\nclass Key: pass\nkeys = [Key()]\nheld = weakref.ref(keys[0])",
        "keys.clear()",
        "int(held() is None)",
    ),
    "finalizer": (
        "calls = []\nclass Held:\n    def __del__(self): calls.append(1)\nkept = [Held()]",
        "kept.clear()",
        "len(calls)",
    ),
    "helper that is imported in the run": ("", "import helper; helper.COUNT += 1", "__import__('helper').COUNT"),
    "part of a package imported in the run": (
        "import importlib, package",
        "importlib.import_module('package.part').COUNT += 1",
        "package.part.COUNT if hasattr(package, 'part') else 0",
    ),
    "coroutine": ("async def made():\n    return 0\nheld = made()", "held.close()", "int(held.cr_frame is None)"),
    "async generator": (
        "async def made():\n    yield 0\nheld = made()",
        "\n        try: held.aclose().send(None)\n        except StopIteration: pass",
        "int(held.ag_frame is None)",
    ),
    "view of bytes": ("held = memoryview(bytearray(4))", "held[0] = 1", "held[0]"),
    "decimal context": ("import decimal\nheld = decimal.Context(prec=5)", "held.prec = 3", "5 - held.prec"),
    "logger of its own": ("import logging\nheld = logging.Logger('x')", "held.setLevel(10)", "held.level"),
    "handler of a logger": (
        "import logging\nheld = logging.NullHandler()",
        "held.seen = 1",
        "int(hasattr(held, 'seen'))",
    ),
    "kernel": ("import nki\n@nki.jit\ndef held(a): return a", "held.seen = 1", "int(hasattr(held, 'seen'))"),
    "digest": (
        "import hashlib\nheld = hashlib.sha256()\nfirst = held.hexdigest()",
        "held.update(b'x')",
        "int(held.hexdigest() != first)",
    ),
    "simple queue": ("import queue\nheld = queue.SimpleQueue()", "held.put(1)", "held.qsize()"),
    "reader of rows": (
        "import csv, io\nout = io.StringIO()\nheld = csv.reader(['a,b', 'c,d'])",
        "next(held)",
        "held.line_num",
    ),
    "iterator of records": (
        "import struct\nheld = struct.iter_unpack('B', b'ab')",
        "next(held)",
        "2 - held.__length_hint__()",
    ),
    "decompressor": (
        "import zlib\nheld = zlib.decompressobj()",
        "held.decompress(zlib.compress(b'a'))",
        "int(held.eof)",
    ),
    "scanner": (
        "import re\nheld = re.compile('.').scanner('ab')",
        "held.match()",
        "0 if held.match().start() == 0 else 1",
    ),
    "context": (
        "import contextvars\nvar = contextvars.ContextVar('v', default=0)\nheld = contextvars.copy_context()",
        "held.run(var.set, 1)",
        "held.run(var.get)",
    ),
    "variable of types": (
        "import typing\nheld = typing.TypeVar('held')",
        "held.seen = 1",
        "int(hasattr(held, 'seen'))",
    ),
    "order of an ordered dictionary": (
        "import collections\nheld = collections.OrderedDict(a=1, b=2)",
        "held.move_to_end('a')",
        "0 if next(iter(held)) == 'a' else 1",
    ),
    "function of arrays": (
        "import numpy as np\nheld = np.vectorize(lambda x: x)",
        "held.seen = 1",
        "int(hasattr(held, 'seen'))",
    ),
    "iterator of an array": ("import numpy as np\nheld = np.arange(3).flat", "next(held)", "held.index"),
    "masked array": ("import numpy as np\nheld = np.ma.zeros(2)", "held[0] = 1", "int(held[0])"),
    "array of records": (
        "import numpy as np\nheld = np.rec.array([(0,)], dtype=[('a', int)])",
        "held.a[0] = 1",
        "int(held.a[0])",
    ),
    "flag of an array": (
        "import numpy as np\nheld = np.zeros(2)",
        "held.flags.writeable = False",
        "int(not held.flags.writeable)",
    ),
    "built-in names of a module": ("", "__builtins__['seen'] = 1", "int('seen' in __builtins__)"),
    "annotations of a module": (
        "held: int = 0",
        "__annotations__['held'] = str",
        "int(__annotations__['held'] is str)",
    ),
    "closure in partial": (
        "import functools\ndef made():\n    n = [0]\n    def f(k):\n"
        "        n[0] += k\n        return n[0]\n    return functools.partial(f, 1)\nheld = made()",
        "held()",
        "held() - 1",
    ),
    "method object": (
        "class A:\n    n = 0\n    def m(self):\n        self.n += 1\n        return self.n\nheld = A().m",
        "held()",
        "held() - 1",
    ),
    "classmethod": (
        "class A:\n    n = 0\n    @classmethod\n    def m(cls):\n        cls.n += 1\n        return cls.n",
        "A.m()",
        "A.m() - 1",
    ),
    "property closure": (
        "def made():\n    n = [0]\n    class A:\n        @property\n"
        "        def p(self):\n            n[0] += 1\n            return n[0]\n    return A()\nheld = made()",
        "held.p",
        "held.p - 1",
    ),
    "list that only a method leads to": ("held = [].append", "held(1)", "len(held.__self__)"),
    "object in a key": (
        "import functools\nheld = functools.cmp_to_key(lambda a, b: 0)([0])",
        "held.obj.append(1)",
        "len(held.obj) - 1",
    ),
    "groups": ("import itertools\nheld = itertools.groupby([0, 1])", "next(held)", "next(held)[0]"),
    "sums": ("import itertools\nheld = itertools.accumulate([0, 1])", "next(held)", "next(held)"),
    "context manager": (
        "import contextlib\n@contextlib.contextmanager\ndef made():\n    yield 0\nheld = made()",
        "held.__enter__()",
        "int(held.gen.gi_frame.f_lasti > 6)",
    ),
    "slot of a base": (
        "class A:\n    __slots__ = ('n',)\nclass B(A):\n    __slots__ = ()\nheld = B()\nheld.n = 0",
        "held.n = 1",
        "held.n",
    ),
    "tuple with list": ("held = ([], )", "held[0].append(1)", "len(held[0])"),
    "frozenset with object": ("class A: n = 0\none = frozenset([A()])", "next(iter(one)).n = 1", "next(iter(one)).n"),
    "attribute of NKI": ("", "nl.seen = 1", "int(hasattr(nl, 'seen'))"),
    "object on NKI": ("nl.kept = []", "nl.kept.append(1)", "len(nl.kept)"),
    "module that the kernel makes": (
        "import sys, types\nheld = sys.modules['held'] = types.ModuleType('held')",
        "held.seen = 1",
        "int(hasattr(held, 'seen'))",
    ),
}
CASES = {**HOLDERS, **OTHERS}


@pytest.fixture(autouse=True)
def _no_modules_kept() -> Iterator[None]:
    yield
    loader._spaces.clear()


def _write(folder: Path, name: str) -> None:
    made, changed, counted = CASES[name]
    body = f"    i = 1\n    assert ({counted}) == 0\n    if n:\n        {changed}\n"
    (folder / "kernel.py").write_text(f"import nki.language as nl\n{made}\n\ndef kernel(n):\n{body}")
    (folder / "helper.py").write_text("COUNT = 0\n")
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "part.py").write_text("COUNT = 0\n")


@pytest.mark.parametrize("name", CASES)
def test_each_run_finds_the_modules_as_they_were_imported(name: str, tmp_path: Path) -> None:
    _write(tmp_path, name)
    target = make_target(lambda v: v.call(1), tmp_path)
    found = [replay(target, {}, HARDWARE, checked=checked) for checked in (False, True, False)]
    assert [(one.raised, one.broken, one.unsupported) for one in found] == [(None, (), "")] * 3


def test_modules_are_imported_once_where_they_can_be_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []

    def counted(code: CodeType, file: Path, *rest: Any) -> None:
        imported.append(file.name)
        execute(code, file, *rest)

    monkeypatch.setattr("nkiverify.frontend.loader.execute", counted)
    for name, times in {"list": 1, "closure": 1, "lock": 3, "finalizer": 3}.items():
        folder = tmp_path / name
        folder.mkdir()
        _write(folder, name)
        for _ in range(3):
            replay(make_target(lambda v: v.call(1), folder), {}, HARDWARE)
        assert imported == ["kernel.py"] * times
        imported.clear()
