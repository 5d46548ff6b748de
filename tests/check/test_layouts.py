"""Kernel files as they lie in repositories: packages, helpers, factories, imports of what is not installed."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import COPY, Checker, write

HELPED = COPY.replace("import nki\n", "import nki\n    from {} import tiles\n", 1).replace(
    "F // tile):", "tiles(F, tile)):"
)
TILES = "def tiles(extent, tile):\n    return -(-extent // tile)\n"

IMPORTS = {
    "a module beside it": ("k.py", "tiling", "tiling"),
    "a module of its own package": ("k.py", ".tiling", "tiling"),
    "a module beside its folder": ("pkg/k.py", "tiling", "tiling"),
    "another package": ("pkg/k.py", "others.tiling", "others__tiling"),
    "the package by its name": ("pkg/k.py", "pkg.tiling", "pkg__tiling"),
    "a deeper package by its name": ("pkg/deep/k.py", "pkg.deep.tiling", "pkg__deep__tiling"),
    "a package": ("pkg/k.py", ".tiling", "pkg__tiling"),
    "the package around its own": ("pkg/deep/k.py", "..tiling", "pkg__tiling"),
    "the package by its full name": ("src/pkg/deep/k.py", "pkg.tiling", "src__pkg__tiling"),
}


@pytest.mark.parametrize("mark", ["pyproject.toml", ".git"])
@pytest.mark.parametrize("packages", ["everywhere", "at the top", "below the top", "nowhere"])
@pytest.mark.parametrize(("kernel", "module", "helper"), IMPORTS.values(), ids=IMPORTS.keys())
def test_helpers_are_found_as_python_finds_them(
    kernel: str, module: str, helper: str, packages: str, mark: str, check: Checker
) -> None:
    (check.folder / mark).touch()
    write(check.folder, **{kernel.removesuffix(".py").replace("/", "__"): HELPED.replace("{}", module), helper: TILES})
    below = (
        ["pkg", "pkg/deep", "others", "src/pkg", "src/pkg/deep"] if packages in ("everywhere", "below the top") else []
    )
    for name in [*below, *(["."] if packages in ("everywhere", "at the top") else [])]:
        if (check.folder / name).is_dir():
            (check.folder / name / "__init__.py").touch()
    assert check(f"{kernel}::copy", "--arg", "a=bf16[P,F]") == 0, check.err


ABSENT = """
    import torch
    import torch_xla.core.xla_model as xm
    from absent_library import nn, ops as operations
    from nki.language import no_such_function

    try:
        import another_absent_library
    except ImportError:
        another_absent_library = None


    class Net(nn.Module):
        weight: torch.Tensor = torch.zeros(3)


    @torch.jit.script
    def host(x: torch.Tensor | None) -> torch.Tensor:
        return x + 1


