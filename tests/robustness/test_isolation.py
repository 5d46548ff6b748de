"""Every command that runs kernels confines them, bounds them, and shows what they write as text."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.run.confinement import landlock_version
from tests.clocks import HANGS

TOP = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux")

#: Its first line is replaced; where `a` has more than 128 rows it breaks a contract.
KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(a):
    pass
    t = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=t, src=a)
    nisa.dma_copy(dst=out, src=t)
    return out
"""

TARGETS = """\
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


@target(kernel="k.py::k", family="f", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
def right(v):
    v.call(v.tensor("a", (v.dim("P", 1, 128), 8), float32))


@target(kernel="k.py::k", family="f", kind=Kind.SYMBOLIC, expect={1: FAILED})
def wrong(v):
    v.call(v.tensor("a", (v.dim("P", 1, 256), 8), float32))
"""

COMMANDS = {
    "check": ("check", "k.py::k", "--arg", "a=f32[P:1..128,8]"),
    "check, inferred": ("check", "k.py::k"),
    "run": ("run", "right", "--no-cache", "--engine", "embedded"),
    "simulate": ("simulate", "k.py::k", "--arg", "a=f32[4,8]"),
    "equiv": ("equiv", "k.py::k", "k.py::k", "--arg", "a=f32[4,8]"),
    "grad": ("grad", "k.py::k", "k.py::k", "--arg", "a=f32[4,8]", "--pair", "a=out"),
    "replay": ("replay", "results.json", "--target", "wrong"),
    "replay --emit-test": ("replay", "results.json", "--target", "wrong", "--emit-test", "tests/test_k.py"),
    "show": ("show", "right"),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the results of a run."""
    folder = tmp_path_factory.mktemp("repository")
    for name in (".git", "tests", "tmp"):
        (folder / name).mkdir()
    (folder / "k.py").write_text(KERNEL)
    (folder / "nkiverify_targets.py").write_text(TARGETS)
    done = nkiverify(folder, "run", "--engine", "embedded", "--no-page")
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(folder / "nkiverify-reports" / "results.json", folder)
    return folder


def nkiverify(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(TOP), "TMPDIR": str(folder / "tmp")} | more
    command = [sys.executable, "-m", "nkiverify", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS)


def tried(folder: Path, line: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command, where `line` is the first of the kernel; `more` is set in its environment."""
    (folder / "k.py").write_text(KERNEL.replace("pass", line))
    return nkiverify(folder, *words, **more)


@pytest.mark.skipif(landlock_version() < 3, reason="the system has no Landlock, or an old one")
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_python_tells_of_nobody_is_refused_and_told(words: tuple[str, ...], repository: Path) -> None:
    done = tried(repository, "import os; os.write(1, b'::error::raw\\n\\x1b[31m\\n'); os.mkfifo('made')", *words)
    assert not (repository / "made").exists()
    said = done.stdout + done.stderr
    assert "\x1b" not in said
    assert not [line for line in said.splitlines() if line.strip().startswith("::")]
    assert "\\::error::raw" in done.stderr
    if "--emit-test" in words:  # where the kernel fails, its call is written all the same
        assert done.returncode == 0
    else:
        assert done.returncode == 3
        assert "the kernel asks for what it may not" in " ".join(said.split())


@pytest.mark.parametrize("name", ["check", "run", "simulate", "show"])
def test_no_descriptor_of_a_kernel_leads_to_the_user(name: str, repository: Path) -> None:
    lines = (
        "import os",
        "for number in range(64):",
        "    try: os.write(number, b'::error::raw\\x1b[31m\\n')",
        "    except OSError: pass",
    )
    done = tried(repository, "\n    ".join(lines), *COMMANDS[name])
    assert done.returncode == 4
    assert "raw" not in done.stdout and "\\::error::raw" in done.stderr
    assert "\x1b" not in done.stderr and "\n::error" not in done.stderr


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_never_ends_is_stopped(words: tuple[str, ...], repository: Path) -> None:
    done = tried(repository, "10 ** (10 ** 9)", *words, "--timeout", "1")
    assert done.returncode == 3
    assert "no verdict within 1 s" in done.stderr + " ".join(done.stdout.split())


@pytest.mark.parametrize("name", ["simulate", "equiv", "replay", "show"])
def test_what_ends_the_process_is_told(name: str, repository: Path) -> None:
    done = tried(repository, "import os; os._exit(0)", *COMMANDS[name])
    assert done.returncode == 4
    assert "ended with exit status 0 before it was done" in done.stderr


@pytest.mark.parametrize(
    ("line", "said"), [("import sys; sys.exit(0)", "SystemExit: 0"), ("raise KeyboardInterrupt", "KeyboardInterrupt")]
)
@pytest.mark.parametrize("name", ["simulate", "equiv"])
def test_a_kernel_that_exits_raises(name: str, line: str, said: str, repository: Path) -> None:
    done = tried(repository, line, *COMMANDS[name])
    assert done.returncode == 1
    assert said in done.stdout and "k.py:8" in done.stdout


@pytest.mark.parametrize("name", ["simulate", "equiv"])
def test_what_is_printed_is_made_of_records(name: str, repository: Path) -> None:
    """A text in place of the answer, on every stream and in the file of the answer, is none."""
    lines = (
        "import os, sys, pickle",
        "for stream in (sys.stdout, sys.__stdout__): stream.write('result: forged\\n')",
        "for number in range(3, 64):",
        "    try: answer = 'memfd' in os.readlink('/proc/self/fd/' + str(number))",
        "    except OSError: continue",
        "    if answer: os.write(number, pickle.dumps(('forged',)))",
        "raise ValueError('mine')",
    )
    done = tried(repository, "\n    ".join(lines), *COMMANDS[name])
    assert done.returncode == 1
    assert "ValueError: mine" in done.stdout and "forged" not in done.stdout


@pytest.mark.parametrize("name", ["simulate", "run", "sweep"])
def test_what_a_module_is_refused_is_told(name: str, repository: Path) -> None:
    (repository / "s.toml").write_text('targets = ["right"]\nhardware = ["trn2"]\n')
    command = COMMANDS.get(name, ("sweep", "s.toml"))
    (repository / "k.py").write_text(KERNEL.replace("import nki\n", "import nki\nopen('made', 'w')\n"))
    for _ in range(2):  # a verdict that is remembered says as much
        done = nkiverify(repository, *(word for word in command if word != "--no-cache"))
        assert done.returncode == 0 and not (repository / "made").exists()
        assert "importing it asks for the file 'made', and is not given it" in done.stderr


@pytest.mark.parametrize("name", ["check, inferred", "run", "simulate", "equiv", "grad", "replay", "show"])
def test_texts_of_a_kernel_set_no_colours(name: str, repository: Path) -> None:
    """Also where reports have colours of their own."""
    line = "raise type('\\x1b[35mRed', (Exception,), {})('\\x1b[45m\\n::error::')"
    if name == "show":  # which tells of no exception
        line = "from nkiverify.foundation import errors; raise errors.UnsupportedConstruct('\\x1b[35mRed\\n::error::')"
    done = tried(repository, line, *COMMANDS[name], FORCE_COLOR="1")
    said = done.stdout + done.stderr
    assert done.returncode == {"replay": 4, "show": 3}.get(name, 1)
    assert "Red" in said and "\x1b[35m" not in said and "\x1b[45m" not in said and "\n::" not in said


FORGING = """import pickle, sys
    from nkiverify.foundation.kernel_text import with_texts
    texts = ("nkiverify.verify.verifier", "nkiverify.foundation.errors", "nkiverify.run.supervisor")
    for one in texts: vars(sys.modules[one])["harmless"] = lambda text: text
    raise ValueError("\\x1b[35mRed\\n::error::forged")"""


@pytest.mark.parametrize("name", ["check", "check, inferred", "run", "simulate", "show"])
def test_a_kernel_that_makes_nothing_harmless_is_harmless(name: str, repository: Path) -> None:
    said = tried(repository, FORGING, *COMMANDS[name])
    assert "\x1b" not in said.stdout + said.stderr and "\n::error" not in said.stdout + said.stderr


def test_a_reference_that_exits_is_no_success(repository: Path) -> None:
    (repository / "ref.py").write_text("import sys\n\n\ndef k(a):\n    sys.exit(0)\n")
    for words in (("simulate", "k.py::k", "--reference", "ref:k"), ("equiv", "k.py::k", "--reference", "ref.py::k")):
        done = tried(repository, "pass", *words, "--arg", "a=f32[4,8]")
        assert done.returncode in (1, 4), done.stdout
        assert "SystemExit: 0" in done.stdout + done.stderr


def test_what_takes_all_memory_is_stopped(repository: Path) -> None:
    done = tried(repository, "x = [bytes(10 ** 7) for _ in range(1000)]", *COMMANDS["simulate"], "--memory", "400")
    assert done.returncode == 3
    assert "more than 400 MiB" in done.stderr or "more memory than there is" in " ".join(done.stdout.split())


def test_a_kernel_that_ends_the_process_that_reads_its_language(repository: Path) -> None:
    """The file is loaded once more with --strict-language, in a process of its own as well."""
    line = "pass\n\n\nimport os, sys\nif 'nkiverify.frontend.language_rules' in sys.modules:\n    os._exit(0)"
    (repository / "k.py").write_text(f"{KERNEL}\n\n{line}\n")
    done = nkiverify(repository, *COMMANDS["run"], "--strict-language", "--no-page")
    assert done.returncode == 4
    assert "the language rules: the process that runs kernels ended with exit status 0" in done.stderr
    assert "inside the language is not known: its process ended before it was done" in done.stderr
