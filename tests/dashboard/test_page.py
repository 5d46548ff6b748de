"""The dashboard as text: its numbers, its size, and that what it shows is escaped."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from operator import attrgetter
from pathlib import Path

import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from nkiverify.cli.main import main
from nkiverify.foundation import resources
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import Label, Verdict
from nkiverify.foundation.source import Site
from nkiverify.products.esbmc import lowered
from nkiverify.project.manifest_targets import load_targets
from nkiverify.report.dashboard import data, render, rendered_markdown, upstream
from nkiverify.report.dashboard.figures import figures
from nkiverify.report.dashboard.marks import LineMark, claim_rows
from nkiverify.report.dashboard.repository_files import Colours
from nkiverify.results import codec as json_results
from nkiverify.results import file as results_file
from nkiverify.results import run_history
from nkiverify.results.cache import store
from nkiverify.results.session import counting
from nkiverify.verify.options import Options
from tests.dashboard.samples import ROOT, every_ending, hostile, html, many, marked, page, sections
from tests.report.samples import COUNT_VIOLATION, refuted, run, session

#: Bytes: the page is to be sent by mail.
LIMIT = 3_200_000


#: A kernel that fails for P = 128, and a manifest with a target for it.
KERNEL = """
import nki.isa as nisa
import nki.language as nl


def copy(a):
    P, F = a.shape
    t = nl.ndarray((P + 1, 4), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    return a
"""
TARGETS = """
from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import bfloat16


@target(kernel="kernel.py::copy", family="copy", kind=Kind.UNBOUNDED, expect={1: SUCCESSFUL})
def copy_small(v: Verification) -> None:
    v.call(v.tensor("a", (v.dim("P", high=128), v.dim("F", high=512)), bfloat16))
"""


class _Elements(HTMLParser):
    """Collects elements with their attributes, and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    written = every_ending()
    path = tmp_path / "results.json"
    path.write_text(json_results.text(written), encoding="utf-8")
    read = results_file.read(path)
    again = session(
        *read.runs, root=written.root, not_run=read.not_run, command=read.command, interrupted=read.interrupted
    )
    assert json_results.document(again)["runs"] == json_results.document(written)["runs"]
    assert results_file.of(written) == read


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "does not hold results"),
        ('{"schema": "nkiverify-results/2"}', "does not hold results"),
        ('{"schema": "nkiverify-results/1"}', "is not as"),
    ],
)
def test_what_is_no_result_is_a_usage_error(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=complaint):
        results_file.read(path)


def test_no_results_are_a_usage_error() -> None:
    with pytest.raises(UsageError, match="make verify"):
        results_file.read(Path("/nowhere/results.json"))


def test_keys_of_a_later_program_are_passed_over(tmp_path: Path) -> None:
    document = json.loads(json_results.text(every_ending()))
    document["mood"] = document["runs"][0]["mood"] = document["runs"][3]["violations"][0]["mood"] = "good"
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document))
    assert len(results_file.read(path).runs) == len(every_ending().runs)


def test_the_headline_counts_what_the_results_hold(tmp_path: Path) -> None:
    sample = every_ending()
    shown = page(sample, tmp_path)
    assert shown.claims == sum(one.claims for one in sample.runs)
    assert dict(shown.verdicts) == {"SUCCESSFUL": 5, "FAILED": 3, "UNKNOWN": 1, "VACUOUS": 1, "ERROR": 1}
    named = [one.target for one in shown.unexpected]
    # What is proved up to a bound only is no pass either.
    assert named == ["bounded", "unexpected", "unknown", "vacuous", "error", "disputed"]
    assert [group[0].target for group in shown.disagreements] == ["disputed"]
    assert shown.bounded == 1


