"""What lowered programs look like, in both languages, and what becomes of what they cannot say."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from lab.programs import atom, branch, claim, dimension, index, loop, program
from nkiverify.engines.esbmc.hints import facts_of, products
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm, Lowered, Plan, TargetLanguage, lower
from nkiverify.ir.program import Assume, Program
from nkiverify.ir.walk import claims
from nkiverify.symbolic import minimum, select
from nkiverify.symbolic.atoms import render

LARGE = 2**31 - 1

#: What is printed first is what was made first: these are kept in this order, whatever tests run before.
IN_ORDER = tuple(dimension(name) for name in "abc")


def tiled() -> Program:
    """The tiles of a matrix, with a loop that can be unwound inside one that cannot."""
    rows, columns = dimension("rows"), dimension("columns")
    m, n = index("m", rows // 128), index("n", columns)
    return program(
        {"rows": (1, LARGE), "columns": (1, 4)},
        Assume(rows % 128 == 0, "domain"),
        loop(
            m,
            Assume(rows >= 256, "the assert at line 3"),
            claim(1, 128 * m + 128 <= rows, line=4),
            loop(n, Assume(columns != 2), claim(2, n < columns, line=6), line=5),
            line=2,
        ),
        branch(columns <= 2, [claim(3, columns <= 2)], [claim(4, columns >= 3), claim(5, False)]),
    )


def lowered(written: Program, language: TargetLanguage = TargetLanguage.C, **plan: Any) -> Lowered:
    numbers = [stated.number for stated, _ in claims(written)]
    made = Plan(language, plan.pop("arithmetic", Arithmetic.BIT_VECTORS), **{"unwind": 9, **plan})
    return lower(written, numbers, made, "a test")


def body(made: Lowered) -> str:
    """The program without its fixed parts."""
    lines = made.text.splitlines()
    if made.suffix == ".c":
        start = lines.index("int main(void)") + 2
        return dedent("\n".join(lines[start:-2]))
    return "\n".join(lines[3:])


C = """\
int64 rows = nondet_int64();
int64 columns = nondet_int64();
__ESBMC_assume(1 <= rows);  // domain
__ESBMC_assume(rows <= 2147483647);  // domain
__ESBMC_assume(1 <= columns);  // domain
__ESBMC_assume(columns <= 4);  // domain
int64 rows_div_128 = rows / 128;
__ESBMC_assume(rows == 128*rows_div_128);  // domain
int64 m = nondet_int64();
if ((0 <= m) && (m < rows_div_128)) {  // any one iteration, kernels/test.py:2
    __ESBMC_assume(256 <= rows);  // the assert at line 3
    __ESBMC_assert(128*m <= rows - 128, "claim 1");  // test.contract, kernels/test.py:4
    for (int64 n = 0; n < columns; n++) {  // kernels/test.py:5
        if (!(columns != 2)) continue;
        __ESBMC_assert(n <= columns - 1, "claim 2");  // test.contract, kernels/test.py:6
    }
}
if (columns <= 2) {
    __ESBMC_assert(columns <= 2, "claim 3");  // test.contract
}
else {
    __ESBMC_assert(3 <= columns, "claim 4");  // test.contract
    __ESBMC_assert(0, "claim 5");  // test.contract
}"""

PYTHON = """\
rows: int = nondet_int()
columns: int = nondet_int()
__ESBMC_assume(1 <= rows)  # domain
__ESBMC_assume(rows <= 2147483647)  # domain
__ESBMC_assume(1 <= columns)  # domain
__ESBMC_assume(columns <= 4)  # domain
rows_div_128: int = rows // 128
__ESBMC_assume(rows == 128*rows_div_128)  # domain
m: int = nondet_int()
if (0 <= m) and (m < rows_div_128):  # any one iteration, kernels/test.py:2
    __ESBMC_assume(256 <= rows)  # the assert at line 3
    assert 128*m <= rows - 128, "claim 1"  # test.contract, kernels/test.py:4
    for n in range(columns):  # kernels/test.py:5
        if not (columns != 2):
            continue
        assert n <= columns - 1, "claim 2"  # test.contract, kernels/test.py:6
