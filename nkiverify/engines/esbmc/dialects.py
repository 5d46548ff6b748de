"""The two languages that shape programs are lowered to, statement by statement."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from nkiverify.engines.esbmc.atom_ranges import sides
from nkiverify.engines.esbmc.output import CLAIM_MESSAGE
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation

#: Gives the name of the variable that stands for an atom.
Names = Callable[[Atom], str]


class ProgramLines:
    """Lines of a program, indented."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self._depth + text if text else "")

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Lines added in this context stand further in."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


class Dialect:
    """Statements and expressions that both languages have, written as either asks. Expressions are strings."""

    #: What file names end with.
    suffix: str
    #: Words that are no names for variables, those of the language and those of ESBMC's models.
    reserved: frozenset[str]

    _and: str
    _or: str
    _not: str
    _constants: tuple[str, str]
    _comment: str
    _division: str

    def __init__(self) -> None:
        self.text = ProgramLines()

    # statements

    def program(self, heading: Sequence[str]) -> list[str]:
        """All lines of the program, once its body is written; `heading` are comments for its beginning."""
        raise NotImplementedError

    def comment(self, text: str) -> None:
        """A comment of one line."""
        self.text.line(f"{self._comment} {one_line(text)}")

    def arbitrary(self, name: str) -> None:
        """A new variable with any value."""
        raise NotImplementedError

    def define(self, name: str, value: str) -> None:
        """A new variable."""
        raise NotImplementedError

    def define_floor(self, name: str, top: str, bottom: str, *, added: int | None, nonzero: bool) -> None:
        """A new variable: `top // bottom` as Python rounds it.

        `added`: how often the denominator is to be added to the numerator so that positive numbers are divided; None
        if they are not to be divided. `nonzero`: the denominator is never zero. Where it is, the value is any that is
        no larger than the numerator.
        """
        raise NotImplementedError

    def assign(self, name: str, value: str) -> None:
        """A new value for a variable."""
        raise NotImplementedError

    def assume(self, condition: str, note: str = "") -> None:
        """From here on, the condition holds."""
        raise NotImplementedError

    def hint(self, one: str, other: str) -> None:
        """The theorem that the product of two expressions which are not negative is not negative."""
        premise = self._joined(self._and, [f"{one} >= 0", f"{other} >= 0"])
        self.assume(self.implies(premise, f"({one})*({other}) >= 0"), "true of all integers")

    def next_unless(self, condition: str, note: str = "") -> None:
        """For the rest of this iteration, the condition holds."""
        raise NotImplementedError

    def check(self, number: int, condition: str, note: str) -> None:
        """The condition must hold here."""
        raise NotImplementedError

    @contextmanager
    def when(self, condition: str, note: str = "") -> Iterator[None]:
        """A block for where the condition holds."""
        raise NotImplementedError
        yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """A block for where the condition of the block before does not hold."""
        raise NotImplementedError
        yield

    @contextmanager
    def loop(self, name: str, extent: str, note: str = "") -> Iterator[None]:
        """A block that is executed for every `name` from 0 to below `extent`."""
        raise NotImplementedError
        yield

    def _comments(self, texts: Sequence[str]) -> list[str]:
        return [f"{self._comment} {one_line(text)}" for text in texts]

    def _noted(self, statement: str, note: str) -> str:
        return f"{statement}  {self._comment} {one_line(note)}" if note else statement

    # expressions

    def condition(self, condition: Condition | bool, name: Names) -> str:
        """A condition."""
        if isinstance(condition, bool):
            return self._constants[condition]
        if isinstance(condition, Comparison):
            return self._comparison(condition, name)
        assert isinstance(condition, Junction)
        parts = [self.condition(part, name) for part in condition.parts]
        word = self._and if condition.conjunction else self._or
        return f" {word} ".join(
            f"({text})" if isinstance(part, Junction) else text
            for part, text in zip(condition.parts, parts, strict=True)
        )

    def all_of(self, conditions: Sequence[str]) -> str:
        """The conjunction of conditions."""
        return self._joined(self._and, conditions) if conditions else self._constants[True]

    def implies(self, premise: str, conclusion: str) -> str:
        """`conclusion`, where `premise` holds."""
        return f"{self._not}({premise}) {self._or} ({conclusion})"

    def _joined(self, word: str, conditions: Sequence[str]) -> str:
        if len(conditions) == 1:
            return conditions[0]
        return f" {word} ".join(f"({text})" for text in conditions)

    def _comparison(self, comparison: Comparison, name: Names) -> str:
        """The comparison with what has a minus sign moved to the other side."""
        left, right = sides(comparison.term)
        if comparison.relation is not Relation.AT_MOST and left.constant is not None:
            left, right = right, left
        return f"{self.term(left, name)} {comparison.relation.value} {self.term(right, name)}"

    def term(self, term: Term, name: Names) -> str:
        """A term, as one writes polynomials: the constant last, and first a part without a minus sign."""
        text = ""
        for atoms, factor in sorted(term.monomials.items(), key=lambda item: (not item[0], item[1] < 0)):
            size = [str(abs(factor))] if abs(factor) != 1 or not atoms else []
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {'*'.join([*size, *map(name, atoms)])}"
        return text[3:] if text.startswith(" + ") else text.replace(" - ", "-", 1) or "0"


