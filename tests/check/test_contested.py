"""Contested contracts: kernels that run break them, so that breaking one is a warning, and FAILED with --strict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nkiverify.model.contracts import all_contracts
from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def nested(dst, src):
        nisa.tensor_copy(dst, src)


    @nki.jit
    def kernel(a, b):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
        one = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
        two = nl.ndarray(b.shape, dtype=nl.float32, buffer=nl.sbuf)
        three = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=a)
        nisa.dma_copy(dst=two, src=b)
        {body}
        nisa.dma_copy(dst=out, src=three)
        return out
"""
COPIED = "nisa.tensor_copy(three, one)"
ADDED = "nisa.tensor_tensor(three, one, two, nl.add)"
SYMBOLIC = ("--arg", "a=f32[P,F]", "--arg", "b=f32[P,1]", "--where", "P <= 128 and 2 <= F <= 512")


def run(check: Checker, body: str, *words: str, a: str = "f32[128,512]", b: str = "f32[128,1]") -> int:
    """The exit status of checking the kernel with these lines in it."""
    write(check.folder, k=KERNEL.format(body=body.replace("\n", "\n        ")))
    quiet = ("-W", "ignore=df.unused")
    return check(
        "k.py::kernel", *quiet, *(words if "--arg" in words else ("--arg", f"a={a}", "--arg", f"b={b}", *words))
    )


BREAKING = {
    "isa.enum_members": "nisa.tensor_copy(three, one, engine=5)",
    "isa.enum_members by name": "nisa.tensor_copy(three, one, engine='vector')",
    "isa.operator_name": "nisa.tensor_tensor(three, one, one, op='add')",
    "tensor_copy.dtype": "nisa.tensor_copy(three, one, dtype=nl.float32)",
    "tensor_copy.dtype other than that of dst": "nisa.tensor_copy(three, one, dtype=nl.bfloat16)",
    "tensor_tensor.broadcast": ADDED,
    "nl.binary.broadcast": "nisa.tensor_copy(three, nl.add(two, one))",
    "nl.reduce.axis_last": (
        "part = nl.sum(one.reshape_dim(1, (2, F // 2)), axis=[1], dtype=nl.float32)\n"
        "nisa.tensor_copy(three[:, 0:F // 2], part)\nnisa.tensor_copy(three[:, F // 2:F], part)"
    ),
    "tensor_reduce.axis_last": (
        "nisa.tensor_reduce(three[:, 0:F // 2], nl.add, one.reshape_dim(1, (2, F // 2)), axis=1)\n"
        "nisa.tensor_copy(three[:, F // 2:F], one[:, 0:F // 2])"
    ),
    "tensor.setitem": "three[...] = one",
    "nl.operand_on_chip": "nisa.tensor_copy(three, nl.add(a, one))",
    "nl.operand_on_chip of one operand": "nisa.tensor_copy(three, nl.square(a))",
    "idx.range": "nisa.tensor_copy(three[:, range(F)], one)",
    "tensor.setitem of a constant": "nisa.tensor_copy(three, one)\nthree[:, 0:2] = 0.0",
    "lang.no_nested_jit": "nested(three, one)",
    "memset.value_kind": (
        "count = nl.ndarray((P, 1), dtype=nl.uint32, buffer=nl.sbuf)\n"
        "nisa.memset(count, 0.0)\nnisa.tensor_copy(three, one)"
    ),
}


@pytest.mark.parametrize(("rule", "body"), BREAKING.items(), ids=BREAKING.keys())
def test_a_contested_contract_is_a_warning_and_on_request_a_failure(check: Checker, rule: str, body: str) -> None:
    id = rule.partition(" ")[0]
    assert run(check, body) == 0, check.out
    assert f"warning {id}: " in check.out and "4 SUCCESSFUL, 1 warning" in check.out
    assert check.out.splitlines()[-1] == "no contract is violated, 1 contested"
    assert run(check, body, "--strict") == 1
    assert f"\n  {id}: " in check.out and "3 SUCCESSFUL, 1 FAILED" in check.out


def test_ways_to_ask_for_a_failure_and_for_no_warning(check: Checker) -> None:
    rule = "tensor_copy.dtype"
    for words in (("-W", f"error={rule}"), ("-W", "error=contested"), ("-W", "error")):
        assert run(check, BREAKING[rule], *words) == 1
        assert f"\n  {rule}: " in check.out and "3 SUCCESSFUL, 1 FAILED" in check.out
    for silenced in (("--strict", "-W", f"ignore={rule}"), ("-W", "ignore=contested")):
        assert run(check, BREAKING[rule], *silenced) == 0
        assert "warning" not in check.out


