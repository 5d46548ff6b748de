"""The pages as a whole: the site builds, its links lead somewhere, and the commands they show are there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from nkiverify.cli import main as cli
from nkiverify.foundation import resources
from nkiverify.foundation.resources import root
from nkiverify.results import run_history
from tests.report.samples import run, session

TOP = root()
PAGES = [TOP / "README.md", TOP / "AUDIT.md", *sorted((TOP / "docs").glob("*.md"))]


class _Links(HTMLParser):
    """Collects where a page leads, what it loads, and the places in it that can be led to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name == "href" and tag == "a" and value:
                self.links.append(value)
            elif value and (name == "src" or (name == "href" and tag == "link")):
                self.loaded.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_link_of_the_site_leads_to_a_place_of_the_site(site: Path) -> None:
    pages = {file.name: _Links(file.read_text(encoding="utf-8")) for file in site.glob("*.html")}
    assert {path.stem for path in PAGES[1:]} | {"404"} == {name.removesuffix(".html") for name in pages}
    for name, page in pages.items():
        for link in page.links if name != "404.html" else ():
            parts = urlsplit(link)
            if parts.scheme:
                continue
            goal = unquote(parts.path) or name
            assert (site / goal).exists(), (name, link)
            if parts.fragment and goal in pages:
                assert unquote(parts.fragment) in pages[goal].ids, (name, link)


def test_nothing_is_left_of_the_marks_of_code_blocks(site: Path) -> None:
    # A block that MkDocs does not take for one turns the rest of the page inside out.
    assert [file.name for file in site.rglob("*.html") if "```" in file.read_text(encoding="utf-8")] == []


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for file in site.rglob("*.html"):
        assert [url for url in _Links(file.read_text(encoding="utf-8")).loaded if urlsplit(url).netloc] == []


def test_links_between_files_of_the_repository_lead_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`(?!\])", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path = urlsplit(link).path
            if path and not urlsplit(link).scheme:
                assert (page.parent / path).exists(), (page.name, link)


#: Folders whose paths are looked for. Repositories of users have `kernels`, `harness` and `reports` as well.
_FOLDERS = ("nkiverify", "lab", "tests", "controls", "docs", "stubs", "dashboard")


def test_paths_that_pages_name_exist() -> None:
    inner = [part for part in (TOP / "nkiverify").rglob("*") if part.is_dir() and part.name != "__pycache__"]
    first = "|".join(map(re.escape, sorted({*_FOLDERS, *(part.name for part in inner)})))
    # A module may be named without its ending, and from any folder of the package on.
    named = re.compile(rf"(?<![\w./<-])((?:{first})/[\w./-]*\w)")
    tops = (TOP, TOP / "nkiverify", *(part.parent for part in inner))
    missing = []
    for page in PAGES:
        text = re.sub(r"```.*?```|https?://\S+", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for path in set(named.findall(text)):
            if not any((top / f"{path}{ending}").exists() for top in tops for ending in ("", ".py")):
                missing.append((page.name, path))
    assert missing == []


def test_measurements_say_their_revision() -> None:
    names = ("speed", "scale", "published", "campaigns")
    sections = ((TOP / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in names)
    found = re.findall(r"<!-- (\w+): [^\n]* -->\n\nRevision [0-9a-f]{7}\S*, [\d-]{10}\.\n", "".join(sections))
    assert found == ["bench", "scale", "concrete", "symbolic", "mutants"]


def test_the_page_of_commands_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.commands_page", "--check"], cwd=TOP, check=False)
    assert done.returncode == 0, "run `make pages`"


#: Commands that need no argument.
_ALONE = ("contracts", "dashboard", "doctor", "history", "run")


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Every command line that the pages show as one to be typed: the page, and its words."""
    for page in PAGES:
        fenced, language = False, ""
        for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
            if line.lstrip().startswith("```"):
                fenced, language = not fenced, line.strip("` ")
                continue
            typed = line.lstrip("$ ") if fenced and language in ("", "console") else line[4:] * (line[:4] == "    ")
            if re.match(r"(nkiverify|python verify\.py|make|\.venv/bin/nkiverify)( |$)", typed):
                # What stands behind many spaces says what the command does.
                yield page.name, shlex.split(re.split(r" {4,}", typed)[0], comments=True)
        # In the text: what has a placeholder for the rest, or no argument where one is needed, is no whole command.
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for typed in re.findall(r"`((?:nkiverify|python verify\.py|make) [^`…]+)`", text):
            words = shlex.split(typed)
            if words[0] == "make" or len(words) > words.count("python") + 2 or words[-1] in _ALONE:
                yield page.name, words


def test_every_command_shown_is_one_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(resources, "reports", lambda: tmp_path)
    run_history.record(session(run()), run_history.database(tmp_path))
    makefile = (TOP / "Makefile").read_text(encoding="utf-8")
    shown = {tuple(words): page for page, words in _commands()}
    assert len(shown) >= 30
    for words, page in shown.items():
        if words[0] == "make":
            goals = [word for word in words[1:] if "=" not in word]
            assert all(f"\n{goal}: " in makefile for goal in goals), (page, words)
            continue
        arguments = list(words[2:] if words[0] == "python" else words[1:])
        name = arguments[0] if arguments and arguments[0] in cli.COMMANDS else cli.DEFAULT_COMMAND
        rest = arguments[1:] if arguments and arguments[0] == name else arguments
        parsed = cli.parser_of(name).parse_intermixed_args(rest)
        assert parsed is not None
        # Targets of examples on the same page are run by the tests of that page; `ID` and `NAME` are placeholders.
        # The coverage of all targets takes half a minute: tests/docs/test_explain_command.py asks it of a few.
        if any("every_" in word or word.isupper() or word == "--coverage" for word in rest):
            continue
        if name == cli.DEFAULT_COMMAND:
            assert cli.main([*rest, "--list"]) == 0, (page, words, capsys.readouterr().err)
        elif name in ("contracts", "explain", "history"):
            assert cli.main([name, *rest]) == 0, (page, words, capsys.readouterr().err)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_knows_how_to_build_the_site() -> None:
    done = subprocess.run(["make", "--dry-run", "docs"], cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "mkdocs build --strict" in done.stdout
