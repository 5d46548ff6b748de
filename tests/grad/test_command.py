"""`nkiverify grad` as it is typed: what is said, what belongs together, and the exit status."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.errors import UsageError
from nkiverify.products.equiv.gradient_pairing import ArgumentKind, KnownTensor, Role, Roles, Said, gradients_in

FOLDER = Path(__file__).parent / "kernels"
ROWS = ("--arg", "x=f32[8,12]", "--arg", "dy=f32[8,12]")
SOFTMAX = (*ROWS, "--arg", "y=f32[8,12]")
NOTHING_SAID = Said({}, {})


@pytest.fixture(autouse=True)
def beside_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def test_a_right_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grad", "softmax.py::forward", "softmax.py::backward", *SOFTMAX]) == 0
    told = capsys.readouterr().out
    assert "assumed: dy is the gradient of y; y is the result y; dx is the gradient of x" in told
    assert "over the reals  EQUAL: at these shapes, error <= 2^-" in told


def test_what_comparing_decides_is_tested(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = ("--arg", "x=f32[8,12]", "--arg", "dy=f32[8,6]")
    assert main(["grad", "maxpool.py::forward", "maxpool.py::backward", *shapes]) == 0
    told = capsys.readouterr().out
    assert "EQUAL (tested): at these shapes, error <= 2^-" in told
    assert "for the order of the numbers that were drawn, with ties and without" in told


def test_a_range_of_one_kernel_holds_for_both(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = ["--arg-a", "x=f32[8,12]", "--arg-b", "x=f32[8,12] in -4..4", "--arg", "dy=f32[8,6]"]
    assert main(["grad", "maxpool.py::forward", "maxpool.py::backward", *shapes]) == 0
    assert "assumed: x is in -4..4 in both kernels, as one of them declares" in capsys.readouterr().out
    shapes[1] += " in -3..4"
    assert main(["grad", "maxpool.py::forward", "maxpool.py::backward", *shapes]) == 2
    assert "x is in -3..4 for the first kernel, and x is in -4..4 for the second" in capsys.readouterr().err


def test_a_wrong_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grad", "softmax.py::forward", "softmax.py::backward_sign", *SOFTMAX]) == 1
    told = capsys.readouterr().out
    assert "dx is the negative of what it has to be throughout: the sign is wrong" in told
    assert "floating point  DIFFERENT" in told


def test_dimensions_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--arg", "dy=f32[N,2*M]", "--arg", "cos=f32[N,M]", "--arg", "sin=f32[N,M]", "--arg", "x=f32[N,2*M]")
    assert (
        main(["grad", "rope.py::forward", "rope.py::backward", *given, "--where", "N <= 128"]) == 3
    )  # N and M are not argued
    told = capsys.readouterr().out
    assert "chosen: N = 3, M = 4" in told
    assert "also: N = 4, M = 5: the same answers" in told
    assert "there is no gradient of cos, sin" in told


def test_what_is_tested_at_chosen_shapes_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = ["--arg", "x=f32[N,12]", "--arg", "dy=f32[N,6]"]
    words = ["grad", "maxpool.py::forward", "maxpool.py::backward", *shapes]
    assert main(words) == 3
    told = capsys.readouterr().out
    assert "DIFFERENT" not in told and "  for all N       not argued: the answers are those at these shapes" in told
    assert main([*words, "--accept", "tested"]) == 0


#: References in NumPy, and the same in PyTorch.
TORCH_IS_MISSING = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
REFERENCES = pytest.mark.parametrize(
    "references", ["references.py", pytest.param("torch_references.py", marks=[TORCH_IS_MISSING, pytest.mark.campaign])]
)


@REFERENCES
def test_a_function_as_the_forward_kernel(references: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["grad", "--reference", f"{references}::softmax", "softmax.py::backward", *SOFTMAX]
    assert main(given) == 0
    assert "y is the result result (by order)" in capsys.readouterr().out
    given[3] = "softmax.py::backward_plain_sum"
    assert main(given) == 1


def test_a_reference_is_argued_for_no_other_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["grad", "--reference", "references.py::softmax", "softmax.py::backward"]
    given += [part.replace("[8,", "[N,").replace("[16,", "[N,") for part in SOFTMAX]
    assert main(given) == 3
    assert "  for all N       not argued: " in capsys.readouterr().out
    assert main([*given, "--accept", "tested"]) == 0


@REFERENCES
def test_a_function_with_saved_results(references: str, capsys: pytest.CaptureFixture[str]) -> None:
    shapes = {"x": "16,12", "dy": "16,12", "mean": "16,1", "rstd": "16,1", "gamma": "1,12", "beta": "1,12"}
    given = [part for name, shape in shapes.items() for part in ("--arg", f"{name}=f32[{shape}]")]
    reference = ["--reference", f"{references}::layer_norm"]
    assert main(["grad", *reference, "norms.py::layer_norm_backward", *given]) == 0
    assert "rstd is the result rstd" in capsys.readouterr().out
    assert main(["grad", *reference, "norms.py::layer_norm_backward_not_scaled", *given]) == 1


def test_what_has_no_derivative_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grad", "--reference", "references.py::sorted_rows", "softmax.py::backward", *SOFTMAX]) == 3
    assert "UNKNOWN: np.sort in the reference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["softmax.py::forward"], "give a forward and a backward kernel"),
        (["softmax.py::forward", "softmax.py::backward", *SOFTMAX, "--pair", "dx"], "--pair is written NAME=NAME"),
        (["softmax.py::forward", "softmax.py::backward", *SOFTMAX, "--pair", "dq=x"], "the backward kernel has no dq"),
        (["softmax.py::forward", "softmax.py::backward", *SOFTMAX, "--value", "y=z"], "the forward kernel has no z"),
        (["softmax.py::forward", "softmax.py::backward", *SOFTMAX, "--pair", "dx=z"], "has no argument z"),
    ],
)
def test_mistakes(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grad", *given]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1


# --- what belongs together --------------------------------------------------------------------------------------------

X, W = KnownTensor(("x",), (4, 8)), KnownTensor(("w",), (8, 2))
Y, LSE = KnownTensor(("y", "result_0", "0"), (4, 2)), KnownTensor(("lse", "result_1", "1"), (4, 1))


def parameters(**shapes: tuple[int, ...]) -> list[KnownTensor]:
    return [KnownTensor((name,), shape) for name, shape in shapes.items()]


def test_names_say_what_arguments_are() -> None:
    found = Roles([X, W], [Y, LSE], NOTHING_SAID).assign(
        parameters(x=(4, 8), W=(8, 2), lse=(4, 1), grad_y=(4, 2), dw=(8, 2))
    )
    assert found == {
        "x": Role(ArgumentKind.INPUT, 0),
        "W": Role(ArgumentKind.INPUT, 1),
        "lse": Role(ArgumentKind.SAVED, 1),
        "grad_y": Role(ArgumentKind.INCOMING, 0),
        "dw": Role(ArgumentKind.OWN, 1),
    }


def test_what_names_do_not_say_goes_by_order() -> None:
    found = Roles([X, W], [Y, LSE], NOTHING_SAID).assign(parameters(saved=(4, 1), dout=(4, 2), x=(4, 8)))
    assert found["dout"] == Role(ArgumentKind.INCOMING, 0, by_name=False)
    assert found["saved"] == Role(ArgumentKind.SAVED, 1, by_name=False)
    found = Roles([X, W], [Y], NOTHING_SAID).assign(parameters(x=(4, 8), upstream=(4, 2)))
    assert found["upstream"] == Role(ArgumentKind.INCOMING, 0, by_name=False)


def test_the_user_says_otherwise() -> None:
    said = Said({"a": "y"}, {"b": "lse", "c": "x"})
    found = Roles([X, W], [Y, LSE], said).assign(parameters(a=(4, 2), b=(4, 1), c=(4, 8)))
    assert found == {
        "a": Role(ArgumentKind.INCOMING, 0),
        "b": Role(ArgumentKind.SAVED, 1),
        "c": Role(ArgumentKind.INPUT, 0),
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": (4, 8)}, "no argument of the backward kernel is the gradient of y"),
        ({"x": (4, 8), "a": (3, 3), "b": (3, 3)}, r"what is a \[3, 3\] of the backward kernel"),
        ({"x": (4, 4), "dy": (4, 2)}, "numbers of elements differ"),
    ],
)
def test_what_fits_nothing_is_asked_for(given: dict[str, tuple[int, ...]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Roles([X, W], [Y], NOTHING_SAID).assign(parameters(**given))


def test_gradients_by_name_then_by_order() -> None:
    results = [KnownTensor(("dw", "result_0"), (8, 2)), KnownTensor(("result_1",), (4, 8))]
    assert gradients_in(results, [X, W], NOTHING_SAID, lambda position: True) == [(1, True), (0, False)]
    with pytest.raises(UsageError, match="no float argument"):
        gradients_in(results, [X, W], NOTHING_SAID, lambda position: position != 1)
    with pytest.raises(UsageError, match="which argument of the forward kernel is result_1"):
        gradients_in(results, [W, KnownTensor(("v",), (3, 3))], NOTHING_SAID, lambda position: True)
