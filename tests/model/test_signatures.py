"""The stubs have the documented names, parameters and defaults.

Where the signature file is beside the repository everything in it is compared. `signatures.json` holds a digest of each
module's surface, so that it cannot change unnoticed elsewhere; `python -m tests.model.test_signatures` writes it anew.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from nkiverify.frontend.attributes import DOCUMENTED_ATTRIBUTES, OWN_NAMES
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.nki_tensor import NkiTensor
from tests.model.stub_library import LIBRARY

SIGNATURES = Path(__file__).parents[3] / "shared" / "reference" / "nki-signatures.json"
DIGESTS = Path(__file__).with_name("signatures.json")

GENERATIONS = {
    "nki": ("nki", "nki.language", "nki.isa", "nki.collectives"),
    "neuronxcc.nki": (
        "neuronxcc.nki",
        "neuronxcc.nki.language",
        "neuronxcc.nki.isa",
        "neuronxcc.nki.compiler",
        "neuronxcc.nki.compiler.sbuf",
        "neuronxcc.nki.compiler.psum",
    ),
}
MODULES = [module for modules in GENERATIONS.values() for module in modules]
#: Classes the documentation lists although kernels do not name them: the type of `nl.tile_size`, and of wrappers.
PRIVATE = {"_TileSize", "FrameworkKernel"}
#: What no page documents, and published kernels name.
SEEN = {
    "nki": {"baremetal", "benchmark", "profile", "simulate_kernel", "tensor", "trace"},
    "neuronxcc.nki": {"trace"},
    "neuronxcc.nki.isa": {"tensor_scalar_cumulative"},
}
#: Members of enumerations that no page documents, and published tests name.
SEEN_MEMBERS = {
    ("neuronxcc.nki.isa", "reduce_cmd"): {"load_reduce": 4},
    # "leg.generation" is contested: what asks for the generation gets one there too.
    ("neuronxcc.nki.isa", "nc_version"): {"gen4": 4},
}

with LIBRARY.active():
    STUBS: dict[str, ModuleType] = {module: importlib.import_module(module) for module in MODULES}

beside = pytest.mark.skipif(not SIGNATURES.is_file(), reason="the signature file is not beside the repository")


def documented(module: str) -> dict[str, Any]:
    """What the signature file says of a module."""
    generation = "nki" if module in GENERATIONS["nki"] else "neuronxcc.nki"
    found: dict[str, Any] = json.loads(SIGNATURES.read_text())["generations"][generation]["modules"][module]
    return found


def plain(default: object) -> str:
    """A default value as text that does not depend on where it is defined."""
    if isinstance(default, enum.Enum):
        return f"{type(default).__name__}.{default.name}"
    return str(getattr(default, "__name__", repr(default)))


def described(function: Any, *, method: bool = False) -> list[tuple[str, str, str | None]]:
    """Name, kind and default of every parameter."""
    parameters = list(inspect.signature(function).parameters.values())
    return [
        (part.name, part.kind.name.lower(), None if part.default is part.empty else plain(part.default))
        for part in parameters[1 if method else 0 :]
    ]


def expected(signature: dict[str, Any], stub: ModuleType, *, method: bool = False) -> list[tuple[str, str, str | None]]:
    """The same of a documented signature."""
    names = {**vars(stub), "np": np}
    found = []
    for part in signature["params"][1 if method else 0 :]:
        default = part["default"]
        found.append((part["name"], part["kind"], None if default is None else plain(eval(default, names))))
    return found


def digest(module: str) -> str:
    """A digest of a stub module's surface: functions and methods with parameters and defaults, members with values."""
    stub = STUBS[module]
    lines = []
    for name in sorted(vars(stub).get("__all__", ())):
        value = getattr(stub, name)
        if isinstance(value, type) and issubclass(value, enum.Enum):
            lines.append(f"{name}{[(member.name, member.value) for member in value]}")
        elif isinstance(value, type):
            methods = [part for part in dir(value) if inspect.isfunction(getattr(value, part)) and part[0] != "_"]
            lines.append(f"{name}{[(method, described(getattr(value, method), method=True)) for method in methods]}")
        elif callable(value):
            lines.append(f"{name}{described(value)}")
        else:
            lines.append(name)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("module", MODULES)