_C_PRELUDE = """
typedef long long int64;
int64 nondet_int64(void);
""".splitlines()

_C_FLOOR_DIV = """
// Python's dividend // divisor, which rounds down. Where the divisor is 0, Python raises: the value is then
// any that is no larger than the dividend.
static int64 floor_div(int64 dividend, int64 divisor)
{
    int64 floor = nondet_int64();
    __ESBMC_assume((-dividend <= floor && floor <= dividend) || (dividend <= floor && floor <= -dividend));
    int64 rest = dividend - divisor * floor;
    __ESBMC_assume(!(divisor > 0) || (0 <= rest && rest < divisor));
    __ESBMC_assume(!(divisor < 0) || (divisor < rest && rest <= 0));
    return floor;
}
""".splitlines()


class CDialect(Dialect):
    """C with 64-bit integers."""

    suffix = ".c"
    # fmt: off
    reserved = frozenset((
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "int64", "long", "main", "register",
        "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
        "unsigned", "void", "volatile", "while", "asm", "typeof", "bool", "true", "false", "nondet_int64",
        "floor_div", "dividend", "divisor", "floor", "rest",
    ))
    # fmt: on

    _and, _or, _not = "&&", "||", "!"
    _constants = ("0", "1")
    _comment = "//"

    def __init__(self) -> None:
        super().__init__()
        self._divides = False

    def program(self, heading: Sequence[str]) -> list[str]:
        helper = _C_FLOOR_DIV if self._divides else []
        body = [f"    {line}" if line else "" for line in self.text.lines]
        return [*self._comments(heading), *_C_PRELUDE, *helper, "", "int main(void)", "{", *body, "    return 0;", "}"]

    def arbitrary(self, name: str) -> None:
        self.text.line(f"int64 {name} = nondet_int64();")

    def define(self, name: str, value: str) -> None:
        self.text.line(f"int64 {name} = {value};")

    def define_floor(self, name: str, top: str, bottom: str, *, added: int | None, nonzero: bool) -> None:
        self._divides = self._divides or added is None
        self.define(name, f"floor_div({top}, {bottom})" if added is None else _shifted(top, "/", bottom, added))

    def assign(self, name: str, value: str) -> None:
        self.text.line(f"{name} = {value};")

    def assume(self, condition: str, note: str = "") -> None:
        self.text.line(self._noted(f"__ESBMC_assume({condition});", note))

    def next_unless(self, condition: str, note: str = "") -> None:
        self.text.line(self._noted(f"if (!({condition})) continue;", note))

    def check(self, number: int, condition: str, note: str) -> None:
        message = CLAIM_MESSAGE.format(number=number)
        self.text.line(self._noted(f'__ESBMC_assert({condition}, "{message}");', note))

    @contextmanager
    def when(self, condition: str, note: str = "") -> Iterator[None]:
        with self._block(f"if ({condition})", note):
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        with self._block("else", ""):
            yield

    @contextmanager
    def loop(self, name: str, extent: str, note: str = "") -> Iterator[None]:
        with self._block(f"for (int64 {name} = 0; {name} < {extent}; {name}++)", note):
            yield

    @contextmanager
    def _block(self, heading: str, note: str) -> Iterator[None]:
        self.text.line(self._noted(f"{heading} {{", note))
        with self.text.indented():
            yield
        self.text.line("}")


