"""Kernels are loaded as they are, and nothing of it is left behind."""

from __future__ import annotations

import importlib
import math
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.frontend import numeric_modules, process_state
from nkiverify.frontend.loader import load_kernel
from nkiverify.manifest import Verification
from nkiverify.phases.witness_replay import replay
from tests.soundness.trap import HARDWARE, make_target, verdict


def write(folder: Path, **files: str) -> None:
    """Write modules into `folder`."""
    for name, source in files.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")


def call_it(v: Verification) -> None:
    v.call(v.dim("n", 0))


def test_modules_that_came_or_went_since_another_run_are_found_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    write(tmp_path, kernel="import helper\nimport pack.part\n\ndef kernel(n):\n    return helper.N + pack.part.N\n")
    write(tmp_path, helper="N = 1\n")
    write(tmp_path / "pack", part="N = 2\n")
    assert load_kernel("kernel.py::kernel", tmp_path)[0](0) == 3
    (tmp_path / "helper.py").unlink()
    (tmp_path / "helper").mkdir()
    write(tmp_path / "helper", __init__="N = 10\n")
    (tmp_path / "pack" / "part.py").rename(tmp_path / "pack" / "other.py")
    write(tmp_path, kernel="import helper\nimport pack.other\n\ndef kernel(n):\n    return helper.N + pack.other.N\n")
    assert load_kernel("kernel.py::kernel", tmp_path)[0](0) == 12


def test_nothing_of_a_run_is_left_in_the_process(tmp_path: Path) -> None:
    write(tmp_path, helper="def size(n):\n    return n + 1\n")
    imports = "import nki.language as nl\nfrom helper import size\n"
    write(tmp_path, kernel=f"{imports}\ndef kernel(n):\n    assert size(n) > n\n")
    before = (dict(sys.modules), list(sys.path), list(sys.meta_path), dict(os.environ), sys.dont_write_bytecode)
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.SUCCESSFUL
    after = (dict(sys.modules), list(sys.path), list(sys.meta_path), dict(os.environ), sys.dont_write_bytecode)
    for name in ("nki", "nki.language", "neuronxcc", "helper", "kernel"):
        assert name not in sys.modules
    assert after[1:] == before[1:]
    assert not (tmp_path / "__pycache__").exists()


def test_modules_whose_names_the_kernel_has_too_come_back_where_it_changes_modules(tmp_path: Path) -> None:
    body = "    for i in range(n):\n        sys.modules['json'] = types.ModuleType('json')\n"
    before = dict(sys.modules)
    # The first kernel has what is imported noted, `tests` with it; the second has modules of that name.
    for folder, packages in ((tmp_path / "without", ()), (tmp_path / "with", ("tests",))):
        folder.mkdir()
        write(folder, kernel=f"import json, sys, types\n\ndef kernel(n):\n{body}")
        for package in packages:
            (folder / package).mkdir()
            write(folder / package, __init__="", conftest="")
        verdict(make_target(call_it, folder))
        assert [name for name in before if sys.modules.get(name) is not before[name]] == []


def test_a_module_of_the_same_name_keeps_its_place(tmp_path: Path) -> None:
    import json

    write(tmp_path, kernel="import json\n\ndef kernel(n):\n    assert json.loads('1') + n > n\n")
    assert verdict(make_target(call_it, tmp_path)).verdict in (Verdict.SUCCESSFUL, Verdict.UNKNOWN)
    assert sys.modules["json"] is json


def test_helpers_beside_the_kernel_are_followed_too(tmp_path: Path) -> None:
    loop = "    for i in range(n):\n        total += 1\n"
    write(tmp_path, helper=f"def count(n):\n    total = 0\n{loop}    return total\n")
    write(tmp_path, kernel="import helper\n\ndef kernel(n):\n    assert helper.count(n) < 4\n")
    run = verdict(make_target(call_it, tmp_path))
    assert run.verdict is Verdict.FAILED
    assert run.violations[0].witness == {"n": 4}


def test_a_violation_is_at_the_line_of_the_user(tmp_path: Path) -> None:
    source = """\
# A comment.

def kernel(n):
    values = [
        i
        for i in range(n)
    ]
    for i in range(n):
        x = f"{i}"

        assert (
            values[i]
            < 3
        )
"""
    write(tmp_path, kernel=source)
    run = verdict(make_target(call_it, tmp_path))
    assert run.verdict is Verdict.FAILED
    assert run.qualifier == ""
    assert run.violations[0].line in (11, 12, 13, 14)
    assert run.violations[0].file == str(tmp_path / "kernel.py")


def test_the_same_kernel_in_two_files_is_two_kernels(tmp_path: Path) -> None:
    source = "def kernel(n):\n    for i in range(n):\n        assert i < 3\n"
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        write(folder, kernel=source)
        run = verdict(make_target(call_it, folder))
        assert run.verdict is Verdict.FAILED
        assert run.qualifier == ""
        assert run.violations[0].file == str(folder / "kernel.py")


