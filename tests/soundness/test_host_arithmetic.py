"""Integers beyond 32 bits and divisions by zero are seen however the kernel writes them, in both kinds of runs."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.arithmetic import HEADER
from lab.fuzz import ARITHMETIC, try_number
from lab.subject import Bench
from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.instrument import Rewriting
from nkiverify.manifest import Verification
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.soundness.trap import make_target

_HEADER = HEADER + "import sys\nimport time\nfrom functools import reduce\nfrom operator import mul\n"


def arithmetic(source: str, folder: Path, low: int = 1, high: int = 10) -> Run:
    """What phase 2 says of a kernel for `n` of these values."""
    (folder / "kernel.py").write_text(f"{_HEADER}\n{textwrap.dedent(source)}", encoding="utf-8")

    def call_it(v: Verification) -> None:
        v.call(v.dim("n", low, high))

    (run,) = verify(make_target(call_it, folder), Options(root=folder, phases=(2,)))
    return run


def fails(run: Run, rule: str = "host.int32") -> bool:
    """True if the run fails by this rule alone, and plain Python says the same."""
    assert run.verdict in (Verdict.FAILED, Verdict.SUCCESSFUL), (run.verdict, run.reason)
    if run.verdict is Verdict.SUCCESSFUL:
        return False
    assert not run.qualifier
    assert all(found.replayed for found in run.violations)
    return {found.contract for found in run.violations} == {rule}


#: Statements of a kernel of `n` that make `3 * n`.
TRIPLES = {
    "entry": "d = {'a': n}\nd['a'] *= 3",
    "element": "row = [n]\nrow[-1] *= 3",
    "attribute": "box = Box()\nbox.a = n\nbox.a *= 3",
    "entry of an attribute": "box = Box()\nbox.d = {'a': [n]}\nbox.d['a'][0] += n + n",
    "sum": "sum([n, n, n])",
    "sum of a generator": "sum(x for x in (n, n, n))",
    "math.prod": "math.prod([n, 3])",
    "np.prod": "np.prod([n, 3])",
    "np.sum": "np.sum((n, n, n))",
    "np.cumsum": "np.cumsum([n, n, n])",
    "np.multiply": "np.multiply(n, 3)",
    "an array": "np.array([n, 1]) * 3",
    "reduce": "functools.reduce(operator.mul, [n, 3])",
    "reduce of imported names": "reduce(mul, [n, 3])",
    "reduce of a method": "reduce(int.__mul__, [n, 3])",
    "accumulate": "list(itertools.accumulate([n, n, n]))",
    "accumulate in a loop": "for x in itertools.accumulate([n, 3], operator.mul):\n    pass",
    "starmap": "list(itertools.starmap(operator.mul, [(n, 3)]))",
    "map": "list(map(operator.mul, [n], [3]))",
    "map of a method": "list(map(n.__mul__, [3]))",
    "operator": "operator.mul(n, 3)",
    "operator in place": "operator.imul(n, 3)",
    "getattr": "getattr(operator, 'mul')(n, 3)",
    "methodcaller": "operator.methodcaller('__mul__', 3)(n)",
    "partial": "functools.partial(operator.mul, 3)(n)",
    "method": "n.__mul__(3)",
    "reflected method": "(3).__rmul__(n)",
    "method of a literal": "(3).__mul__(n)",
    "method of the class": "int.__mul__(n, 3)",
    "method by getattr": "getattr(int, '__mul__')(n, 3)",
    "a lambda": "(lambda x: x * 3)(n)",
    "enumerate": "for k, x in enumerate(range(2), n + n + n - 1):\n    pass",
}


@pytest.mark.parametrize("body", TRIPLES.values(), ids=TRIPLES)
def test_what_is_made_of_symbolic_integers(body: str, tmp_path: Path) -> None:
    source = f"def kernel(n):\n{textwrap.indent(body, '    ')}\n    return 1\n"
    last = (2**31 - 1) // 3
    for folder, high in (("legal", last), ("illegal", last + 1)):
        (tmp_path / folder).mkdir()
        assert fails(arithmetic(source, tmp_path / folder, high=high)) is (high != last)


#: Statements that make an integer of plain numbers: the last legal one beside the first illegal one.
PLAIN = {
    "entry": ("d = {'a': 65536}\nd['a'] *= 32767", "d = {'a': 65536}\nd['a'] *= 32768"),
    "shifted element": ("row = [1]\nrow[0] <<= 30", "row = [1]\nrow[0] <<= 31"),
    "power of an attribute": ("box = Box()\nbox.a = 2\nbox.a **= 30", "box = Box()\nbox.a = 2\nbox.a **= 31"),
    "literal": ("a = 2147483647", "a = 2147483648"),
    "negative literal": ("a = -2147483648", "a = -2147483649"),
    "bits": ("a = 0xFFFF_FFFF", "a = 0x1_0000_0000"),
    "negation": ("m = -2147483647\na = -m", "m = -2147483648\na = -m"),
    "inversion": ("a = ~int('-2147483648')", "a = ~int('-2147483649') + 0"),
    "sum": ("sum([2**30, 2**30 - 1])", "sum([2**30, 2**30])"),
    "sum on the way": ("sum([2147483647, -1, 1])", "sum([2147483647, 1, -1])"),
    "product on the way": ("math.prod([65536, 32767, 0])", "math.prod([65536, 32768, 0])"),
    "reduce on the way": ("reduce(mul, [65536, 32767, 0])", "reduce(mul, [65536, 32768, 0])"),
    "reduce of a method": ("reduce(int.__mul__, [65536, 32767, 0])", "reduce(int.__mul__, [65536, 32768, 0])"),
    "accumulate on the way": (
        "list(itertools.accumulate([2**30, 2**30 - 1, -1]))",
        "list(itertools.accumulate([2**30, 2**30, -1]))",
    ),
    "map": ("list(map((65536).__mul__, [32767]))", "list(map((65536).__mul__, [32768]))"),
    "map of int": ("list(map(int, ['2147483647']))", "list(map(int, ['2147483648']))"),
    "enumerate": ("list(enumerate([0, 0], 2147483646))", "list(enumerate([0, 0], 2147483647))"),
    "count": (
        "k = itertools.count(2147483646)\nnext(k), next(k)",
        "k = itertools.count(2147483646)\nnext(k), next(k), next(k)",
    ),
    "divmod": ("divmod(-2147483648, 1)", "divmod(-2147483648, -1)"),
    "abs": ("abs(-2147483647)", "abs(-2147483648)"),
    "pow": ("pow(2, 30)", "pow(2, 31)"),
    "text": ("int('2147483647')", "int('2147483648')"),
    "bytes": (r"int.from_bytes(b'\x7f\xff\xff\xff', 'big')", r"int.from_bytes(b'\x80\x00\x00\x00', 'big')"),
    "float": ("int(2147483647.0)", "int(2147483648.0)"),
    "round": ("round(2147483647.0)", "round(2147483648.0)"),
    "floor": ("math.floor(2147483647.5)", "math.floor(2147483648.5)"),
    "factorial": ("math.factorial(12)", "math.factorial(13)"),
    "comb": ("math.comb(33, 16)", "math.comb(34, 17)"),
    "lcm": ("math.lcm(46340, 46341)", "math.lcm(46341, 46342)"),
    "perm": ("math.perm(12, 12)", "math.perm(13, 13)"),
    "len": ("len(range(2147483647))", "len(range(-1, 2147483647))"),
    "NumPy's product": ("np.prod([65536, 32767])", "np.prod([65536, 32768])"),
    "NumPy's product that is 0 again": ("np.prod([65536, 0])", "np.prod([65536] * 4)"),
    "NumPy's power": ("np.power(2, 30)", "np.power(2, 64)"),
    "NumPy's integers": ("np.int64(65536) * np.int64(32767)", "np.int64(65536) * np.int64(32768)"),
    "method": ("(65536).__mul__(32767)", "(65536).__mul__(32768)"),
    "a lambda's result": ("(lambda a, b: a * b)(65536, 32767)", "(lambda a, b: a * b)(65536, 32768)"),
    "a class in the kernel": ("class A:\n    B = 65536 * 32767", "class A:\n    B = 65536 * 32768"),
}


@pytest.mark.parametrize(("legal", "illegal"), PLAIN.values(), ids=PLAIN)
def test_what_is_made_of_plain_integers(legal: str, illegal: str, tmp_path: Path) -> None:
    for folder, body in (("legal", legal), ("illegal", illegal)):
        (tmp_path / folder).mkdir()
        source = f"def kernel(n):\n{textwrap.indent(body, '    ')}\n    return n + 1\n"
        assert fails(arithmetic(source, tmp_path / folder)) is (body == illegal)


def test_the_largest_pattern_of_32_bits(tmp_path: Path) -> None:
    source = "LIMIT = 2**32 - {}\ndef kernel(n):\n    return n + 1 if LIMIT else 0\n"
    for short in (1, 0):
        (tmp_path / str(short)).mkdir()
        assert fails(arithmetic(source.format(short), tmp_path / str(short))) is (short == 0)


@pytest.mark.parametrize(
    "source",
    [
        "LIMIT = 65536 * {}\ndef kernel(n):\n    return n + 1 if LIMIT else 0\n",
        "LIMIT = {} << 16\ndef kernel(n):\n    return n + 1 if LIMIT else 0\n",
        "class Config:\n    limit = 65536 * {}\ndef kernel(n):\n    return n + 1 if Config.limit else 0\n",
        "def kernel(n, limit=65536 * {}):\n    return n + 1 if limit else 0\n",
        "def kernel(n, *, limit=65536 * {}):\n    return n + 1 if limit else 0\n",
    ],
)
def test_numbers_from_outside_functions_may_be_patterns_of_32_bits(source: str, tmp_path: Path) -> None:
    for folder, factor in (("legal", 65535), ("illegal", 65536)):
        (tmp_path / folder).mkdir()
        assert fails(arithmetic(source.format(factor), tmp_path / folder)) is (factor == 65536)


@pytest.mark.parametrize(
    "body",
    [
        "token = hash('a' * 20), id(Box())",
        "best = sys.maxsize\n    least = min(best, n)",
        "began = time.time_ns()",
        "sys.getsizeof(1)",
        "LARGE = 0xFFFFFFFF\n    np.uint32(0xFFFFFFFF)",
        "match n:\n        case 4294967296: pass\n        case -4294967296: pass",
    ],
)
def test_numbers_that_are_no_quantities_of_the_kernel(body: str, tmp_path: Path) -> None:
    assert arithmetic(f"def kernel(n):\n    {body}\n    return n + 1\n", tmp_path).verdict is Verdict.SUCCESSFUL


def test_a_constant_that_nothing_reads_is_no_number_of_the_kernel(tmp_path: Path) -> None:
    assert not fails(arithmetic("SEED = 2**40\ndef kernel(n):\n    return n + 1\n", tmp_path))


_DIVISIONS = (
    "5 // ({})", "5 % ({})", "5 / ({})", "divmod(5, {})", "operator.floordiv(5, {})", "operator.mod(5, {})",
    "functools.reduce(operator.floordiv, [5, {}])", "list(map(operator.mod, [5], [{}]))", "np.floor_divide(5, {})",
)  # fmt: skip
_METHODS = ("(5).__floordiv__({})", "int.__mod__(5, {})")


@pytest.mark.parametrize("division", [*_DIVISIONS, *_METHODS])
def test_every_division_by_a_symbolic_integer(division: str, tmp_path: Path) -> None:
    for folder, shift in (("legal", 0), ("illegal", 1)):
        (tmp_path / folder).mkdir()
        source = f"def kernel(n):\n    {division.format(f'n - {shift}')}\n    return n + 1\n"
        assert fails(arithmetic(source, tmp_path / folder), "host.division_by_zero") is (shift == 1)


@pytest.mark.parametrize("before", ["", "k = n + 1\n    "])
@pytest.mark.parametrize("behind", ["k = 65536 * 65536", "5 // (n - n)"])
def test_what_lies_behind_an_exception_of_the_symbolic_run_alone_is_not_seen(
    before: str, behind: str, tmp_path: Path
) -> None:
    body = f"import decimal\n    {before}decimal.Decimal(n)\n    {behind}"
    run = arithmetic(_once(body), tmp_path)
    # Shapes that are run in plain Python show it.
    assert (run.verdict, run.qualifier) == (Verdict.FAILED, "")
    assert all(violation.replayed for violation in run.violations)


@pytest.mark.parametrize("high", [10, 10**6])
def test_what_is_behind_such_an_exception_for_a_large_number_is_not_proved(high: int, tmp_path: Path) -> None:
    body = "import decimal\n    k = n + 1\n    decimal.Decimal(n)\n    if n == 77777: k = 65536 * 65536"
    run = arithmetic(_once(body), tmp_path, high=high)
    assert run.verdict is Verdict.UNKNOWN or (run.verdict is Verdict.SUCCESSFUL and high == 10)


@pytest.mark.parametrize("call", ["fractions.Fraction('no number')", "[].pop()", "{}['key']", "raise_it()"])
def test_what_lies_behind_an_exception_of_the_kernel_does_not_happen(call: str, tmp_path: Path) -> None:
    raising = "import fractions\ndef raise_it():\n    raise KeyError\n"
    assert not fails(arithmetic(raising + _once(f"k = n - 1\n    {call}\n    k = 65536 * 65536"), tmp_path))


#: Divisions of numbers of NumPy, which gives something for a divisor of zero: `{}` is the divisor.
_NUMPY_DIVISIONS = (
    *(one.replace("{}", "np.int64({})") for one in _DIVISIONS),
    *(one.replace("5", "np.int64(5)") for one in (*_DIVISIONS, *_METHODS) if not one.startswith("int.")),
    "np.float64(12) / ({})", "np.float64(12) % ({})", "12.0 // np.float64({})", "divmod(np.float64(1), {})",
    "np.array([4, 6]) // ({})", "np.array([4, 6]) % np.array([2, {}])", "12.0 / np.array([1, {}])",
    "np.true_divide([4], [{}])", "np.fmod(4, {})", "np.reciprocal(np.int32({}))", "np.floor_divide.outer([1], [{}])",
    "np.int64({}).__rfloordiv__(5)", "np.ndarray.__mod__(np.array([5]), {})",
    "np.mod([5, 5], [0, {}], where=[False, True], out=np.zeros(2, int))",
    "np.float64({}) ** -1", "pow(np.float64({}), np.int64(-2))",
    "d = {{'a': np.int64(6)}}; d['a'] //= {}", "x = np.int64(6); x %= {}", "x = np.array([6]); x //= {}",
)  # fmt: skip


@pytest.mark.parametrize("division", _NUMPY_DIVISIONS)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_every_division_of_numbers_of_numpy(division: str, tmp_path: Path) -> None:
    for folder, value in (("legal", 1), ("illegal", 0)):
        (tmp_path / folder).mkdir()
        body = division.format(value)
        assert fails(arithmetic(_once(body), tmp_path / folder), "host.division_by_zero") is (value == 0)


@pytest.mark.parametrize("division", ["np.int64(5) // ({})", "np.int32(5) % ({})", "np.float64(5) / ({})"])
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_numbers_of_numpy_divided_by_symbolic_ones(division: str, tmp_path: Path) -> None:
    for folder, shift in (("legal", 0), ("illegal", 1)):
        (tmp_path / folder).mkdir()
        body = division.format(f"n - {shift}")
        assert fails(arithmetic(_once(body), tmp_path / folder), "host.division_by_zero") is (shift == 1)


def _once(body: str) -> str:
    return f"def kernel(n):\n    {body}\n    return n + 1\n"


@pytest.mark.parametrize(
    "body",
    [
        "np.array([4.0, 6.0]) / np.array([2.0, 0.0])",
        "np.divide([4, 6], [2, 0], out=np.zeros(2), where=[True, False])",
        "np.log(0.0)",
        "np.int64(0) // 5",
        "np.int64(8).__rshift__(1)",
        "np.float64(0.0) ** 2",
        "np.sum([[1, 2], [3, 4]], axis=(0, 1))",
        "try:\n        5 // n\n    except ZeroDivisionError:\n        np.int64(5) // 0",
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_no_division_by_zero(body: str, tmp_path: Path) -> None:
    assert not fails(arithmetic(_once(body), tmp_path))


def test_a_handler_does_not_catch_what_numpy_does_not_raise(tmp_path: Path) -> None:
    body = "k = 1\n    try:\n        k = np.int64(5) // np.int64({})\n    except ZeroDivisionError:\n        pass"
    for folder, value in (("legal", 1), ("illegal", 0)):
        (tmp_path / folder).mkdir()
        assert fails(arithmetic(_once(body.format(value)), tmp_path / folder), "host.division_by_zero") is (value == 0)


#: Arithmetic of NumPy's integers that wraps: the last legal operand beside the first illegal one, for `{}`.
_WRAPPING = {
    "np.int32(1 << 16) * np.int32({})": (2**15 - 1, 2**15),
    "np.int32(1 << 16) * {}": (2**15 - 1, 2**16),
    "np.int32(2**30) + np.int32(2**30 - 1) + {}": (0, 1),
    "-np.int32(-2147483647 - {})": (0, 1),
    "np.int32(-2147483647) - np.int32({})": (1, 2),
    "np.int64(str(2147483647 - 1 + {}))": (1, 2),
    "abs(np.int32(-2147483647 - {}))": (0, 1),
    "np.int32(-2147483647 - {}) // np.int32(-1)": (0, 1),
    "np.int32(2) ** {}": (30, 31),
    "np.int64(2) ** {}": (30, 64),
    "np.int64(1) << {}": (30, 64),
    "pow(np.int64(3), {})": (19, 2**20),
    "np.uint32(1 << 16) * np.uint32({})": (2**16 - 1, 2**16),
    "np.int16(200) * np.int16(200) * np.int32({})": (3, 2**31 - 1),
    "np.array([1, 1 << 16], np.int32) * {}": (2**15 - 1, 2**16),
    "np.array([2, 3]) ** {}": (19, 64),
    "np.array([1 << 16], np.uint32) * np.uint32({})": (2**16 - 1, 2**16),
    "np.multiply(np.int32(1 << 16), np.int32({}))": (2**15 - 1, 2**16),
    "np.multiply.outer(np.array([1 << 16], np.int32), np.array([{}], np.int32))": (2**15 - 1, 2**16),
    "np.prod(np.array([65536, {}]))": (2**15 - 1, 2**48),
    "np.prod([[65536, {}], [1, 1]], axis=1)": (2**15 - 1, 2**16),
    "np.prod([65536, {}, 0])": (2**15 - 1, 2**16),
    "np.sum(np.array([2147483647 - {}, 1, -1]))": (1, 0),
    "np.array([65536, {}, 0]).prod()": (2**15 - 1, 2**16),
    "np.array([2147483647 - {}, 1, -1]).cumsum()": (1, 0),
    "np.multiply.reduce([65536, {}, 0])": (2**15 - 1, 2**16),
    "np.add.accumulate([2147483647 - {}, 1, -1])": (1, 0),
    "sum([np.int32(2147483647 - {}), np.int32(1), np.int32(-1)])": (1, 0),
    "math.prod([np.int32(65536), np.int32({})])": (2**15 - 1, 2**16),
    "reduce(mul, [np.int32(65536), np.int32({})])": (2**15 - 1, 2**16),
    "list(itertools.accumulate([np.int32(65536), np.int32({})], mul))": (2**15 - 1, 2**16),
    "operator.imul(np.int32(65536), np.int32({}))": (2**15 - 1, 2**16),
    "np.int32(65536).__mul__(np.int32({}))": (2**15 - 1, 2**16),
    "np.int32(65536).__rmul__(np.int32({}))": (2**15 - 1, 2**16),
    "np.int32.__mul__(np.int32(65536), np.int32({}))": (2**15 - 1, 2**16),
    "x = np.int32(65536); x *= np.int32({})": (2**15 - 1, 2**16),
    "d = [np.int32(65536)]; d[0] *= np.int32({})": (2**15 - 1, 2**16),
    "x = np.array([65536], np.int32); x *= {}": (2**15 - 1, 2**16),
}


@pytest.mark.parametrize(("body", "values"), _WRAPPING.items())
@pytest.mark.filterwarnings("ignore:overflow")
def test_integers_of_numpy_that_wrap(body: str, values: tuple[int, int], tmp_path: Path) -> None:
    for folder, value in zip(("legal", "illegal"), values, strict=True):
        (tmp_path / folder).mkdir()
        run = arithmetic(_once(body.replace("{}", str(value))), tmp_path / folder)
        assert fails(run) is (folder == "illegal"), run.violations


@pytest.mark.parametrize("product", ["np.dot({a}, {b})", "{a} @ {b}", "{a}.dot({b})", "np.einsum('i,i', {a}, {b})"])
def test_sums_of_products_that_may_be_too_large_are_unknown(product: str, tmp_path: Path) -> None:
    for folder, factor in (("legal", 1), ("unknown", 65536)):
        (tmp_path / folder).mkdir()
        body = product.format(a="np.array([32767, 1], np.int32)", b=f"np.array([{factor}, 1], np.int32)")
        run = arithmetic(_once(body), tmp_path / folder)
        assert run.verdict is (Verdict.SUCCESSFUL if folder == "legal" else Verdict.UNKNOWN)


@pytest.mark.parametrize("options", ["axis=(0, 1)", "initial=1", "where=np.array([[True, False], [True, True]])"])
def test_partial_results_in_an_order_that_is_not_followed_are_unknown(options: str, tmp_path: Path) -> None:
    run = arithmetic(_once(f"np.sum([[2147483646, 1], [-5, 5]], {options})"), tmp_path)
    assert run.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("number", ["-(2**31)", "-(1 << 31)", "-2147483648"])
def test_a_sign_belongs_to_the_number_it_is_written_before(number: str, tmp_path: Path) -> None:
    for folder, body in (("legal", number), ("illegal", f"{number} - 1")):
        (tmp_path / folder).mkdir()
        assert fails(arithmetic(_once(body), tmp_path / folder)) is (folder == "illegal")


def test_division_by_an_entry(tmp_path: Path) -> None:
    source = "def kernel(n):\n    d = {{'a': 6}}\n    d['a'] {} (n - {})\n    return n + 1\n"
    for number, operator in enumerate(("//=", "%=", "/=")):
        for shift in (0, 1):
            folder = tmp_path / f"{number}{shift}"
            folder.mkdir()
            found = fails(arithmetic(source.format(operator, shift), folder), "host.division_by_zero")
            assert found is (shift == 1)


_ORDER = """
log = []
class Owner:
    def __getitem__(self, key):
        log.append(("get", key))
        return Value()
    def __setitem__(self, key, value):
        log.append(("set", key, type(value).__name__))
    def __getattr__(self, name):
        log.append(("read", name))
        return Value()