def test_the_surface_is_the_one_compared_last(module: str) -> None:
    assert json.loads(DIGESTS.read_text())[module] == digest(module)


@beside
@pytest.mark.parametrize("module", MODULES)
def test_every_documented_name_exists(module: str) -> None:
    kinds = ("functions", "classes", "constants")
    names = [name for kind in kinds for name in documented(module).get(kind, {})]
    names += [name.rpartition(".")[2] for name in documented(module).get("reexports", ())]
    assert [name for name in names if name not in PRIVATE and not hasattr(STUBS[module], name)] == []


@beside
@pytest.mark.parametrize("module", MODULES)
def test_there_are_no_other_names(module: str) -> None:
    described_module = documented(module)
    names = {name for kind in ("functions", "classes", "constants") for name in described_module.get(kind, {})}
    names |= {name.rpartition(".")[2] for name in described_module.get("reexports", ())}
    others = set(vars(STUBS[module]).get("__all__", ())) - names - SEEN.get(module, set())
    assert {name for name in others if not isinstance(getattr(STUBS[module], name), ModuleType)} == set()


@pytest.mark.parametrize("module", MODULES)
def test_what_a_stub_imports_for_itself_is_hidden_from_kernels(module: str) -> None:
    stub = STUBS[module]
    public = set(vars(stub).get("__all__", vars(stub)))
    imported = {
        name
        for name, value in vars(stub).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name not in public
    }
    assert imported - OWN_NAMES == set()


@beside
def test_tensors_have_the_documented_attributes() -> None:
    for module, name, kind in (("nki.language", "NkiTensor", NkiTensor), ("neuronxcc.nki", "tensor", LegacyTensor)):
        entry = documented(module)["classes"][name]
        named = {*entry.get("methods", ()), *entry.get("attributes", ()), *entry.get("properties", ())}
        public = {part for part in named if not part.startswith("__")}
        assert DOCUMENTED_ATTRIBUTES[kind] == public
        assert {part for part in public if not hasattr(kind, part)} == set()


@beside
@pytest.mark.parametrize("module", MODULES)
def test_functions_have_the_documented_parameters_and_defaults(module: str) -> None:
    stub = STUBS[module]
    differences = []
    for name, signature in documented(module).get("functions", {}).items():
        wanted, actual = expected(signature, stub), described(getattr(stub, name))
        if wanted != actual:
            differences.append(f"{name}: documented {wanted}, here {actual}")
    assert differences == []


@beside
@pytest.mark.parametrize("module", MODULES)
def test_classes_have_the_documented_methods_and_attributes(module: str) -> None:
    stub = STUBS[module]
    differences = []
    for name, described_class in documented(module).get("classes", {}).items():
        if name == "FrameworkKernel":
            continue
        value = getattr(stub, "tile_size" if name == "_TileSize" else name)
        for method, signature in described_class.get("methods", {}).items():
            function = getattr(value, method, None)
            if function is None:
                differences.append(f"{name}.{method} is missing")
            elif method != "__init__" and expected(signature, stub, method=True) != described(function, method=True):
                differences.append(f"{name}.{method}: {described(function, method=True)}")
        attributes = (*described_class.get("attributes", {}), *described_class.get("properties", {}))
        kind = value if isinstance(value, type) else type(value)
        differences += [f"{name}.{part} is missing" for part in attributes if not hasattr(kind, part)]
        members = described_class.get("members")
        if members:
            found = {member.name: member.value for member in value}
            expected_members = {member: eval(entry["value"]) for member, entry in members.items()}
            assert found == expected_members | SEEN_MEMBERS.get((module, name), {}), name
    assert differences == []


if __name__ == "__main__":
    DIGESTS.write_text(json.dumps({module: digest(module) for module in MODULES}, indent=2) + "\n")
