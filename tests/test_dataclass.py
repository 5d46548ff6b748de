"""Our `dataclass` makes what Python's makes."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from nkiverify.foundation.dataclass import dataclass

#: Classes of both kinds, by name, so that they can be pickled.
_MADE: dict[str, type] = {}


def __getattr__(name: str) -> type:
    try:
        return _MADE[name]
    except KeyError:
        raise AttributeError(name) from None


def records(make: Callable[..., Any], mark: str, **options: Any) -> dict[str, Any]:
    """A few classes of records, as this decorator makes them."""

    class Base:
        kind: ClassVar[str] = "base"
        one: int
        two: str = "2"

        def own(self) -> str:
            return f"{self.one} {self.two}"

    base = make(**options)(Base)

    class Derived(base):  # type: ignore[misc, valid-type]
        """With what is made anew, and what is not compared."""

        three: list[int] = field(default_factory=list, hash=False)
        four: int = field(default=4, compare=False, repr=False)
        five: int = field(init=False, default=5)

        def __post_init__(self) -> None:
            self.three.append(len(self.three))

    class Said:
        """Says some of it itself."""

        value: int

        def __repr__(self) -> str:
            return "said"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

        def __hash__(self) -> int:
            return 7

    class Empty:
        pass

    kinds = {"base": base, "derived": make(**options)(Derived), "said": make(**options)(Said)}
    kinds["empty"] = make(**options)(Empty)
    kinds["named"] = make(kw_only=True, **options)(type("Named", (Empty,), {"__annotations__": {"n": "int"}, "n": 1}))
    for kind in kinds.values():
        kind.__qualname__ = f"{mark}_{kind.__name__}"
        kind.__module__ = __name__
        _MADE[kind.__qualname__] = kind
    return kinds


def told(work: Callable[[], object], mark: str) -> object:
    """What comes of it, or what is raised, in words that do not tell the two kinds apart."""
    try:
        result = work()
    except Exception as error:
        result = (type(error), str(error))
    if isinstance(result, type | Callable):
        return "made"
    return repr(result).replace(mark, "").replace("records.<locals>.", "")


def is_refused(work: Callable[[], object]) -> bool:
    try:
        work()
    except (AttributeError, TypeError):
        return True
    return False


def questions(kinds: dict[str, Any]) -> dict[str, Callable[[], object]]:
    base, derived, said, empty, named = kinds.values()
    a, b, c = base(1), base(1, two="2"), base(2, "3")
    d, e = derived(1, "x", [5], 9), derived(1, "x", [5])
    return {
        "repr": lambda: (a, c, d, said(3), empty(), named(n=4)),
        "equal": lambda: (a == b, a == c, a != b, d == e, a == d, a == 1, said(1) == said(2), empty() == empty()),
        "hash of equals": lambda: hash(a) == hash(b),
        "hash": lambda: (hash(a) == hash((1, "2")), hash(derived(1)) == hash(derived(1))),
        "hash that is said": lambda: hash(said(1)),
        "order": lambda: (a < c, a <= b, c > a, c >= a, sorted([c, a, b])),
        "order beside others": lambda: a < 1,
        "assign": lambda: setattr(a, "one", 5),
        "delete": lambda: delattr(c, "one"),
        # Which error it is depends on the version of Python.
        "assign something new": lambda: is_refused(lambda: setattr(b, "new", 5)),
        "a subclass's own": lambda: vars(type("Sub", (base,), {})(1)),
        "too few": lambda: base(),
        "too many": lambda: base(1, 2, 3),
        "by name only": lambda: named(1),
        "a default of the class": lambda: base.two,
        "no default of the class": lambda: derived.three,
        "class variable": lambda: (base.kind, a.own()),
        "match": lambda: (base.__match_args__, derived.__match_args__, named.__match_args__),
        "slots": lambda: [getattr(kind, "__slots__", None) for kind in (base, derived, empty)],
        "fields": lambda: [(f.name, f.type, f.init, f.compare, f.kw_only) for f in dataclasses.fields(derived)],
        "replaced": lambda: (dataclasses.replace(c, two="9"), dataclasses.replace(named(), n=2)),
        "as a dictionary": lambda: dataclasses.asdict(c),
        "pickled": lambda: (pickle.loads(pickle.dumps(c)), pickle.loads(pickle.dumps(e)).three),
        "what is new is not shared": lambda: (derived(1).three is derived(1).three, derived(1)),
    }


OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "order": True},
]


@pytest.mark.parametrize("before", [0, 100], ids=["first records", "later records"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "plain")
@pytest.mark.parametrize("question", questions(records(dataclass, "first")))
def test_a_record_is_what_python_makes_of_it(question: str, options: dict[str, bool], before: int) -> None:
    answers = []
    for mark, make in (("Ours", dataclass), ("Pythons", dataclasses.dataclass)):
        kinds = records(make, mark, **options)
        for name, kind in kinds.items():
            for _ in range(before):
                kind() if name in ("empty", "named") else kind(1)
        answers.append(told(questions(kinds)[question], mark))
    assert answers[0] == answers[1]


def test_what_no_record_can_be_is_said() -> None:
    class Shared:
        values: list[int] = []  # noqa: RUF012

    with pytest.raises(ValueError, match="default_factory"):
        dataclass(Shared)
