"""A sweep verifies every combination once, whatever happens to it on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.errors import UsageError
from nkiverify.products.sweep.description import Item, items_of
from nkiverify.project.manifest_targets import load_targets
from nkiverify.results import run_history
from nkiverify.verify.options import Options
from tests.clocks import eventually

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def load(a, rows):
    tile = nl.ndarray((rows, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
"""

MANIFEST = """
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


def declared(expected):
    return target(kernel="load.py::load", family="load", kind=Kind.UNBOUNDED, expect={1: expected, 2: expected})


@declared(SUCCESSFUL)
def good(v):
    n = v.dim("n", high=128)
    v.call(v.tensor("a", (n, 512), float32), n)


@declared(FAILED)
def too_many_rows(v):
    n = v.dim("n", high=129)
    v.call(v.tensor("a", (n, 512), float32), n)
"""

MATRIX = """
targets = ["good", "too_many*"]
hardware = ["trn1", "trn2"]
phases = [1]

[[configuration]]
name = "all"

[[configuration]]
name = "full"
fix = { n = 128 }
"""

ALL = {
    "good@trn1+all": "SUCCESSFUL",
    "good@trn1+full": "SUCCESSFUL",
    "good@trn2+all": "SUCCESSFUL",
    "good@trn2+full": "SUCCESSFUL",
    "too_many_rows@trn1+all": "FAILED",
    "too_many_rows@trn1+full": "SUCCESSFUL",
    "too_many_rows@trn2+all": "FAILED",
    "too_many_rows@trn2+full": "SUCCESSFUL",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a sweep of two targets."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "load.py").write_text(KERNEL)
    (tmp_path / "nkiverify_targets.py").write_text(MANIFEST)
    (tmp_path / "matrix.toml").write_text(MATRIX)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep(*arguments: str) -> int:
    return main(["sweep", "matrix.toml", "--out", "out", "-j", "1", *arguments])


def results(root: Path, name: str = "results.json") -> dict[str, str]:
    document = json.loads((root / "out" / name).read_text())
    return {run["target"]: run["verdict"] for run in document["runs"]}


def described(root: Path, text: str, name: str = "other.toml") -> list[Item]:
    (root / name).write_text(text)
    return items_of(root / name, load_targets(root), Options(root=root))


def test_every_combination_has_its_verdict_and_a_fixed_dimension_restricts_the_domain(root: Path) -> None:
    assert sweep() == 0
    assert results(root) == ALL


def test_what_is_done_is_not_done_again_unless_something_changed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep()
    lines = (root / "out" / "shard-1-of-1.jsonl").read_bytes()
    capsys.readouterr()
    assert sweep() == 0
    assert "8 of 8 items have their verdicts from before" in capsys.readouterr().err
    assert (root / "out" / "shard-1-of-1.jsonl").read_bytes() == lines
    (root / "load.py").write_text(KERNEL + "\n# changed\n")
    assert sweep() == 0
    assert "from before" not in capsys.readouterr().err
    assert results(root) == ALL


def test_what_cannot_be_remembered_is_said_and_done_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "load.py").write_text("import os\nHOME = os.environ\n" + KERNEL)
    for _ in range(2):
        assert sweep() == 0
        err = capsys.readouterr().err
        assert "8 items will be verified again each time: load.py:2 uses os.environ" in err and "from before" not in err


