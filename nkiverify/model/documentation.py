"""The public documentation that contracts are taken from: what a source stands for, and where it can be read.

Sources are short: `nc_matmul:Tile size` is a section of the page of an operation, `A2` the guide to an architecture,
`L:load` a page of the legacy API. Addresses follow from the sources of the documentation of the versions that were
read, which stay as they are.
"""

from __future__ import annotations

import functools
import re
from urllib.parse import quote

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.registry import declarations

_SITE = "https://awsdocs-neuron.readthedocs-hosted.com/en"
#: Neuron 2.32, which NKI 0.6 came with, and the last one that documents the legacy API alone.
_CURRENT, _LEGACY = f"{_SITE}/v2.32.0/nki", f"{_SITE}/v2.26.0/general/nki"

#: Title and address of the pages that are no page of an operation.
_PAGES = {
    "LG": ("NKI language guide", f"{_CURRENT}/get-started/nki-language-guide"),
    "A2": ("Trainium and Inferentia2 architecture guide", f"{_CURRENT}/guides/architecture/trainium_inferentia2_arch"),
    "A3": ("Trainium2 architecture guide", f"{_CURRENT}/guides/architecture/trainium2_arch"),
    "A4": ("Trainium3 architecture guide", f"{_CURRENT}/guides/architecture/trainium3_arch"),
    "AP": ("NKI access patterns", f"{_CURRENT}/deep-dives/nki-aps"),
    "DL": ("NKI dynamic loops", f"{_CURRENT}/deep-dives/nki-dynamic-loops"),
    "DGE": ("Descriptor generation engine", f"{_CURRENT}/deep-dives/nki-dge"),
    "MX": ("MXFP matrix multiplication guide", f"{_CURRENT}/deep-dives/mxfp-matmul"),
    "SH": ("NKI API common fields", f"{_CURRENT}/api/nki.api.shared"),
    "TS": ("nki.language.tile_size", f"{_CURRENT}/api/nki.language.tile_size"),
    "TIL": ("What is tiling?", f"{_CURRENT}/get-started/about/tiling-overview"),
    "IDX": ("Indexing overview", f"{_CURRENT}/get-started/about/indexing-overview"),
    "LNC": ("Logical NeuronCores", f"{_CURRENT}/get-started/about/lnc"),
    "MEM": ("Memory hierarchy", f"{_CURRENT}/get-started/about/memory-hierarchy-overview"),
    "DMAO": ("DMA overview", f"{_CURRENT}/get-started/about/nki-dma-overview"),
    "MIG": ("NKI migration guides", f"{_CURRENT}/migration/index"),
    "RN": ("NKI release notes", f"{_SITE}/v2.32.0/release-notes/components/nki"),
    "LPM": ("NKI programming model (legacy)", f"{_LEGACY}/programming_model"),
    "LERR": ("NKI API errors (legacy)", f"{_LEGACY}/api/nki.errors"),
    "LSH": ("NKI API common fields (legacy)", f"{_LEGACY}/api/nki.api.shared"),
    "LKI": ("NKI known issues (legacy)", f"{_LEGACY}/nki_known_issues"),
    "LDA": ("NKI direct allocation guide (legacy)", f"{_LEGACY}/nki_direct_allocation_guide"),
}
#: Modules by the prefix that sources, and declarations, have for them.
_MODULES = {"nisa": "nki.isa", "nl": "nki.language", "cc": "nki.collectives"}
#: Documented names that are no operations.
_CLASSES = {
    "NkiTensor": "nki.language.NkiTensor",
    "VirtualRegister": "nki.language.VirtualRegister",
    "ReplicaGroup": "nki.collectives.ReplicaGroup",
    "nki.jit": "nki.jit",
}

