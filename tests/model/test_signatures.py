"""The stubs have the documented names, parameters and defaults; compared where the signature file is at hand."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from tests.model.stub_library import nisa, nki, nl, old_nisa, old_nki, old_nl

SIGNATURES = Path(__file__).parents[3] / "shared" / "reference" / "nki-signatures.json"

MODULES = {
    "nki": ("nki", nki),
    "nki.language": ("nki", nl),
    "nki.isa": ("nki", nisa),
    "neuronxcc.nki": ("neuronxcc.nki", old_nki),
    "neuronxcc.nki.language": ("neuronxcc.nki", old_nl),
    "neuronxcc.nki.isa": ("neuronxcc.nki", old_nisa),
}

pytestmark = pytest.mark.skipif(not SIGNATURES.is_file(), reason="the signature file is not beside the repository")


def documented(module: str) -> dict[str, Any]:
    generation, _ = MODULES[module]
    found: dict[str, Any] = json.loads(SIGNATURES.read_text())["generations"][generation]["modules"][module]
    return found


def plain(default: object) -> str:
    """A default as the documentation writes it: enum members with their class, the rest by value."""
    return str(getattr(default, "__name__", default)) if not isinstance(default, str) else repr(default)


@pytest.mark.parametrize("module", MODULES)
def test_every_documented_name_exists(module: str) -> None:
    stub = MODULES[module][1]
    names = [name for kind in ("functions", "classes", "constants") for name in documented(module).get(kind, {})]
    private = {"_TileSize", "FrameworkKernel"}
    assert [name for name in names if name not in private and not hasattr(stub, name)] == []


@pytest.mark.parametrize("module", MODULES)
def test_modelled_functions_have_the_documented_parameters(module: str) -> None:
    stub = MODULES[module][1]
    differences: list[str] = []
    for name, signature in documented(module)["functions"].items():
        function = vars(stub).get(name)
        if function is None:
            continue
        expected = [(part["name"], part["kind"], part["default"] is None) for part in signature["params"]]
        actual = [
            (part.name, part.kind.name.lower(), part.default is part.empty)
            for part in inspect.signature(function).parameters.values()
        ]
        if actual != expected:
            differences.append(f"{name}: documented {expected}, here {actual}")
    assert differences == []


@pytest.mark.parametrize("module", ["nki.isa", "nki.language"])
def test_modelled_functions_have_the_documented_defaults(module: str) -> None:
    stub = MODULES[module][1]
    for name, signature in documented(module)["functions"].items():
        function = vars(stub).get(name)
        if function is None:
            continue
        parameters = inspect.signature(function).parameters
        for part in signature["params"]:
            if part["default"] is None or part["default"].endswith("..."):
                continue
            actual = parameters[part["name"]].default
            assert actual == eval(part["default"], dict(vars(stub))), f"{name}({part['name']})"


@pytest.mark.parametrize("module", ["nki.isa", "neuronxcc.nki.isa"])
def test_enumerations_have_the_documented_members(module: str) -> None:
    stub = MODULES[module][1]
    for name, described in documented(module)["classes"].items():
        members = described.get("members")
        if members:
            expected = {member: eval(entry["value"]) for member, entry in members.items()}
            assert {member.name: member.value for member in getattr(stub, name)} == expected
