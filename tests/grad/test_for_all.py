"""Gradients that are argued to be right for all numbers of blocks, and kernels of which it cannot be argued."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.model.policy import Policy, applied
from nkiverify.phases import DATAFLOW
from nkiverify.products.equiv.blocks import NotAlike, blocks_of
from nkiverify.project.request import parameters_of, request
from nkiverify.verify.exploration import explore

FOLDER = Path(__file__).parent / "kernels"
SHAPES = {"x": "f32[8*m,4]", "w": "f32[4,4]", "dy": "f32[8*m,4]", "y": "f32[8*m,4]", "weight": "f32[1,4]"}
SHAPES |= {"s": "f32[1,1]", "ds": "f32[1,1]"}


@pytest.fixture(autouse=True)
def beside_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def told(
    capsys: pytest.CaptureFixture[str], forward: str, backward: str, file: str = "by_blocks.py", **other: str
) -> tuple[int, str]:
    names = [parameter for kernel in (forward, backward) for parameter in parameters_of(f"{file}::{kernel}", FOLDER)]
    shapes = {name: other.get(name, SHAPES[name]) for name in names}
    given = [part for name, shape in shapes.items() for part in ("--arg", f"{name}={shape}")]
    status = main(["grad", f"{file}::{forward}", f"{file}::{backward}", *given])
    return status, capsys.readouterr().out


@pytest.mark.parametrize(
    ("forward", "backward", "gradients"),
    [
        ("linear", "linear_backward", "dx, dw"),
        ("softmax", "softmax_backward", "dx"),
        ("rms_norm", "rms_norm_backward", "dx, dweight"),
        ("squares", "squares_backward", "dx"),
    ],
)
def test_right_for_all(capsys: pytest.CaptureFixture[str], forward: str, backward: str, gradients: str) -> None:
    status, text = told(capsys, forward, backward)
    assert status == 0
    assert f"  for all m       EQUAL (argued): {gradients}, over the reals: both kernels do the same with every" in text


def test_a_gradient_that_is_wrong_is_right_for_no_shape(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the two gradients of a kernel only the one is that is equal at both."""
    status, text = told(capsys, "linear", "linear_backward_twice")
    assert status == 1
    assert "for all m       EQUAL (argued): dx, over the reals" in text


