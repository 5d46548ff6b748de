"""`nkiverify init`, and the manifest of a repository other than ours."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.budget import TargetBudget
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.settings import read
from tests.check.kernel_files import COPY, write


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a kernel, in which the test runs."""
    write(tmp_path, kernels__k=COPY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_manifest_is_begun(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "kernels/k.py::copy"]) == 0
    assert "copy_all" in capsys.readouterr().out
    (target,) = load_targets(repository)
    assert (target.name, target.kernel, target.root) == ("copy_all", "kernels/k.py::copy", repository)
    assert main(["run", "--show-config"]) == 0
    assert main(["init", "kernels/k.py::copy"]) == 2
    assert "has a target copy_all already" in capsys.readouterr().err


MORE = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def gather(table, ids, config):
        V, D = table.shape
        T, one = ids.shape
        assert T == 128 and one == 1
        assert config.fast
        at = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.dma_copy(dst=at, src=ids)
        out = nl.ndarray((T, D), dtype=table.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=table.ap(pattern=[[D, 128], [1, D]], vector_offset=at, indirect_dim=0))
        return out
"""


def test_a_target_is_added_to_a_manifest_with_what_is_inferred(repository: Path) -> None:
    manifest = repository / "nkiverify_targets.py"
    assert main(["init", "kernels/k.py::copy"]) == 0
    manifest.write_text(manifest.read_text(encoding="utf-8") + "\n\nMINE = 1\n", encoding="utf-8")
    write(repository, more=textwrap.dedent(MORE))
    assert main(["init", "more.py::gather"]) == 0
    text = manifest.read_text(encoding="utf-8")
    assert "MINE = 1\n" in text
    assert 'v.tensor("ids", (T, one), uint32, values=(0, V-1))' in text
    assert "    v.assume(T == 128)\n    v.assume(one == 1)\n" in text
    assert "# config is an object of which the kernel uses attributes: what is it to be?" in text
    assert {one.name for one in load_targets(repository)} == {"copy_all", "gather_all"}


def test_each_kernel_of_a_folder_has_a_target(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that have one keep it, as somebody has changed it; helpers and files without a kernel are passed over."""
    write(repository, more=textwrap.dedent(MORE), other="import nki\n")
    assert main(["init", "more.py"]) == 0
    assert main(["init", "."]) == 0
    told = capsys.readouterr().out
    assert "has a target gather_all already: left as it is, and none made for more.py::gather" in told
    assert {one.name for one in load_targets(repository)} == {"copy_all", "gather_all"}
    assert main(["init", "more.py::gathers"]) == 2
    assert main(["init", "other.py"]) == 2
    assert "no kernel gathers in more.py; did you mean gather?" in capsys.readouterr().err


def test_kernels_of_one_name_in_several_files_have_a_target_each(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository, kernels__other=COPY, more__other=COPY)
    assert main(["init", "kernels", "more"]) == 0
    expected = {
        "copy_all": "kernels/k.py::copy",
        "other_copy_all": "kernels/other.py::copy",
        "more_other_copy_all": "more/other.py::copy",
    }
    assert {one.name: one.kernel for one in load_targets(repository)} == expected
    capsys.readouterr()
    assert main(["init", "."]) == 0
    assert capsys.readouterr().out.count("already: left as it is") == 3
    assert {one.name: one.kernel for one in load_targets(repository)} == expected


def test_a_target_by_another_name_is_one(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "kernels/k.py::copy"]) == 0
    manifest = repository / "nkiverify_targets.py"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("def copy_all", "def mine"), encoding="utf-8")
    assert main(["init", "kernels"]) == 0
    assert [one.name for one in load_targets(repository)] == ["mine"]


def test_the_name_of_a_file_is_a_text_in_the_manifest(repository: Path) -> None:
    name = 'a"), __import__("nowhere") #.py'
    (repository / name).write_text((repository / "kernels" / "k.py").read_text())
    assert main(["init", "."]) == 0
    found = {one.name: one.kernel for one in load_targets(repository)}
    assert found == {"copy_all": f"{name}::copy", "k_copy_all": "kernels/k.py::copy"}


@pytest.mark.parametrize("name", ["k\x1b[31m.py", "k\n.py", "k\u202e.py", "a::b/k.py", "k\n##[error].py"])
@pytest.mark.parametrize("command", ["init", "check"])
def test_a_file_that_cannot_be_named_is_told_of(
    name: str, command: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text((repository / "kernels" / "k.py").read_text())
    assert main([command, "."]) == 2
    said = capsys.readouterr().err
    assert "give the file another name" in said and said.count("\n") == 1 and "\x1b" not in said


def test_the_first_target_is_as_expected(repository: Path) -> None:
    """The asserts of the kernel are what it assumes."""
    write(repository, kernels__k=COPY)
    main(["init", "kernels/k.py::copy"])
    assert main(["run", "--engine", "embedded", "-j", "1", "--phase", "1", "--no-page"]) == 0


TILED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def tiled(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        for block in range(R // 128):
            tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[block * 128 : block * 128 + 128, :])
            nisa.dma_copy(dst=out[block * 128 : block * 128 + 128, :], src=tile)
        return out
"""


def test_a_target_has_the_domain_that_is_derived(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in the kernel says that whole blocks of rows are needed."""
    write(repository, kernels__k=textwrap.dedent(TILED))
    assert main(["init", "kernels/k.py::tiled"]) == 0
    assert "has a target tiled_all: the shapes for which tiled is legal, proved" in capsys.readouterr().out
    text = (repository / "nkiverify_targets.py").read_text(encoding="utf-8")
    assert "v.assume(R % 128 == 0)" in text and "v.assume(C <= " in text
    assert main(["run", "--engine", "embedded", "-j", "1", "--no-page"]) == 0


def test_the_settings_are_begun_behind_what_is_there(repository: Path) -> None:
    toml = repository / "pyproject.toml"
    toml.write_text('[project]\nname = "mine"\n', encoding="utf-8")
    assert main(["init", "kernels/k.py::copy"]) == 0
    written = toml.read_text(encoding="utf-8")
    assert written.startswith('[project]\nname = "mine"\n\n[tool.nkiverify]\n')
    # Every setting that is there as a comment is one.
    toml.write_text(written.replace("\n# manifests", "\nmanifests").replace("\n# t", "\nt"), encoding="utf-8")
    settings = read(toml)
    assert settings is not None and settings.manifests == ("nkiverify_targets.py",)
    assert settings.timeout == TargetBudget.SECONDS
    (repository / "nkiverify_targets.py").unlink()
    before = toml.read_text(encoding="utf-8")
    assert main(["init", "kernels/k.py::copy"]) == 0
    assert toml.read_text(encoding="utf-8") == before


def test_its_targets_are_found_where_it_is(repository: Path) -> None:
    main(["init", "kernels/k.py::copy"])
    command = [sys.executable, "-m", "nkiverify", "--list"]
    listed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert "copy_all" in listed.stdout
    assert "matmul" not in listed.stdout


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("kernels/j.py::copy", "no file kernels/j.py"),
        ("kernels/k.py::cop", "no kernel cop in kernels/k.py; did you mean copy?"),
    ],
)
def test_what_is_not_there(kernel: str, message: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", kernel]) == 2
    assert capsys.readouterr().err == f"nkiverify: error: {message}\n"
    assert not (repository / "nkiverify_targets.py").exists()