def test_the_matrix_counts_every_run_once(tmp_path: Path) -> None:
    beside = run(target="matmul_tiled", engine="esbmc 8.4.0", advisory=True)
    shown = page(replace(every_ending(), runs=(*every_ending().runs, beside)), tmp_path)
    cells = [cell for family in shown.matrix for row in family.rows for cells in row.cells for cell in cells]
    order = attrgetter("target", "phase", "engine")
    assert sorted((cell.run for cell in cells), key=order) == sorted(counting(shown.runs), key=order)
    assert [(cell.run.target, cell.run.phase, cell.other) for cell in cells if cell.other] == [
        ("matmul_tiled", 1, "agrees")
    ]


def test_runs_that_fail_for_one_cause_are_one_finding(tmp_path: Path) -> None:
    again = replace(COUNT_VIOLATION, line=COUNT_VIOLATION.line + 1)
    other = replace(COUNT_VIOLATION, said="another")
    sample = session(
        refuted(target="one", violations=(COUNT_VIOLATION, again)),
        refuted(target="two", violations=(COUNT_VIOLATION, again)),
        refuted(target="three", violations=(other,)),
    )
    shown = page(sample, tmp_path)
    assert [[run.target for run in one.runs] for one in shown.expected_findings] == [["one", "two"], ["three"]]
    (cause,) = data.causes(sample.runs[0].violations)
    assert (cause.first, cause.others) == (COUNT_VIOLATION, (again,))
    text = sections(shown)["all-expected"]
    assert text.count("The same at") == 1 and text.count('<div class="violation">') == 2


def test_what_was_not_run_and_failed_last_is_told(tmp_path: Path) -> None:
    database = run_history.database(tmp_path)
    names = ["one", "two", "three"]
    failed = [run(target=name, verdict=Verdict.UNKNOWN, reason="a while loop") for name in names]
    run_history.record(session(*failed), database)
    run_history.record(session(run(target=names[1])), database)
    later = session(run(target=names[0]))
    text = html(later, tmp_path, database)
    assert "All 1 runs as expected; 1 that was not run failed last" in " ".join(text.split())
    assert f"<li>{names[2]}, phase 1, shape and bounds: UNKNOWN" in text
    assert f"<li>{names[1]}," not in text and f"<li>{names[0]}," not in text


def test_a_run_of_other_targets_does_not_hide_what_failed_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    right = TARGETS[TARGETS.index("@target") :].replace("copy_small", "copy_few").replace("high=128", "high=127")
    (tmp_path / "nkiverify_targets.py").write_text(TARGETS + "\n\n" + right)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--engine", "embedded"]) == 1
    assert main(["run", "--engine", "embedded", "copy_few"]) == 0
    (file,) = tmp_path.rglob("index.html")
    text = file.read_text(encoding="utf-8")
    assert "All 1 runs as expected; 1 that was not run failed last" in " ".join(text.split())
    assert "<li>copy_small, phase 1, shape and bounds: FAILED" in text


def test_lines_of_refuted_claims_and_of_what_is_not_understood_are_marked(tmp_path: Path) -> None:
    marks = {target.name: target.marks for target in page(every_ending(), tmp_path).targets}
    assert marks["unknown"] == {"kernels/matmul_tiled.py": {41: LineMark("unknown", "unknown")}}
    assert marks["bounded"] == {"kernels/matmul_tiled.py": {40: LineMark("unrolled", "unrolled")}}
    inside = refuted(
        violations=tuple(
            type(violation)(
                **{
                    **{name: getattr(violation, name) for name in violation.__slots__},
                    "file": f"{resources.root()}/kernels/matmul_tiled.py",
                }
            )
            for violation in refuted().violations
        )
    )
    (target,) = page(session(inside, root=resources.root()), tmp_path).targets
    assert target.marks == {"kernels/matmul_tiled.py": {57: LineMark("refuted", "refuted: dma_copy.count")}}


