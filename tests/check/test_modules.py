"""What kernel modules do at their top level, and the names they give."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import COPY, Checker, write


def test_limits_of_every_generation_are_read_at_import(check: Checker) -> None:
    top = "PMAX = nl.tile_size.pmax\n    FMAX = nl.tile_size.gemm_moving_fmax\n\n\n    @nki.jit"
    write(check.folder, k=COPY.replace("@nki.jit", top).replace("P <= 128", "P <= PMAX").replace("=128)", "=FMAX)"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--where", "P <= 129 and F % 512 == 0") == 1


def test_limits_that_differ_are_not(check: Checker) -> None:
    top = "BYTES = nl.tile_size.sbuf_fmax_bytes\n\n\n    @nki.jit"
    write(check.folder, k=COPY.replace("@nki.jit", top).replace("P <= 128", "P <= 128 and tile * 2 < BYTES"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert "sbuf_usable_bytes differs between generations of the hardware" in " ".join(check.out.split())


def test_many_statements_that_fail_leave_the_functions_behind_them_as_they_are(check: Checker) -> None:
    # What follows a statement that is passed over was rewritten once more each time.
    failing = "\n    ".join(f"X{number} = 1 // 0" for number in range(12))
    write(check.folder, k=COPY.replace("@nki.jit", f"{failing}\n\n\n    @nki.jit"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out


@pytest.mark.parametrize("name", ["f'part_{i}'", "'part' + str(i)", "'part_%d' % 3", "None", "'part'"])
def test_names_may_tell_the_iteration(check: Checker, name: str) -> None:
    kernel = COPY.replace("buffer=nl.sbuf)", f"buffer=nl.sbuf, name={name})").replace(
        "src=part)", f"src=part, name={name})"
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out


@pytest.mark.parametrize(
    ("use", "status"), [("f'{part.name}_copy'", 0), ("part.name == 'part_3' and 1 // 0", 3), ("len(part.name)", 3)]
)
def test_such_a_name_is_no_data(check: Checker, use: str, status: int) -> None:
    kernel = COPY.replace("buffer=nl.sbuf)", "buffer=nl.sbuf, name=f'part_{i}')").replace(
        "nisa.dma_copy(dst=part", f"text = {use}\n            nisa.dma_copy(dst=part"
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == status, check.out
