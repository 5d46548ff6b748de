"""A check loads what it needs: counted in modules of ours, as times are the machine's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
PROGRAM = """\
import sys
from nkiverify.foundation.process import is_for_kernels
from nkiverify.cli.main import main
from nkiverify.run import supervisor

# The kernel's process is this one.
is_for_kernels()
supervisor.in_child = lambda subject, work, *rest: work()
status = main(sys.argv[1:])
print("loaded", status, *sys.modules)
"""


def everything_loaded(folder: Path, *words: str, kernel: str = KERNEL, ends: int = 0) -> set[str]:
    """The modules that a check has loaded that `ends` with this status."""
    (folder / "k.py").write_text(kernel)
    command = [sys.executable, "-c", PROGRAM, "check", f"{folder / 'k.py'}::double", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    _, status, *names = done.stdout.splitlines()[-1].split()
    assert status == str(ends), done.stdout
    return set(names)


def loaded(folder: Path, *words: str) -> set[str]:
    """Those of the package."""
    return {name for name in everything_loaded(folder, *words) if name.partition(".")[0] == "nkiverify"}


def test_a_proof_imports_no_numpy(tmp_path: Path) -> None:
    words = ("--arg", "a=bf16[128,F]", "--where", "F <= 512")
    names = everything_loaded(tmp_path, *words)
    assert {"numpy", "ml_dtypes", "nkiverify.phases.dataflow.trial", "nkiverify.analysis.values"}.isdisjoint(names)
    assert "islpy" in names
    assert "islpy" not in everything_loaded(tmp_path, *words, "--phase", "1,2,3")


def test_a_refutation_imports_no_numpy_and_no_simulator(tmp_path: Path) -> None:
    names = everything_loaded(tmp_path, kernel=KERNEL.replace("src=a)", "src=a[1:])"), ends=1)
    assert {"numpy", "ml_dtypes", "nkiverify.analysis.values.value_run"}.isdisjoint(names)


@pytest.mark.parametrize(
    "more",
    [
        "import numpy as np\nassert np.ones(1).astype(nl.float8_e5m2).itemsize == 1\n",
        "import importlib\nassert importlib.import_module('numpy').dtype(nl.bfloat16).itemsize == 2\n",
    ],
    ids=["by a statement", "by a function"],
)
def test_numpy_that_a_kernel_imports_knows_the_dtypes_of_nki(more: str, tmp_path: Path) -> None:
    names = everything_loaded(
        tmp_path, "--arg", "a=bf16[128,F]", "--where", "F <= 512", "--phase", "1", kernel=f"{KERNEL}\n\n{more}"
    )
    assert {"numpy", "ml_dtypes"} <= names


@pytest.mark.parametrize(
    ("words", "most", "left_out"),
    [
        (
            ("--arg", "a=bf16[128,F]", "--where", "F <= 512", "--phase", "1,2"),
            201,
            ("analysis.values", "analysis.marks", "analysis.sets.flow", "engines.minimise", "engines.esbmc"),
        ),
        (
            ("--arg", "a=bf16[128,512]", "--phase", "1,2"),
            202,
            ("analysis.marks", "analysis.sets.flow", "engines.minimise", "engines.esbmc"),
        ),
        (("--arg", "a=bf16[128,F]", "--where", "F <= 512"), 243, ("engines.esbmc", "report.dashboard")),
    ],
    ids=["symbolic, phases 1 and 2", "concrete, phases 1 and 2", "all phases"],
)
def test_a_check_that_finds_nothing_wrong_loads_no_more_than_it_needs(
    words: tuple[str, ...], most: int, left_out: tuple[str, ...], tmp_path: Path
) -> None:
    names = loaded(tmp_path, *words)
    idle = ("verify.derive", "verify.witness.confirm", "verify.witness.sufficient", *left_out)
    assert {name for name in names if name.removeprefix("nkiverify.").startswith(idle)} == set()
    assert len(names) <= most


def test_what_is_remembered_is_told_without_numpy_and_without_records_of_results() -> None:
    program = "import sys, nkiverify.cli.check, nkiverify.cli.remembered_checks; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert "nkiverify.results.cache.checked" in names
    assert {"numpy", "nkiverify.foundation.records", "nkiverify.model.ops"}.isdisjoint(names)


def test_what_cannot_be_used_is_said_before_anything_is_loaded_that_runs_kernels(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL + KERNEL.replace("double(", "twice("))
    program = PROGRAM.replace(
        "import sys\n", f"import sys\nsys.argv[1:] = ['check', '{tmp_path}/k.py', '--arg', 'a=1']\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "--arg needs a kernel" in done.stderr
    _, status, *names = done.stdout.split()
    assert status == "2"
    assert {"nkiverify.model.ops", "nkiverify.frontend.loader", "nkiverify.foundation.records"}.isdisjoint(names)


PROGRAM_AHEAD = """\
import sys
from nkiverify.cli import main
from nkiverify.foundation.process import is_for_kernels
from nkiverify.run import supervisor

# The kernel's process is this one, and the command's.
supervisor.in_child = lambda subject, work, *rest: work()
before = []


def console():
    before.extend(sys.modules)
    return main.main()


main.console = console
from nkiverify.cli.ahead import console as ahead

status = ahead()
print("loaded", status, *(name for name in sys.modules if name not in before))
"""


def test_what_is_started_ahead_has_loaded_what_a_check_needs(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(
        KERNEL.replace("a.shape, dtype=a.dtype, buffer=nl.sbuf", "a.shape, nl.float32, nl.sbuf")
    )
    words = json.dumps(["check", str(tmp_path / "k.py"), "--output-format", "json", "--no-cache"])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_AHEAD], input=words + "\n", capture_output=True, text=True, check=True
    )
    *_, last = done.stdout.splitlines()
    loaded, status, *names = last.split()
    assert (loaded, status) == ("loaded", "0"), done.stdout + done.stderr
    ours = [name for name in names if name.startswith("nkiverify.")]
    # Operations, and contracts, are loaded when they are asked for.
    assert [name for name in ours if not name.startswith("nkiverify.model.")] == []
    assert {name.partition(".")[0] for name in names}.isdisjoint(("numpy", "islpy", "ml_dtypes"))


def test_what_is_started_ahead_runs_nothing_where_nobody_gives_it_words() -> None:
    program = "import sys; from nkiverify.cli.ahead import console; sys.exit(console())"
    done = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
