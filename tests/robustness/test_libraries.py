"""What the standard library computes for a kernel is looked at in the same way in all runs: no verdict of a symbolic
run is contradicted by concrete ones, and none is a contradiction by itself (exit status 4)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.kernel_files import Concrete, Header, answer, contradicted, read_header
from nkiverify.foundation.records import Verdict
from tests.representatives import representatives

_HEADER = """\
# expect: 1 SUCCESSFUL|BOUNDED|FAILED|UNKNOWN
# expect: 2 SUCCESSFUL|BOUNDED|FAILED|UNKNOWN
# args: ::kernel --arg n=n:1..2000000
# shapes: 1..1
import collections, dataclasses, datetime, decimal, enum, fractions, functools, heapq, bisect, itertools, math, numbers
import operator, statistics, string, types, typing, copy
import nki.language as nl


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3000000


class Kind(enum.Flag):
    A = enum.auto()
    B = enum.auto()


@dataclasses.dataclass(order=True)
class Size:
    rows: int
    columns: int = 1000


Pair = collections.namedtuple("Pair", "rows columns")


def kernel(n):
    found = {expression}
    assert found is not None
    again = {use}
"""

#: Expressions with a symbolic operand that a library has in its hands, and how the kernel uses what it is given.
_EXPRESSIONS = {
    "counters_added": ("collections.Counter(c=n * 1000) + collections.Counter(c=n * 1000)", "min(found['c'], 64)"),
    "counters_added_and_used": ("collections.Counter(c=n * 1000) + collections.Counter(c=n * 1000)", "found['c'] * 1"),
    "counters_subtracted": ("collections.Counter(c=n * 1000) - collections.Counter(c=-n * 1000)", "found['c'] - 1"),
    "counters_joined": ("collections.Counter(c=n * 1000) | collections.Counter(c=n)", "found['c'] + 1"),
    "counters_intersected": ("collections.Counter(c=n * 1000) & collections.Counter(c=n)", "found['c'] + 1"),
    "counter_total": ("collections.Counter(c=n * 1000, d=n * 1000).total()", "found"),
    "counter_total_less": ("collections.Counter(c=n * 1000, d=n * 1000).total()", "min(found, 4)"),
    "counter_updated": ("(lambda c: (c.update({'c': n * 1000}), c)[1])(collections.Counter(c=n * 1000))", "found['c']"),
    "counter_update_minus": (
        "(lambda c: (c.subtract({'c': n * 1000}), c)[1])(collections.Counter(c=-n))",
        "found['c']",
    ),
    "counter_positive": ("+collections.Counter(c=n * 1000)", "found['c'] * 2"),
    "counter_negative": ("-collections.Counter(c=-n * 1000)", "found['c'] * 2"),
    "counter_elements": ("list(collections.Counter(c=n % 4).elements())", "len(found)"),
    "counter_most_common": ("collections.Counter(c=n * 1000, d=4).most_common(1)", "found[0][1] * 2"),
    "counter_of_list": ("collections.Counter(['a'] * 3 + ['b'])['a'] * n", "found * 1000"),
    "counter_missing": ("collections.Counter(c=n)['d']", "10 // (found + n)"),
    "deque": ("sum(collections.deque([n * 1000, n * 1000], maxlen=2))", "min(found, 3)"),
    "deque_rotated": ("(lambda d: (d.rotate(1), d)[1])(collections.deque([n, 2]))", "found[0] + found[1] * 1000"),
    "defaultdict": ("(lambda d: d['a'] + n * 1000)(collections.defaultdict(int))", "found * 2"),
    "ordered": ("collections.OrderedDict(a=n * 1000, b=2)", "sum(found.values()) + found['a']"),
    "chain_map": ("collections.ChainMap({'a': n}, {'b': 4})", "found['a'] * found['b'] * 1000"),
    "named_tuple": ("Pair(n * 1000, n * 1000)", "sum(found)"),
    "named_tuple_replaced": ("Pair(n, n)._replace(rows=n * 1000)", "found.rows * 2"),
    "user_list": ("collections.UserList([n * 1000]) + [n * 1000]", "sum(found)"),
    "user_list_times": ("collections.UserList([n]) * 3", "sum(found)"),
    "user_dict": ("collections.UserDict(a=n * 1000)", "found['a'] * 3"),
    "user_string": ("collections.UserString('ab') * 2", "len(found) * n * 500"),
    "enum_times": ("Level.HIGH * n", "found"),
    "enum_compared": ("Level.HIGH > n", "1 // (2 - found)"),
    "enum_looked_up": ("Level(n) if n in (1, 3000000) else Level.LOW", "found.value * 2"),
    "enum_value": ("Level.HIGH.value + n", "found * 1"),
    "enum_minimum": ("min(Level.HIGH, n)", "found * 1000"),
    "flag": ("Kind.A | Kind.B", "found.value * n * 500"),
    "fraction": ("fractions.Fraction(n, 2)", "found.numerator * 1000"),
    "fraction_added": ("fractions.Fraction(3, 4) + n", "found.numerator * 500"),
    "fraction_times": ("fractions.Fraction(3, 4) * n", "int(found * 1000)"),
    "fraction_divided": ("fractions.Fraction(3, 4) / n", "found.denominator"),
    "fraction_of_two": ("fractions.Fraction(1, n) + fractions.Fraction(1, 3)", "found.denominator"),
    "fraction_compared": ("fractions.Fraction(3, 4) < n", "1 // found"),
    "fraction_floor": ("math.floor(fractions.Fraction(7, 2) * n)", "found * 300"),
    "fraction_limited": ("fractions.Fraction(n, 7).limit_denominator(3)", "found.numerator"),
    "fraction_power": ("fractions.Fraction(2, 3) ** 2 * n", "found.numerator * 300"),
    "fraction_zero": ("fractions.Fraction(1, n - 3)", "found.denominator"),
    "decimal": ("decimal.Decimal(n)", "int(found) * 1000"),
    "decimal_times": ("decimal.Decimal(3) * n", "int(found)"),
    "decimal_quantised": ("decimal.Decimal('1.5') + decimal.Decimal(2)", "int(found) * n * 500"),
    "decimal_divided": ("decimal.Decimal(3) / decimal.Decimal(2)", "n * int(found)"),
    "delta": ("datetime.timedelta(days=1) * n", "found.days * 1000"),
    "delta_seconds": ("datetime.timedelta(seconds=n)", "found.seconds"),
    "delta_divided": ("datetime.timedelta(days=4) // n", "found.days"),
    "date_ordinal": ("datetime.date.fromordinal(700000)", "found.toordinal() * n"),
    "date_replaced": ("datetime.date(2000, 1, 1).replace(year=n)", "found.year * 1000"),
    "mean": ("statistics.mean([n, n + 2])", "found * 1000"),
    "mean_of_large": ("statistics.mean([n * 1000, n * 1000])", "min(found, 3)"),
    "fmean": ("statistics.fmean([1, 2]) * n", "int(found)"),
    "median": ("statistics.median([n, 5, 7])", "found * 1000"),
    "median_of_two": ("statistics.median_low([n * 1000, 5])", "found * 2"),
    "mode": ("statistics.mode([n, n, 1])", "found * 1000"),
    "variance": ("statistics.pvariance([n, n + 2])", "found"),
    "reduced": ("functools.reduce(operator.mul, [n, 1000, 2])", "min(found, 4)"),
    "reduced_by_lambda": ("functools.reduce(lambda a, b: a + b, [n * 1000, n * 1000, n * 1000])", "min(found, 4)"),
    "reduced_from": ("functools.reduce(operator.add, [n * 1000], n * 1000)", "min(found, 4)"),
    "partial": ("functools.partial(operator.mul, n)(2000)", "found"),
    "partial_keyword": ("functools.partial(max, key=lambda one: -one)(n * 1000, 3)", "found * 2"),
    "cached": ("functools.lru_cache(None)(lambda one: one * 2000)(n)", "min(found, 4)"),
    "compared_by_key": ("sorted([3, n], key=functools.cmp_to_key(lambda a, b: a - b))", "found[0] * 1000"),
    "single_dispatch": ("functools.singledispatch(lambda one: one * 2000)(n)", "min(found, 4)"),
    "total_order": ("Size(n, 2) < Size(3)", "1 // (2 - found)"),
    "data_class": ("dataclasses.replace(Size(n), columns=n * 1000)", "found.rows + found.columns"),
    "data_class_tuple": ("sum(dataclasses.astuple(Size(n * 1000, n * 1000)))", "min(found, 4)"),
    "accumulated": ("list(itertools.accumulate([n * 1000, n * 1000]))", "min(found[-1], 4)"),
    "accumulated_product": ("list(itertools.accumulate([n, 1000, 2], operator.mul))", "min(found[-1], 4)"),
    "counted": ("next(itertools.count(n * 1000, 5))", "found * 2"),
    "counted_twice": ("list(itertools.islice(itertools.count(n * 1000, n * 1000), 2))", "min(found[1], 4)"),
    "chained": ("sum(itertools.chain([n * 1000], [n * 1000]))", "min(found, 4)"),
    "product": ("[a * b for a, b in itertools.product([n], [1000, 2000])]", "min(found)"),
    "star_map": ("list(itertools.starmap(operator.mul, [(n, 2000)]))", "min(found[0], 4)"),
    "star_map_pow": ("list(itertools.starmap(pow, [(n, 2)]))", "min(found[0], 4)"),
    "mapped": ("list(map(operator.add, [n * 1000], [n * 1000]))", "min(found[0], 4)"),
    "mapped_method": ("list(map((1000).__mul__, [n * 2]))", "min(found[0], 4)"),
    "zip_longest": ("list(itertools.zip_longest([n], [1, 2], fillvalue=3))", "found[1][0] * n * 500"),
    "paired": ("[b - a for a, b in itertools.pairwise([n, n * 1000])]", "found[0] * 2"),
    "grouped": ("[key * n for key, _ in itertools.groupby([1000, 1000, 2000])]", "found[-1]"),
    "batched": ("[sum(one) for one in zip(*[iter([n * 1000, n * 1000])] * 2)]", "min(found[0], 4)"),
    "combinations": ("[a * b for a, b in itertools.combinations([n, 1000, 2000], 2)]", "min(found)"),
    "repeated": ("sum(itertools.repeat(n * 1000, 2))", "min(found, 4)"),
    "taken": ("list(itertools.takewhile(lambda one: one < n, [1, 2, 3]))", "len(found) * 1000"),
    "compressed": ("list(itertools.compress([n, 5], [1, 0]))", "found[0] * 2000"),
    "cycle": ("next(itertools.cycle([n * 1000]))", "found * 2"),
    "heap": ("(lambda h: (heapq.heapify(h), h)[1])([n, 3, 2])", "found[0] * 1000"),
    "largest": ("heapq.nlargest(1, [n * 1000, 3])", "found[0] * 2"),
    "bisected": ("bisect.bisect([1, 100, 10000], n)", "10 // (found + 1)"),
    "inserted": ("(lambda s: (bisect.insort(s, n), s)[1])([1, 100])", "sum(found) * 1000"),
    "product_of_all": ("math.prod([n, 1000, 2])", "min(found, 4)"),
    "sum_of_products": ("sum(map(operator.mul, [n, n], [1000, 1000]))", "min(found, 4)"),
    "greatest_divisor": ("math.gcd(n, 12)", "12 // found"),
    "least_multiple": ("math.lcm(n, 1000)", "found"),
    "factorial": ("math.factorial(n % 3)", "found"),
    "combination": ("math.comb(5, 2) * n", "found * 300"),
    "whole_root": ("math.isqrt(n)", "found * n"),
    "item_getter": ("operator.itemgetter(1)((3, n))", "found * 2000"),
    "method_caller": ("operator.methodcaller('__mul__', 2000)(n)", "min(found, 4)"),
    "attribute_getter": ("operator.attrgetter('rows')(Size(n))", "found * 2000"),
    "length_hint": ("operator.length_hint([n])", "found * n"),
    "index": ("operator.index(n)", "found * 2000"),
    "in_place": ("operator.iadd(n * 1000, n * 1000)", "min(found, 4)"),
    "copied": ("copy.deepcopy({'a': [n * 1000]})", "found['a'][0] * 2"),
    "name_space": ("types.SimpleNamespace(a=n * 1000)", "found.a * 2"),
    "mapping_proxy": ("types.MappingProxyType({'a': n * 1000})", "found['a'] * 2"),
    "whole_number": ("isinstance(n, numbers.Integral)", "1 // found"),
    "cast": ("typing.cast(int, n * 1000)", "found * 2"),
    "template": ("len(string.ascii_lowercase[:3])", "found * n * 500"),
}
#: The values of n that are run concretely: small ones, and where 2000 n leaves 32 bits; 1000 n never
#: does, so that what a library computes of it is decisive.
_VALUES = (1, 2, 3, 4, 7, 1073742, 2000000)


def _library(name: str) -> str:
    """The library that an expression is of, the first that it names; its own classes are one as well."""
    found = re.search(r"\b([a-z]+)\.\w", _EXPRESSIONS[name][0])
    return found[1] if found else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", representatives(_EXPRESSIONS, kind=_library, name=str))
def test_no_run_contradicts_another(name: str, tmp_path: Path) -> None:
    expression, use = _EXPRESSIONS[name]
    path = tmp_path / "subject.py"
    path.write_text(_HEADER.replace("{expression}", expression).replace("{use}", use))
    header: Header = read_header(path)
    runs = answer(path, header).runs
    concrete = Concrete.of(path, header)
    concrete = Concrete(concrete.target, tuple({"n": value} for value in _VALUES))
    for run in runs:
        assert run.verdict is not Verdict.ERROR and "not replayed" not in run.qualifier, (run.qualifier, run.reason)
        assert not list(contradicted(run, concrete))
