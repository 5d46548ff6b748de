"""Iterations without an order, in whatever form a kernel runs over a legacy `affine_range`."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from nkiverify.analysis.marks.order import DRAWN
from nkiverify.foundation.records import Verdict
from nkiverify.ir.program import CARRIED
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.dataflow.subject import Subject, faults

KERNEL = """
def move(out, x, i):
    i_p, i_f = nl.mgrid[0:128, 0:64]
    nl.store(out[i_p, STRIDE * i + i_f], nl.load(x[i_p, 64 * i + i_f]))
    return i

@nki.jit
def kernel(x, n):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    columns = [0, 1, 2, 3, 4, 5, 6, 7]
    seen = {}
FORM
    return out
"""

#: Forms in which each element has an iteration of its own.
FOLLOWED = {
    "for": "for i in nl.affine_range(n): move(out, x, i)",
    "from 1": "for i in nl.affine_range(0, n, 1): move(out, x, i)",
    "enumerate": "for k, i in enumerate(nl.affine_range(n)): move(out, x, k)",
    "zip": "for i, j in zip(range(n), nl.affine_range(n)): move(out, x, i)",
    "zip with a list": "for i, j in zip(columns, nl.affine_range(n)): move(out, x, i)",
    "reversed": "for i in reversed(nl.affine_range(n)): move(out, x, i)",
    "enumerate of zip": "for k, (i, j) in enumerate(zip(nl.affine_range(n), range(n))): move(out, x, i)",
    "list of effects": "[move(out, x, i) for i in nl.affine_range(n)]",
    "set of effects": "{move(out, x, i) for i in nl.affine_range(n)}",
    "dictionary of effects": "{i: move(out, x, i) for i in nl.affine_range(n)}",
    "nested comprehension": "[move(out, x, i) for _ in range(1) for i in nl.affine_range(n)]",
    "generator expression": "sum(move(out, x, i) for i in nl.affine_range(n))",
    "generator": """
def pieces():
    for i in nl.affine_range(n):
        yield i
for i in pieces(): move(out, x, i)
""",
    "generator with next": """
def pieces():
    for i in nl.affine_range(n):
        yield i
source = pieces()
i = next(source, None)
while i is not None:
    move(out, x, i)
    i = next(source, None)
""",
    "delegating generator": """
def inner():
    for i in nl.affine_range(n):
        yield i
def pieces():
    yield from inner()
for i in pieces(): move(out, x, i)
""",
    "break": """
for i in nl.affine_range(n):
    if i > 4:
        break
    move(out, x, i)
""",
    "continue": """
for i in nl.affine_range(n):
    if i > 4:
        continue
    move(out, x, i)
""",
    "return": """
def run():
    for i in nl.affine_range(n):
        move(out, x, i)
        if i == 5:
            return
run()
""",
    "state": """
for i in nl.affine_range(n):
    seen["last"] = 2 * seen.get("last", 0) + i
    move(out, x, i)
""",
    "known length and break": """
for i in nl.affine_range(4):
    if i >= n:
        break
    move(out, x, i)
""",
    "within an ordered loop": """
for _ in nl.sequential_range(2):
    for i in nl.affine_range(n): move(out, x, i)
""",
    "around an ordered loop": """
for i in nl.affine_range(n):
    for _ in nl.sequential_range(2): move(out, x, i)
""",
    "unrolled around a summarised loop": """
for i in nl.affine_range(n):
    seen["last"] = 2 * seen.get("last", 0) + i
    for _ in range(n): move(out, x, i)
""",
    "within an unordered loop": """
for j in nl.affine_range(2):
    if j == 0:
        for i in nl.affine_range(n): move(out, x, i)
""",
    "exception": """
try:
    for i in nl.affine_range(n):
        move(out, x, i)
        if i == 5:
            raise ValueError
except ValueError:
    pass
