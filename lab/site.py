"""The additions of `make docs` to the pages of docs/: AUDIT.md, which lies beside the folder, with links that lead to
both, and a page for each contract, to which the ids of contracts in all pages lead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

#: `[words](../somewhere)`: a file of the repository that is no page.
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?!AUDIT\.md)[^)]*\)")


def on_config(config: Any) -> Any:
    """Name pages that the navigation leaves out at its end. Called by MkDocs."""
    named = set(re.findall(r"[\w/.-]+\.md", str(config.nav)))
    rest = sorted({page.name for page in (ROOT / "docs").glob("*.md")} - named)
    if rest:
        config.nav = [*config.nav, {"More": rest}]
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Make a page of AUDIT.md, and one of each contract. Called by MkDocs."""
    from mkdocs.structure.files import File

    from lab.contract_pages import pages

    audit = (ROOT / "AUDIT.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "AUDIT.md", content=audit))
    for name, content in pages().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The text of a page, with links as they lead within the site. Called by MkDocs."""
    from lab.contract_pages import FOLDER, linked

    if page.file.src_uri.startswith(f"{FOLDER}/"):
        return markdown
    markdown = linked(markdown)
    return _OUTSIDE.sub(r"`\1`", markdown).replace("](../AUDIT.md", "](AUDIT.md")