def test_a_kernel_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    write(tmp_path, kernel="def kernel(n):\n    assert n >= 0\n")
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.SUCCESSFUL
    write(tmp_path, kernel="def kernel(n):\n    assert n >= 1 + 0\n")
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.FAILED
    write(tmp_path, helper="LEAST = 0\n", kernel="from helper import LEAST\ndef kernel(n):\n    assert n >= LEAST\n")
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.SUCCESSFUL
    write(tmp_path, helper="LEAST = 100\n")
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def kernel(n:\n", "not Python"),
        ("kernel = 3\n", "not a function"),
        ("raise ValueError('no')\n", "ValueError: no"),
        ("def kernels(n):\n    pass\n", "did you mean kernels"),
    ],
)
def test_a_kernel_that_cannot_be_loaded_is_said_to_be_so(source: str, says: str, tmp_path: Path) -> None:
    write(tmp_path, kernel=source)
    run = verdict(make_target(call_it, tmp_path))
    assert run.verdict is Verdict.ERROR
    assert says in run.reason


def test_a_module_that_is_not_there_is_missed_where_it_is_used(tmp_path: Path) -> None:
    write(tmp_path, kernel="import nowhere_to_be_found as far\n\ndef kernel(n):\n    assert far.away(n) == n\n")
    run = verdict(make_target(call_it, tmp_path))
    assert run.verdict in (Verdict.UNKNOWN, Verdict.ERROR)
    assert "nowhere_to_be_found" in run.reason


ASSIGNED = {
    "a name of NKI": ("nl.strange = 1", "hasattr(nl, 'strange')"),
    "a name of NKI exchanged": ("nl.float32 = nl.bfloat16", "nl.float32 is nl.bfloat16"),
    "an attribute of a function of NKI": ("nl.add.strange = 1", "hasattr(nl.add, 'strange')"),
    "an attribute of an object of NKI": ("nl.tile_size.strange = 1", "hasattr(nl.tile_size, 'strange')"),
    "an attribute of a class of NKI": ("nki.tensor.strange = 1", "hasattr(nki.tensor, 'strange')"),
    "a part of NKI without a model": ("import nki.strange.part", "hasattr(nki, 'strange')"),
    "a name of NumPy": ("np.strange = 1", "hasattr(np, 'strange')"),
    "a function of NumPy": ("np.prod = 1", "np.prod == 1"),
    "a name of the standard library": ("math.strange = 1", "hasattr(math, 'strange')"),
}
#: The same of what Python and NumPy keep for the whole process.
LEFT = {
    "how NumPy treats errors": ("np.seterr(all='raise')", "np.geterr()['over'] == 'raise'"),
    "how NumPy prints": ("np.set_printoptions(precision=2)", "np.get_printoptions()['precision'] == 2"),
    "what NumPy prints with": ("np.set_printoptions(formatter={'int': hex})", "np.get_printoptions()['formatter']"),
    "NumPy's random numbers": ("np.random.seed(7)", "np.random.get_state()[1][0] == 7"),
    "random numbers": ("random.seed(7)", "random.getstate() == random.Random(7).getstate()"),
    # One of the first is ours, while a kernel runs.
    "filters of warnings": (
        "warnings.simplefilter('error')",
        "'error' in (warnings.filters[0][0], warnings.filters[1][0])",
    ),
    "decimal numbers": ("decimal.getcontext().prec = 3", "decimal.getcontext().prec == 3"),
    "the locale": ("locale.setlocale(locale.LC_ALL, 'C.UTF-8')", "locale.setlocale(locale.LC_TIME) == 'C.UTF-8'"),
    "the recursion limit": ("sys.setrecursionlimit(7777)", "sys.getrecursionlimit() == 7777"),
    "the digits of numbers": ("sys.set_int_max_str_digits(700)", "sys.get_int_max_str_digits() == 700"),
    "the switch interval": ("sys.setswitchinterval(0.5)", "sys.getswitchinterval() == 0.5"),
    "the import path": ("sys.path.append('/strange')", "'/strange' in sys.path"),
    "a finder": ("sys.meta_path.append(3)", "3 in sys.meta_path"),
    "a module": ("sys.modules['strange'] = None", "'strange' in sys.modules"),
    "the collector": ("gc.set_threshold(77)", "gc.get_threshold()[0] == 77"),
    "a handler": ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "signal.getsignal(10) is signal.SIG_IGN"),
    "a blocked signal": ("signal.pthread_sigmask(0, [10])", "10 in signal.pthread_sigmask(0, [])"),
    "the loggers": ("logging.disable(50)", "logging.root.manager.disable == 50"),
}
_IMPORTS = "import decimal, gc, locale, logging, math, random, signal, sys, warnings\n"