""",
}

#: Forms in which indices come out of the loop: what is done for them is not known.
TAKEN = {
    "list": "for i in list(nl.affine_range(n)): move(out, x, i)",
    "tuple": "for i in tuple(nl.affine_range(n)): move(out, x, i)",
    "sorted": "for i in sorted(nl.affine_range(n)): move(out, x, i)",
    "set": "for i in set(nl.affine_range(n)): move(out, x, i)",
    "dictionary": "for i in dict.fromkeys(nl.affine_range(n)): move(out, x, i)",
    "display": "for i in [*nl.affine_range(n)]: move(out, x, i)",
    "list of enumerate": "for k, i in list(enumerate(nl.affine_range(n))): move(out, x, i)",
    "reversed list": "for i in reversed(list(nl.affine_range(n))): move(out, x, i)",
    "comprehension": "for i in [j for j in nl.affine_range(n)]: move(out, x, i)",
    "generator made a list": """
def pieces():
    for i in nl.affine_range(n):
        yield i
for i in list(pieces()): move(out, x, i)
""",
    "collected": """
found = []
for i in nl.affine_range(n): found.append(i)
for i in found: move(out, x, i)
""",
    "collected one by one": """
found = []
for i in nl.affine_range(n):
    if i > 4:
        break
    found.append(i)
for i in found: move(out, x, i)
""",
    "functions": """
found = []
for i in nl.affine_range(n): found.append(lambda i=i: move(out, x, i))
for one in found: one()
""",
    "closures": """
def later(i):
    return lambda: move(out, x, i)
found = []
for i in nl.affine_range(n): found.append(later(i))
for one in found: one()
""",
    "index tiles": """
i_p, i_f = nl.mgrid[0:128, 0:64]
found = []
for i in nl.affine_range(n): found.append((STRIDE * i + i_f, 64 * i + i_f))
for to, at in found: nl.store(out[i_p, to], nl.load(x[i_p, at]))
""",
    "extended": """
found = []
found.extend(nl.affine_range(n))
for i in found: move(out, x, i)
""",
}

#: The same, by iterations that do something themselves.
KEPT = {
    "list": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(i)
for i in found: move(out, x, i)
""",
    "list of offsets": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append((i + 1, 3))
for i, _ in found: move(out, x, i - 1)
""",
    "comprehension": "for i in [move(out, x, 2 * i) for i in nl.affine_range(n)]: move(out, x, i // 2)",
    "by a function": """
found = []
def note(i):
    found.append(i)
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    note(i)
for i in found: move(out, x, i)
""",
    "functions": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(lambda i=i: move(out, x, i))
for one in found: one()
""",
    "closures": """
def later(i):
    return lambda: move(out, x, i)
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(later(i))
for one in found: one()
""",
    "one by one": """
found = []
for i in nl.affine_range(n):
    if i > 4:
        break
    move(out, x, 2 * i)
    k = i
    found.append(k)
for i in found: move(out, x, i)
""",
    "one by one by a function": """
found = []
def note(i):
    found.append(i)
for i in nl.affine_range(n):
    if i > 4:
        break
    move(out, x, 2 * i)
    note(i)
for i in found: move(out, x, i)
""",
    "dictionary": """
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    seen[len(seen)] = i
for i in seen.values(): move(out, x, i)
""",
    "set": """
found = set()
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.add(i)
for i in found: move(out, x, i)
""",
}

