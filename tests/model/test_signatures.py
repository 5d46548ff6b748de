"""The stubs have the documented names, parameters and defaults.

`signatures.json` has them as the documentation states them: NKI 0.6.0 at commit 81ce03ae of aws-neuron-sdk, and the
legacy API at cca37847. A parameter is its name, its kind, and the source text of its default, null where it has none.
"""

from __future__ import annotations

import enum
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

DOCUMENTED: dict[str, Any] = json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))

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
    "nki.language": {"range"},
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


def expected(
    parameters: list[tuple[str, str, str | None]], stub: ModuleType, *, method: bool = False
) -> list[tuple[str, str, str | None]]:
    """The same of a documented signature."""
    names = {**vars(stub), "np": np}
    return [
        (name, kind, None if default is None else plain(eval(default, names)))
        for name, kind, default in parameters[1 if method else 0 :]
    ]


def _names(module: str) -> set[str]:
    """The names that a module is documented to have."""
    own = {name for kind in ("functions", "classes", "constants") for name in DOCUMENTED[module][kind]}
    return own | {name.rpartition(".")[2] for name in DOCUMENTED[module]["reexports"]}


@pytest.mark.parametrize("module", MODULES)
def test_every_documented_name_exists(module: str) -> None:
    assert [name for name in _names(module) if name not in PRIVATE and not hasattr(STUBS[module], name)] == []


@pytest.mark.parametrize("module", MODULES)
def test_there_are_no_other_names(module: str) -> None:
    others = set(vars(STUBS[module]).get("__all__", ())) - _names(module) - SEEN.get(module, set())
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


def test_tensors_have_the_documented_attributes() -> None:
    for module, name, kind in (("nki.language", "NkiTensor", NkiTensor), ("neuronxcc.nki", "tensor", LegacyTensor)):
        entry = DOCUMENTED[module]["classes"][name]
        named = {*entry["methods"], *entry["attributes"]}
        public = {part for part in named if not part.startswith("__")}
        assert DOCUMENTED_ATTRIBUTES[kind] == public
        assert {part for part in public if not hasattr(kind, part)} == set()


@pytest.mark.parametrize("module", MODULES)
def test_functions_have_the_documented_parameters_and_defaults(module: str) -> None:
    stub = STUBS[module]
    differences = []
    for name, signature in DOCUMENTED[module]["functions"].items():
        wanted, actual = expected(signature, stub), described(getattr(stub, name))
        if wanted != actual:
            differences.append(f"{name}: documented {wanted}, here {actual}")
    assert differences == []


@pytest.mark.parametrize("module", MODULES)
def test_classes_have_the_documented_methods_and_attributes(module: str) -> None:
    stub = STUBS[module]
    differences = []
    for name, described_class in DOCUMENTED[module]["classes"].items():
        if name == "FrameworkKernel":
            continue
        value = getattr(stub, "tile_size" if name == "_TileSize" else name)
        for method, signature in described_class["methods"].items():
            function = getattr(value, method, None)
            if function is None:
                differences.append(f"{name}.{method} is missing")
            elif method != "__init__" and expected(signature, stub, method=True) != described(function, method=True):
                differences.append(f"{name}.{method}: {described(function, method=True)}")
        kind = value if isinstance(value, type) else type(value)
        missing = [part for part in described_class["attributes"] if not hasattr(kind, part)]
        differences += [f"{name}.{part} is missing" for part in missing]
        members = described_class["members"]
        if members:
            found = {member.name: member.value for member in value}
            expected_members = {member: eval(value) for member, value in members.items()}
            assert found == expected_members | SEEN_MEMBERS.get((module, name), {}), name
    assert differences == []
