"""action.yml and .pre-commit-hooks.yaml, as a runner would use them: their steps are run, in a repository of a user."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.resources import root
from tests.check.kernel_files import COPY, write

yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")

TOP = root()

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or shutil.which("python3") is None, reason="actions are run by bash"
)

MANIFEST = """
from nkiverify.manifest import SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import bfloat16


@target(kernel="k.py::copy", family="copy", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
def even(v):
    v.call(v.tensor("a", (v.dim("P", high=128), v.dim("F", multiple_of=128)), bfloat16))


@target(kernel="k.py::copy", family="copy", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL}, tags=["ragged"])
def ragged(v):
    v.call(v.tensor("a", (v.dim("P", high=128), v.dim("F")), bfloat16))
"""

#: Stands for `python` on the runner: makes a virtual environment whose pip only notes what it is to install.
PYTHON = f"""\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 9
mkdir -p "$3/bin"
printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@" > "$RUNNER_TEMP/installed"\\n' > "$3/bin/python"
printf '#!/bin/sh\\nexec {shlex.quote(sys.executable)} -m nkiverify "$@"\\n' > "$3/bin/nkiverify"
chmod +x "$3/bin/python" "$3/bin/nkiverify"
"""


class Runner:
    """A machine that runs the action in the repository `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.temporary = folder / "runner"
        self.summary = self.temporary / "summary.md"
        write(self.folder, k=COPY, nkiverify_targets=MANIFEST)
        (self.folder / ".git").mkdir()
        (self.temporary / "bin").mkdir(parents=True)
        (self.temporary / "bin" / "python").write_text(PYTHON, encoding="utf-8")
        (self.temporary / "bin" / "python").chmod(0o755)
        self.summary.touch()
        self.action = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))

    def run(self, **given: str) -> subprocess.CompletedProcess[str]:
        """Run the steps with these inputs, until one fails; the last one's output."""
        inputs = {name: str(about["default"]) for name, about in self.action["inputs"].items()} | given
        values = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": str(TOP)}

        def filled(text: str) -> str:
            return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: values[found[1]], text)

        done: subprocess.CompletedProcess[str] | None = None
        for step in self.action["runs"]["steps"]:
            if "run" not in step:
                # By commit: a tag can be moved.
                assert re.fullmatch(r"actions/(setup-python|cache)@[0-9a-f]{40}", step["uses"])
                continue
            # What a user writes must not get into a script.
            assert "${{" not in step["run"]
            environment = {
                **os.environ,
                **{name: filled(text) for name, text in step.get("env", {}).items()},
                "PATH": f"{self.temporary / 'bin'}:{os.environ['PATH']}",
                "PYTHONPATH": str(TOP),
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.temporary / "output"),
            }
            # The way GitHub calls bash.
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                break
        assert done is not None
        return done


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_targets_of_the_repository_are_verified_and_told_in_every_form(runner: Runner) -> None:
    done = runner.run()
    assert done.returncode == 1, done.stderr
    assert re.search(r"^::error file=k\.py,line=\d+,.*title=ragged%3A kernel\.assert::", done.stdout, re.MULTILINE)
    sarif = json.loads((runner.folder / "nkiverify.sarif").read_text(encoding="utf-8"))
    assert [result["properties"]["target"] for result in sarif["runs"][0]["results"]] == ["ragged"]
    suites = ElementTree.parse(runner.folder / "nkiverify.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert "1 of 2 runs not as expected" in runner.summary.read_text(encoding="utf-8")
    installed = (runner.temporary / "installed").read_text(encoding="utf-8").splitlines()
    assert installed[-2:] == ["--editable", str(TOP)]
    assert Path(installed[installed.index("--constraint") + 1]).is_file()


def test_arguments_are_words_and_never_a_script(runner: Runner) -> None:
    assert runner.run(arguments="'ev*' --phase 1").returncode == 0
    done = runner.run(arguments="even; touch taken $(touch taken) `touch taken`")
    assert done.returncode == 2 and "no target is named" in done.stderr
    assert not (runner.folder / "taken").exists()


@pytest.mark.parametrize(
    "line", ["'k.py::copy --arg a=bf16[P,F]", "k.py::copy --arg a='bf16[P:1..128, 512]' '--strict-language"]
)
def test_a_line_that_is_not_understood_fails_the_step(runner: Runner, line: str) -> None:
    for given in ({"check": line}, {"arguments": line}):
        done = runner.run(**given)
        assert done.returncode == 2
        assert done.stderr.splitlines() == [f"nkiverify: error: a quote is not closed: {line}"]


def test_kernels_are_checked_line_by_line(runner: Runner) -> None:
    good = "k.py::copy --arg a='bf16[P:1..128, 512]' --phase 1"
    bad = "k.py::copy --arg a='bf16[P:1..128, F]' --where 'F >= 1' --phase 1"
    assert runner.run(check=f"\n{good}\n").returncode == 0
    done = runner.run(check=f"{bad}\n\n{good}\n")
    assert done.returncode == 1
    # The second is checked all the same.
    assert done.stdout.count("1 run of 1 target") == 2


def test_the_hook_of_pre_commit_checks_one_kernel(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (hook,) = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *words = shlex.split(hook["entry"])
    monkeypatch.chdir(runner.folder)
    assert program == "nkiverify" and re.search(hook["files"], "kernels/k.py") and hook["pass_filenames"] is False
    assert main([*words, "k.py::copy", "--arg", "a=bf16[P:1..128, 512]", "--phase", "1"]) == 0
    assert "no contract is violated" in capsys.readouterr().out


@pytest.mark.campaign
@pytest.mark.skipif(
    importlib.util.find_spec("pre_commit") is None or not (TOP / ".git").exists(),
    reason="pre-commit is not installed, or this is no checkout",
)
def test_pre_commit_installs_and_runs_the_hook(runner: Runner) -> None:
    shutil.rmtree(runner.folder / ".git")
    for words in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", *words], cwd=runner.folder, check=True)
    packages = sysconfig.get_path("purelib")
    environment = {
        **os.environ,
        "PRE_COMMIT_HOME": str(runner.temporary / "pre-commit"),
        # What it would get from a registry is what these tests have; 0 is pip's way to say that there is no isolation.
        "PYTHONPATH": packages,
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
    }
    hook = [sys.executable, "-m", "pre_commit", "try-repo", str(TOP), "nkiverify-check", "--verbose"]
    done = subprocess.run(
        [*hook, "--files", "k.py"], cwd=runner.folder, env=environment, capture_output=True, text=True, check=False
    )
    # Without arguments it checks every kernel that is there.
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hook id: nkiverify-check" in done.stdout and "copy is legal where" in done.stdout
    passed_over = subprocess.run(
        [*hook, "--files", "README.md"], cwd=runner.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert passed_over.returncode == 0 and "no files to check" in passed_over.stdout


def test_the_workflows_of_the_page_are_yaml_that_uses_what_the_action_has() -> None:
    inputs = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))["inputs"]
    page = (TOP / "docs" / "ci.md").read_text(encoding="utf-8")
    examples = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(examples) == 3
    steps = [*examples[0]["jobs"]["verify"]["steps"], *examples[1]]
    ours = [step for step in steps if "nkiverify" in step["uses"]]
    assert len(ours) == 2 and all(step.get("with", {}).keys() <= inputs.keys() for step in ours)


def test_the_status_of_several_kernels_is_the_worst_and_the_summary_has_all(runner: Runner) -> None:
    broken, right = "k.py::copy --arg a=bf16[P,F] --where 'F > 1'", "k.py::copy --arg a=bf16[P:1..128,512]"
    unusable = "k.py::missing"
    for lines, status in (((broken, right), 1), ((right, broken, unusable), 1), ((unusable, right), 2), ((right,), 0)):
        done = runner.run(check="\n".join(lines))
        assert done.returncode == status, done.stdout + done.stderr
    summary = runner.summary.read_text(encoding="utf-8")
    assert summary.count("### nkiverify check") == 8
    assert all(line.startswith(("    ", "### nkiverify")) for line in summary.splitlines() if line)


def test_findings_of_all_kernels_are_marked_and_written_as_sarif(runner: Runner) -> None:
    broken, unusable = "k.py::copy --arg a=bf16[P,F] --where 'F > 1'", "k.py::missing"
    done = runner.run(check="\n".join((broken, unusable, broken.replace("> 1", "> 2"))))
    marks = [line for line in done.stdout.splitlines() if line.startswith("::error file=k.py,line=")]
    assert len(marks) == 2 * 2, done.stdout
    document = json.loads((runner.folder / "nkiverify.sarif").read_text(encoding="utf-8"))
    ids = [one["automationDetails"]["id"] for one in document["runs"]]
    assert ids == ["nkiverify check 1/", "nkiverify check 2/"]
    assert all(one["results"][0]["ruleId"] == one["tool"]["driver"]["rules"][0]["id"] for one in document["runs"])
    # What a run before has left is none of its findings.
    runner.run(check=unusable)
    assert not list(runner.temporary.glob("nkiverify-*.sarif"))


def test_what_is_downloaded_is_named_by_what_is_installed(runner: Runner) -> None:
    runner.run(check="k.py::copy --arg a=bf16[P:1..128,512]")
    named = (runner.temporary / "output").read_text(encoding="utf-8")
    assert re.fullmatch(r"key=nkiverify-3\.12-[0-9a-f]{64}\n", named)