#: The same, for a known number of iterations.
TAKEN_TWO = {
    "unpacked": "a, b = nl.affine_range(2); move(out, x, a); move(out, x, b)",
    "unpacked in part": "a, *b = nl.affine_range(2); move(out, x, a); move(out, x, b[0])",
    "arguments": """
def both(a, b):
    move(out, x, a)
    move(out, x, b)
both(*nl.affine_range(2))
""",
    "iter": "it = iter(nl.affine_range(2)); a = next(it); b = next(it); move(out, x, a); move(out, x, b)",
    "index": "r = nl.affine_range(2); move(out, x, r[0]); move(out, x, r[1])",
    "generator by hand": """
def pieces():
    for i in nl.affine_range(2):
        yield i
it = pieces()
a = next(it)
b = next(it)
move(out, x, a)
move(out, x, b)
""",
    "generator expression by hand": """
it = (i for i in nl.affine_range(2))
a = next(it)
b = next(it)
move(out, x, a)
move(out, x, b)
""",
    "pairs": "it = iter(nl.affine_range(2))\nfor a, b in zip(it, it):\n    move(out, x, a)\n    move(out, x, b)",
}


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (128, 512), float32), v.dim("n", 1, 6))


def subject(folder: Path, form: str, stride: int, what: str = "nl.affine_range") -> Subject:
    body = KERNEL.replace("FORM", indent(form.replace("nl.affine_range", what), "    "))
    body = "import numpy as np\n" * ("np." in form) + body
    return Subject.of(folder, body.replace("STRIDE", str(stride)), domain, legacy=True)


@pytest.mark.parametrize("form", FOLLOWED)
def test_iterations_of_every_form_have_no_order(form: str, tmp_path: Path) -> None:
    wrong = subject(tmp_path, FOLLOWED[form], 32)
    assert {one.contract for one in wrong.proof().open} == {"df.affine_range"}
    trial = wrong.trial(n=2)
    assert faults(trial) == {"df.affine_range"} and not trial.findings.doubts
    assert wrong.verdict().verdict is Verdict.FAILED


@pytest.mark.parametrize("form", FOLLOWED)
def test_iterations_that_keep_apart_are_right_in_every_form(form: str, tmp_path: Path) -> None:
    right = subject(tmp_path, FOLLOWED[form], 64)
    trial = right.trial(n=3)
    # That a generator is run over by C code, or by hand, leaves nothing in Python for other iterations.
    assert not faults(trial) and trial.findings.doubts == []
    assert right.verdict().verdict is Verdict.SUCCESSFUL


#: Numbers that iterations of a loop without an order leave for others in Python, by a generator.
COUNTED = {
    "in a generator": """
def pieces():
    k = 0
    for i in nl.affine_range(n):
        yield k
        k = k + 1
source = pieces()
i = next(source, None)
while i is not None:
    move(out, x, i)
    i = next(source, None)
""",
    "beside a generator": """
def pieces():
    for i in nl.affine_range(n):
        yield i
source = pieces()
i, k = next(source, None), 0
while i is not None:
    move(out, x, k)
    i, k = next(source, None), k + 1
""",
    "in a generator expression": """
held = [0]
def step():
    held[0] = held[0] + 1
    return held[0] - 1
total = sum(move(out, x, step()) for i in nl.affine_range(n))
""",
}


@pytest.mark.parametrize("form", COUNTED)
def test_numbers_that_are_counted_by_a_generator_are_carried(form: str, tmp_path: Path) -> None:
    found = subject(tmp_path, COUNTED[form], 64)
    assert found.trial(n=3).findings.doubts == [CARRIED]
    assert found.verdict().verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("form", FOLLOWED | TAKEN | TAKEN_TWO)
@pytest.mark.parametrize("ordered", ["nl.sequential_range", "range", "nl.static_range"])
def test_iterations_of_ordered_ranges_have_their_order(form: str, ordered: str, tmp_path: Path) -> None:
    found = subject(tmp_path, (FOLLOWED | TAKEN | TAKEN_TWO)[form], 32, ordered)
    trial = found.trial(n=2)
    # The body of a legacy loop is traced once: what an iteration leaves in Python is not there for the next.
    doubts = [[]] if ordered == "nl.static_range" else [[], [CARRIED]]
    assert not faults(trial) and trial.findings.doubts in doubts


