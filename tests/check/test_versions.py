"""The version of NKI that a kernel is verified for: which rules and names it has."""

from __future__ import annotations

import json

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit{decorator}
    def kernel(a):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.{buffer})
        one = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=a)
        {body}
        nisa.dma_copy(dst=out, src=one)
        return out
"""


def run(check: Checker, *words: str, body: str = "pass", buffer: str = "shared_hbm", decorator: str = "") -> int:
    """The exit status of checking the kernel, in phase 1, with this line in it."""
    write(check.folder, k=KERNEL.format(body=body, buffer=buffer, decorator=decorator))
    return check("k.py::kernel", "--arg", "a=f32[128,512]", "--phase", "1", "--strict", *words)


PSUM = "nisa.dma_copy(dst=out, src=nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum))"
#: What breaks a rule from a version on.
SINCE = {
    "mem.output_shared_hbm": ("0.3", {"buffer": "hbm"}),
    "dma_copy.buffers": ("0.3", {"body": PSUM}),
    "isa.enum_members": ("0.3", {"body": "nisa.tensor_copy(one, one, engine=5)"}),
    "lang.target": ("0.3", {"decorator": '(platform_target="trn2")'}),
}


@pytest.mark.parametrize(("rule", "case"), SINCE.items(), ids=SINCE.keys())
def test_a_rule_holds_from_its_version_on(check: Checker, rule: str, case: tuple[str, dict[str, str]]) -> None:
    since, lines = case
    before = {"0.3": "0.2", "0.4": "0.3"}[since]
    assert run(check, "--nki", before, **lines) == 0, check.out
    for version in (since, f"{since}.0", "0.6"):
        assert run(check, "--nki", version, **lines) == 1
        assert f"\n  {rule}: " in check.out
    assert run(check, **lines) == 1


#: What is part of NKI from a version on.
NEW = {
    "nki.language.load": ("0.3", "one = nl.load(a)"),
    "nl.tile_size.psum_bank_fmax": ("0.4", "nl.tile_size.psum_bank_fmax"),
    "nki.language.fori_loop": ("0.6", "nl.fori_loop(0, 2, lambda i: None)"),
}


@pytest.mark.parametrize(("name", "case"), NEW.items(), ids=NEW.keys())
def test_a_name_is_there_from_its_version_on(check: Checker, name: str, case: tuple[str, str]) -> None:
    since, body = case
    before = {"0.3": "0.2", "0.4": "0.3", "0.6": "0.5"}[since]
    assert run(check, "--nki", before, body=body) == 1
    assert "\n  api.version: " in check.out
    assert f"name = {name}, since = {since}, nki = {before}" in " ".join(check.out.split())
    assert run(check, "--nki", since, body=body) == 0, check.out


def test_the_language_is_that_of_the_version(check: Checker) -> None:
    body = "assert nl.tile_size.psum_fmax is not None"
    assert run(check, "--strict-language", "--nki", "0.2", body=body) == 0, check.out
    assert run(check, "--strict-language", "--nki", "0.3", body=body) == 1
    assert "Outside the language that NKI 0.3 documents" in check.out
    assert "lang.no_is" in check.out and "lang.deprecated" not in check.out
    assert run(check, "--strict-language", "--nki", "0.4", body=body) == 1
    assert "lang.deprecated: psum_fmax" in check.out


def test_the_settings_name_a_version_that_the_command_line_changes(check: Checker) -> None:
    (check.folder / "pyproject.toml").write_text('[tool.nkiverify]\nnki = "0.2"\n', encoding="utf-8")
    assert run(check, "--json", "r.json", buffer="hbm") == 0
    assert json.loads((check.folder / "r.json").read_text())["nki"] == "0.2"
    assert "for NKI 0.2" in check.out
    assert run(check, "--nki", "0.3", buffer="hbm") == 1
    (check.folder / "pyproject.toml").write_text('[tool.nkiverify]\nnki = "0.9"\n', encoding="utf-8")
    assert run(check) == 2
    assert len(check.err.splitlines()) == 1 and "nki is one of 0.2, 0.3, 0.4, 0.5, 0.6, not '0.9'" in check.err


@pytest.mark.parametrize("version", ["0.9", "3", "0.6.1", "", "newest"])
def test_a_version_that_there_is_not_is_one_line(check: Checker, version: str) -> None:
    assert run(check, "--nki", version) == 2
    assert check.out == "" and len(check.err.splitlines()) == 1
    assert f"there is no NKI '{version}' to verify for; the versions are 0.2, 0.3, 0.4, 0.5, 0.6" in check.err