if columns <= 2:
    assert columns <= 2, "claim 3"  # test.contract
else:
    assert 3 <= columns, "claim 4"  # test.contract
    assert False, "claim 5"  # test.contract"""


@pytest.mark.parametrize(("language", "text"), [(TargetLanguage.C, C), (TargetLanguage.PYTHON, PYTHON)])
def test_loops_branches_and_claims_are_kept(language: TargetLanguage, text: str) -> None:
    made = lowered(tiled(), language)
    assert body(made) == text
    assert made.asserted == {1, 2, 3, 4, 5}
    assert made.forms == {LoopForm.REPRESENTATIVE: 1, LoopForm.UNWOUND: 1}
    # The index of an unwound loop is not chosen by ESBMC, and no trace tells it.
    assert set(made.variables) == {"rows", "columns", "m"}


@pytest.mark.parametrize("language", TargetLanguage)
def test_equal_claims_of_a_block_are_one_assertion_until_a_hypothesis_comes_between(language: TargetLanguage) -> None:
    n = dimension("n")
    claims = [claim(number, n <= 4) for number in range(1, 6)]
    inside = loop(index("i", n), claims[3])
    written = program(
        {"n": (1, 4)}, claims[0], claim(2, n >= 1), claims[2], inside, claims[4], Assume(n != 2), claim(6, n <= 4)
    )
    made = lowered(written, language)
    assert made.asserted == {1, 2, 3, 4, 5, 6}
    assert made.same_claims == {1: [3, 5]} and made.assertions == 4
    assert [number for number in range(1, 7) if f'"claim {number}"' in made.text] == [1, 2, 4, 6]
    assert "claim 3, test.contract: as claim 1" in made.text


def test_that_the_domain_has_values_is_asked_beside_a_claim_that_is_never_true() -> None:
    made = lower(program({"n": (1, 4)}, claim(1, False)), [1], Plan(TargetLanguage.C, Arithmetic.BIT_VECTORS), "", True)
    assert '"claim 0"' in made.text and '"claim 1"' in made.text
    assert made.same_claims == {}


def test_only_the_claims_asked_for_are_asserted() -> None:
    made = lower(tiled(), [4], Plan(TargetLanguage.C, Arithmetic.BIT_VECTORS, 9), "a test")
    assert made.asserted == {4}
    assert "m" not in made.variables
    assert '"claim 4"' in made.text and '"claim 1"' not in made.text


def test_the_domain_alone_can_be_asked_for() -> None:
    made = lower(tiled(), (), Plan(TargetLanguage.PYTHON, Arithmetic.BIT_VECTORS), "a test", reachable=True)
    lines = body(made).splitlines()
    # Nothing that follows comes from the block that fails.
    assert lines[-2:] == [
        "if either == 0:  # the domain",
        '    assert False, "claim 0"  # must fail: the domain has values',
    ]
    assert "rows == 128*rows_div_128" in made.text


def test_by_induction_every_loop_is_a_loop() -> None:
    made = lowered(tiled(), induction=True)
    assert made.forms == {LoopForm.INDUCTIVE: 2}
    assert "for (int64 m = 0; m < rows_div_128; m++)" in made.text


def test_loops_stay_loops_until_unwinding_makes_too_many_assertions() -> None:
    n = dimension("n")
    claims = [claim(number, n >= 1) for number in range(1, 501)]
    loops = [loop(index(f"i{position}", n, key=position), *claims) for position in range(3)]
    # Each adds three times 500.
    assert lowered(program({"n": (1, 4)}, *loops)).forms == {LoopForm.UNWOUND: 1, LoopForm.REPRESENTATIVE: 2}


def test_a_loop_that_skips_indices_is_not_a_counting_loop() -> None:
    n = dimension("n")
    plain = loop(index("i", n), claim(1, n >= 1))
    narrowed = type(plain)(plain.index, plain.extent, (*plain.bounds, n >= 2), plain.body, None)
    assert lowered(program({"n": (1, 4)}, narrowed)).forms == {LoopForm.REPRESENTATIVE: 1}