@pytest.mark.parametrize("form", TAKEN | TAKEN_TWO)
def test_indices_taken_out_of_their_loop_are_not_taken_for_ordered(form: str, tmp_path: Path) -> None:
    wrong = subject(tmp_path, (TAKEN | TAKEN_TWO)[form], 32)
    trial = wrong.trial(n=2)
    assert faults(trial) or trial.findings.doubts == [DRAWN]
    assert wrong.verdict().verdict in (Verdict.UNKNOWN, Verdict.FAILED)


@pytest.mark.parametrize("form", TAKEN | TAKEN_TWO)
def test_the_symbolic_run_says_that_indices_are_taken_out(form: str, tmp_path: Path) -> None:
    taken = subject(tmp_path, (TAKEN | TAKEN_TWO)[form].replace("range(n)", "range(2)"), 32)
    assert "df.affine_range" in {one.contract for one in taken.proof().open}


@pytest.mark.parametrize("count", ["n", "2"])
@pytest.mark.parametrize("form", KEPT)
def test_indices_that_working_iterations_keep_are_not_taken_for_ordered(form: str, count: str, tmp_path: Path) -> None:
    wrong = subject(tmp_path, KEPT[form].replace("range(n)", f"range({count})"), 32)
    assert wrong.trial(n=2).findings.doubts == [DRAWN]
    kept = wrong.verdict()
    assert kept.verdict is Verdict.UNKNOWN
    # The numbers of a set have to be known.
    assert kept.qualifier == DRAWN or (form, count) == ("set", "n")


#: Iterations that keep something else than their numbers, which is used after the loop or by another one.
KEPT_OTHERWISE = {
    "converted numbers": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(int(i))
for i in found: move(out, x, i)
""",
    "numbers by NumPy": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(np.int32(i))
for i in found: move(out, x, int(i))
""",
    "text": """
found = ""
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found += f"{i} "
for i in found.split(): move(out, x, int(i))
""",
    "length of a list": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found = [0] * i
move(out, x, len(found))
""",
    "views": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append((out[:, STRIDE * i : STRIDE * i + 64], x[:, 64 * i : 64 * i + 64]))
for to, at in found: nl.store(to, nl.load(at))
""",
    "index tiles": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append((STRIDE * i + i_f, 64 * i + i_f))
for to, at in found: nl.store(out[i_p, to], nl.load(x[i_p, at]))
""",
    "masks": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(i_f < 64 * i + 1)
for mask in found: nl.store(out[i_p, i_f], nl.load(x[i_p, i_f]), mask=mask)
""",
    "tiles": """
found = []
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found.append(nl.load(x[i_p, 64 * i + i_f]))
for k in range(n): nl.store(out[i_p, STRIDE * k + i_f], found[k])
""",
    "the last index tile": """
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    kept = STRIDE * i + i_f
nl.store(out[i_p, kept], nl.load(x[i_p, i_f]))
""",
    "attributes of a function": """
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    move.last = 1.0 * i
move(out, x, int(move.last))
""",
    "a counter": """
count = 0
for i in nl.affine_range(n):
    move(out, x, count)
    count += 1
""",
    "a counter that is used afterwards": """
count = 0
for i in nl.affine_range(n):
    move(out, x, i)
    count += 1
move(out, x, count)
""",
    "a view of the iteration before": """
before = out[:, 448:512]
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    nl.store(before, nl.load(x[i_p, i_f]))
    before = out[:, 128 * i + 64 : 128 * i + 128]
""",
    "by number": """
found = [None] * 8
for i in nl.affine_range(n):
    move(out, x, 2 * i)
    found[i] = out[:, STRIDE * i : STRIDE * i + 64]
for k in range(n): nl.store(found[k], nl.load(x[i_p, i_f]))
""",
    "drawn by somebody else": """
found = []
for k, i in enumerate(nl.affine_range(n)):
    move(out, x, 2 * k)
    found.append(out[:, STRIDE * i : STRIDE * i + 64])
for to in found: nl.store(to, nl.load(x[i_p, i_f]))
""",
    "the one that was left": """
for i in nl.affine_range(8):
    move(out, x, i)
    kept = i
    if i == n - 1:
        break
move(out, x, kept)
""",
    "left early": """
found = []
for i in nl.affine_range(8):
    if i >= n:
        break
    move(out, x, i)
    found.append(out[:, STRIDE * i : STRIDE * i + 64])
for to in found: nl.store(to, nl.load(x[i_p, i_f]))
""",
}