class PythonDialect(Dialect):
    """Python as ESBMC's front end reads it, with annotated integers of 64 bits.

    `native`: `//` is left to the front end. With unbounded integers it is not: rounding down is then wrong for negative
    numbers (seen in 8.4.0), and the quotient is said by the remainder it leaves.
    """

    suffix = ".py"
    reserved = frozenset((*keyword.kwlist, *dir(builtins), "nondet_int"))

    _and, _or, _not = "and", "or", "not "
    _constants = ("False", "True")
    _comment = "#"

    def __init__(self, native: bool) -> None:
        super().__init__()
        self._native = native

    def program(self, heading: Sequence[str]) -> list[str]:
        return [*self._comments(heading), "", *self.text.lines]

    def arbitrary(self, name: str) -> None:
        self.define(name, "nondet_int()")

    def define(self, name: str, value: str) -> None:
        self.text.line(f"{name}: int = {value}")

    def define_floor(self, name: str, top: str, bottom: str, *, added: int | None, nonzero: bool) -> None:
        quotient = f"{_bracketed(top)} // {_bracketed(bottom)}"
        if self._native and nonzero:
            self.define(name, quotient)
            return
        if added is not None:
            self.define(name, _shifted(top, "//", bottom, added))
            return
        self.arbitrary(name)
        if self._native:
            with self.when(f"{bottom} != 0"):
                self.assign(name, quotient)
        else:
            remainder = f"{_bracketed(top)} - {_bracketed(bottom)}*{name}"
            self.assume(f"not ({bottom} > 0) or (0 <= {remainder} and {remainder} < {bottom})")
            self.assume(f"not ({bottom} < 0) or ({bottom} < {remainder} and {remainder} <= 0)")
        if not nonzero:
            small = f"-({top}) <= {name} and {name} <= {top}"
            large = f"{top} <= {name} and {name} <= -({top})"
            self.assume(f"{bottom} != 0 or ({small}) or ({large})", "Python raises where the denominator is 0")

    def assign(self, name: str, value: str) -> None:
        self.text.line(f"{name} = {value}")

    def assume(self, condition: str, note: str = "") -> None:
        self.text.line(self._noted(f"__ESBMC_assume({condition})", note))

    def next_unless(self, condition: str, note: str = "") -> None:
        with self.when(f"not ({condition})", note):
            self.text.line("continue")

    def check(self, number: int, condition: str, note: str) -> None:
        message = CLAIM_MESSAGE.format(number=number)
        self.text.line(self._noted(f'assert {condition}, "{message}"', note))

    @contextmanager
    def when(self, condition: str, note: str = "") -> Iterator[None]:
        with self._block(f"if {condition}:", note):
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        with self._block("else:", ""):
            yield

    @contextmanager
    def loop(self, name: str, extent: str, note: str = "") -> Iterator[None]:
        with self._block(f"for {name} in range({extent}):", note):
            yield

    @contextmanager
    def _block(self, heading: str, note: str) -> Iterator[None]:
        self.text.line(self._noted(heading, note))
        before = len(self.text.lines)
        with self.text.indented():
            yield
            if all(line.strip().startswith(self._comment) for line in self.text.lines[before:]):
                self.text.line("pass")


_UNPRINTABLE = re.compile(r"[^\x20-\x7e]|\\|\?\?")


def one_line(text: str) -> str:
    """Text that cannot end the comment it stands in: no line breaks, and no backslash that would join lines."""
    return _UNPRINTABLE.sub("_", text)


def _shifted(top: str, division: str, bottom: str, added: int) -> str:
    """`(top + added*bottom) / bottom - added`, where `bottom` is a number if anything is added.

    The product is written as one number: C would multiply two small ones with 32 bits.
    """
    if not added:
        return f"{_bracketed(top)} {division} {_bracketed(bottom)}"
    return f"({top} + {added * int(bottom)}) {division} {bottom} - {added}"


def _bracketed(expression: str) -> str:
    return expression if expression.replace("_", "a").isalnum() else f"({expression})"
