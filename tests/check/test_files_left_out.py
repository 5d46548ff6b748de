"""`check FOLDER`: a file that is no Python is named, and in the exit status; the others are checked all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def k(a):
        P, F = a.shape
        assert P <= 128 and F <= 512
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a[:, {first} : F + {first}])
        nisa.dma_copy(dst=out, src=t)
        return out
"""
TEXT = "import nki\n\n\n@nki.jit\ndef other(x):\n    return x\n"
FILES = {
    "conflict": (TEXT + "<<<<<<< HEAD\nX = 1\n=======\nX = 2\n>>>>>>> b\n").encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16 BE": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "UTF-32": TEXT.encode("utf-32"),
    "unknown encoding": b"# coding: klingon\n" + TEXT.encode(),
    "Latin 1": TEXT.encode() + b"x = '\xe9'\n",
    "zero byte": TEXT.encode() + b"\0",
    "open string": TEXT.encode() + b"x = 'a\n",
    "open bracket": TEXT.encode() + b"x = (1,\n",
    "tabs": TEXT.encode() + b"if 1:\n\tx = 1\n        y = 2\n",
    "Python 2": TEXT.encode() + b"print 1\n",
    "nested": TEXT.encode() + b"x = " + b"(" * 3000 + b")" * 3000 + b"\n",
    "template": b"{% if nki %}\n" + TEXT.encode(),
    "later syntax": TEXT.encode() + b"def f[T: 3 +](x): pass\n",
}


@pytest.mark.parametrize(("name", "first"), [*((name, 0) for name in FILES), ("conflict", 1)])
def test_a_file_that_is_no_python_is_named(name: str, first: int, check: Checker) -> None:
    write(check.folder, right=KERNEL.format(first=0), other=KERNEL.format(first=first))
    (check.folder / "sub").mkdir()
    (check.folder / "sub" / "broken.py").write_bytes(FILES[name])
    # What a kernel breaks comes before.
    assert check(".") == (1 if first else 2), check.out
    assert (
        "sub/broken.py" in check.err.replace("\n", "") and "not checked: --exclude broken.py leaves it out" in check.err
    )
    assert "k is legal where" in check.out and "2 kernels" in check.out
    assert check(".", "--exclude", "broken.py") == first
    assert "broken" not in check.err + check.out


def test_a_file_without_nki_is_none_of_our_business(check: Checker) -> None:
    write(check.folder, right=KERNEL.format(first=0))
    (check.folder / "data.py").write_bytes(b"<<<<<<< HEAD\n")
    assert check(".") == 0
    assert not check.err


def test_nothing_but_files_that_are_no_python(check: Checker) -> None:
    for name in ("one", "two"):
        Path(check.folder / f"{name}.py").write_bytes(FILES["conflict"])
    assert check(".") == 2
    assert "one.py" in check.err and "two.py" in check.err