def test_lines_say_what_became_of_their_claims(tmp_path: Path) -> None:
    target = page(marked(), tmp_path).targets[0]
    assert target.marks["kernels/matmul_tiled.py"] == {
        50: LineMark("proved", "3 proved (2 simplifier, 1 smt)"),
        51: LineMark("proved", "1 proved (simplifier)"),
        52: LineMark("unknown", "undecided: nc_matmul.k_le_128"),
        54: LineMark("refuted", "refuted: mem.partitions_128"),
    }
    ((line, mark),) = target.marks[target.harness].items()
    assert mark == LineMark("assumed", "assumed")
    # The lines of the target are those of its file.
    text = (resources.root() / target.harness).read_text(encoding="utf-8").splitlines()
    assert target.code.splitlines()[line - target.code_line] == text[line - 1]


def test_claims_are_listed_with_what_decided_them(tmp_path: Path) -> None:
    first = page(marked(), tmp_path).runs[0]
    rows = [(row.contract, row.place, row.count, row.outcome, row.by) for row in claim_rows(first)]
    assert rows == [
        ("mem.partitions_128", "kernels/matmul_tiled.py:54", 1, "refuted", "smt"),
        ("nc_matmul.k_le_128", "kernels/matmul_tiled.py:52", 1, "undecided", ""),
        ("dma_copy.count", "kernels/matmul_tiled.py:50", 1, "proved", "smt"),
        ("idx.oob", "kernels/matmul_tiled.py:50 (x2), 51", 3, "proved", "simplifier"),
        ("target.output_shape", "", 1, "proved", "constant"),
    ]


def test_an_engine_that_is_asked_beside_counts_nothing_twice(tmp_path: Path) -> None:
    shown = page(marked(), tmp_path)
    assert len(shown.runs) == 6 and len(shown.counting) == 3
    assert shown.claims == 36 and shown.cached == 2
    assert shown.verdicts == [("SUCCESSFUL", 3)]
    assert shown.attached == [("agrees", 1), ("open", 1), ("disagrees", 1)]
    # What it leaves open is nothing to look into, a contradiction is.
    assert [run.target for run in shown.unexpected] == ["disputed"]
    assert [len(group) for group in shown.disagreements] == [2]
    assert shown.targets[0].attached(2) == ["esbmc 6.7.0: open"]
    assert [data.state(run) for run in shown.runs] == ["pass", "pass", "pass", "open", "pass", "mismatch"]


def test_what_another_engine_refutes_is_shown_once(tmp_path: Path) -> None:
    two = (COUNT_VIOLATION, replace(COUNT_VIOLATION, contract="idx.oob"))
    other = run(engine="esbmc 6.7.0", advisory=True, verdict=Verdict.FAILED, violations=two)
    shown = page(session(run(), other), tmp_path)
    section = sections(shown)[shown.targets[0].anchor]
    assert [section.count(f"<strong>{one.contract}</strong>") for one in two] == [1, 1]


def test_a_finding_says_what_the_terminal_says_of_it(tmp_path: Path) -> None:
    kernel = f"{ROOT}/kernels/matmul_tiled.py"
    labels = (Label(Site(kernel, 40), "tile is allocated here"), Label(Site(kernel, 63), "and is written here"))
    read = replace(
        COUNT_VIOLATION, contract="df.read_unwritten", file=kernel, said="tile[0, 64] was never written", labels=labels
    )
    text = html(session(refuted(violations=(read,), expected=Verdict.SUCCESSFUL), root=ROOT), tmp_path)
    assert "tile[0, 64] was never written" in text
    # What stands above the place is a remark in its excerpt, what stands below has one of its own.
    assert "and is written here: <code>kernels/matmul_tiled.py:63</code>" in text
    assert "tile is allocated here</pre>" not in text and "tile is allocated here" in text
    assert "Help: write all of tile before, or make it by nl.zeros(…) at kernels/matmul_tiled.py:40" in text


def test_the_lowered_programs_of_a_target_are_those_that_are_asked(tmp_path: Path) -> None:
    (target,) = (one for one in load_targets(resources.root()) if one.name == "matmul_basic")
    texts = lowered.of_target(target, Options(root=resources.root(), phases=(1,)))
    assert list(texts) == ["phase 1"]
    assert "__ESBMC_assert" in texts["phase 1"] and "matmul_basic" in texts["phase 1"]


