"""The audit hook sees what kernels ask for, whatever calls them back: C code of Python's or of NumPy's, or ours."""

from __future__ import annotations

import builtins
import functools
import heapq
import itertools
import operator
from pathlib import Path

import pytest

from nkiverify.frontend import guard
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_module

#: `f` is `os.listdir`, which has no frame of its own; `D(name)` is an object whose method `name` it is.
BEGINNING = """\
import bisect, collections, contextlib, copy, dataclasses, functools, heapq, itertools, math, operator, os
import types
import numpy as np
f = os.listdir
def D(*methods):
    return type('D', (str,), dict.fromkeys(methods, f))('.')
def O(*methods):
    return type('O', (), dict.fromkeys(methods, f))()
"""

#: By the function or class that calls back, how it is made to.
CALLING = {
    # built-ins
    "all": "all(map(f, names))",
    "any": "any(map(f, names))",
    "classmethod": "types.MethodType(f, '.')()",
    "dict": "dict(zip(names, map(f, names)))",
    "enumerate": "list(enumerate(map(f, names)))",
    "filter": "list(filter(f, names))",
    "frozenset": "frozenset(map(len, map(f, names)))",
    "getattr": "getattr(type('P', (str,), {'p': property(f)})('.'), 'p')",
    "hasattr": "hasattr(D('__getattr__'), 'p')",
    "iter": "next(iter(f, None))",
    "list": "list(map(f, names))",
    "map": "next(map(f, names))",
    "max": "max(names, key=f)",
    "min": "min(names, key=f)",
    "property": "property(f).__get__('.')",
    "set": "set(map(len, map(f, names)))",
    "sorted": "sorted(names, key=f)",
    "sum": "sum(map(len, map(f, names)))",
    "tuple": "tuple(map(f, names))",
    "zip": "list(zip(map(f, names), names))",
    "list.sort": "names.sort(key=f)",
    "list.extend": "[].extend(map(f, names))",
    "str.join": "''.join(map(str, map(f, names)))",
    "a star": "[*map(f, names)]",
    "a decorator": "f('.')",
    # what dunders are called by
    "abs": "abs(D('__abs__'))",
    "bool": "bool(D('__bool__'))",
    "not": "not D('__bool__')",
    "and": "D('__bool__') and 1",
    "bytes": "bytes(D('__bytes__'))",
    "complex": "complex(O('__complex__'))",
    "delattr": "delattr(D('__delattr__'), 'p')",
    "dir": "dir(D('__dir__'))",
    "divmod": "divmod(D('__divmod__'), 1)",
    "float": "float(D('__float__'))",
    "format": "format(D('__format__'))",
    "an f-string": "f'{D(\"__format__\")}'",
    "hash": "hash(D('__hash__'))",
    "hex": "hex(D('__index__'))",
    "int": "int(D('__int__'))",
    "isinstance": "isinstance(1, D('__instancecheck__'))",
    "len": "len(D('__len__'))",
    "next": "next(D('__next__'))",
    "pow": "pow(D('__pow__'), 2)",
    "repr": "repr(D('__repr__'))",
    "reversed": "reversed(D('__reversed__'))",
    "round": "round(D('__round__'))",
    "slice": "[1, 2][D('__index__'):]",
    "str": "str(D('__str__'))",
    "a loop": "[x for x in D('__iter__')]",
    "in": "1 in D('__contains__')",
    "an index": "D('__getitem__')[0]",
    "a call": "D('__call__')()",
    "+": "D('__add__') + 1",
    "-": "-D('__neg__')",
    "//": "D('__floordiv__') // 2",
    "<": "D('__lt__') < 1",
    "==": "D('__eq__') == 1",
    # functools
    "cache": "functools.cache(f)('.')",
    "cached_property": "functools.cached_property(f).func('.')",
    "cmp_to_key": "sorted(['a', 'b'], key=functools.cmp_to_key(os.rename))",
    "lru_cache": "functools.lru_cache(f)('.')",
    "partial": "functools.partial(f, '.')()",
    "partialmethod": "type('P', (), {'p': functools.partialmethod(f, '.')}).__dict__['p'].func('.')",
    "reduce": "functools.reduce(os.rename, ['a', 'b'])",
    "singledispatch": "functools.singledispatch(f)('.')",
    "wraps": "functools.wraps(len)(functools.partial(f, '.'))()",
    # itertools
    "accumulate": "list(itertools.accumulate(['a', 'b'], os.rename))",
    "chain": "list(itertools.chain(map(f, names)))",
    "combinations": "list(itertools.combinations(map(f, names), 1))",
    "combinations_with_replacement": "list(itertools.combinations_with_replacement(map(f, names), 1))",
    "compress": "list(itertools.compress(map(f, names), [1, 1]))",
    "cycle": "next(itertools.cycle(map(f, names)))",
    "dropwhile": "list(itertools.dropwhile(f, names))",
    "filterfalse": "list(itertools.filterfalse(f, names))",
    "groupby": "list(itertools.groupby(names, f))",
    "islice": "list(itertools.islice(map(f, names), 1))",
    "pairwise": "list(itertools.pairwise(map(f, names)))",
    "permutations": "list(itertools.permutations(map(f, names)))",
    "product": "list(itertools.product(map(f, names)))",
    "starmap": "list(itertools.starmap(f, [('.',)]))",
    "takewhile": "list(itertools.takewhile(f, names))",
    "tee": "next(itertools.tee(map(f, names))[0])",
    "zip_longest": "list(itertools.zip_longest(map(f, names)))",
    # operator
    "attrgetter": "operator.attrgetter('p')(type('P', (str,), {'p': property(f)})('.'))",
    "itemgetter": "operator.itemgetter(0)(D('__getitem__'))",
    "methodcaller": "operator.methodcaller('listdir', '.')(os)",
    "operator.add": "operator.add(D('__add__'), 1)",
    "operator.contains": "operator.contains(D('__contains__'), 1)",
    "operator.index": "operator.index(D('__index__'))",
    "operator.length_hint": "operator.length_hint(O('__length_hint__'))",
    # others
    "bisect": "bisect.bisect(['a'], 'b', key=f)",
    "merge": "list(heapq.merge(['.'], ['.'], key=f))",
    "nlargest": "heapq.nlargest(1, names, key=f)",
    "nsmallest": "heapq.nsmallest(1, names, key=f)",
    "defaultdict": "collections.defaultdict(f)[0]",
    "Counter": "collections.Counter(map(len, map(f, names)))",
    "deque": "collections.deque(map(f, names))",
    "copy": "copy.copy(D('__copy__'))",
    "default_factory": "dataclasses.make_dataclass('C', [('x', list, dataclasses.field(default_factory=f))])()",
    "callback": "contextlib.ExitStack().callback(f, '.')('.')",
    "ceil": "math.ceil(D('__ceil__'))",
    "prod": "math.prod(map(f, names))",
    "frompyfunc": "np.frompyfunc(f, 1, 1)('.')",
    "vectorize": "np.vectorize(f)(np.array(['.']))",
}