@pytest.mark.parametrize("form", KEPT_OTHERWISE)
def test_whatever_iterations_keep_is_not_taken_for_ordered(form: str, tmp_path: Path) -> None:
    """What a body that is traced once keeps is not what Python does."""
    text = "i_p, i_f = nl.mgrid[0:128, 0:64]\n" + KEPT_OTHERWISE[form]
    kept = subject(tmp_path, text, 64)
    for n in (2, 3):
        assert kept.trial(n=n).findings.doubts == [DRAWN]
    assert kept.verdict().verdict is Verdict.UNKNOWN
    assert subject(tmp_path, text, 32).verdict().verdict in (Verdict.UNKNOWN, Verdict.FAILED)
    if "np." not in text:
        of_the_last = form in (
            "length of a list",
            "the last index tile",
            "attributes of a function",
            "the one that was left",
        )
        for kind in ("nl.sequential_range", "range"):
            ordered = subject(tmp_path, text, 64, kind).trial(n=2)
            assert ordered.findings.doubts == ([] if of_the_last else [CARRIED])
        assert not subject(tmp_path, text, 64, "nl.static_range").trial(n=2).findings.doubts


@pytest.mark.parametrize(
    "form", ["for k, i in enumerate(RANGE(n))", "for i, k in zip(RANGE(n), range(n))", "for i in reversed(RANGE(n))"]
)
@pytest.mark.parametrize("kind", ["nl.affine_range", "nl.sequential_range", "range"])
def test_what_iterations_that_are_counted_leave_is_not_taken_for_theirs(form: str, kind: str, tmp_path: Path) -> None:
    loop = form.replace("RANGE", kind)
    text = f"count = -1\n{loop}:\n    count = count + 1\n    move(out, x, count)\n"
    assert subject(tmp_path, text, 64).trial(n=3).findings.doubts == [CARRIED]
    assert subject(tmp_path, text, 64).verdict().verdict is Verdict.UNKNOWN


LEFT_FOR_OTHERS = {
    "how long a list is": """
kept = []
for i in LOOP(n):
    move(out, x, len(kept))
    kept.append(0)
""",
    "a list": """
kept = []
for i in LOOP(n): kept.append(i)
for i in kept: move(out, x, i)
""",
    "a tile": """
tile = nl.load(x[0:128, 0:64])
for i in LOOP(n):
    tile = nl.add(tile, tile)
    nl.store(out[0:128, 0:64], tile)
""",
    "a counter in a generator": """
def run(at):
    for i in LOOP(n):
        move(out, x, at)
        at += 1
        yield
for _ in run(0): pass
""",
}


@pytest.mark.parametrize("form", LEFT_FOR_OTHERS)
@pytest.mark.parametrize("kind", ["nl.affine_range", "nl.sequential_range", "range"])
def test_what_a_body_that_is_traced_once_leaves_is_unknown_for_all_sizes(form: str, kind: str, tmp_path: Path) -> None:
    found = subject(tmp_path, LEFT_FOR_OTHERS[form].replace("LOOP", kind), 64)
    assert found.verdict().verdict is Verdict.UNKNOWN
    unrolled = subject(tmp_path, LEFT_FOR_OTHERS[form].replace("LOOP", "nl.static_range"), 64)
    assert not unrolled.trial(n=2).findings.doubts