def test_targets_come_with_the_function_that_states_their_domain(tmp_path: Path) -> None:
    (target,) = page(session(run(target="matmul_tiled_all"), root=resources.root()), tmp_path).targets
    assert target.code.startswith("def matmul_tiled_all(")
    assert target.hardware == "trn2" and target.description
    assert target.rerun == "python verify.py matmul_tiled_all"


def test_sources_outside_of_the_root_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("secret = 1")
    root = tmp_path / "root"
    (root / "harness").mkdir(parents=True)
    shown = page(session(run(kernel=f"{secret}::f"), run(kernel="../secret.py::f", target="b"), root=root), tmp_path)
    assert shown.sources == {}


def test_colours_of_sources_are_those_of_pygments_also_when_they_are_remembered(tmp_path: Path) -> None:
    text = Path(__file__).read_text(encoding="utf-8") + "\tx = f'<b>{y!r:>{z}}' # 1 < 2 & \"3\"\n\n"
    lexer, formatter = PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)
    expected = highlight(text, lexer, formatter).removesuffix("\n").split("\n")
    database = tmp_path / "cache.db"
    for known in (None, database, database):
        assert Colours(known).of({"a": text, "empty": ""}) == {"a": expected, "empty": []}
    assert Colours(database).of({"a": "x = 1"}) == Colours().of({"a": "x = 1"})


@pytest.mark.parametrize(
    "forged",
    ['[["<script>", 5]]', '[["k", 4]]', '[["k", 6], ["k", -1]]', '["k"]', "{}", "null", "5", "<b>", '[["k", "<b>"]]'],
)
def test_nothing_but_colours_comes_from_what_is_remembered(tmp_path: Path, forged: str) -> None:
    database = tmp_path / "cache.db"
    Colours(database).of({"a": "x = 1"})
    with contextlib.closing(sqlite3.connect(database)) as connection:
        ((slot, digest),) = connection.execute("SELECT slot, digest FROM verdict").fetchall()
    store.save_texts(database, [(slot, digest, forged)])
    (line,) = Colours(database).of({"a": "x = 1"})["a"]
    assert re.sub(r'<span class="\w+">|</span>', "", line) == "x = 1"


@pytest.mark.parametrize("sample", [every_ending, hostile, many, marked, session])
def test_the_page_is_small_and_loads_nothing(tmp_path: Path, sample: object) -> None:
    assert callable(sample)
    shown = page(sample(), tmp_path)
    text = render.html(shown)
    assert len(text.encode("utf-8")) <= LIMIT
    # Of hundreds of targets that are alike, some sections.
    texts = list(sections(shown).values())
    for tag, attributes in _Elements(text + "".join([*texts[:20], *texts[-2:]])).elements:
        assert tag not in ("iframe", "img", "object", "embed", "base")
        assert tag != "form" or "action" not in attributes
        assert "src" not in attributes
        assert tag != "link" or attributes.get("href") == "data:,"
        assert not any(name.startswith("on") for name in attributes)
        assert not str(attributes.get("href", "")).lower().startswith("javascript:")


def test_ids_are_given_once_and_links_inside_the_page_lead_somewhere(tmp_path: Path) -> None:
    for sample in (every_ending(), hostile()):
        elements = _Elements(html(sample, tmp_path)).elements
        ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = {str(attributes["href"]) for tag, attributes in elements if tag == "a"}
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


def test_names_that_differ_in_what_cannot_stand_in_an_address_have_sections_of_their_own(tmp_path: Path) -> None:
    targets = page(session(run(target="a b"), run(target="a_b"), run(target="a/b")), tmp_path).targets
    assert [target.anchor for target in targets] == ["target-a_b", "target-a_b-2", "target-a_b-3"]


