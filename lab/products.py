"""Claims about products of dimensions, as kernels make them, decided by us, by Z3 alone and by cvc5 alone.

    python -m lab.products [--seconds S]        `make products`

Each is asked of the prover anew, and of the solvers as SMT-LIB text; milliseconds are those of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from lab.solvers import HAS_CVC5, cvc5_says, z3_says
from nkiverify.engines.scripts import LOGIC
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic import conditions, minimum, terms
from nkiverify.symbolic.execution import running
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Script


def ceil_div(value: Any, by: Any) -> Any:
    """How many of `by` cover `value`."""
    return (value + by - 1) // by


#: Dimensions (with what they are multiples of), indices with what they are below, what else holds, and the claim.
CLAIMS = [
    ("B S", "b<B s<S", "", "b*S + s < B*S"),
    ("B S", "b<B s<S", "", "b*S + s >= 0"),
    ("B S D", "b<B s<S d<D", "", "(b*S + s)*D + d < B*S*D"),
    ("B S H D", "b<B s<S h<H d<D", "", "((b*S + s)*H + h)*D + d < B*S*H*D"),
    ("A B C D E", "a<A b<B c<C d<D e<E", "", "(((a*B + b)*C + c)*D + d)*E + e < A*B*C*D*E"),
    ("B S:128", "b<B t<S//128", "", "b*S + (t+1)*128 <= B*S"),
    ("B S:128", "t<(B*S)//128", "", "(t+1)*128 <= B*S"),
    ("B S:128", "", "", "B*S % 128 == 0"),
    ("B:128 S", "", "", "(B*S) % 128 == 0"),
    ("B:2 S:64", "", "", "(B*S) % 128 == 0"),
    ("B S:128", "", "", "(B*S)//128*128 == B*S"),
    ("B S:128", "", "", "(B*S)//128 == B*(S//128)"),
    ("B S", "t<ceil_div(B*S,128)", "", "t*128 < B*S"),
    ("B S", "t<ceil_div(B*S,128)", "", "minimum(t*128+128, B*S) - t*128 <= 128"),
    ("B S", "t<ceil_div(B*S,128)", "", "minimum(t*128+128, B*S) <= B*S"),
    ("B S", "t<ceil_div(B*S,128)", "", "minimum(t*128+128, B*S) - t*128 >= 1"),
    ("B S", "t<ceil_div(B*S,128)", "", "minimum(128, B*S - t*128) >= 1"),
    ("B S D", "t<ceil_div(B*S,128) d<D", "", "t*128*D + d < B*S*D"),
    ("B S", "", "", "ceil_div(B*S, 128)*128 >= B*S"),
    ("B S", "", "", "ceil_div(B*S, 128) >= 1"),
    ("B S", "", "", "ceil_div(B*S, 128) <= B*S"),
    ("B S", "", "", "ceil_div(B*S, 128) <= B*ceil_div(S,128)"),
    ("N D", "", "", "N*D >= N"),
    ("N D", "", "", "N*D >= D"),
    ("N D", "", "", "N*D >= 1"),
    ("N D E", "", "", "N*D*E >= N*D"),
    ("N D", "n<N", "", "n*D + D <= N*D"),
    ("N D", "n<N-1", "", "(n+2)*D <= N*D"),
    ("N:2 D", "n<N//2", "", "n*2*D + 2*D <= N*D"),
    ("N:4 D:32", "n<N//4 d<D//32", "", "n*4*D + d*32 + 32 <= N*D"),
    ("G H:128 W", "g<G h<H//128 w<W", "", "(g*H + h*128)*W + w < G*H*W"),
    ("G H:128 W:512", "g<G h<H//128 w<W//512", "", "(g*H + h*128 + 127)*W + w*512 + 511 < G*H*W"),
    ("K C R", "k<K c<C r<R", "", "k*C*R + c*R + r < K*C*R"),
    ("K C R", "k<K c<C r<R", "", "r*K*C + c*K + k < K*C*R"),
    ("P F", "p<P f<F", "P <= 128 and F <= 4096", "p*F + f <= 524287"),
    ("P F", "", "P <= 128 and F <= 4096", "P*F <= 524288"),
    ("P F", "", "P <= 46340 and F <= 46340", "P*F <= 2147483647"),
    ("A B C", "", "A <= 128 and B <= 64 and C <= 1024", "A*B*C <= 8388608"),
    ("A B C D E", "", "A <= 8 and B <= 8 and C <= 8 and D <= 8 and E <= 8", "A*B*C*D*E <= 32768"),
    ("B S", "", "B*S <= 1000", "S <= 1000"),
    ("B S", "b<B s<S", "B*S <= 1000", "b*S+s < 1000"),
    ("B S", "t<(B*S)//S", "", "t < B"),
    ("B S", "i<B*S", "", "i//S < B"),
    ("B S", "i<B*S", "", "i%S < S"),
    ("B S", "i<B*S", "", "i//S*S + i%S == i"),
    ("B S D", "i<B*S", "", "i*D + D <= B*S*D"),
    ("B S D", "i<B*S d<D", "", "i*D + d < B*S*D"),
    ("B S D", "i<B*S*D", "", "i//D < B*S"),
    ("B S D", "i<B*S*D", "", "i//(S*D) < B"),
    ("H W k", "r<H-k+1 c<W-k+1 i<k j<k", "k <= H and k <= W", "(r+i)*W + c + j < H*W"),
    ("H W s", "r<H//s c<W//s i<s j<s", "", "(r*s+i)*W + c*s + j < H*W"),
    ("H s", "r<H//s i<s", "", "r*s + i < H"),
    ("H s", "", "", "(H//s)*s <= H"),
    ("H s", "", "H % s == 0", "(H//s)*s == H"),
    ("H s T", "r<H//s t<T", "H % s == 0", "(r*s)*T + t < H*T"),
    ("M g", "i<ceil_div(M,g)", "", "i*g < M"),
    ("M g", "i<ceil_div(M,g)", "", "minimum(g, M - i*g) >= 1"),
    ("M g D", "i<ceil_div(M,g)", "", "minimum(g, M - i*g)*D <= g*D"),
    ("N g D", "", "g*D <= 2048 and N % g == 0", "D <= 2048"),
    ("N g D", "n<N//g", "g*D <= 2048 and N % g == 0", "(n+1)*g*D <= N*D"),
    ("E T:128 H:128", "e<E t<T//128 h<H//128", "", "e*T*H + t*128*H + h*128 + 127*H + 128 <= E*T*H"),
    ("N D p", "", "N*D <= p", "D <= p"),
    ("B S g", "t<ceil_div(B*S,g)", "", "t*g < B*S"),
    ("B S g", "t<ceil_div(B*S,g)", "", "minimum(g, B*S - t*g) >= 1"),
    ("B S g", "t<ceil_div(B*S,g)", "", "minimum((t+1)*g, B*S) - t*g <= g"),
    ("B S g D", "t<ceil_div(B*S,g)", "", "minimum((t+1)*g, B*S)*D <= B*S*D"),
    ("B S g D", "t<ceil_div(B*S,g) d<D", "", "t*g*D + d < B*S*D"),
    ("B S g", "", "(B*S) % g == 0", "(B*S)//g*g == B*S"),
    ("B S g", "t<(B*S)//g", "(B*S) % g == 0", "(t+1)*g <= B*S"),
    ("B S g h", "t<S//g", "S % g == 0", "(t*g + g)*h <= S*h"),
    ("B S g", "b<B t<S//g", "S % g == 0", "b*S + (t+1)*g <= B*S"),
    ("B N D", "", "B*N*D <= 65536 and D >= 64", "B*N <= 1024"),
    ("B N D:64", "i<B*N*(D//64)", "", "i*64 + 64 <= B*N*D"),
    ("B N D:64", "i<B*N*D//64", "", "(i+1)*64 <= B*N*D"),
    ("S D", "t<ceil_div(S,8)", "", "(t*8 + minimum(8, S - t*8))*D <= S*D"),
    (
        "B H S:256 D p",
        "b<B h<H t<ceil_div(S//256,8)",
        "p <= 2",
        "((b*H + h)*S + (p-1)*(S//2) + t*1024 + minimum(8, S//256 - t*8)*128)*D <= B*H*S*D",
    ),
    ("L B S:128 H", "l<L b<B s<S//128", "", "(l*B + b)*S*H + s*128*H + 128*H <= L*B*S*H"),
    ("H G", "p<ceil_div(2*H,G) t<minimum(G,2*H-p*G)", "", "(p*G + t)//H <= 1"),
    ("B H G", "b<B p<ceil_div(B*H,G) t<minimum(G,B*H-p*G)", "", "(p*G + t)//H <= B - 1"),
]


def stated(claim: tuple[str, str, str, str]) -> tuple[list[Any], Any]:
    """The hypotheses and the condition of a claim."""
    dimensions, indices, further, text = claim
    names: dict[str, Any] = {"ceil_div": ceil_div, "minimum": minimum}
    hypotheses: list[Any] = []
    for described in dimensions.split():
        name, _, multiple = described.partition(":")
        names[name] = terms.dimension(name)
        hypotheses += [names[name] >= 1, names[name] <= 2**31 - 1]
        hypotheses += [names[name] % int(multiple) == 0] if multiple else []
    hypotheses += [eval(part, names) for part in further.split(" and ") if part]
    for described in indices.split():
        name, _, extent = described.partition("<")
        size = eval(extent, names)
        names[name] = terms.index(name, size, ("products", name))
        hypotheses += [names[name] >= 0, names[name] < size]
    return hypotheses, eval(text, names)


def script_of(claim: tuple[str, str, str, str]) -> str:
    """The question whether the hypotheses can hold and the claim fail, for any solver."""
    hypotheses, condition = stated(claim)
    body = Script().assertions([*hypotheses, conditions.negate(condition)])
    return f"(set-logic {LOGIC})\n{body}\n(check-sat)\n"


def ours(hypotheses: list[Any], condition: Any) -> bool:
    """True if the prover decides the claim."""
    return Prover(hypotheses, BUDGETS.statement).proves(condition)


def timed(decides: Callable[[], bool]) -> float | None:
    """Milliseconds of the processor; None where it is not decided."""
    begin = time.process_time()
    return (time.process_time() - begin) * 1000 if decides() else None


def main() -> int:
    """Print a line for each claim, and the medians; exit status 1 where we leave one open."""
    parser = argparse.ArgumentParser(prog="lab.products", description="Products of dimensions: ours, Z3 and cvc5.")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each claim for each solver")
    most = parser.parse_args().seconds * 1000
    rows: list[tuple[str, list[float | None]]] = []
    with running(SymbolicExecution(hardware_named("trn2"), Limits(), {})):
        ours(*stated(CLAIMS[0])), z3_says(script_of(CLAIMS[0]))  # what is loaded on the way counts for none
        for claim in CLAIMS:
            text, given = script_of(claim), stated(claim)
            asked: list[Callable[[], bool]] = [
                lambda given=given: ours(*given),  # type: ignore[misc]
                lambda text=text: z3_says(text, int(most)) == "unsat",  # type: ignore[misc]
            ]
            if HAS_CVC5:
                asked.append(lambda text=text: cvc5_says(text, int(most)) == "unsat")  # type: ignore[misc]
            rows.append((claim[3], [timed(decides) for decides in asked]))
            told = [f"{one:10.1f}" if one is not None else "      open" for one in rows[-1][1]]
            print("".join(told), f"  {claim[3]}", flush=True)
    by_solver = zip(*(row for _, row in rows), strict=True)
    columns = [[most if one is None else one for one in column] for column in by_solver]
    medians = [statistics.median(column) for column in columns]
    opened = [sum(row[at] is None for _, row in rows) for at in range(len(columns))]
    for name, median, left in zip(("ours", "Z3", "cvc5"), medians, opened, strict=False):
        print(f"{name}: median {median:.2f} ms, {left} of {len(rows)} open")
    print(f"the better of the others takes {min(medians[1:]) / medians[0]:.1f} times as long at the median")
    return int(bool(opened[0]))


if __name__ == "__main__":
    sys.exit(main())