def test_a_line_that_was_cut_off_is_done_again_and_every_other_is_kept(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep()
    file = root / "out" / "shard-1-of-1.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    run_history.database(root / "nkiverify-reports").unlink()
    assert sweep() == 0
    assert "7 of 8 items have their verdicts from before" in capsys.readouterr().err
    assert results(root) == ALL
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_shards_are_a_partition_and_merge_into_the_report_of_all(root: Path) -> None:
    for number in (1, 2, 3):
        main(["sweep", "matrix.toml", "--out", f"part{number}", "-j", "1", "--shard", f"{number}/3"])
    parts = [option for number in (1, 2, 3) for option in ("--merge", f"part{number}")]
    assert sweep(*parts) == 0
    assert results(root) == ALL


def test_a_merge_without_all_shards_lists_what_is_missing_and_is_an_error(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {
        item.name: item.in_shard((1, 2))
        for item in items_of(root / "matrix.toml", load_targets(root), Options(root=root))
    }
    assert set(names.values()) == {True, False}
    sweep("--shard", "1/2")
    capsys.readouterr()
    assert sweep("--merge", "out") == 4
    missing = list(names.values()).count(False)
    assert f"{missing} items without a verdict" in capsys.readouterr().out


def test_shards_that_contradict_each_other_are_not_merged(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep()
    lines = (root / "out" / "shard-1-of-1.jsonl").read_text()
    (root / "other").mkdir()
    other = lines.replace('"verdict": "SUCCESSFUL"', '"verdict": "FAILED"').replace(
        '"basis": "proved"', '"basis": "refuted"'
    )
    (root / "other" / "shard-1-of-2.jsonl").write_text(other)
    assert sweep("--merge", "out", "--merge", "other") == 2
    assert "has other verdicts in" in capsys.readouterr().err


def test_two_sweeps_do_not_write_to_one_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = (
        "import fcntl, sys; file = open('out/shard-1-of-1.jsonl', 'a'); fcntl.flock(file, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    (root / "out").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "held\n"
        assert sweep() == 2
        assert "another sweep is writing to out/shard-1-of-1.jsonl" in capsys.readouterr().err
        other.stdin.close()
    assert sweep() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_ends_the_sweep_with_one_line_and_what_was_found_is_told(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "out").mkdir()
    (root / "out" / "shard-1-of-1.jsonl").symlink_to("/dev/full")
    assert sweep() == 4
    out, err = capsys.readouterr()
    assert "No space left on device" in err and "it goes on from there" in err
    assert "7 items without a verdict" in out


@pytest.mark.parametrize("lost", [False, True], ids=["with its files", "with the history alone"])
def test_a_killed_sweep_goes_on_where_it_was(root: Path, lost: bool, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "slow").mkdir()
    slow = f"import time\n{MANIFEST}\n\n@declared(SUCCESSFUL)\ndef too_many_seconds(v):\n    time.sleep(600)\n"
    slow = slow.replace("def good", "def good_too").replace("def too_many_rows", "def many_rows")
    (root / "slow" / "nkiverify_targets.py").write_text(slow.replace("load.py", "../load.py"))
    file = root / "out" / "shard-1-of-1.jsonl"
    command = [sys.executable, "-m", "nkiverify", "sweep", "matrix.toml", "--out", "out", "-j", "1"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as running:
        assert eventually(lambda: file.exists() and len(file.read_bytes().splitlines()) >= 4)
        database = run_history.database(root / "nkiverify-reports")
        assert eventually(lambda: len(run_history.kept_items(database)) >= 4)
        running.send_signal(signal.SIGKILL)
    if lost:
        shutil.rmtree(root / "out")
    (root / "matrix.toml").write_text(MATRIX.replace("too_many*", "too_many_rows"))
    capsys.readouterr()
    # Its workers hold its files until they notice that it is gone.
    assert eventually(lambda: sweep() == 0)
    assert "4 of 8 items have their verdicts from before" in capsys.readouterr().err


def test_a_sweep_whose_files_are_lost_goes_on_from_the_history(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep() == 0
    found = (root / "out" / "shard-1-of-1.jsonl").read_text()
    shutil.rmtree(root / "out")
    assert sweep() == 0
    assert "8 of 8 items have their verdicts from before" in capsys.readouterr().err
    assert results(root) == ALL
    # Its files are whole again: shards are merged from them.
    assert sorted((root / "out" / "shard-1-of-1.jsonl").read_text().splitlines()) == sorted(found.splitlines())
    shutil.rmtree(root / "out")
    (root / "load.py").write_text(KERNEL.replace("512", "256"))
    assert sweep() != 0
    assert "from before" not in capsys.readouterr().err


def test_the_history_has_what_was_verified_and_what_was_found_before(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert sweep() == 0
    past = run_history.runs_of("too_many_rows@trn2+all", run_history.database(root / "nkiverify-reports"))
    assert [(run.verdict, run.cached) for run in past] == [("FAILED", False), ("FAILED", True)]
    assert main(["history", "too_many_rows@trn2+all"]) == 0
    assert "FAILED" in capsys.readouterr().out


def test_every_item_is_verified_again_where_that_is_asked_for(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep() == 0
    assert sweep("--no-cache") == 0
    assert "from before" not in capsys.readouterr().err
    assert results(root) == ALL


def test_a_sweep_does_without_a_history_that_cannot_be_used(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = run_history.database(root / "nkiverify-reports")
    database.parent.mkdir()
    database.write_bytes(b"no database at all, but long enough to be read as the header of one" * 20)
    assert sweep() == 0
    assert "warning: this sweep is not in the history" in capsys.readouterr().err
    assert results(root) == ALL
    assert sweep() == 0
    assert "8 of 8 items have their verdicts from before" in capsys.readouterr().err


def test_a_description_in_python_says_the_same(root: Path) -> None:
    text = """
SWEEP = [
    {"targets": [name], "hardware": ["trn1", "trn2"], "phases": [1],
     "configuration": [{"name": "all"}, {"name": "full", "fix": {"n": 128}}]}
    for name in ("good", "too_many_rows")
]
"""
    python = described(root, text, "matrix.py")
    assert sorted(item.name for item in python) == sorted(ALL)
    assert {item.name: item.options for item in python} == {item.name: item.options for item in described(root, MATRIX)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target = ['good']", "there is no setting target"),
        ("targets = ['bad']", "no target is or matches 'bad'"),
        ("hardware = ['trn9']", "hardware is a list of trn1"),
        ("[[configuration]]\n[[configuration]]", "is there twice"),
        ("[[configuration]]\nfix = { n = 'x' }", "fix is a table of integers"),
        ("targets = ", "not TOML"),
    ],
)
def test_a_description_that_is_not_understood_is_a_usage_error(root: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        described(root, text)


def test_fixing_what_is_no_dimension_is_an_error_and_no_verdict(root: Path) -> None:
    (root / "matrix.toml").write_text(MATRIX.replace("n = 128", "m = 128"))
    assert sweep() == 2
    assert set(results(root).values()) == {"SUCCESSFUL", "FAILED", "ERROR"}


def test_fixing_a_value_outside_the_domain_is_vacuous(root: Path) -> None:
    (root / "matrix.toml").write_text(MATRIX.replace("n = 128", "n = 1000"))
    assert sweep() == 5
    assert results(root)["good@trn2+full"] == "VACUOUS"
