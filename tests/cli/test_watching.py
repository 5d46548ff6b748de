"""`check --watch`: once more after each change of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.watched_files import watched


def test_work_is_done_again_where_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("k.py", "helper.py", "notes.txt", "sub/other.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    done: list[int] = []
    changes = iter(["notes.txt", "helper.py", "sub/other.py", "k.py", "new.py"])

    def looks() -> object:
        for name in changes:
            Path(name).write_text("changed")
            yield name

    assert watched(lambda: done.append(0) or len(done), ["k.py::kernel"], looks()) == 4  # type: ignore[arg-type, func-returns-value]
    err = capsys.readouterr().err
    assert [line for line in err.splitlines() if "changed" in line] == [
        f"nkiverify: {name} changed" for name in ("helper.py", "k.py", "new.py")
    ]
    done.clear()
    changes = iter(["sub/other.py", "notes.txt"])
    Path("sub/other.py").write_text("")
    assert watched(lambda: done.append(0) or len(done), ["."], looks()) == 2  # type: ignore[arg-type, func-returns-value]
