"""Solvers other than through our own front door: text of SMT-LIB in, "sat", "unsat" or "unknown" out."""

from __future__ import annotations

import importlib.util

import z3

#: Whether cvc5, an extra for developers, is installed.
HAS_CVC5 = importlib.util.find_spec("cvc5") is not None


def z3_says(text: str, milliseconds: int = 10_000) -> str:
    """Z3's answer to a script with one `(check-sat)`."""
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


def cvc5_says(text: str, milliseconds: int = 10_000) -> str:
    """cvc5's answer to a script with one `(check-sat)`."""
    import cvc5

    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(milliseconds))
    symbols = cvc5.SymbolManager(terms)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "claim")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols)
        answer = said.strip() if command.getCommandName() == "check-sat" else answer
    return answer