def test_quotients() -> None:
    a, b = dimension("a"), dimension("b")
    written = program({"a": (-9, 9), "b": (1, 4)}, claim(1, a // 3 <= 3), claim(2, b // 2 <= 2), claim(3, a // b <= 9))
    text = body(lowered(written))
    assert "int64 a_div_3 = (a + 9) / 3 - 3;" in text
    assert "int64 b_div_2 = b / 2;" in text
    assert "int64 a_div_b = floor_div(a, b);" in text
    text = body(lowered(written, TargetLanguage.PYTHON))
    assert "a_div_3: int = a // 3" in text and "a_div_b: int = a // b" in text
    text = body(lowered(written, TargetLanguage.PYTHON, arithmetic=Arithmetic.INTEGERS))
    assert "a_div_3: int = (a + 9) // 3 - 3" in text
    assert (
        "a_div_b: int = nondet_int()\n__ESBMC_assume(not (b > 0) or (0 <= a - b*a_div_b and a - b*a_div_b < b))" in text
    )


def test_numbers_that_c_would_multiply_with_32_bits_are_written_as_their_product() -> None:
    c = dimension("c")
    text = body(lowered(program({"c": (1, LARGE)}, claim(1, (-c) // 128 <= 0))))
    assert "int64 quotient = (-c + 2147483648) / 128 - 16777216;" in text


def test_a_division_that_may_be_by_zero_is_guarded() -> None:
    a, b = dimension("a"), dimension("b")
    written = program({"a": (0, 9), "b": (0, 4)}, claim(1, a // b <= 9))
    text = body(lowered(written, TargetLanguage.PYTHON))
    assert "a_div_b: int = nondet_int()\nif b != 0:\n    a_div_b = a // b\n__ESBMC_assume(b != 0 or " in text


def test_minima_and_conditional_values() -> None:
    a, b = dimension("a"), dimension("b")
    written = program({"a": (0, 9), "b": (0, 9)}, claim(1, minimum(a, b) <= select(a < b, a, b - 1)))
    assert (
        "int64 least = a;\nif (b < least) {\n    least = b;\n}\n"
        "int64 choice = b - 1;\nif (a <= b - 1) {\n    choice = a;\n}\n"
    ) in body(lowered(written))


def test_what_does_not_fit_is_left_out_and_said() -> None:
    a, b, c = dimension("a"), dimension("b"), dimension("c")
    bounds = dict.fromkeys("abc", (1, LARGE))
    i = index("i", a * b * c)
    written = program(
        bounds,
        Assume(a * b * c <= 1000),
        claim(1, a <= 1000),
        claim(2, a * b * c <= 1000),
        loop(i, claim(3, i <= 1000)),
        branch(a * b * c <= 5, [claim(4, b >= 1)], [claim(5, b >= 1)]),
    )
    made = lowered(written)
    assert made.too_wide == {2, 3}
    assert made.asserted == {1, 4, 5}
    for words in (
        "left out, since it does not fit 64 bits: assume a*b*c <= 1000",
        "left out, since it does not fit 64 bits: claim 2",
        "left out, since it does not fit 64 bits: i <= a*b*c - 1",
        "any of the two, since it does not fit 64 bits: if a*b*c <= 5",
    ):
        assert words in made.text
    # Nothing but comments speaks of it: what wraps around would exclude values that there are.
    assert all(line.strip().startswith("//") for line in made.text.splitlines() if "a*b*c" in line)
    unbounded = lowered(written, arithmetic=Arithmetic.INTEGERS)
    assert unbounded.too_wide == frozenset()
    assert "left out" not in unbounded.text


@pytest.mark.parametrize("language", list(TargetLanguage))
def test_names_that_are_words_of_the_language_or_of_each_other(language: TargetLanguage) -> None:
    names = ["int", "for", "lambda", "main", "nondet_int", "nondet_int64", "floor_div", "range", "_", "int_2"]
    bounds = dict.fromkeys(names, (1, 4))
    element = index("a b-c", 4, representative=True)
    loops = [loop(index("i", 3, key=key), claim(20 + key, index("i", 3, key=key) <= 2)) for key in range(2)]
    claims = [claim(number, dimension(name) <= 4) for number, name in enumerate(names, 1)]
    made = lowered(program(bounds, *claims, claim(30, element <= 3), *loops), language)
    assert len(made.variables) == len(names) + 1
    assert {str(found) for found in made.variables.values()} >= set(names)
    assert all(name.isidentifier() for name in made.variables)
    if language is TargetLanguage.PYTHON:
        compile(made.text, "lowered", "exec")


@pytest.mark.parametrize("language", list(TargetLanguage))
def test_text_cannot_end_the_comment_it_stands_in(language: TargetLanguage) -> None:
    hostile = "a\nint x; \\\n*/ ??/ \r \u2028 end"
    made = lowered(
        program({"n": (1, 4)}, Assume(dimension("n") >= 2, hostile), claim(1, dimension("n") >= 2)), language
    )
    (line,) = [line for line in made.text.splitlines() if "end" in line]
    assert line.lstrip().startswith("__ESBMC_assume(2 <= n)")
    assert "\\" not in line and "??" not in line


def test_a_representative_index_is_not_assumed_to_exist() -> None:
    n = dimension("n")
    element = index("element", n, representative=True)
    written = program({"n": (0, 4)}, claim(1, element <= 3), Assume(element >= 1), claim(2, element >= 1))
    text = body(lowered(written))
    assert '__ESBMC_assert(!((0 <= element) && (element < n)) || (element <= 3), "claim 1");' in text
    assert "__ESBMC_assume((0 <= element) && (element < n));  // element stands for every element" in text
    # Where it surely exists, its range is stated once.
    text = body(lowered(program({"n": (1, 4)}, claim(1, element <= 3))))
    assert '__ESBMC_assert(element <= 3, "claim 1");' in text


def test_hints_are_for_unbounded_integers_only() -> None:
    rows, columns = dimension("rows"), dimension("columns")
    i, j = index("i", rows), index("j", columns)
    inside = claim(1, i * columns + j <= rows * columns - 1)
    written = program(dict.fromkeys(("rows", "columns"), (1, LARGE)), loop(i, loop(j, inside)))
    assert "true of all integers" not in lowered(written).text
    text = lowered(written, arithmetic=Arithmetic.INTEGERS).text
    hint = "!((columns - 1 >= 0) && (rows - i - 1 >= 0)) || ((columns - 1)*(rows - i - 1) >= 0)"
    assert f"__ESBMC_assume({hint});  // true of all integers" in text


def test_a_claim_without_products_needs_no_hints() -> None:
    a, b = dimension("a"), dimension("b")
    facts = [*facts_of(a >= 1), *facts_of(b >= a)]
    assert products(facts, a <= b) == []
    assert products(facts, a * b >= a)


def test_a_square_is_reached_by_way_of_a_product() -> None:
    a, b, c = dimension("a"), dimension("b"), dimension("c")
    facts = [fact for hypothesis in (a >= 1, a <= b, a <= c, b >= 1, b * c <= 9) for fact in facts_of(hypothesis)]
    found = {(render(one), render(other)) for one, other in products(facts, a * a <= 9)}
    # a*a <= a*b, and a*b <= b*c.
    assert ("a - 1", "-a + b") in found
    assert ("-a + c", "b - 1") in found


def test_an_atom_is_called_by_what_it_is() -> None:
    made = lowered(program({"n": (1, 9)}, claim(1, dimension("n") // 4 <= 2), claim(2, (dimension("n") + 1) // 4 <= 2)))
    assert "int64 n_div_4 = n / 4;" in made.text
    assert "int64 quotient = (n + 1) / 4;" in made.text
    assert made.variables == {"n": atom(dimension("n"))}