"""


def with_absent(first_statement: str) -> str:
    """A kernel whose file imports what is not installed, and whose body begins with `first_statement`."""
    return ABSENT + COPY.replace("P, F = a.shape", f"{first_statement}\n        P, F = a.shape")


@pytest.mark.parametrize("harmless", ["pass", "assert another_absent_library is None"])
def test_what_is_not_installed_does_no_harm_while_unused(harmless: str, check: Checker) -> None:
    write(check.folder, k=with_absent(harmless))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.out


USES = {
    "a function": ("torch.zeros(3)", "torch.zeros: torch is not installed"),
    "a module of a package": ("xm.mark_step()", "torch_xla.core.xla_model.mark_step: torch_xla is not installed"),
    "a name": ("operations(a)", "absent_library.ops: absent_library is not installed"),
    "its truth": ("x = 1 if operations else 2", "absent_library.ops: absent_library is not installed"),
    "isinstance": ("x = isinstance(a, nn)", "absent_library.nn: absent_library is not installed"),
    "a dtype": ("x = nl.ndarray((1, 1), dtype=operations, buffer=nl.sbuf)", "absent_library.ops"),
    "a class that derives from it": ("Net()", "Net, a class that derives from something that is not installed"),
    "what it decorated": ("host(a)", "torch.jit.script(…): torch is not installed"),
    "a part of NKI without a model": ("no_such_function(a)", "nki.language.no_such_function"),
    "swallowed": ("try:\n            torch.zeros(3)\n        except BaseException:\n            pass", "torch.zeros"),
}


@pytest.mark.parametrize(("statement", "reason"), USES.values(), ids=USES.keys())
def test_using_it_is_unknown_with_the_place(statement: str, reason: str, check: Checker) -> None:
    write(check.folder, k=with_absent(statement))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1") == 3
    assert reason in " ".join(check.out.split())
    assert "k.py:" in check.out


def test_tests_in_the_file_do_not_run(check: Checker) -> None:
    tests = """

        import numpy as np

        data = np.load("/nowhere/data.npy")
        result = copy(data)
        assert np.allclose(result, data)
        for size in range(3):
            print(copy(data[size]))

        if __name__ == "__main__":
            raise SystemExit("the file has been run as a program")
    """
    write(check.folder, k=COPY.rstrip() + tests.replace("\n    ", "\n"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.err


def test_a_value_that_could_not_be_computed_is_unknown(check: Checker) -> None:
    kernel = COPY.replace("@nki.jit", 'TILES = open("/nowhere/tiles.txt").read()\n\n\n    @nki.jit')
    write(check.folder, k=kernel.replace("return out", "assert TILES\n        return out"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert "TILES, which line 6 could not compute: " in " ".join(check.out.split())


def test_what_a_failing_statement_may_have_changed_is_unknown(check: Checker) -> None:
    kernel = COPY.replace(
        "@nki.jit", 'TABLE = {"n": 1}\n    TABLE.update(open("/nowhere/table.txt"))\n\n\n    @nki.jit'
    )
    write(check.folder, k=kernel.replace("return out", 'assert TABLE["n"] == 1\n        return out'))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3


#: Statements at the top level that fail, and may have changed the table of the file.
FAILING_CALLS = {
    "given to what is not installed": "NAMES, CASES = absent.cases(TABLE, key=size)",
    "given to a result of it": "for case in absent.of(size).cases['a'](TABLE):\n        pass",
    "a function of the file called for it": "NAMES, CASES = absent.cases(size())",
    "given to what is installed": "NAMES, CASES = absent.cases(list(map(absent.each, [TABLE])))",
    "given to a name that the statement binds": "for absent in absent.of(absent(TABLE)):\n        pass",
    "given to the decorator of the legacy API": "NAMES, CASES = absent.of(absent.nki_jit(size))",
    "changed in it": "NAMES, TABLE['n'] = absent.cases(TABLE)",
}


@pytest.mark.parametrize("statement", FAILING_CALLS.values(), ids=FAILING_CALLS.keys())
def test_what_is_not_installed_may_change_what_it_is_given(statement: str, check: Checker) -> None:
    top = f"""import absent


    def size():
        return len(TABLE)


    TABLE = {{"n": 1}}
    {statement}


    @nki.jit"""
    kernel = COPY.replace("@nki.jit", top).replace("return out", 'assert TABLE["n"] == size()\n        return out')
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1") == 3, check.out


def test_imports_that_cannot_work_are_one_line(check: Checker) -> None:
    write(
        check.folder,
        k=COPY.replace("import nki\n", "import nki\n    from tiling import absent\n", 1),
        tiling="x = 1\n",
    )
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 2
    assert check.err.count("\n") == 1
    assert "k.py:2: importing k.py raises ImportError: cannot import name 'absent'" in check.err


FACTORIES = """
    import functools

    import nki
    import nki.isa as nisa
    import nki.language as nl


    def traced(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper


    def make_kernel(tile):
        @nki.jit
        def kernel(a):
            P, F = a.shape
            part = nl.ndarray((P, tile), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=part, src=a[:, 0:tile])
            out = nl.ndarray((P, tile), dtype=a.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=part)
            return out

        return kernel


    made = make_kernel(128)


    @traced
    @nki.jit(mode="trace")
    def wrapped(a):
        assert a.shape[1] >= 64
        return make_kernel(64).function(a)


    class Kernels:
        @staticmethod
        @nki.jit
        def method(a):
            return make_kernel(32).function(a)


    def plain(a):
        return nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
"""


@pytest.mark.parametrize(
    ("name", "columns"),
    [("made", 128), ("make_kernel(256)", 256), ("wrapped", 64), ("Kernels.method", 32), ("plain", 1)],
)
def test_kernels_behind_factories_and_decorators(name: str, columns: int, check: Checker) -> None:
    write(check.folder, k=FACTORIES)
    assert check(f"k.py::{name}", "--arg", f"a=bf16[P:1..128,F:{columns}..]", "--phase", "1") == 0, check.out
    if columns > 1 and name != "wrapped":
        assert check(f"k.py::{name}", "--arg", f"a=bf16[P:1..128,F:{columns - 1}..]", "--phase", "1") == 1


def test_they_are_listed(check: Checker) -> None:
    write(check.folder, k=FACTORIES)
    assert check("k.py", "--list") == 0
    assert [line for line in check.out.splitlines() if line.startswith("k.py")] == [
        "k.py::make_kernel(…)   (makes the kernel kernel: check it as make_kernel(…), with literals for (tile))",
        "k.py::made   (made by make_kernel(128))",
        "k.py::wrapped",
        "k.py::Kernels.method",
        "k.py::plain   (a function that uses NKI, not decorated)",
    ]


CONFIGURED = """
    from dataclasses import dataclass
    from enum import Enum

    import nki
    import nki.isa as nisa
    import nki.language as nl


    class Mode(Enum):
        WHOLE = "whole"
        HALF = "half"


    @dataclass
    class Config:
        mode: Mode = Mode.WHOLE
        width: int = 128

        @property
        def columns(self):
            return self.width if self.mode is Mode.WHOLE else self.width // 2


    NARROW = Config(width=64)


    @nki.jit
    def head(a, config=NARROW, scale=None, name="head"):
        part = nl.ndarray((a.shape[0], config.columns), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=part, src=a[:, 0 : config.columns])
        out = nl.ndarray(part.shape, dtype=a.dtype, buffer=nl.shared_hbm, name=name)
        nisa.dma_copy(dst=out, src=part)
        return out
"""


@pytest.mark.parametrize(
    ("config", "columns"),
    [
        ("NARROW", 64),
        ("Config()", 128),
        ("Config(mode=Mode.HALF)", 64),
        ("Config(Mode.HALF, width=512)", 256),
        ("Config(width=2*w)", None),
    ],
)
def test_configurations_by_name(config: str, columns: int | None, check: Checker) -> None:
    write(check.folder, k=CONFIGURED)
    words = ["--arg", f"config={config}", "--arg", "scale=0.5", "--arg", "name='first'", "--phase", "1"]
    extent = "2*w" if columns is None else str(columns)
    less = "w" if columns is None else str(columns - 1)
    assert check("k.py::head", "--arg", f"a=bf16[P:1..128,{extent}]", *words) == 0, check.out
    assert check("k.py::head", "--arg", f"a=bf16[P:1..128,{less}]", *words) == 1


def test_a_repository_that_is_a_package_is_imported_by_its_name_too(check: Checker) -> None:
    for name in ("pyproject.toml", "__init__.py"):
        (check.folder / name).touch()
    write(check.folder, k=HELPED.replace("{}", f"{check.folder.name}.tiling"), tiling=TILES)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0, check.err


def test_a_kernel_in_the_package_file_of_a_repository_is_found(check: Checker) -> None:
    (check.folder / "pyproject.toml").touch()
    write(check.folder, kernel=COPY)
    (check.folder / "kernel.py").rename(check.folder / "__init__.py")
    assert check("__init__.py::copy", "--arg", "a=bf16[P,F]") == 0, check.err