def test_what_is_right_for_the_first_blocks_only(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = told(capsys, "linear", "linear_backward_that_stops")
    # Shapes at which the condition holds are run as well.
    assert "DIFFERENT" in text and "(argued)" not in text
    assert "for all m       not argued: by_blocks.py:" in text and "a condition that the dimension" in text


def test_results_of_all_blocks_may_not_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = told(capsys, "squares", "squares_backward_with_the_sum")
    assert "for all m       not argued: s is made of all blocks by the forward kernel" in text


def test_a_last_block_that_may_be_shorter_is_not_argued(capsys: pytest.CaptureFixture[str]) -> None:
    assert "(argued)" not in told(capsys, "linear", "linear_backward", x="f32[m,4]", dy="f32[m,4]")[1]


TILES = {"x": "f32[4*m,4*k]", "w": "f32[4*k,4*n]", "dy": "f32[4*m,4*n]"}


def test_several_dimensions(capsys: pytest.CaptureFixture[str]) -> None:
    """All combinations of two values of each are asked about."""
    shapes = {"x": "f32[4*m,4*k]", "w": "f32[4*k,4]", "dy": "f32[4*m,4]"}
    status, text = told(capsys, "product", "product_backward", "by_tiles.py", **shapes)
    assert status == 0
    assert "  for all m, k    EQUAL (argued): dx, dw, over the reals: both kernels do the same with every block" in text
    batches = dict.fromkeys(("x", "y", "dy"), "f32[b,4*m,4]")
    status, text = told(capsys, "softmax", "softmax_backward", "by_tiles.py", **batches)
    assert status == 0
    assert "  for all b, m    EQUAL (argued): dx, over the reals: both kernels do the same with every block" in text


def test_some_of_several_dimensions(capsys: pytest.CaptureFixture[str]) -> None:
    """What is argued for some dimensions is so with the others as they were chosen."""
    shapes = {"x": "f32[4*m,4*n]", "dy": "f32[4*m,4*n]"}
    _, text = told(capsys, "squares", "squares_backward_above_the_diagonal", "by_tiles.py", **shapes)
    assert "(argued)" not in text and text.count("not argued: by_tiles.py:") == 2
    _, text = told(capsys, "linear", "linear_backward", w="f32[4,n]", dy="f32[8*m,n]")
    assert "  for all m       EQUAL (argued): dx, dw, over the reals with n = " in text
    assert "  for all n       not argued: by_blocks.py:" in text


def looked_at(kernel: str, shapes: dict[str, str], file: str = "by_blocks.py", dimension: str = "m") -> None:
    given = [f"{name}={shapes[name]}" for name in parameters_of(f"{file}::{kernel}", FOLDER)]
    asked = request(f"{file}::{kernel}", FOLDER, given, [], None)
    hardware = hardware_named("trn2")
    # As gradients for all sizes are argued: that arguments fit a device ties dimensions to one another.
    with applied(Policy(device_memory=False)):
        found = explore(asked.target("trn2", several=False), hardware, Limits(), frozenset({DATAFLOW.number}))
    assert found.run.unsupported_construct is None
    blocks_of(found.run.program, dimension)


def test_gradients_in_another_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Both are 0, and the blocks of the gradient are columns."""
    _, text = told(capsys, "nothing", "nothing_across")
    assert "for all m       not argued: the blocks of dx are not those of x" in text


@pytest.mark.parametrize("kernel", ["softmax", "squares", "linear_backward_in_psum"])
@pytest.mark.parametrize("rows", ["f32[8*m,4]", "bf16[24*m,4]"])
def test_the_same_for_every_block(kernel: str, rows: str) -> None:
    looked_at(kernel, {**SHAPES, "x": rows, "dy": rows})


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        # The first five are right for the three or four blocks that are asked about.
        ("linear_backward_that_saturates", "that is no sum"),
        ("linear_backward_that_stops", "a condition that the dimension"),
        ("linear_backward_of_the_first_blocks", "does not touch its own part"),
        ("linear_backward_by_position", "an argument of nisa.affine_select depends on the dimension"),
        ("linear_backward_divided_by_blocks", "an argument of nl.multiply depends on the dimension"),
        ("running_sum", "that is no sum"),
        ("greatest", "that is no sum"),
        ("doubled", "that is no sum"),
        ("in_two_ways", "that is no sum"),
        ("shifted", "that is no sum"),
        ("in_one_tile", "that is no sum"),
        ("rounded_sum", "that is no sum"),
        ("in_registers", "reduction registers go on"),
        ("kept_tiles", "what a loop has allocated"),
        ("with_neighbours", "no multiple of m"),
        ("turned_result", "in another order"),
        ("on_the_device", "device loops|side effects|a condition that the dimension may decide"),
        ("whole", "the shape of an operand depends"),
        ("backwards", "does not touch its own part"),
        ("one_sum_for_another", "reads sums over the iterations"),
        ("square_of_squares", "no linear function"),
    ],
)
def test_not_the_same_for_every_block(kernel: str, why: str) -> None:
    with pytest.raises(NotAlike) as refused:
        looked_at(kernel, SHAPES)
    assert any(part in refused.value.why for part in why.split("|")), refused.value.why


@pytest.mark.parametrize(
    ("kernel", "dimension", "why"),
    [
        ("product_backward_of_a_triangle", "m", "no multiple of m"),
        ("product_backward_of_a_triangle", "k", "a loop in a loop"),
        ("product_backward_with_a_size", "m", "depends on the dimension"),
        ("squares_backward_together", "m", "about several dimensions together"),
        ("squares_backward_together", "n", "about several dimensions together"),
        ("squares_backward_in_one_loop", "m", "does not touch its own part"),
        ("squares_backward_in_one_loop", "n", "does not touch its own part"),
        ("squares_backward_above_the_diagonal", "m", "a loop in a loop"),
        ("squares_backward_above_the_diagonal", "n", "no multiple of n"),
        ("squares_backward_with_more", "n", "no multiple of n"),
        ("squares_backward_of_the_first", "m", "outside of loops"),
        ("squares_backward_of_the_row", "n", "outside of loops"),
        ("sums_so_far", "n", "that is no sum"),
        ("products_of_sums", "m", "no linear function"),
        ("products_of_sums", "n", "that is no sum"),
        ("on_the_diagonal", "m", "its own part"),
    ],
)
def test_not_the_same_for_every_tile(kernel: str, dimension: str, why: str) -> None:
    shapes = {"x": "f32[4*m,4*n]", "dy": "f32[4*m,4*n]"}
    with pytest.raises(NotAlike) as refused:
        looked_at(kernel, TILES if kernel.startswith("product_") else shapes, "by_tiles.py", dimension)
    assert why in refused.value.why, refused.value.why


def test_the_same_for_every_row_or_column_of_tiles() -> None:
    """What is so for one dimension alone."""
    shapes = {"x": "f32[4*m,4*n]", "dy": "f32[4*m,4*n]"}
    looked_at("sums_so_far", shapes, "by_tiles.py", "m")
    looked_at("squares_backward_with_more", {"x": "f32[4*m,8]", "dy": "f32[4*m,8]"}, "by_tiles.py", "m")


def test_loops_of_the_legacy_api() -> None:
    looked_at("in_psum", SHAPES, "legacy_blocks.py")
    for kernel, why in (("that_counts", "whose body is traced once"), ("under_a_mask", "nl.store depends")):
        with pytest.raises(NotAlike) as refused:
            looked_at(kernel, SHAPES, "legacy_blocks.py")
        assert why in refused.value.why