#: A source of one place: a name, and the section, or the version, of its page.
_SOURCE = re.compile(r"(?P<name>[\w.]+?)(?:-(?P<version>[\d.]+))?(?:[: ]\s*(?P<section>.*))?$")
#: A section that has the words of a heading: it begins like one, is no abbreviation or remark of ours, and no version.
_HEADING = re.compile(r"(?!NKI [\d.]+)(?=.*[a-z])[A-Z\[][^();]*")
#: What is said before a source: the contract that it is a source of, or what is read there.
_REMARK = re.compile(r"^(?:[a-z]\w*\.\w+|sizes): ")


@dataclass(frozen=True, slots=True)
class Place:
    """A section of a page; `address`, of the page, is empty where it is none of the documentation."""

    title: str
    section: str = ""
    address: str = ""

    @property
    def link(self) -> str:
        """The address, of the section where that has one: a browser goes to its first words, which every heading is,
        and to the beginning of the page where it does not find them."""
        if not self.address or "#" in self.address or not _HEADING.fullmatch(self.section):
            return self.address
        return f"{self.address}#:~:text={quote(self.section, safe='')}"

    def __str__(self) -> str:
        return f"{self.title}, {self.section}" if self.section else self.title


@functools.lru_cache(maxsize=1024)
def places(source: str) -> tuple[Place, ...]:
    """The places that the source of a contract names, in its order."""
    found: list[Place] = []
    for part in source.split("; "):
        text = _REMARK.sub("", part)
        for piece in [text] if "(" in text else text.split(", "):
            place = _place(piece)
            if not place.address and found and found[-1].address and found[-1].section:
                # Another section of the same page.
                place = Place(found[-1].title, piece, found[-1].address)
            found.append(place)
    return tuple(found)


def readable(source: str) -> str:
    """The source of a contract in words."""
    return "; ".join(dict.fromkeys(map(str, places(source))))


def address(source: str) -> str:
    """Where the source of a contract can be read: the first page that it names, empty where that is none."""
    return next((place.address for place in places(source) if place.address), "")


def link(source: str) -> str:
    """The same, with the section."""
    return next((place.link for place in places(source) if place.address), "")


def _place(piece: str) -> Place:
    legacy = piece.startswith("L:")
    parsed = _SOURCE.match(piece.removeprefix("L:"))
    if parsed is None:
        return Place(piece)
    name, section = parsed["name"], parsed["section"] or ""
    if name in _PAGES and not legacy:
        title, page = _PAGES[name]
        version = f"NKI {parsed['version']}" if parsed["version"] else ""
        anchor = f"#{section.replace('_', '-')}" if section.startswith(("err_", "tbl-")) else ""
        return Place(title, " ".join(filter(None, (version, section))), f"{page}.html{anchor}")
    documented = _documented(name, legacy)
    if not documented:
        return Place(piece)
    title = f"{documented} (legacy)" if legacy else documented
    return Place(title, section, f"{_LEGACY if legacy else _CURRENT}/api/generated/{documented}.html")


def _documented(name: str, legacy: bool) -> str:
    """The name that a page of the API is about; empty where there is none of this name."""
    head, _, rest = name.partition(".")
    if name in _CLASSES or head in _CLASSES:
        return _CLASSES.get(name) or _CLASSES[head]
    if head == "nki":
        return name
    if legacy and head == "compiler":
        return f"nki.{name}"
    if head in _MODULES and rest:
        return f"{_MODULES[head]}.{rest}"
    module = _module_of().get((name, legacy))
    return f"{module}.{name}" if module else f"nki.language.{name}" if legacy else ""


@functools.cache
def _module_of() -> dict[tuple[str, bool], str]:
    """The module of each operation that has a name of its own, by its name in the current and in the legacy API."""
    found: dict[tuple[str, bool], str] = {}
    for one in declarations():
        module = _MODULES.get(one.name.partition(".")[0])
        for api in one.functions if module else ():
            if module == "nki.isa" or api == "neuronxcc":
                found[one.short_name, api == "neuronxcc"] = module  # type: ignore[assignment]
    return found