WRONG = {
    "isa.enum_values": "nisa.tensor_copy(three, one, engine=7)",
    "isa.enum_values for a name": "nisa.tensor_copy(three, one, engine='vektor')",
    "isa.alu_op for a name": "nisa.tensor_tensor(three, one, one, op='addd')",
    "isa.kwargs_checked for another keyword": "nisa.tensor_copy(three, one, mask=None)",
    "tensor_tensor.shape": "nisa.tensor_tensor(three, one, one[:, 0:2], nl.add)",
    "tensor_tensor.shape of a row": "nisa.tensor_tensor(three, one, one[0:1, :], nl.add)",
    "tensor_tensor.shape of both": "nisa.tensor_tensor(three, two, two, nl.add)",
    "nl.binary.same_shape": "nisa.tensor_copy(three, nl.add(one, one[:, 0:2]))",
    "nl.binary.same_shape of a row": "nisa.tensor_copy(three, nl.add(one, one[0:1, :]))",
    "tensor_reduce.axis_free": "nisa.tensor_reduce(two, nl.add, one, axis=(0, 1))",
    "tensor_reduce.axis_free twice": "nisa.tensor_reduce(two, nl.add, one, axis=(1, 1))",
    "tensor.setitem_shape": "three[...] = two",
    "idx.oob": "three[:, 0 : F + 1] = 1.0",
    "df.read_unwritten": "three[:, 1:F] = 0.0",
    "tensor_reduce.dst": "nisa.tensor_reduce(two, nl.add, one.reshape_dim(1, (2, F // 2)), axis=1)",
}


@pytest.mark.parametrize(("rule", "body"), WRONG.items(), ids=WRONG.keys())
def test_what_no_running_kernel_shows_stays_a_failure(check: Checker, rule: str, body: str) -> None:
    assert run(check, body) == 1
    assert f"\n  {rule.partition(' ')[0]}: " in check.out


def test_for_all_shapes_the_witness_is_told_and_the_other_phases_go_on(check: Checker) -> None:
    assert run(check, ADDED, *SYMBOLIC) == 0, check.out
    assert "warning tensor_tensor.broadcast" in check.out and "4 SUCCESSFUL, 1 warning" in check.out
    assert "seen by running the kernel for P = 1, F = 2" in " ".join(check.out.split())
    assert run(check, ADDED, *SYMBOLIC, "--strict") == 1


def test_a_broadcast_that_is_not_one_for_all_shapes_is_a_failure(check: Checker) -> None:
    words = ("--arg", "a=f32[P,F]", "--arg", "b=f32[P,G]", "--where", "P <= 128 and F <= 512 and G <= 2")
    assert run(check, ADDED, *words) == 1
    assert "\n  tensor_tensor.shape: " in check.out


def test_the_broadcast_reads_its_element_and_writes_all_of_the_row(check: Checker) -> None:
    unwritten = "two = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)\n" + ADDED
    assert run(check, unwritten, *SYMBOLIC) == 1
    assert "\n  df.read_unwritten: " in check.out and "operand = data2" in check.out
    assert run(check, "nisa.tensor_tensor(three[:, 0:F - 1], one[:, 0:F - 1], two, nl.add)", *SYMBOLIC) == 1
    assert "\n  df.output_written: " in check.out or "\n  df.read_unwritten: " in check.out


def test_one_warning_for_each_contract_and_line(check: Checker) -> None:
    body = "for i in range(3):\n    nisa.tensor_copy(three, one, engine=5, dtype=nl.float32)\n"
    body += "nisa.tensor_copy(three, one, engine=5)"
    assert run(check, body, "--phase", "1", "--json", "r.json") == 0
    (found,) = json.loads((check.folder / "r.json").read_text())["runs"]
    told = [(one["rule"], one["line"]) for one in found["warnings"]]
    assert len(told) == len(set(told)) == 3
    assert found["verdict"] == "SUCCESSFUL" and found["violations"] == []


def test_a_contested_contract_hides_no_other_one_of_its_line(check: Checker) -> None:
    body = "nisa.tensor_copy(three, one[:, 0:2], engine=5)"
    assert run(check, body) == 1
    assert "warning isa.enum_members" in check.out and "\n  tensor_copy.shape: " in check.out


@pytest.mark.parametrize("engine", ["esbmc", "both"])
def test_esbmc_is_not_asked_about_what_only_is_warned_of(check: Checker, engine: str) -> None:
    words = ("--phase", "1", "--engine", engine, "--json", "r.json")
    if run(check, ADDED, *SYMBOLIC, *words) == 2:
        pytest.skip("there is no ESBMC")
    runs: list[dict[str, Any]] = json.loads((check.folder / "r.json").read_text())["runs"]
    assert {one["verdict"] for one in runs} == {"SUCCESSFUL"}, check.out
    assert [one["rule"] for one in runs[0]["warnings"]] == ["tensor_tensor.broadcast"]
    assert run(check, ADDED, *SYMBOLIC, *words, "--strict") == 1
    runs = json.loads((check.folder / "r.json").read_text())["runs"]
    assert {one["verdict"] for one in runs} == {"FAILED"}