#: What calls nothing of a kernel's, gives it more arguments than such a function takes, or is refused itself.
NOT_CALLING = """
    __build_class__ __import__ aiter anext ascii bin breakpoint bytearray callable chr compile copyright credits eval
    exec exit globals help id input license locals memoryview object oct open ord print quit staticmethod super type
    vars issubclass range setattr
    count repeat batched total_ordering update_wrapper namedtuple GenericAlias RLock
    recursive_repr get_cache_token heapify heappop heappush heappushpop heapreplace singledispatchmethod call
"""


@pytest.mark.parametrize("rewriting", list(Rewriting))
def test_what_is_called_back_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewriting: Rewriting) -> None:
    refused: dict[str, str] = {}
    monkeypatch.setattr(guard, "passed_over", refused)
    first = BEGINNING.count("\n") + 1
    passed = {}
    for number, (name, form) in enumerate(CALLING.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / f"k{number}.py"
        form = form.replace("names", "['.', '.']")
        file.write_text(f"{BEGINNING}x = {form}\ndef g():\n    return {form}\ny = g()\n")
        module, _ = load_module(file.name, folder, rewriting)
        for bound, line in (("x", first), ("y", first + 2)):
            if f"{file}:{line}" not in refused:
                passed[name, bound] = vars(module).get(bound)
    assert {name: repr(value)[:60] for name, value in passed.items()} == {}


def test_all_of_python_that_calls_back_is_tried() -> None:
    known = {*CALLING, *NOT_CALLING.split()}
    there = {
        name
        for module in (builtins, functools, heapq, itertools)
        for name, value in vars(module).items()
        if callable(value)
        and not name.startswith("_")
        and not (isinstance(value, type) and issubclass(value, BaseException))
    }
    there |= {name for name in vars(operator) if name in ("attrgetter", "itemgetter", "methodcaller", "call")}
    assert there - known == set()
