"""A checkout keeps the byte code of all modules, also of those that are imported where nothing can be written."""

from __future__ import annotations

import compileall
from pathlib import Path

from nkiverify.run.confinement import lacks_byte_code


def test_one_module_that_was_never_compiled_is_found_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "first.py").write_text("A = 1\n")
    (tmp_path / "inner" / "second.py").write_text("B = 2\n")
    (tmp_path / "inner" / "text.md").write_text("no module\n")
    assert lacks_byte_code(tmp_path)
    compileall.compile_dir(tmp_path, quiet=2)
    assert not lacks_byte_code(tmp_path)
    (tmp_path / "inner" / "third.py").write_text("C = 3\n")
    assert lacks_byte_code(tmp_path)