def test_hostile_text_is_text(tmp_path: Path) -> None:
    text = html(hostile(), tmp_path)
    scripts = [attributes for tag, attributes in _Elements(text).elements if tag == "script"]
    assert len(scripts) == 2
    assert [attributes for attributes in scripts if "nonce" in attributes] == scripts[1:]
    assert "{{ 7*7 }}" in text
    for section in sections(page(hostile(), tmp_path)).values():
        assert "script" not in {tag for tag, _ in _Elements(section).elements}


def test_the_same_results_give_the_same_page(tmp_path: Path) -> None:
    assert html(every_ending(), tmp_path) == html(every_ending(), tmp_path)


def test_figures_are_what_plotly_understands(tmp_path: Path) -> None:
    graph_objects = pytest.importorskip("plotly.graph_objects")
    database = tmp_path / "history.db"
    for _ in range(3):
        run_history.record(every_ending(), database)
    drawn = figures(page(every_ending(), tmp_path, database))
    assert [figure.id for figure in drawn] == ["rungs", "history"]
    assert [figure.id for figure in figures(page(every_ending(), tmp_path, database, ours=False))] == ["history"]
    for figure in drawn:
        graph_objects.Figure(json.loads(json.dumps(figure.specification)))
        assert all(len(row) == len(figure.header) for row in figure.rows)


def test_without_a_history_the_page_says_so(tmp_path: Path) -> None:
    assert "There is no history yet" in html(every_ending(), tmp_path)
    database = tmp_path / "history.db"
    for _ in range(2):
        run_history.record(every_ending(), database)
    text = html(every_ending(), tmp_path, database)
    assert "There is no history yet" not in text and "s against the run before" in text


def test_the_run_before_is_one_of_as_many_runs(tmp_path: Path) -> None:
    database = tmp_path / "history.db"
    run_history.record(every_ending(), database)
    run_history.record(session(run()), database)
    run_history.record(every_ending(), database)
    shown = page(every_ending(), tmp_path, database)
    assert shown.this_session is not None and shown.before is not None
    assert (shown.this_session.id, shown.before.id) == (3, 1)


def test_what_became_of_each_run_since_an_earlier_session_is_told(tmp_path: Path) -> None:
    database = tmp_path / "history.db"
    before = session(
        run(),
        run(target="mended", verdict=Verdict.UNKNOWN, qualifier="time-out"),
        run(target="slow", milliseconds=100.0),
        run(target="left"),
    )
    run_history.record(replace(before, started=before.started - timedelta(days=1)), database)
    now = session(
        run(verdict=Verdict.FAILED),
        run(target="mended"),
        run(target="slow", milliseconds=900.0),
        run(target="added"),
    )
    (changes,) = page(now, tmp_path, database).changes
    told = [(change.kind, change.target, change.words) for change in changes.changes]
    assert told == [
        ("worse", "matmul_tiled", "phase 1: SUCCESSFUL → FAILED"),
        ("gone", "left", "phase 1: was SUCCESSFUL"),
        ("better", "mended", "phase 1: UNKNOWN (time-out) → SUCCESSFUL"),
        ("new", "added", "phase 1: SUCCESSFUL"),
        ("slower", "slow", "0.1 s → 0.9 s"),
    ]
    assert "SUCCESSFUL → FAILED" in html(now, tmp_path, database)


def test_a_users_page_is_about_their_repository(tmp_path: Path) -> None:
    shown = page(every_ending(), tmp_path, ours=False)
    text = render.html(shown)
    assert shown.targets[0].rerun == f"nkiverify run {shown.targets[0].name}"
    for word in ("predecessor", "Upstream bugs", "python verify.py", "make dashboard"):
        assert word not in text
    assert len(text.encode("utf-8")) < 600_000
    assert "predecessor" in html(every_ending(), tmp_path)


