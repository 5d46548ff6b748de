"""What kernel modules do at their top level, and the names they give."""

from __future__ import annotations

import textwrap

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


@pytest.mark.parametrize("line", ["import sys; sys.exit(0)", "exit()", "[sys.exit(0) for sys in [__import__('sys')]]"])
@pytest.mark.parametrize("place", ["before", "behind", "in a helper"])
def test_a_file_that_exits_when_it_is_imported_has_no_verdict(check: Checker, line: str, place: str) -> None:
    text = COPY.replace("@nki.jit", f"{line}\n\n\n    @nki.jit") if place == "before" else f"{COPY}\n    {line}\n"
    if place == "in a helper":
        text = COPY.replace("import nki\n", "import nki\n    import helper\n")
    write(check.folder, k=text, helper=f"{line}\n")
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 2, check.out
    file = "helper.py" if place == "in a helper" else "k.py"
    number = next(at for at, one in enumerate((check.folder / file).read_text().splitlines(), 1) if line in one)
    assert f"{file}:{number}: importing k.py raises SystemExit: " in check.err


@pytest.mark.parametrize("name", ["f'part_{i}'", "'part' + str(i)", "'part_%d' % 3", "None", "'part'"])
def test_names_may_tell_the_iteration(check: Checker, name: str) -> None:
    kernel = COPY.replace("buffer=nl.sbuf)", f"buffer=nl.sbuf, name={name})").replace(
        "src=part)", f"src=part, name={name})"
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out


@pytest.mark.parametrize(
    ("use", "status"), [("f'{part.name}_copy'", 0), ("part.name == 'part_3' and 1 // 0", 1), ("len(part.name)", 3)]
)
def test_such_a_name_is_no_data(check: Checker, use: str, status: int) -> None:
    kernel = COPY.replace("buffer=nl.sbuf)", "buffer=nl.sbuf, name=f'part_{i}')").replace(
        "nisa.dma_copy(dst=part", f"text = {use}\n            nisa.dma_copy(dst=part"
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == status, check.out


#: Names that no page of the documentation has, where published files have them: outside what a kernel executes.
UNDOCUMENTED = """
    import nki
    import nki.dtype as nt
    import nki.isa as nisa
    import nki.language as nl
    from nki.isa import constants
    from nki.isa.constants import oob_mode

    MODES = {"a": nl.an_undocumented_name, "b": nisa.constants.dge_mode.none}
    SIZES = getattr(nl, "table_of_sizes", None)
    ODD = hasattr(nl, "an_undocumented_name")


    @nki.jit
    def copy(a: nki.tensor, kind: nki.dtype = nt.bfloat16):
        assert SIZES is None and not ODD
        assert kind == nl.bfloat16 and oob_mode.skip == nisa.oob_mode.skip
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=a, dge_mode=constants.dge_mode.none)
        return out
"""


def test_undocumented_names_are_no_matter_until_they_are_used(check: Checker) -> None:
    write(check.folder, k=UNDOCUMENTED)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1,4") == 0, check.out


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("nisa.dma_copi(dst=out, src=a)", "did you mean dma_copy"),
        ("nisa.a_new_instruction(dst=out, src=a)", "which is not documented"),
        ("nisa.dma_copy(dst=out, src=a, dge_mode=MODES['a'])", "an_undocumented_name"),
    ],
)
def test_an_undocumented_name_that_is_used_is_unknown(check: Checker, call: str, says: str) -> None:
    copy = "nisa.dma_copy(dst=out, src=a, dge_mode=constants.dge_mode.none)"
    write(check.folder, k=UNDOCUMENTED.replace(copy, call))
    assert check("k.py::copy", "--arg", "a=bf16[64,64]", "--phase", "1") == 3, check.out
    assert says in " ".join(check.out.split())


def test_a_name_of_the_legacy_language_in_a_kernel_of_the_current_api_is_told_of(check: Checker) -> None:
    write(check.folder, k=UNDOCUMENTED.replace("nisa.dma_copy(", "nl.arange(4)\n        nisa.dma_copy("))
    assert check("k.py::copy", "--arg", "a=bf16[64,64]", "--phase", "1") == 3, check.out
    assert "nki.language has no arange: it was part of neuronxcc.nki" in " ".join(check.out.split())


