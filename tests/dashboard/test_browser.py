"""The dashboard in a real Chromium, without a network: what a reader sees and does. Skipped where none is installed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nkiverify.results import codec as json_results
from nkiverify.results import run_history
from nkiverify.results.session import Session
from tests.dashboard.samples import every_ending, hostile, html, many, marked
from tests.report.samples import session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed: the dashboard is not tried in a browser"
)

DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


def expect(locator: Locator) -> Any:
    """Playwright's assertions, which wait. Imported here: each process of the suite collects this file, and kernels run
    slower in one that has many modules."""
    from playwright import sync_api

    return sync_api.expect(locator)


class Opened:
    """A page opened from disk, offline, which must neither complain nor ask for anything."""

    def __init__(self, browser: Browser, file: Path, size: tuple[int, int] = DESKTOP, scheme: Any = "light") -> None:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, offline=True)
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def draw(self) -> None:
        """Go to the figures, and wait until they are there: pages of few targets have the numbers alone."""
        self.page.evaluate("location.hash = '#figures'")
        if not self.page.locator("#plotly").count():
            return
        self.page.wait_for_selector(":root[data-drawn]", timeout=60_000)

    def unfold(self) -> None:
        """Open everything that is folded, and wait until it is there."""
        self.page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        expect(self.page.locator(".content:not(:has(> *))")).to_have_count(0)

    def shown(self) -> list[str]:
        """The targets of the table's visible rows, from the top."""
        return self.page.locator("#run-table tbody tr:visible th").all_inner_texts()

    def close(self) -> None:
        """Nothing may have gone wrong until now."""
        self.page.context.close()
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page for each of the samples."""
    folder = tmp_path_factory.mktemp("pages")
    samples: dict[str, Session] = {
        "endings": every_ending(),
        "hostile": hostile(),
        "many": many(),
        "empty": session(),
        "marked": marked(),
    }
    database = folder / "history.db"
    for _ in range(3):
        run_history.record(every_ending(), database)
    for name, sample in samples.items():
        text = html(sample, folder, database if name == "endings" else None)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in samples}


@pytest.mark.parametrize(
    ("name", "size"),
    [("endings", DESKTOP), ("endings", PHONE), ("hostile", PHONE), ("many", PHONE), ("empty", DESKTOP)],
)
def test_every_page_opens_draws_and_fits(
    browser: Browser, files: dict[str, Path], name: str, size: tuple[int, int]
) -> None:
    opened = Opened(browser, files[name], size, "dark" if size == PHONE else "light")
    title = opened.page.title()
    for summary in opened.page.locator("details.target > summary").all()[:4]:
        summary.click()
    opened.draw()
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (opened.page.locator(".plot .main-svg").count() > 0) == (name == "many")
    assert opened.page.title() == title
    opened.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_rows_of_facts_are_full_and_the_upstream_bug_is_seen_whole(
    browser: Browser, files: dict[str, Path], size: tuple[int, int]
) -> None:
    opened = Opened(browser, files["endings"], size)
    ends = opened.page.evaluate(
        """() => {
            const rows = {};
            for (const one of document.querySelectorAll(".facts > div")) {
                const box = one.getBoundingClientRect();
                rows[Math.round(box.top)] = Math.max(rows[Math.round(box.top)] || 0, Math.round(box.right));
            }
            return Object.values(rows);
        }"""
    )
    assert len(ends) > 1 and len(set(ends)) == 1
    for picture in opened.page.locator(".whole").all():
        assert picture.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    opened.close()


def test_the_numbers_are_those_of_the_results(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    document = json.loads(json_results.text(every_ending()))
    runs = document["runs"]
    text = opened.page.locator("main > section").first.inner_text()
    assert f"6 of {len(runs)} runs not as expected" in text
    assert opened.page.locator("#count-claims").inner_text() == str(sum(run["claims"] for run in runs))
    assert opened.page.locator("#count-targets").inner_text() == str(len({run["target"] for run in runs}))
    for verdict in ("FAILED", "UNKNOWN", "VACUOUS", "ERROR"):
        expected = str(sum(run["verdict"] == verdict for run in runs))
        assert opened.page.locator(f"#count-{verdict}").inner_text() == expected
    assert sorted(opened.shown()) == sorted(run["target"] for run in runs)
    opened.close()


def test_filters_leave_what_they_say(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    page = opened.page
    page.fill("[name=text]", "DMA_copy.count")
    assert opened.shown() == ["matmul_tiled_buggy", "unexpected"]
    assert page.inner_text("#shown") == "2 of 11 runs"
    page.check("[name=unexpected]")
    assert opened.shown() == ["unexpected"]
    page.click("button[type=reset]")
    # Not `wait_for_function`: while it polls it evaluates text, which the page's own policy forbids.
    expect(page.locator("#shown")).to_have_text("11 of 11 runs")
    page.select_option("[name=verdict]", "UNKNOWN")
    assert opened.shown() == ["unknown"]
    page.click("button[type=reset]")
    page.select_option("[name=kind]", "boundary")
    assert opened.shown() == ["vacuous"]
    page.click(".matrix button >> text=other")
    assert opened.shown() == ["unexpected"]
    opened.close()


def test_columns_sort_both_ways_and_say_so(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    page = opened.page
    header = page.locator("#run-table thead th").last
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending" and opened.shown()[-1] == "late"
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending" and opened.shown()[0] == "late"
    page.locator("#run-table thead th button").first.click()
    assert header.get_attribute("aria-sort") == "none"
    assert opened.shown() == sorted(opened.shown())
    opened.close()


def test_links_lead_to_targets_with_marked_sources(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    page = opened.page
    page.locator("#run-table tbody a >> text=unknown").click()
    details = page.locator("#target-unknown")
    details.locator(".source .mark").wait_for()
    assert details.get_attribute("open") is not None
    assert details.locator(".source .mark .gutter").inner_text().split() == ["41", "?"]
    assert "unknown" in details.locator(".source .mark .note").inner_text()
    assert page.evaluate("document.activeElement.parentElement.id") == "target-unknown"
    page.goto(files["endings"].as_uri() + "#target-unexpected")
    page.reload()
    assert page.locator("#target-unexpected").get_attribute("open") is not None
    page.locator("#target-unexpected .violation").wait_for()
    opened.close()


def test_a_target_shows_its_claims_its_lines_and_what_esbmc_is_given(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["marked"], PHONE)
    page = opened.page
    page.goto(files["marked"].as_uri() + "#target-matmul_tiled_all")
    section = page.locator("#target-matmul_tiled_all")
    section.locator("summary >> text=Phase 1, shape and bounds").click()
    section.locator("summary >> text=Claims of phase 1, embedded").click()
    table = section.locator("details[open] table").first
    assert table.locator("tbody tr").count() == 5
    assert "simplifier" in table.inner_text()
    section.locator("summary >> text=The target, harness").click()
    # Readable without colour, and in order: the kernel, then the target with what it assumes.
    symbols = [line.split()[1] for line in section.locator(".source .mark .gutter").all_inner_texts()]
    assert symbols == ["✓", "✓", "?", "✗", "▸"]
    assert section.locator(".source .code .k").count() > 0
    assert section.locator(".source .mark.proved .note").first.inner_text().strip() == "3 proved (2 simplifier, 1 smt)"
    section.locator("summary >> text=What ESBMC is given, phase 1").click()
    assert "/* <b>lowered</b> */" in section.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.shown() == ["matmul_tiled_all", "matmul_tiled_all", "disputed"]
    page.check("[name=unexpected]")
    assert opened.shown() == ["disputed"]
    opened.close()


def test_the_page_is_worked_with_the_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#run-table thead button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#run-table thead th").first.get_attribute("aria-sort") == "ascending"
    page.locator("details.target summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.target").first.get_attribute("open") is not None
    opened.close()


def test_what_failed_is_on_the_first_screen(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    finding = opened.page.locator(".finding").first
    text = finding.inner_text()
    assert "unexpected" in text and "dma_copy.count" in text and "K = 256" in text
    box = finding.bounding_box()
    assert box is not None and box["y"] + box["height"] <= DESKTOP[1]
    opened.page.keyboard.press("j")
    opened.page.keyboard.press("j")
    assert opened.page.evaluate("document.activeElement.id") == "finding-2"
    opened.page.keyboard.press("k")
    assert opened.page.evaluate("document.activeElement.id") == "finding-1"
    opened.close()


def test_a_slash_searches_targets_contracts_and_files(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"])
    page = opened.page
    for wanted, goal in (
        ("vacuous target", "target-vacuous"),
        ("nc_matmul.k_le", "contract-nc_matmul.k_le_128"),
        ("matmul_tiled.py file", "file-0-kernels/matmul_tiled.py"),
    ):
        page.keyboard.press("/")
        page.locator("#palette[open]").wait_for()
        page.locator("#palette input").fill(wanted)
        assert page.locator(".hit[aria-selected=true]").count() == 1
        page.keyboard.press("Enter")
        expect(page.locator("#palette")).not_to_be_visible()
        expect(page.locator(f'[id="{goal}"]')).to_be_in_viewport()
    page.keyboard.press("/")
    page.locator("#palette input").fill("nothing has this name")
    assert page.locator(".hit").count() == 0
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).not_to_be_visible()
    opened.close()


def test_commands_are_copied(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["marked"])
    page = opened.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(files["marked"].as_uri() + "#target-matmul_tiled_all")
    section = page.locator("#target-matmul_tiled_all")
    section.locator("button.copy").first.click()
    expect(section.locator("button.copy").first).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == "python verify.py matmul_tiled_all"
    opened.close()


def test_the_scheme_is_the_systems_until_the_reader_chooses(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["endings"], scheme="dark")
    page = opened.page
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    assert page.inner_text("#theme") == "Light"
    page.click("#theme")
    assert page.evaluate(background) != dark and page.inner_text("#theme") == "Dark"
    page.reload()
    assert page.evaluate(background) != dark
    opened.close()


@pytest.mark.parametrize(
    ("name", "scheme"), [("endings", "light"), ("endings", "dark"), ("hostile", "light"), ("marked", "dark")]
)
def test_axe_finds_nothing_to_complain_about(browser: Browser, files: dict[str, Path], name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    opened = Opened(browser, files[name], scheme=scheme)
    opened.unfold()
    opened.draw()
    results = axe.Axe().run(opened.page)
    assert results.violations_count == 0, results.generate_report()
    opened.close()


def test_hostile_text_is_shown_and_does_nothing(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["hostile"])
    page = opened.page
    opened.unfold()
    opened.draw()
    assert page.title() != "taken"
    assert "<script>document.title = 'taken'</script>" in page.locator("main").inner_text()
    assert page.locator("main img").count() == 0
    opened.close()
