"""The targets of the user's own repository: where they are found, where reports go, and where settings come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.project.manifest_targets import load_targets
from tests.check.kernel_files import COPY, write

MANIFEST = '''
from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import bfloat16


@target(kernel="{kernel}", family="copy", kind=Kind.UNBOUNDED, expect={{1: SUCCESSFUL}}{more})
def {name}(v: Verification) -> None:
    """Every legal shape."""
    v.call(v.tensor("a", (v.dim("P", 1, 128), v.dim("F", multiple_of=128)), bfloat16))
'''


def manifest(file: Path, kernel: str, name: str, more: str = "") -> None:
    """Write a manifest with one target."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(MANIFEST.format(kernel=kernel, name=name, more=more), encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with kernels in two folders and a manifest beside each; the test stands in a folder of it."""
    top = tmp_path / "repository"
    write(top, kernels__k=COPY, lib__deep__k=COPY)
    (top / ".git").mkdir()
    manifest(top / "kernels" / "nkiverify_targets.py", "k.py::copy", "copy_all")
    manifest(top / "lib" / "nkiverify_targets.py", "deep/k.py::copy", "deep_copy", ', hardware="trn1"')
    for passed_over in (".hidden", "node_modules", "env"):
        manifest(top / passed_over / "nkiverify_targets.py", "k.py::copy", "not_meant")
    (top / "env" / "pyvenv.cfg").touch()
    monkeypatch.chdir(top)
    return top


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_manifest_of_the_repository_is_run_and_reports_lie_at_its_top(repository: Path) -> None:
    before = files_in(repository)
    assert main(["run", "-j", "1", "--engine", "embedded"]) == 0
    document = json.loads((repository / "nkiverify-reports" / "results.json").read_text(encoding="utf-8"))
    assert [run["kernel"] for run in document["runs"]] == ["kernels/k.py::copy", "lib/deep/k.py::copy"]
    new = files_in(repository) - before
    assert all(name.startswith("nkiverify-reports/") for name in new)
    assert (repository / "nkiverify-reports" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_from_a_folder_of_the_repository_the_nearest_manifest_is_meant(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository / "lib" / "deep")
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert "deep_copy" in listed and "copy_all" not in listed
    # Settings make one project of the whole.
    (repository / "pyproject.toml").write_text("[tool.nkiverify]\n", encoding="utf-8")
    assert main(["--list"]) == 0
    assert "copy_all" in capsys.readouterr().out


def test_the_history_and_the_replay_are_those_of_the_repository(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(repository / "kernels" / "nkiverify_targets.py", "k.py::copy", "ragged")
    file = repository / "kernels" / "nkiverify_targets.py"
    file.write_text(file.read_text(encoding="utf-8").replace("multiple_of=128", "1, 200"), encoding="utf-8")
    assert main(["run", "ragged", "-j", "1", "--engine", "embedded"]) == 1
    assert main(["history", "ragged"]) == 0
    assert "FAILED" in capsys.readouterr().out
    assert main(["replay", "--target", "ragged"]) == 0


def test_without_a_manifest_nothing_of_ours_passes_for_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no nkiverify_targets.py" in line and "nkiverify init" in line
    assert main(["run", "--bundled", "--list", "tensor_add"]) == 0
    assert "tensor_add" in capsys.readouterr().out


def test_the_language_is_checked_where_it_is_asked_for(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "copy_all", "-j", "1", "--engine", "embedded"]
    assert main(words) == 0
    assert "affine_range" not in capsys.readouterr().out
    assert main([*words, "--strict-language"]) == 1
    shown = capsys.readouterr().out
    assert "lang.deprecated: affine_range" in shown and "FAILED (language): 1 place" in shown
    (repository / "pyproject.toml").write_text("[tool.nkiverify]\nstrict-language = true\n", encoding="utf-8")
    assert main(words) == 1
    assert "FAILED (language)" in capsys.readouterr().out


def rows(text: str) -> dict[str, list[str]]:
    """The values of each setting in the table of --show-config, with where they come from."""
    table: dict[str, list[str]] = {}
    for line in text.splitlines()[2:]:
        name, *rest = line.split(maxsplit=1)
        table.setdefault(name, []).append(" ".join(rest[0].split()))
    return table


def test_each_layer_overrides_the_one_before_it(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = repository / "pyproject.toml"
    assert main(["run", "--show-config"]) == 0
    shown = rows(capsys.readouterr().out)
    assert (shown["timeout"], shown["unwind"]) == (["55 default"], ["8 default"])
    assert shown["hardware"] == ["trn2 default", "trn1 target deep_copy"]

    toml.write_text('[tool.nkiverify]\ntimeout = 7\nhardware = "trn3"\nunwind = 3\nreports = "out"\n', encoding="utf-8")
    assert main(["run", "--show-config"]) == 0
    shown = rows(capsys.readouterr().out)
    assert (shown["timeout"], shown["unwind"]) == ([f"7 {toml}"], [f"3 {toml}"])
    assert shown["hardware"] == [f"trn3 {toml}", "trn1 target deep_copy"]
    assert shown["reports"] == [f"{repository}/out {toml}"]
    assert [(target.hardware, target.flags) for target in load_targets(repository)] == [
        ("trn3", "--unwind 3"),
        ("trn1", "--unwind 3"),
    ]

    assert main(["run", "--show-config", "--timeout", "2", "--target", "trn2"]) == 0
    shown = rows(capsys.readouterr().out)
    assert shown["timeout"] == ["2 command line (--timeout)"]
    assert shown["hardware"] == ["trn2 command line (--target)"]


def test_settings_name_the_manifests(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "lib" / "checks.py").write_text(
        MANIFEST.format(kernel="deep/k.py::copy", name="named", more=""), encoding="utf-8"
    )
    (repository / "pyproject.toml").write_text(
        '[tool.nkiverify]\nmanifests = ["lib/che*.py"]\nreports = "out"\n', encoding="utf-8"
    )
    assert main(["run", "-j", "1", "--engine", "embedded"]) == 0
    assert "named" in capsys.readouterr().out
    assert (repository / "out" / "results.json").is_file()


def test_check_heeds_the_settings(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "pyproject.toml").write_text("[tool.nkiverify]\nphases = [2]\n", encoding="utf-8")
    assert main(["check", "kernels/k.py::copy", "--arg", "a=bf16[P,F]"]) == 0
    assert "1 run of 1 target" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("timeot = 3", "[tool.nkiverify] has no setting timeot; did you mean timeout?"),
        ("timeout = 0", "[tool.nkiverify] timeout is a positive number of seconds, not 0"),
        ("timeout = true", "[tool.nkiverify] timeout is a positive number of seconds, not True"),
        ('hardware = "trn9"', "[tool.nkiverify] hardware is one of trn1, trn2, trn3, not 'trn9'"),
        ("phases = [7]", "[tool.nkiverify] phases is a list of "),
        ("strict-language = 1", "[tool.nkiverify] strict-language is true or false, not 1"),
        ('manifests = ["absent.py"]', "no file is or matches the manifest absent.py"),
        ('manifests = ["/etc/*.py"]', "the manifest /etc/*.py is to be named relative to "),
        ("timeout = ", "not TOML: "),
    ],
)
def test_settings_that_cannot_be_used_are_one_line(
    repository: Path, lines: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "pyproject.toml").write_text(f"[tool.nkiverify]\n{lines}\n", encoding="utf-8")
    assert main(["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"nkiverify: error: {repository / 'pyproject.toml'}: {message}")


def test_two_targets_of_one_name_are_told_apart_by_nobody(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest(repository / "lib" / "nkiverify_targets.py", "deep/k.py::copy", "copy_all")
    assert main(["run"]) == 2
    assert "there is already a target copy_all" in capsys.readouterr().err