def test_a_run_writes_the_page_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "nkiverify_targets.py").write_text(TARGETS)
    monkeypatch.chdir(tmp_path)
    written = tmp_path / "nkiverify-reports" / "dashboard" / "index.html"
    assert main(["run", "--engine", "embedded", "--no-page"]) == 1
    assert not written.exists()
    capsys.readouterr()
    assert main(["run", "--engine", "embedded"]) == 1
    assert f"the page of these results is {written}" in capsys.readouterr().err
    text = written.read_text(encoding="utf-8")
    assert "mem.partitions_128" in text and "nl.ndarray((P + 1, 4)" in text and "^^^" in text
    written.unlink()
    (tmp_path / "pyproject.toml").write_text("[tool.nkiverify]\npage = false\n")
    assert main(["run", "--engine", "embedded"]) == 1
    assert not written.exists()


def test_a_run_says_why_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "nkiverify_targets.py").write_text(TARGETS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nkiverify.cli.dashboard.missing", lambda: ["plotly"])
    assert main(["run", "--engine", "embedded"]) == 1
    said = capsys.readouterr().err
    assert "no page of these results: the page needs plotly: pip install 'nkiverify[dashboard]'" in said
    assert main(["run", "--engine", "embedded", "--no-page"]) == 1
    assert "no page" not in capsys.readouterr().err


def test_every_state_has_a_word_and_a_sign() -> None:
    states = {data.state(one) for one in (*every_ending().runs, *marked().runs)}
    assert states == set(data.STATES)
    assert data.state(run(verdict=Verdict.VACUOUS)) == "unknown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `<b>` **c `d`**", "a <code>&lt;b&gt;</code> <strong>c <code>d</code></strong>"),
        ("[x](https://example.org/a)", '<a href="https://example.org/a">x</a>'),
        ("[x](javascript:alert(1))", "x)"),
        ("[x](../AUDIT.md#a)", '<a href="../AUDIT.md#a">x</a>'),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_markdown_of_one_line(text: str, expected: str) -> None:
    assert rendered_markdown.inline(text, "docs") == expected


def test_markdown_tables_lists_and_headings() -> None:
    text = "# Top\n\n- one\n  more\n- two\n\n| a | b\\|c |\n| --- | --- |\n| 1 | `2` |\n\n    code <\n"
    found = re.sub(r"\s*\n\s*", "", str(rendered_markdown.html(text, "", 2)))
    assert "<h2>Top</h2>" in found and "<ul><li>one more</li><li>two</li></ul>" in found
    assert '<th scope="col">b|c</th>' in found and "<td><code>2</code></td>" in found
    assert "<pre>code &lt;</pre>" in found


def test_sections_end_at_the_next_heading_of_their_level() -> None:
    assert rendered_markdown.section("# a\n\n## b\n\nx\n\n### c\n\ny\n\n## d\n\nz", "b") == "x\n\n### c\n\ny"
    assert rendered_markdown.section("# a", "b") == ""


def test_the_parts_of_the_audit_that_are_shown_exist() -> None:
    audit = (resources.root() / "AUDIT.md").read_text(encoding="utf-8")
    assert all(rendered_markdown.section(audit, heading) for heading in render._LIMITS)


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results, output = tmp_path / "r.json", tmp_path / "new" / "index.html"
    results.write_text(json_results.text(every_ending()))
    assert main(["dashboard", "--results", str(results), "--output", str(output)]) == 0
    assert "11 runs of 9 targets" in capsys.readouterr().out
    assert output.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_without_results_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--results", str(tmp_path / "none.json")]) == 2
    assert "there are no results" in capsys.readouterr().err


def test_every_kernel_with_an_upstream_file_is_there(tmp_path: Path) -> None:
    assert [file for file in upstream.FILES if not (resources.root() / file).is_file()] == []
    own = run(target="own", kernel="kernels/access_patterns.py::f")
    shown = page(session(run(), own, root=resources.root()), tmp_path)
    assert [(file.file, bool(file.upstream)) for file in shown.kernels] == [
        ("kernels/access_patterns.py", False),
        ("kernels/matmul_tiled.py", True),
    ]
    text = html(session(run(), root=resources.root()), tmp_path)
    assert f"{upstream.FILES['kernels/matmul_tiled.py']}</code> of aws-neuron/nki-samples" in text
