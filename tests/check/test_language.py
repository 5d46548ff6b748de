"""Would the compiler take it: what kernels use outside the documented language."""

from __future__ import annotations

import pytest

from nkiverify.frontend.language_rules import Finding, in_short
from tests.check.kernel_files import Checker, write

KERNEL = """
    import enum
    from dataclasses import dataclass
    import nki
    import nki.isa as nisa
    import nki.language as nl
    {top}


    @nki.jit
    def kernel(a{more}):
        P, F = a.shape
        assert P <= 128 and F <= 4096
        {body}
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a)
        nisa.dma_copy(dst=out, src=t)
        return out


    def never_called(x):
        return x is None
"""


def run(check: Checker, *words: str, top: str = "", more: str = "", body: str = "pass") -> int:
    """The exit status of checking the kernel with these lines in it."""
    indented = body.replace("\n", "\n        ")
    write(check.folder, k=KERNEL.format(top=top.replace("\n", "\n    "), more=more, body=indented))
    return check("k.py::kernel", "--arg", "a=bf16[P,F]", *words)


OUTSIDE = {
    "lang.no_is: `is` is no part of NKI since 0.3": {"body": "assert P is not None"},
    "lang.no_kwonly: a kernel has no keyword-only parameters since NKI 0.3": {"more": ", *, n=1"},
    "lang.star_arguments: `*rest`": {"top": "def f(*rest): pass", "body": "f()"},
    "lang.star_arguments: `**rest`": {"top": "def f(**rest): pass", "body": "f()"},
    "lang.containers: the keys of a dictionary are strings, not 1": {"body": "d = {1: 2}"},
    "lang.classes: class C does not derive from NKIObject": {"top": "class C:\n    def f(self): pass", "body": "C()"},
    "lang.classes: class D derives from more than NKIObject": {
        "top": "class M: pass\nclass D(nl.NKIObject, M):\n    def f(self): pass",
        "body": "D()",
    },
    "lang.int32: NKI's integers have 32 bits, and 2147483648 does not fit": {"body": "mask = 0x80000000"},
    "lang.deprecated: affine_range is deprecated since NKI 0.2: write range": {
        "body": "for i in nl.affine_range(2): pass"
    },
    "lang.deprecated: sequential_range": {
        "top": "from nki.language import sequential_range",
        "body": "for i in sequential_range(2): pass",
    },
    "lang.deprecated: psum_fmax is deprecated since NKI 0.4: write psum_bank_fmax": {"body": "nl.tile_size.psum_fmax"},
    "lang.unmentioned: nki.language.range is not mentioned": {"body": "for i in nl.range(2): pass"},
    "lang.unmentioned: `try`": {"body": "try:\n    pass\nexcept ValueError:\n    pass"},
    "lang.unmentioned: `with`": {
        "top": "import contextlib",
        "body": "with contextlib.suppress(ValueError):\n    pass",
    },
}


@pytest.mark.parametrize(("finding", "lines"), OUTSIDE.items(), ids=OUTSIDE.keys())
def test_what_lies_outside_is_listed_and_on_request_a_failure(
    check: Checker, finding: str, lines: dict[str, str]
) -> None:
    assert run(check, **lines) == 0, check.out
    assert finding in " ".join(check.out.split())
    assert run(check, "--strict-language", **lines) == 1
    assert "FAILED (language): 1 place" in check.out


INSIDE = {
    "comparisons": {"body": "assert P != None"},
    "keywords with a default": {"more": ", n=1"},
    "strings as keys": {"body": "d = {'a': 1}\nd['b'] = 2"},
    "the least integer": {"body": "least = -2147483648\nmost = 2147483647"},
    "an object of NKI": {"top": "class C(nl.NKIObject):\n    def f(self): pass", "body": "C()"},
    "a dataclass of NKI": {"top": "@dataclass\nclass C(nl.NKIObject):\n    n: int = 1", "body": "C()"},
    "an enum": {"top": "class E(enum.Enum):\n    A = 1", "body": "assert E.A == E.A"},
    "range": {"body": "for i in range(2): pass"},
    "no_reorder": {"body": "with nl.no_reorder():\n    pass"},
    "a name that is only alike": {"body": "affine_range = 3\nassert affine_range"},
}


@pytest.mark.parametrize("lines", INSIDE.values(), ids=INSIDE.keys())
def test_what_is_documented_is_not_listed(check: Checker, lines: dict[str, str]) -> None:
    assert run(check, "--strict-language", **lines) == 0, check.out
    assert "Outside" not in check.out


def test_helpers_in_other_modules_count_and_code_that_is_not_reached_does_not(check: Checker) -> None:
    write(check.folder, helpers="def other(x): return x is None\ndef used(x):\n    return x is None\n")
    assert run(check, top="import helpers", body="helpers.used(a)") == 0
    assert "at helpers.py:3:12" in check.out
    assert "helpers.py:1" not in check.out and "k.py:" not in check.out.partition("Outside")[2]


def test_a_legacy_kernel_is_one_finding(check: Checker) -> None:
    kernel = KERNEL.format(top="", more="", body="assert P is not None").replace("import nki", "import neuronxcc.nki")
    kernel = kernel.replace("neuronxcc.nki\n", "neuronxcc.nki as nki\n").replace(
        "nisa.dma_copy(dst=t, src=a)", "t = nl.load(a)"
    )
    write(check.folder, k=kernel.replace("nisa.dma_copy(dst=out, src=t)", "nl.store(out, t)"))
    assert check("k.py::kernel", "--arg", "a=bf16[P,F]") == 0, check.out
    outside = check.out.partition("Outside")[2]
    assert "lang.no_legacy_ns" in outside and "lang.no_is" not in outside


def test_dtypes_of_numpy_leave_open_what_they_are(check: Checker) -> None:
    """The simulator takes them for the dtype of their name; that the compiler does is said nowhere."""
    body = "v = nl.ndarray((P, F), dtype=np.float32, buffer=nl.sbuf)\nnisa.memset(v, 0.0)"
    assert run(check, "--phase", "1", top="import numpy as np", body=body) == 3
    assert "tensor.dtypes" in check.out
    assert run(check, "--phase", "1", body=body.replace("np.", "nl.")) == 0


def test_in_short_deprecated_names_are_listed_once_with_what_to_write() -> None:
    names = ["affine_range", "psum_fmax", "affine_range"]
    places = [Finding("k.py", 1, 0, "lang.deprecated", f"{name} is deprecated") for name in names]
    assert in_short(places, "->") == "2 deprecated names (affine_range -> range, psum_fmax -> psum_bank_fmax)"
    assert in_short([Finding("k.py", 1, 0, "lang.no_is", "no `is`")] * 3, "->") == "no `is` (+ 2 more)"
