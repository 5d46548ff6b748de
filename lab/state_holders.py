"""Kernels about what holds state: each holder below, changed in a loop or on a path, in files like those of
tests/soundness/kernels. Representatives of them are in `tests/soundness/kernels/put_back`.

An attempt to summarise a loop changes the state, and it is put back before the kernel runs again.
"""

from __future__ import annotations

from collections.abc import Iterator

#: Holders of state: how one is made, how iteration i changes it, and a number that is 0 before any has.
HOLDERS = {
    "list": ("held = []", "held.append(1)", "len(held)"),
    "dictionary": ("held = {}", "held[i] = 1", "len(held)"),
    "set": ("held = set()", "held.add(i)", "len(held)"),
    "list of a class": ("class Held(list): pass\nheld = Held()", "held.append(1)", "len(held)"),
    "dictionary of a class": ("class Held(dict): pass\nheld = Held()", "held[i] = 1", "len(held)"),
    "set of a class": ("class Held(set): pass\nheld = Held()", "held.add(i)", "len(held)"),
    "deque of a class": (
        "import collections\nclass Held(collections.deque): pass\nheld = Held()",
        "held.append(i)",
        "len(held)",
    ),
    "counter": ("import collections\nheld = collections.Counter()", "held['k'] += 1", "held['k']"),
    "attribute of a counter": (
        "import collections\nheld = collections.Counter()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "slot of a class of a library": (
        "import fractions\nheld = fractions.Fraction(1)",
        "held._numerator = held._numerator + 1 + i",
        "held._numerator - 1",
    ),
    "default dictionary": ("import collections\nheld = collections.defaultdict(int)", "held[i] += 1", "len(held)"),
    "ordered dictionary": ("import collections\nheld = collections.OrderedDict()", "held[i] = 1", "len(held)"),
    "attribute": ("class Held: count = 0\nheld = Held()", "held.count = held.count + 1 + i", "held.count"),
    "added attribute": ("class Held: pass\nheld = Held()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "attribute of a list of a class": (
        "class Held(list): pass\nheld = Held()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "slot": (
        "class Held:\n    __slots__ = ('seen',)\nheld = Held()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "class": ("class Held: pass", "Held.seen = i", "int(hasattr(Held, 'seen'))"),
    "function": ("def held(): pass", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "exception": ("held = ValueError()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "global name": ("held = 0", "globals()['held'] = held + 1 + i", "held"),
    "remembered calls": (
        "import functools\n@functools.lru_cache\ndef held(i): return i",
        "held(i)",
        "held.cache_info().currsize",
    ),
    "remembered calls of a few": (
        "import functools\n@functools.lru_cache(maxsize=2)\ndef held(i): return i",
        "held(i)",
        "held.cache_info().misses",
    ),
    "array": ("import numpy as np\nheld = np.zeros(4, dtype=int)", "held[0] = held[0] + 1 + i", "int(held[0])"),
    "bytes": ("held = bytearray(1)", "held[0] = held[0] + 1", "held[0]"),
    "endless count": (
        "import itertools\nheld = itertools.count()",
        "next(held)",
        "0 if repr(held) == 'count(0)' else 1",
    ),
    "partial": (
        "import functools\nheld = functools.partial(len)",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "function of a class": (
        "class Held:\n    def method(self): pass",
        "Held.method.seen = i",
        "int(hasattr(Held.method, 'seen'))",
    ),
    "function of a library": ("import textwrap", "textwrap.dedent.seen = i", "int(hasattr(textwrap.dedent, 'seen'))"),
    "class of a library": (
        "import fractions",
        "fractions.Fraction.seen = i",
        "int(hasattr(fractions.Fraction, 'seen'))",
    ),
    "module of a library": ("import textwrap", "textwrap.seen = i", "int(hasattr(textwrap, 'seen'))"),
    "member of an enumeration": (
        "import enum\nclass Held(enum.Enum):\n    ONE = 1",
        "Held.ONE.seen = i",
        "int(hasattr(Held.ONE, 'seen'))",
    ),
    "text of a class": ("class Held(str): pass\nheld = Held('t')", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "number of a class": ("class Held(int): pass\nheld = Held(3)", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "tuple of a class": ("class Held(tuple): pass\nheld = Held()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "namespace": ("import types\nheld = types.SimpleNamespace()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "data class": (
        "import dataclasses\n@dataclasses.dataclass\nclass Held:\n    count: int = 0\nheld = Held()",
        "held.count = held.count + 1 + i",
        "held.count",
    ),
    "data class with slots": (
        "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass Held:\n    count: int = 0\nheld = Held()",
        "held.count = held.count + 1 + i",
        "held.count",
    ),
    "user's dictionary": ("import collections\nheld = collections.UserDict()", "held[i] = 1", "len(held)"),
    "user's list": ("import collections\nheld = collections.UserList()", "held.append(1)", "len(held)"),
    "chain of maps": ("import collections\nheld = collections.ChainMap()", "held[i] = 1", "len(held)"),
    "queue": ("import queue\nheld = queue.Queue()", "held.put(1)", "held.qsize()"),
    "text stream": ("import io\nheld = io.StringIO()", "held.write('a')", "len(held.getvalue())"),
    "array of numbers": ("import array\nheld = array.array('i')", "held.append(1)", "len(held)"),
    "weak dictionary": (
        "import weakref\nclass Key: pass\nkey = Key()\nheld = weakref.WeakKeyDictionary()",
        "held[key] = 1",
        "len(held)",
    ),
    "local of threads": ("import threading\nheld = threading.local()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "context variable": (
        "import contextvars\nheld = contextvars.ContextVar('held', default=0)",
        "held.set(1)",
        "held.get()",
    ),
    "random numbers": (
        "import random\nheld = random.Random(7)\nfirst = held.getstate()",
        "held.random()",
        "int(held.getstate() != first)",
    ),
    "iterator of a list": ("held = iter([0] * 9)", "next(held)", "9 - held.__length_hint__()"),
    "generator": (
        "def made():\n    yield from range(9)\nheld = made()",
        "next(held)",
        "0 if held.gi_frame.f_lasti < 6 else 1",
    ),
    "default argument": (
        "def held(given=[]): return given",
        "held().append(1)",
        "len(held())",
    ),
    "defaults of a function": ("def held(x=0): return x", "held.__defaults__ = (1,)", "held()"),
    "keyword defaults of a function": (
        "def held(*, x=0): return x",
        "held.__kwdefaults__ = {'x': 1}",
        "held()",
    ),
    "a keyword default of a function": (
        "def held(*, x=0): return x",
        "held.__kwdefaults__['x'] = 1",
        "held()",
    ),
    "code of a function": (
        "def held(): return 0\ndef other(): return 1",
        "held.__code__ = other.__code__",
        "held()",
    ),
    "name of a function": ("def held(): return 0", "held.__name__ = 'h'", "len('held') - len(held.__name__)"),
    "class of an object": (
        "class Held: count = 0\nclass Other: count = 1\nheld = Held()",
        "held.__class__ = Other",
        "held.count",
    ),
    "base of a class": (
        "class One: count = 0\nclass Two: count = 1\nclass Held(One): pass",
        "Held.__bases__ = (Two,)",
        "Held.count",
    ),
    "cell of a closure": (
        "def made():\n    count = 0\n    return lambda: count\nheld = made()",
        "held.__closure__[0].cell_contents = 1",
        "held()",
    ),
    "function in a partial": (
        "import functools\nheld = functools.partial(len, [])",
        "held.__setstate__((len, ([1],), {}, {}))",
        "held()",
    ),
    "dictionary of an object": ("class Held: count = 0\nheld = Held()", "held.__dict__ = {'count': 1}", "held.count"),
    "function of a property": (
        "class Held:\n    def made(self): return 0\n    count = property(made)\nheld = Held()",
        "Held.made.seen = 1\n        Held.count.fget.seen = 1",
        "int(hasattr(Held.made, 'seen'))",
    ),
    "method that is put on an object": (
        "class Held:\n    def count(self): return 0\nheld = Held()",
        "held.count = lambda: 1",
        "held.count()",
    ),
    "default of a factory": (
        "import collections\nheld = collections.defaultdict(int)",
        "held.default_factory = lambda: 1",
        "0 if held.default_factory is int else 1",
    ),
    "greatest length of a deque": (
        "import collections\nheld = collections.deque()",
        "held.__init__(maxlen=3)",
        "int(held.maxlen is not None)",
    ),
    "key of a dictionary": (
        "class Held: count = 0\nheld = {Held(): 1}",
        "next(iter(held)).count = 1",
        "next(iter(held)).count",
    ),
    "closure": (
        "def made():\n    count = 0\n    def step():\n        nonlocal count\n        count += 1\n"
        "    return step, lambda: count\nstep, held = made()",
        "step()",
        "held()",
    ),
    "property": (
        "class Held:\n    kept = 0\n    @property\n    def count(self): return self.kept\n"
        "    @count.setter\n    def count(self, value): self.kept = value\nheld = Held()",
        "held.count = held.count + 1 + i",
        "held.count",
    ),
    "built-in name": ("import builtins", "builtins.seen = i", "int(hasattr(builtins, 'seen'))"),
    "recursion limit": (
        "import sys\nfirst = sys.getrecursionlimit()",
        "sys.setrecursionlimit(first + 7)",
        "sys.getrecursionlimit() - first",
    ),
    "decimal context": (
        "import decimal\nfirst = decimal.getcontext().prec",
        "decimal.getcontext().prec = first + 1",
        "decimal.getcontext().prec - first",
    ),
}

#: No verdict is expected; what concrete runs show must not contradict it.
_HEADER = "# expect: 1 SUCCESSFUL|BOUNDED|FAILED|UNKNOWN\n# dims: 0..\n# shapes: 0..{most}\n\n"


def kernels() -> Iterator[tuple[str, str]]:
    """The name of each kernel, and the text of its file."""
    for holder, (made, changed, counted) in HOLDERS.items():
        for seen in (0, 1):
            body = f"    before = {counted}\n    for i in range(n):\n        {changed}\n        if i > 2: break\n"
            body += f"    assert before == {seen}\n"
            yield f"{holder}, {seen} before the loop", _text(made, "n", body, 3)
        body = f"    for i in range(n):\n        assert {counted} == 0\n        {changed}\n"
        yield f"{holder}, in the next iteration", _text(made, "n", body, 3)
        body = f"    before = {counted}\n    i = 1\n    if n > m:\n        {changed}\n        assert before == 0\n"
        body += f"    else:\n        assert {counted} == before\n        assert {counted} == 0\n"
        yield f"{holder}, on the other path", _text(made, "n, m", body, 2)


def _text(made: str, parameters: str, body: str, most: int) -> str:
    return f"{_HEADER.format(most=most)}{made}\n\ndef kernel({parameters}):\n{body}"