@pytest.mark.parametrize("within", [False, True], ids=["imported", "run"])
@pytest.mark.parametrize("name", [*ASSIGNED, *LEFT])
def test_what_a_kernel_leaves_in_a_library_is_there_for_it_alone(name: str, within: bool, tmp_path: Path) -> None:
    assigns, asks = (ASSIGNED | LEFT)[name]
    imports = f"{_IMPORTS}import nki\nimport nki.language as nl\nimport numpy as np\n"
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    call = (lambda v: v.call(3)) if within else call_it
    top, inside = ("", f"    {assigns}\n") if within else (f"{assigns}\n", "")
    write(first, kernel=f"{imports}{top}def kernel(n):\n{inside}    assert {asks} and n >= 0\n")
    write(second, kernel=f"{imports}def kernel(n):\n    assert not ({asks}) and n >= 0\n")
    for folder in (first, second, first):
        found = verdict(make_target(call, folder)).verdict
        # A symbolic run refuses some of it, and sees no claim where all is plain.
        refused = name in LEFT or folder is first
        assert found in (Verdict.SUCCESSFUL, Verdict.VACUOUS) or (refused and found is Verdict.UNKNOWN)
        values = {} if within else {"n": 3}
        played = [replay(make_target(call, folder), values, HARDWARE, checked=checked) for checked in (False, True)]
        assert [(one.raised, one.broken) for one in played] == [(None, ())] * 2


def test_a_timer_of_a_kernel_ends_with_it(tmp_path: Path) -> None:
    write(
        tmp_path, kernel="import signal\nsignal.setitimer(signal.ITIMER_REAL, 999)\ndef kernel(n):\n    assert n >= 0\n"
    )
    assert verdict(make_target(call_it, tmp_path)).verdict is Verdict.SUCCESSFUL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize(
    ("left", "asks"),
    [("TABLE.append(1)", "TABLE"), ("math.x = 1", "hasattr(math, 'x')")],
)
def test_what_a_file_leaves_is_not_there_for_another_in_its_folder(left: str, asks: str, tmp_path: Path) -> None:
    imports = "import math\nimport numpy as np\nfrom helper import TABLE\n"
    write(tmp_path, helper="TABLE = []\n", kernel=f"{imports}{left}\ndef kernel(n):\n    assert {asks} and n >= 0\n")
    write(tmp_path, other=f"{imports}def kernel(n):\n    assert not ({asks}) and n >= 0\n")
    target = make_target(call_it, tmp_path)
    for file in ("kernel", "other", "kernel", "other"):
        assert verdict(replace(target, kernel=f"{file}.py::kernel")).verdict is Verdict.SUCCESSFUL


def test_a_kernel_is_compared_with_what_its_own_files_could_change(tmp_path: Path) -> None:
    write(tmp_path, kernel="import random\nrandom.seed(1)\ndef kernel(n):\n    return random.random()\n")
    write(tmp_path, other="def kernel(n):\n    return n\n")
    seeded, space = load_kernel("kernel.py::kernel", tmp_path)
    _, plain = load_kernel("other.py::kernel", tmp_path)
    with space.active():
        number = seeded(0)
        assert [str(state) for state in process_state.states_in_use()] == [
            "the random numbers of Python",
            "the random numbers of NumPy",
        ]
        with plain.active():
            assert list(process_state.states_in_use()) == []
        after = seeded(0)
        assert after != number
    assert list(process_state.states_in_use()) == []
    # It finds its numbers as it left them, and nobody else does.
    with space.active():
        assert seeded(0) not in (number, after)


def test_what_a_kernel_has_assigned_is_taken_back_while_another_runs_in_between(tmp_path: Path) -> None:
    imports = "import nki.language as nl\n"
    write(tmp_path, kernel=f"{imports}def kernel(n):\n    nl.left = nl.add.left = n\n")
    write(tmp_path, other=f"{imports}def kernel(n):\n    return hasattr(nl, 'left') or hasattr(nl.add, 'left')\n")
    leaves, space = load_kernel("kernel.py::kernel", tmp_path)
    seen, plain = load_kernel("other.py::kernel", tmp_path)
    with space.active():
        leaves(3)
        # No name of this one says that it could assign anything: those of the one around it do.
        with plain.active():
            assert not seen(0)
        assert seen(0)
    with plain.active():
        assert not seen(0)
    with space.active():
        assert seen(0)


def test_functions_of_younger_pythons_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cbrt", "exp2", "sumprod"):
        monkeypatch.delattr(math, name, raising=False)
    ((module, functions), *_) = numeric_modules._substitutes_of_python()
    assert module is math and "exp2" not in functions and "gcd" in functions


def test_an_import_is_no_state_and_what_replaces_a_module_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own code imports as late as it can: loops in which it did were unrolled, as if they left something."""
    (state,) = (state for state in process_state._STATES if str(state) == "the import system")
    (tmp_path / "imported_late.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = state.read()
    module = importlib.import_module("imported_late")
    try:
        assert state.read() == before
        for other in (ModuleType("imported_late"), None):
            sys.modules["imported_late"] = other  # type: ignore[assignment]
            assert state.read() != before
            state.write(before)
            assert sys.modules["imported_late"] is module
        del sys.modules["imported_late"]
        assert state.read() != before
        state.write(before)
        assert sys.modules["imported_late"] is module
    finally:
        sys.modules.pop("imported_late", None)
        process_state._imported.pop("imported_late", None)