class Value:
    def __iadd__(self, other):
        log.append(("iadd", other))
        return self
def said(what, value):
    log.append(what)
    return value
def run():
    owner = Owner()
    said("owner", owner)[said("key", 3)] += said("right", 4)
    said("owner", owner)[said("low", 1):said("high", 2), ...] += said("right", 4)
    said("owner", owner).field += said("right", 5)
    items = [1]
    table = {"a": items}
    table["a"] += [2]
    log.append(table["a"] is items and items == [1, 2])
    try:
        (items,)[0] += [3]
        ((items,))[said("key", 0)] += [4]
    except TypeError:
        log.append(items)
"""


@pytest.mark.parametrize("rewriting", [Rewriting.NONE, Rewriting.ARITHMETIC, Rewriting.FULL])
def test_augmented_assignments_keep_the_order_of_python(rewriting: Rewriting, tmp_path: Path) -> None:
    from nkiverify.frontend.loader import load_kernel

    (tmp_path / f"order_{rewriting.value}.py").write_text(_ORDER, encoding="utf-8")
    run, space = load_kernel(f"order_{rewriting.value}.py::run", tmp_path, rewriting)
    with space.active():
        run()
    log = run.__globals__["log"]
    expected: dict[str, object] = {}
    exec(_ORDER, expected)
    expected["run"]()  # type: ignore[operator]
    plain = [str(entry) for entry in expected["log"]]  # type: ignore[attr-defined]
    assert [str(entry) for entry in log] == plain


def test_temporaries_of_augmented_assignments_are_gone(tmp_path: Path) -> None:
    tree = Rewriting.ARITHMETIC.apply(ast.parse("def f(d):\n    d['a'] += 1\n    return dir()\n"), tmp_path / "none.py")
    body = ast.unparse(tree)
    assert body.count("del ") == 1 and body.index("del ") < body.index("return")


@pytest.mark.campaign
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, 10**6))
def test_random_host_arithmetic_against_all_concrete_runs(number: int) -> None:
    """Kernels of nothing but host arithmetic: a verdict that a concrete run contradicts is a defect."""
    bench = Bench()
    try:
        tally = try_number(number, 1, bench, 0.0, ARITHMETIC)
    finally:
        bench.close()
    assert tally.defects == []