@pytest.mark.parametrize(
    ("at", "verdict"), [("i", Verdict.SUCCESSFUL), ("count if n == 5 else i", Verdict.UNKNOWN)], ids=["right", "wrong"]
)
def test_what_an_unrolled_loop_hands_on_is_asked_of_each_shape(at: str, verdict: Verdict, tmp_path: Path) -> None:
    """No few shapes stand for all."""
    form = f"""
count = 0
for i in nl.affine_range(8):
    if i >= n:
        break
    move(out, x, {at})
    count += 1
"""
    assert subject(tmp_path, form, 64).verdict().verdict is verdict


@pytest.mark.parametrize("used", ["", "for k in range(n): first = 2 * k", "move(out, x, 7 + 0 * len(kept) // 9)"])
def test_what_iterations_keep_does_no_harm_where_nothing_comes_of_it(used: str, tmp_path: Path) -> None:
    form = f"""
kept, i_p, i_f, last = [], *nl.mgrid[0:128, 0:64], None
for i in nl.affine_range(n):
    move(out, x, i)
    kept.append((nl.load(x[i_p, i_f]), out[:, 64 * i : 64 * i + 64], int(i), 64 * i + i_f))
{used}
"""
    kept = subject(tmp_path, form, 64)
    assert not kept.trial(n=3).findings.doubts
    assert kept.verdict().verdict is Verdict.SUCCESSFUL


#: Iterations that use a tile which another one has allocated.
HANDED_ON = {
    "the last one": """
last = nl.load(x[i_p, i_f])
for i in nl.affine_range(4):
    tile = nl.load(x[i_p, i_f])
    nl.store(out[i_p, i * 64 + i_f], last)
    last = tile
""",
    "one of a list": """
tiles = []
for i in nl.affine_range(4):
    tiles.append(nl.load(x[i_p, i_f]))
    nl.store(out[i_p, i * 64 + i_f], tiles[i // 2])
""",
    "a sum": """
total = None
for i in nl.affine_range(4):
    tile = nl.load(x[i_p, i_f])
    if total is None:
        total = tile
    else:
        total[...] = nl.add(total, tile)
    nl.store(out[i_p, i * 64 + i_f], tile)
""",
}


@pytest.mark.parametrize("form", HANDED_ON)
def test_a_tile_that_another_iteration_has_allocated_is_not_private(form: str, tmp_path: Path) -> None:
    text = "i_p, i_f = nl.mgrid[0:128, 0:64]" + HANDED_ON[form]
    found = subject(tmp_path, text, 64)
    assert found.trial(n=2).findings.doubts
    assert found.verdict().verdict is Verdict.UNKNOWN
    assert subject(tmp_path, text, 64, "nl.sequential_range").trial(n=2).findings.doubts == [CARRIED]


@pytest.mark.parametrize("form", KEPT)
def test_indices_are_followed_where_a_launch_is_run_in_plain_python(form: str, tmp_path: Path) -> None:
    text = "import decimal\n" + KEPT[form].replace("range(n)", "range(2)").replace(
        "move(out, x, 2 * i)", "move(out, x, 2 * i + 0 * int(decimal.Decimal(i)))"
    )
    body = KERNEL.replace("FORM", indent(text, "    ")).replace("STRIDE", "32").replace("(x, n)", "(x)")

    def launch(v: Verification) -> None:
        v.call(v.tensor("x", (128, 512), float32))

    run = Subject.of(tmp_path, body, launch, legacy=True).verdict()
    assert (run.verdict, run.qualifier) == (Verdict.UNKNOWN, DRAWN)


@pytest.mark.parametrize("form", ["break", "continue", "state", "generator", "nested comprehension", "zip with a list"])
def test_iterations_run_one_by_one_are_compared_in_the_proof(form: str, tmp_path: Path) -> None:
    assert not subject(tmp_path, FOLLOWED[form].replace("range(n)", "range(6)"), 64).proof().open