#: A function that no decorator makes a kernel, in a file that imports something of both APIs.
OF_BOTH = """
    import neuronxcc.nki.typing as nt
    import nki.isa as nisa
    import nki.language as nl
    {imports}


    def move(out, a):
        {body}


    def copy(a: nt.tensor):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        move(out, a)
        return out
"""


@pytest.mark.parametrize("imports", ["pass", "import neuronxcc.nki.language as old"])
def test_a_kernel_is_of_the_api_that_it_uses(check: Checker, imports: str) -> None:
    write(check.folder, k=OF_BOTH.format(imports=imports, body="nisa.dma_copy(dst=out, src=a.slice(0, 0, 64))"))
    assert check("k.py::copy", "--arg", "a=bf16[64,64]", "--phase", "1") == 0, check.out


def test_without_any_use_what_the_module_imports_decides_but_not_its_annotations(check: Checker) -> None:
    kernel = """
        import neuronxcc.nki.typing as nt
        from pieces import same

        def kernel(a: nt.tensor):
            same(a)
    """
    write(check.folder, k=kernel, pieces="def same(a):\n    assert a.buffer is not None\n")
    assert check("k.py::kernel", "--arg", "a=bf16[P,F]", "--phase", "1") == 0, check.out
    write(
        check.folder,
        k=kernel.replace("import neuronxcc.nki.typing", "import neuronxcc.nki.language as nl, neuronxcc.nki.typing"),
    )
    assert check("k.py::kernel", "--arg", "a=bf16[P,F]", "--phase", "1") == 3, check.out


IMPORTS_ALL = """
    import importlib
    import pkgutil

    LIMITS = {}
    for _, name, _ in pkgutil.iter_modules(__path__):
        importlib.import_module(f".{name}", __name__)
"""


@pytest.mark.parametrize(("limit", "status"), [(128, 0), (129, 1)])
def test_a_package_imports_the_modules_that_it_finds(check: Checker, limit: int, status: int) -> None:
    """The import system looks for their names in the same folders."""
    kernel = COPY.replace("import nki\n", "import nki\n    from pkg import LIMITS\n")
    kernel = kernel.replace("P <= 128", "P <= LIMITS['P']")
    write(check.folder, pkg__k=kernel, pkg__limits=f"from pkg import LIMITS\nLIMITS['P'] = {limit}\n")
    write(check.folder, pkg__inner__empty="")
    for folder, text in (("pkg", textwrap.dedent(IMPORTS_ALL)), ("pkg/inner", "")):
        (check.folder / folder / "__init__.py").write_text(text)
    (check.folder / "pyproject.toml").write_text("")
    found = check("pkg/k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1")
    assert found == status, check.out


def test_a_package_lists_no_folders_but_its_own(check: Checker) -> None:
    listing = "import pkgutil\n    names = [one.name for one in pkgutil.iter_modules(['/etc'])]\n    TILE = len(names)"
    write(check.folder, k=COPY.replace("@nki.jit", f"{listing}\n\n\n    @nki.jit").replace("tile=128", "tile=TILE"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3, check.out


@pytest.mark.parametrize("name", ["types", "enum", "numbers", "collections", "functools", "decimal", "numpy", "nki"])
def test_a_file_or_package_may_have_the_name_of_a_module_that_others_import(check: Checker, name: str) -> None:
    write(check.folder, **{name: COPY})
    assert check(f"{name}.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out + check.err
    package = check.folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "sizes.py").write_text("LIMIT = 128\n")
    text = (check.folder / f"{name}.py").read_text().replace("P <= 128", "P <= LIMIT")
    (package / "k.py").write_text(f"from .sizes import LIMIT\n{text}")
    (check.folder / f"{name}.py").unlink()
    assert check(f"{name}/k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out + check.err


@pytest.mark.parametrize("where", ["at the top", "in the kernel"])
def test_a_file_with_the_name_of_a_module_of_python_may_be_meant_or_not(check: Checker, where: str) -> None:
    used = COPY.replace("P <= 128", "P <= statistics.LIMIT")
    line = "import statistics"
    text = (
        used.replace("import nki\n", f"import nki\n    {line}\n")
        if where == "at the top"
        else used.replace("assert P", f"{line}\n        assert P")
    )
    write(check.folder, k=text, statistics="LIMIT = 128\n")
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3, check.out + check.err
    assert "whether `import statistics` means the statistics next to it or Python's own" in " ".join(check.out.split())
    (check.folder / "statistics.py").unlink()
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 1
