"""The pytest plugin, in a repository of a user's."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nkiverify.report import terminal as _terminal  # noqa: F401

# A pytest in this process forgets what it imports, and numpy cannot be imported twice.
from nkiverify.verify import verifier as _verifier  # noqa: F401
from tests.check.kernel_files import COPY, write
from tests.cli.test_project import MANIFEST

pytest_plugins = ["pytester"]

RAGGED = MANIFEST.format(kernel="k.py::copy", name="ragged", more=', tags=("slow",)').replace(
    "multiple_of=128", "1, 200"
)


#: A process of pytest's own loads the plugins that it is given, and not all that are installed: most of its time.
ALONE = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def repository(pytester: pytest.Pytester) -> pytest.Pytester:
    """A repository with a kernel, and a manifest with a target that holds and one that does not."""
    write(pytester.path, kernels__k=COPY)
    held = MANIFEST.format(kernel="k.py::copy", name="copy_all", more="")
    ragged = RAGGED.replace("from nkiverify", "# from nkiverify")
    (pytester.path / "kernels" / "nkiverify_targets.py").write_text(held + ragged, encoding="utf-8")
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\n")
    return pytester


def run(repository: pytest.Pytester, *words: str) -> pytest.RunResult:
    # Where we are installed pytest knows the plugin already.
    ours = ("-p", "no:nkiverify", "-p", "nkiverify.cli.pytest_plugin")
    return repository.runpytest_inprocess(*ours, "-p", "no:cacheprovider", *words)


def test_targets_of_manifests_are_tests(repository: pytest.Pytester) -> None:
    before = {path for path in repository.path.rglob("*") if path.is_file()}
    result = run(repository)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["phase 1 FAILED, expected SUCCESSFUL", "*F % tile == 0*", "*witness*", "*nkiverify_targets.py::ragged*"]
    )
    # A report is no traceback, and nothing is left behind.
    assert "Traceback" not in result.stdout.str() and "pytest_plugin.py" not in result.stdout.str()
    assert {path for path in repository.path.rglob("*") if path.is_file()} == before


def test_they_are_selected_like_other_tests(repository: pytest.Pytester) -> None:
    run(repository, "-k", "slow").assert_outcomes(failed=1, deselected=1)
    run(repository, "kernels/nkiverify_targets.py::copy_all").assert_outcomes(passed=1)


def test_targets_in_test_files_are_tests_beside_the_others(repository: pytest.Pytester) -> None:
    here = MANIFEST.format(kernel="kernels/k.py::copy", name="copied", more="")
    repository.makepyfile(test_kernels=here + "\n\ndef test_other():\n    assert copied\n")
    run(repository, "test_kernels.py").assert_outcomes(passed=2)


def test_a_kernel_cannot_end_pytest(repository: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*ALONE)
    write(repository.path, kernels__k=COPY.replace("P, F = a.shape", "P, F = a.shape\n        import os; os._exit(0)"))
    # A process of its own: one that has threads does not fork.
    result = repository.runpytest_subprocess(
        "-p", "no:nkiverify", "-p", "nkiverify.cli.pytest_plugin", "-p", "no:xdist"
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*ended with exit status 0 before it answered*"])


def test_what_a_module_is_refused_is_told(repository: pytest.Pytester) -> None:
    write(repository.path, kernels__k=COPY.replace("import", "open('made', 'w')\n    import", 1))
    result = run(repository, "kernels/nkiverify_targets.py::copy_all")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*k.py:1: importing it asks for the file 'made', and is not given it*"])


TELLS = """import sys
        frame = sys._getframe()
        while frame is not None:
            if "connection" in frame.f_locals:
                frame.f_locals["tell"](sys.path[:0], whole=True)
            frame = frame.f_back
        P, F = a.shape"""


def test_an_answer_that_comes_twice_does_not_count(repository: pytest.Pytester) -> None:
    write(repository.path, kernels__k=COPY.replace("P, F = a.shape", TELLS))
    result = run(repository, "kernels/nkiverify_targets.py::copy_all")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["ERROR *copy_all: its worker process answered more than once: none of the*"])


THREADS = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


@pytest.mark.parametrize(("threads", "package"), [("", False), (THREADS, False), (THREADS, True)])
def test_a_kernel_of_a_target_in_a_test_file_cannot_end_pytest_either(
    threads: str, package: bool, repository: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*ALONE)
    write(repository.path, kernels__k=COPY.replace("P, F = a.shape", "P, F = a.shape\n        import os; os._exit(0)"))
    first = MANIFEST.format(kernel="kernels/k.py::copy", name="copied", more="")
    second = first.replace("copied", "again") + "\n\ndef test_other():\n    pass\n"
    if package:
        # As pytest imports it, and not as a file by itself.
        first = f"from . import helper\n{first}"
        repository.makepyfile(__init__="", helper="")
    repository.makepyfile(test_first=first, test_second=second, conftest=threads)
    (repository.path / "kernels" / "nkiverify_targets.py").unlink()
    ours = ("-p", "no:nkiverify", "-p", "nkiverify.cli.pytest_plugin", "-p", "no:xdist")
    result = repository.runpytest_subprocess(*ours)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*the worker process ended with exit status 0 before it answered*"])


def test_unknown_is_no_pass(repository: pytest.Pytester) -> None:
    write(
        repository.path,
        kernels__k=COPY.replace("P, F = a.shape", "P, F = a.shape\n        import torch; torch.ones(3)"),
    )
    result = run(repository, "-k", "copy_all")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["*UNKNOWN*torch*"])


def test_a_manifest_that_cannot_be_used_is_an_error_of_collection(repository: pytest.Pytester) -> None:
    (repository.path / "kernels" / "nkiverify_targets.py").write_text("undefined\n", encoding="utf-8")
    result = run(repository)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*kernels/nkiverify_targets.py:1: NameError: name 'undefined' is not defined"])


def test_settings_name_other_manifests_and_the_defaults_of_targets(repository: pytest.Pytester) -> None:
    (repository.path / "kernels" / "nkiverify_targets.py").rename(repository.path / "kernels" / "checks.py")
    run(repository).assert_outcomes()
    repository.makepyprojecttoml('[tool.nkiverify]\nmanifests = ["kernels/checks.py"]\n')
    run(repository).assert_outcomes(passed=1, failed=1)
    repository.makepyprojecttoml('[tool.nkiverify]\nmanifests = ["absent.py"]\n')
    assert run(repository).ret == pytest.ExitCode.USAGE_ERROR


def test_without_targets_the_plugin_costs_nothing() -> None:
    loaded = "{'z3', 'numpy', 'nkiverify.verify.verifier'} & set(sys.modules)"
    script = f"import sys, nkiverify.cli.pytest_plugin; assert not {loaded}"
    subprocess.run([sys.executable, "-c", script], check=True)