def test_the_simulator_broadcasts(check: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    from nkiverify.cli.main import main

    write(check.folder, k=KERNEL.format(body=ADDED), ref="def f(a, b):\n    return a + b\n")
    words = ["--arg", "a=f32[4,6]", "--arg", "b=f32[4,1]", "--reference", "ref:f"]
    assert main(["simulate", str(check.folder / "k.py") + "::kernel", *words]) == 0, capsys.readouterr()


def test_contested_contracts_say_so_with_their_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    from nkiverify.cli.main import main

    contested = [rule for rule in all_contracts() if rule.contested]
    assert {rule.partition(" ")[0] for rule in BREAKING} <= {rule.id for rule in contested}
    for rule in contested:
        assert main(["explain", rule.id]) == 0
        assert " ".join(rule.contested.split())[:40] in " ".join(capsys.readouterr().out.split())
        assert rule.phase == 1 or rule.id.startswith("df."), rule.id


def test_an_option_that_names_no_warning_is_one_line(check: Checker) -> None:
    assert run(check, COPIED, "-W", "error=isa.enum_member") == 2
    assert check.err.strip() == (
        "nkiverify: error: -W: there is no warning 'isa.enum_member'; did you mean isa.enum_members?"
    )
    # What always decides is no warning.
    assert run(check, COPIED, "-W", "ignore=tensor_copy.shape") == 2


SUM = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def kernel(a, b):
        K, M = a.shape
        N = b.shape[1]
        out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((nl.par_dim(M), N), dtype=nl.float32, buffer=nl.psum)
        rest = nl.ndarray((nl.par_dim(K // {tiles}), N), dtype=nl.float32, buffer=nl.sbuf)
        for k in range({tiles}):
            rows = slice(k * (K // {tiles}), (k + 1) * (K // {tiles}))
            left = nl.load(a[rows, 0:M])
            right = nl.load(b[rows, 0:N])
            {body}
        nl.store(out, nl.copy(total))
        return out
"""
SUM_SYMBOLIC = (
    *("--arg", "a=f32[K,M]", "--arg", "b=f32[K,N]"),
    *("--where", "K % 2 == 0 and 4 <= K <= 128 and M <= 128 and N <= 512"),
)


def summed(check: Checker, body: str, *words: str, tiles: int = 2) -> int:
    """The exit status of checking a sum of products with this line in its loop."""
    write(check.folder, k=SUM.format(body=body.replace("\n", "\n            "), tiles=tiles))
    return check("k.py::kernel", *(words or ("--arg", "a=f32[128,64]", "--arg", "b=f32[128,96]")))


@pytest.mark.parametrize(
    "body", ["total += nisa.nc_matmul(left, right)", "total += nl.matmul(left, right, transpose_x=True)"]
)
@pytest.mark.parametrize("words", [(), SUM_SYMBOLIC], ids=["numbers", "all shapes"])
def test_a_product_added_to_unwritten_psum_begins_the_sum(check: Checker, body: str, words: tuple[str, ...]) -> None:
    assert summed(check, body, *words) == 0, check.out
    assert "warning df.sum_unwritten" in check.out and "4 SUCCESSFUL, 1 warning" in check.out
    strict = (*(words or ("--arg", "a=f32[128,64]", "--arg", "b=f32[128,96]")), "--strict")
    assert summed(check, body, *strict) == 1
    assert "\n  df.sum_unwritten: " in check.out


UNDEFINED = {
    "something else than a product": "total += nl.copy(left[:, 0:1]) if k > 5 else right",
    "what is no product any more": "p = nisa.nc_matmul(left, right)\ntotal -= p",
    "a product of what is unwritten": "total += nisa.nc_matmul(left, rest)",
    "a product of what is unwritten at first": (
        "total += nisa.nc_matmul(left, rest if k == 0 else right)\ntotal += nisa.nc_matmul(left, right)"
    ),
}


@pytest.mark.parametrize("body", UNDEFINED.values(), ids=UNDEFINED.keys())
@pytest.mark.parametrize("words", [(), SUM_SYMBOLIC], ids=["numbers", "all shapes"])
def test_what_else_is_added_there_is_undefined(check: Checker, body: str, words: tuple[str, ...]) -> None:
    assert summed(check, body, *words) == 1, check.out


def test_a_sum_that_something_else_was_written_to_needs_to_be_defined(check: Checker) -> None:
    body = "total[:, 0:1] = rest[0:M, 0:1]\ntotal += nisa.nc_matmul(left, right)"
    assert summed(check, body, "--arg", "a=f32[128,64]", "--arg", "b=f32[128,96]") == 1
    assert "\n  df.read_unwritten: " in check.out


def test_the_simulator_begins_the_sum(check: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    from nkiverify.cli.main import main

    body = "total += nisa.nc_matmul(left, right)"
    write(check.folder, k=SUM.format(body=body, tiles=2), product="def f(a, b):\n    return a.T @ b\n")
    words = ["--arg", "a=f32[16,6]", "--arg", "b=f32[16,5]", "--reference", "product:f"]
    assert main(["simulate", str(check.folder / "k.py") + "::kernel", *words]) == 0, capsys.readouterr()
