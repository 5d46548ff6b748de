"""Kernels that are too much of something: a verdict, or an UNKNOWN that names the limit; never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.soundness.trap import target_for


def verified(source: str, folder: Path, high: int | None = 100_000, seconds: float = 30.0) -> list[Run]:
    """The runs of both phases over dimensions from 1 to `high`."""
    target = target_for(source, folder, low=1, high=high)
    return verify(target, Options(root=folder, phases=(1, 2), timeout=seconds, unhurried=True))


def nest(depth: int, claim: str) -> str:
    """A kernel of `depth` loops within one another, with `claim` in the innermost."""
    lines = ["def kernel(n):"]
    lines += [f"{'    ' * (level + 1)}for i{level} in range(n):" for level in range(depth)]
    return "\n".join([*lines, f"{'    ' * (depth + 1)}{claim}"]) + "\n"


@pytest.mark.parametrize(("slack", "verdict"), [(8, Verdict.SUCCESSFUL), (9, Verdict.FAILED)])
def test_eight_symbolic_loops_within_one_another(slack: int, verdict: Verdict, tmp_path: Path) -> None:
    total = " + ".join(f"i{level}" for level in range(8))
    runs = verified(nest(8, f"assert {total} + {slack} <= 8 * n"), tmp_path, high=100)
    assert runs[0].verdict is verdict


def test_loops_that_python_could_nest_but_their_rewriting_not(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    target = target_for("def kernel(n):\n    pass\n", tmp_path)
    path.write_text(nest(15, "assert n > 0"), encoding="utf-8")
    for run in verify(target, Options(root=tmp_path, phases=(1, 2))):
        assert run.verdict is Verdict.UNKNOWN
        assert "so many loops within one another, at kernel.py:" in run.reason


def test_ten_thousand_claims(tmp_path: Path) -> None:
    right = verified("def kernel(n):\n    for k in range(10000):\n        assert n + k * n > k\n", tmp_path)
    assert right[0].verdict is Verdict.SUCCESSFUL
    wrong = verified("def kernel(n):\n    for k in range(10000):\n        assert n * 9998 != k or n > 1\n", tmp_path)
    assert wrong[0].verdict is Verdict.FAILED
    assert wrong[0].violations[0].witness == {"n": 1}


@pytest.mark.campaign
def test_a_thousand_paths(tmp_path: Path) -> None:
    names = [f"n{k}" for k in range(10)]
    tests = "".join(f"    if {name} > 3:\n        total += 1\n" for name in names)
    source = f"def kernel({', '.join(names)}):\n    total = 0\n{tests}    assert total CLAIM\n"
    right = verified(source.replace("CLAIM", "<= 10"), tmp_path, high=40, seconds=120.0)
    assert (right[0].verdict, right[0].qualifier) == (Verdict.SUCCESSFUL, "")
    wrong = verified(source.replace("CLAIM", "< 10"), tmp_path, high=40, seconds=120.0)
    assert wrong[0].violations[0].witness == dict.fromkeys(names, 4)


def test_a_chain_of_hundreds_of_operators_or_branches(tmp_path: Path) -> None:
    total = " + ".join(["n"] * 900)
    for count, verdict in ((900, Verdict.SUCCESSFUL), (901, Verdict.FAILED)):
        shape, _ = verified(f"def kernel(n):\n    assert {total} == {count} * n\n", tmp_path)
        assert shape.verdict is verdict
    chain = "".join(f"    elif size == {number}:\n        found = {number}\n" for number in range(1, 900))
    source = (
        f"def kernel(n):\n    size = 899\n    if n == 0:\n        found = 0\n{chain}    assert found < 899 or n >= 1\n"
    )
    shape, _ = verified(source, tmp_path)
    assert shape.verdict is Verdict.SUCCESSFUL


def test_a_tree_too_deep_to_be_gone_through_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    target = target_for("def kernel(n):\n    pass\n", tmp_path)
    path.write_text(f"def kernel(n):\n    assert {' + '.join(['n'] * 4000)} > 0\n", encoding="utf-8")
    for run in verify(target, Options(root=tmp_path, phases=(1, 2))):
        assert run.verdict is Verdict.UNKNOWN
        assert run.qualifier == "expressions or branches nested as deeply as in kernel.py"


def test_values_computed_from_one_another_hundreds_of_times(tmp_path: Path) -> None:
    # The least of a sum with the least of a sum with ...: a false claim about it, which no shortcut decides.
    source = """
    def kernel(n, m):
        v = n
        for _ in range(COUNT):
            v = min(v // 2 + m, 2 * n)
        assert v != 7
    """
    shape, host = verified(source.replace("COUNT", "3"), tmp_path, high=10)
    assert (shape.verdict, host.verdict) == (Verdict.FAILED, Verdict.SUCCESSFUL)
    for run in verified(source.replace("COUNT", "400"), tmp_path, high=10):
        assert run.verdict is Verdict.UNKNOWN
        assert run.qualifier == "expressions nested as deeply as the kernel's"


def test_hundreds_of_asserts_one_after_the_other(tmp_path: Path) -> None:
    # Each is known to all that follow: a path within the paths of all before it.
    lines = "".join(f"    assert n * {number} + m >= {number}\n" for number in range(1, 540))
    shape, _ = verified(f"def kernel(n, m):\n{lines}    assert n * 539 + m > 540\n", tmp_path)
    (violation,) = shape.violations
    assert violation.witness == {"n": 1, "m": 1}
    assert shape.claims == 540


def test_recursion_without_a_bound_names_the_limit(tmp_path: Path) -> None:
    source = """
        def kernel(n):
            def down(k):
                return 0 if k <= 0 else 1 + down(k - 1)
            assert down(n) >= 0
        """
    for run in verified(source, tmp_path, high=None, seconds=3.0):
        assert run.verdict is Verdict.UNKNOWN
        assert "decisions" in run.reason or "time limit" in run.reason


def test_recursion_too_deep_for_python_fails_as_it_does_in_python(tmp_path: Path) -> None:
    source = """
        def kernel(n):
            def down(k):
                return 0 if k == 0 else 1 + down(k - 1)
            assert down(20000) + n > 0
        """
    (shape, _) = verified(source, tmp_path)
    assert shape.verdict is Verdict.FAILED
    assert shape.violations[0].replayed
    assert "RecursionError" in str(shape.violations[0])


def test_huge_constants(tmp_path: Path) -> None:
    shape, arithmetic = verified("def kernel(n):\n    big = 10 ** 4000\n    assert big * n >= big\n", tmp_path)
    assert shape.verdict is Verdict.SUCCESSFUL
    assert arithmetic.verdict is Verdict.FAILED
    # A number of thousands of digits is no message.
    assert len(str(arithmetic.violations[0])) < 2000


def test_integers_of_more_digits_than_python_writes(tmp_path: Path) -> None:
    shape, arithmetic = verified("def kernel(n):\n    assert (1 << 100000) + n > 0\n", tmp_path)
    assert shape.verdict is Verdict.UNKNOWN
    assert "an integer of thousands of digits" in shape.reason
    # The shapes that are run have it as well.
    assert arithmetic.verdict is Verdict.FAILED
    assert "an integer of thousands of digits" in arithmetic.violations[0].message


def test_a_kernel_that_allocates_more_than_there_is(tmp_path: Path) -> None:
    for run in verified("def kernel(n):\n    x = bytearray(2 ** 62)\n    assert n > 0\n", tmp_path):
        assert run.verdict in (Verdict.UNKNOWN, Verdict.FAILED)
        assert run.verdict is Verdict.UNKNOWN or run.violations[0].contract == "host.int32"


def test_what_a_kernel_does_where_there_is_not_enough_is_not_all_it_does(tmp_path: Path) -> None:
    handled = "    try:\n        x = bytearray(2 ** 30 * 2 ** 30)\n    except MemoryError:\n        return\n"
    shape, _ = verified(f"def kernel(n):\n    assert n >= 0\n{handled}    assert n < 3\n", tmp_path)
    assert shape.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("body", ["while True:\n        n = n + 1", "k = 0\n    while k >= 0:\n        k += 1"])
def test_a_loop_without_end_ends_at_the_time_limit(body: str, tmp_path: Path) -> None:
    for run in verified(f"def kernel(n):\n    {body}\n", tmp_path, seconds=1.0):
        assert run.verdict is Verdict.UNKNOWN
        assert "time limit" in run.reason


def test_names_in_any_script(tmp_path: Path) -> None:
    runs = verified("def kernel(größe):\n    ширина = größe * 2\n    assert ширина > größe + 1\n", tmp_path)
    assert runs[0].verdict is Verdict.FAILED
    assert runs[0].violations[0].witness == {"größe": 1}
