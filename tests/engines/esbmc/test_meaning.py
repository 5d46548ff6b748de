"""A lowered program means what the shape program means: run with every choice tried, it refutes the same claims."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest

from lab.programs import Writer, branch, claim, dimension, index, loop, program, truth
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm, Lowered, Plan, TargetLanguage, lower
from nkiverify.ir.program import Assume, Block, Branch, Claim, Loop, Program
from nkiverify.ir.walk import claims
from nkiverify.symbolic import all_of, any_of, maximum, minimum, select
from nkiverify.symbolic.evaluation import Valuation

#: What a variable without a value is tried with: more than any dimension, index or quotient of these programs has.
TRIED = range(-5, 8)
#: Iterations no loop of them has more of.
MOST_TRIPS = 5


class Excluded(Exception):
    """An assumption does not hold."""


def refuted(made: Lowered) -> set[int]:
    """The claims that fail for some choice of all that is arbitrary."""
    code = compile(_python(made), "lowered", "exec")
    failed: set[int] = set()
    choices: list[Iterator[int]] = []
    chosen: list[int] = []
    asked = 0

    def arbitrary() -> int:
        nonlocal asked
        asked += 1
        if asked > len(chosen):
            choices.append(iter(TRIED))
            chosen.append(next(choices[-1]))
        return chosen[asked - 1]

    def assume(condition: object) -> None:
        if not condition:
            raise Excluded

    def claimed(number: int, condition: object) -> None:
        if not condition:
            failed.add(number)

    def truncated(top: int, bottom: int) -> int:
        return abs(top) // abs(bottom) * (1 if (top < 0) == (bottom < 0) else -1)

    def floor_div(top: int, bottom: int) -> int:
        if bottom:
            return top // bottom
        value = arbitrary()
        assume(abs(value) <= abs(top))
        return value

    known = {"nondet_int": arbitrary, "__ESBMC_assume": assume, "claimed": claimed}
    while True:
        asked = 0
        with contextlib.suppress(Excluded):
            exec(code, {**known, "truncated": truncated, "floor_div": floor_div})
        # The next choice: the last one that can be made in another way.
        del chosen[asked:], choices[asked:]
        while choices:
            following = next(choices[-1], None)
            if following is not None:
                chosen[-1] = following
                break
            choices.pop()
            chosen.pop()
        if not choices:
            return failed.union(*(made.same_claims.get(number, ()) for number in failed))


def _python(made: Lowered) -> str:
    """The program as Python, whose claims are calls that go on."""
    lines = made.text.splitlines()
    if made.suffix == ".c":
        start = lines.index("int main(void)") + 2
        lines = dedent("\n".join(lines[start:-2])).splitlines()
        lines = [_of_c(line) for line in lines if line.strip() != "}" and not line.strip().startswith("//")]
    return "\n".join(re.sub(r'assert (.*), "claim (\d+)"', r"claimed(\2, \1)", line) for line in lines) + "\n"


def _of_c(line: str) -> str:
    """A line of C as one of Python. Braces are where the indentation changes."""
    code, _, _ = line.partition("  //")
    indentation = code[: len(code) - len(code.lstrip())]
    code = code.strip().rstrip(";")
    code = code.replace("&&", "and").replace("||", "or").replace("int64 ", "").replace("nondet_int64", "nondet_int")
    code = re.sub(r"!(?=\()", "not ", code)
    code = re.sub(r'__ESBMC_assert\((.*), "claim (\d+)"\)', r"claimed(\2, \1)", code)
    code = re.sub(r"for \((\w+) = 0; \1 < (.*); \1\+\+\) {", r"for \1 in range(\2): pass", code)
    code = re.sub(r"if (.*) continue$", r"if \1: continue", code)
    code = re.sub(r"if (.*) {$", r"if \1: pass", code)
    code = re.sub(r"^(\w+) = (\w+|\(.*\)) / (\d+)", r"\1 = truncated(\2, \3)", code)
    code = "else: pass" if code == "else {" else code
    # A block may hold nothing but a comment.
    return f"{indentation}{code}".replace(": pass", ":\n" + indentation + "    pass")


def trips(written: Program) -> int:
    """The most iterations of a loop of `written`, for any values of its dimensions and indices that are tried."""

    def most(block: Block, given: dict[Any, int]) -> int:
        found = 0
        for item in block.items:
            if isinstance(item, Branch):
                found = max(found, most(item.then, given), most(item.orelse, given))
            elif isinstance(item, Loop):
                count = Valuation(given).term(item.extent)
                found = max(
                    [found, count, *(most(item.body, {**given, item.index: at}) for at in range(min(count, 6)))]
                )
        return found

    values: list[dict[Any, int]] = [{}]
    for described in written.dimensions:
        assert described.high is not None
        values = [{**given, described.atom: at} for given in values for at in range(described.low, described.high + 1)]
    return max(most(written.body, given) for given in values)


def by_hand() -> list[Program]:
    """Every kind of item, atom and condition."""
    a, b = dimension("a"), dimension("b")
    i = index("i", a)
    j = index("j", minimum(a, i + 1))
    small = {"a": (-2, 3), "b": (-1, 2)}
    return [
        program(small, *numbered(a // 2 * 2 == a, a % 3 <= 1, -(-a // 2) >= b)),
        program(small, *numbered(minimum(a, b) >= -1, maximum(a, b + 1) <= 2, a * b <= 5)),
        program(small, *numbered(select(a <= b, a, b - 1) <= 1, select(a == b, 3, a) != 2)),
        program(small, *numbered(any_of(a <= 1, all_of(b >= 1, a <= 2)), all_of(a >= -2, any_of(b <= 1, a != 3)))),
        program(small, loop(i, claim(1, i <= 1), claim(2, i <= b), loop(j, claim(3, j <= 1), claim(4, i + j <= 3)))),
        program(small, loop(i, Assume(i != b), claim(1, i <= 1), claim(2, i != 2)), claim(3, a <= 2), claim(4, a != b)),
        program(small, branch(a <= b, [claim(1, a <= 1), claim(2, b >= a)], [claim(3, a >= 0), claim(4, a != 1)])),
        program(
            small, branch(a == b, [claim(1, a <= 0)], []), branch(a != 2, [], [claim(2, b <= 0), claim(3, a == 2)])
        ),
        program(
            small, loop(i, branch(i <= b, [claim(1, i <= 1)], [claim(2, i >= 1)]), claim(3, i != a)), claim(4, b < 2)
        ),
        program(
            small,
            loop(i, branch(i <= b, [Assume(i != 1), claim(1, i <= 0)], [claim(2, i >= 1)]), claim(3, i != 2)),
            claim(4, any_of(a != 3, b != 2)),
            claim(5, any_of(a != 3, b != 1)),
        ),
        # The same condition again: beside it, under a further hypothesis, in a loop or a branch, and behind these.
        program(
            small,
            *numbered(a <= 2, b <= 1, a <= 2),
            Assume(b != 2),
            *(claim(4, a <= 2), claim(5, b <= 1), claim(6, a <= 2), Assume(a != 3), claim(7, a <= 2)),
        ),
        program(
            small,
            claim(1, a != b),
            loop(i, claim(2, a != b), claim(3, i <= b), Assume(i != b), claim(4, i <= b), claim(5, i <= b)),
            claim(6, a != b),
            branch(a >= b, [claim(7, a != b), claim(8, a != b)], [claim(9, a != b)]),
        ),
        program(small, loop(i, *numbered((i - 1) // 2 >= 0, (1 - i) // 2 >= 0, (2 - i) // 2 >= 0, i // 2 <= 0))),
        program(small, loop(i, *numbered((i - a) // 2 >= -1, (b - i) // 2 >= -1, (i - b) // 2 <= 0))),
        program(small, Assume(a // 2 >= b), claim(1, a >= 0), Assume(minimum(a, b) >= 0), claim(2, a >= 2)),
        program(
            small, loop(i, Assume(a // 2 >= i), claim(1, i <= 0), Assume(select(i >= b, i, b) != 1), claim(2, b < 0))
        ),
        program(small, branch(a // 2 >= 1, [claim(1, b >= 0), claim(2, a >= 2)], [claim(3, minimum(a, 5) >= 2)])),
        program(small, Assume(a >= 1), claim(1, a >= 2), Assume(a != 2), claim(2, a != 2), claim(3, a == 1)),
        program(
            small, loop(i, loop(index("k", b), claim(1, a <= 2)), claim(2, b >= 0)), claim(3, False), claim(4, True)
        ),
    ]


def numbered(*conditions: Any) -> list[Claim]:
    return [claim(number, condition) for number, condition in enumerate(conditions, 1)]


def divided() -> list[Program]:
    """Divisions by what is not a number, of either sign."""
    a, b = dimension("a"), dimension("b")
    claims = numbered(a // b >= b, a % b == 0, (a + b) // b != 0, a // b < 2)
    return [program({"a": (-2, 3), "b": sign}, *claims) for sign in ((1, 2), (-2, -1))]


def random_programs(count: int) -> list[Program]:
    """Programs of a few iterations."""
    found: list[Program] = []
    number = 0
    while len(found) < count:
        written = Writer(random.Random(f"meaning/{number}")).program()
        number += 1
        if trips(written) <= MOST_TRIPS:
            found.append(written)
    return found


PLANS = [
    Plan(language, arithmetic, unwind) for language in TargetLanguage for arithmetic in Arithmetic for unwind in (1, 9)
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.language.name}-{plan.arithmetic.name}-{plan.unwind}")
def test_a_lowered_program_refutes_what_is_false_and_nothing_else(plan: Plan) -> None:
    forms: set[LoopForm] = set()
    for written in [*by_hand(), *divided(), *random_programs(12)]:
        numbers = [stated.number for stated, _ in claims(written)]
        made = lower(written, numbers, plan, "a test")
        assert made.asserted == set(numbers)
        forms |= made.forms.keys()
        expected = {number for number, outcome in truth(written).items() if outcome is Outcome.REFUTED}
        assert refuted(made) == expected, made.text
    assert (LoopForm.REPRESENTATIVE if plan.unwind == 1 else LoopForm.UNWOUND) in forms


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_an_element_of_a_grid_is_any_that_there_is(plan: Plan) -> None:
    b = dimension("b")
    cell = index("cell", b, representative=True)
    claims = [claim(1, cell <= 0), claim(2, cell >= 0), claim(3, cell <= b - 1), claim(4, b >= 1), claim(5, b <= 1)]
    for around in (list, lambda items: [loop(index("i", b), *items)]):
        # A claim about an element says nothing where there is none; claim 4 says something there.
        written = program({"b": (-1, 2)}, *around(claims))
        expected = {1, 4, 5} if around is list else {1, 5}
        assert refuted(lower(written, range(1, 6), plan, "a test")) == expected
        after = [Assume(cell >= 0), *claims]
        assert refuted(lower(program({"b": (-1, 2)}, *around(after)), range(1, 6), plan, "a test")) == {1, 5}


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_loop_over_some_indices_is_a_loop_with_a_branch_in_it(plan: Plan) -> None:
    a, b = dimension("a"), dimension("b")
    i = index("i", a)
    claims = numbered(i <= 1, i >= 1, i != b, a >= 2, b <= 1)
    for narrower in (i != 1, i // 2 >= b, minimum(i, b) >= 1, b >= 1):
        whole = loop(i, *claims)
        written = program({"a": (-2, 3), "b": (-1, 2)}, replace(whole, bounds=(*whole.bounds, narrower)))
        meant = program({"a": (-2, 3), "b": (-1, 2)}, loop(i, branch(narrower, list(claims), [])))
        expected = {number for number, outcome in truth(meant).items() if outcome is Outcome.REFUTED}
        made = lower(written, range(1, 6), plan, "a test")
        assert refuted(made) == expected, made.text


def test_a_division_by_zero_leaves_any_value_that_is_no_larger() -> None:
    a, b = dimension("a"), dimension("b")
    written = program({"a": (-2, 3), "b": (0, 1)}, claim(1, a // b <= 3), claim(2, a // b >= -2), claim(3, a // b == a))
    for plan in PLANS:
        assert refuted(lower(written, range(1, 4), plan, "a test")) == {2, 3}
        assert refuted(lower(written, [1], plan, "a test")) == set()


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_domain_is_empty_where_nothing_reaches_its_end(plan: Plan) -> None:
    a = dimension("a")
    for least, expected in ((3, {0}), (4, set())):
        written = program({"a": (-2, 3)}, Assume(a >= least), claim(1, False))
        assert refuted(lower(written, (), plan, "a test", reachable=True)) == expected


@pytest.mark.parametrize("plan", PLANS[:4], ids=str)
def test_that_the_domain_has_values_takes_nothing_from_other_claims(plan: Plan) -> None:
    for written in by_hand():
        numbers = [stated.number for stated, _ in claims(written)]
        alone = refuted(lower(written, numbers, plan, "a test"))
        assert refuted(lower(written, numbers, plan, "a test", reachable=True)) == alone | {0}
    a = dimension("a")
    empty = program({"a": (-2, 3)}, Assume(a >= 4), claim(1, False), claim(2, a == 0))
    assert refuted(lower(empty, (1, 2), plan, "a test", reachable=True)) == set()


def test_that_no_division_was_by_zero_is_a_hypothesis_where_it_is_wanted() -> None:
    a = dimension("a")
    written = program({"a": (-2, 3)}, Assume(a != 0, of_division=True), claim(1, a != 0), claim(2, a != 1))
    for of_division, expected in ((True, {2}), (False, {1, 2})):
        plan = Plan(TargetLanguage.C, Arithmetic.BIT_VECTORS, of_division=of_division)
        assert refuted(lower(written, (1, 2), plan, "a test")) == expected
