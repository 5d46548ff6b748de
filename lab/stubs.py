"""Writes the stubs that kernels import, the enumerations of both APIs, and the table of what each module of operations
declares.

A stub has the names of a documented module, and the signatures of its operations.

python -m lab.stubs           writes them
python -m lab.stubs --check   says which are not current; exit status 1 if any
"""

from __future__ import annotations

import argparse
import builtins
import enum
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lab import enumerations
from nkiverify.foundation import resources
from nkiverify.model.dtypes import DType
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.names import MODULES, OPERATORS_OF_ISA
from nkiverify.model.operators import Operator
from nkiverify.model.registry import declarations

_FUTURE = "from __future__ import annotations\n"
#: What the legacy API documents as the operator where none is given.
_NUMPY_OPERATORS = {"maximum": "np.amax"}
#: What runs kernels on arrays, which is imported late: verifying a kernel needs no arithmetic.
_SIMULATED = """
def _simulate(kernel, args, kwargs):
    from nkiverify.products.simulate.simulator import simulate  # Verifying a kernel needs no arithmetic.

    return simulate(kernel, args, kwargs)


_simulate_by(_simulate)
"""
_SIMULATE = {
    "nki": '''
def simulate(kernel):
    """A function of NumPy arrays that runs the kernel on them; arrays that it writes are updated."""
    from nkiverify.products.simulate.simulator import simulator_of  # Verifying a kernel needs no arithmetic.

    return simulator_of(kernel, jit)


def simulate_kernel(kernel, *args, **kwargs):
    """`simulate(kernel)` of the arguments. The documentation has it in the legacy API; tests of both use it."""
    return simulate(kernel)(*args, **kwargs)
''',
    "neuronxcc.nki": '''
def simulate_kernel(kernel, *args, **kwargs):
    """Run the kernel on NumPy arrays; arrays it returns are new, those it writes are updated."""
    from nkiverify.products.simulate.simulator import simulator_of  # Verifying a kernel needs no arithmetic.

    return simulator_of(kernel, jit)(*args, **kwargs)
''',
}


#: The table of what modules of operations declare; and a program that prints it, a line for each module, when it has
#: imported those first that the module imports.
_TABLE = "nkiverify/model/ops/table.py"
_DECLARED = """
import importlib, pathlib, re, sys
from nkiverify.model import contracts, registry

folder, met = pathlib.Path(sys.argv[1]), set()

def visit(module):
    if module in met:
        return
    met.add(module)
    text = (folder / f"{module.replace('.', '/')}.py").read_text()
    for other in re.findall("^from nkiverify[.]model[.](ops[.][a-z_]+) import", text, re.M):
        visit(other)
    before = {*registry._declared, *contracts._registry}
    importlib.import_module(f"nkiverify.model.{module}")
    found = [name for name in (*registry._declared, *contracts._registry) if name not in before]
    if found:
        print(module, *found)

for part in ("ops", "contract_tables"):
    for file in sorted(folder.glob(f"{part}/*.py")):
        if file.stem not in ("__init__", "table"):
            visit(f"{part}.{file.stem}")
"""


def main() -> int:
    """Write the stubs, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, say what is not current")
    check = parser.parse_args().check
    root = resources.root()
    texts = {_TABLE: table()}
    if not check and not _is_current(root / _TABLE, texts[_TABLE]):
        # It tells where the operations are whose stubs are written, and this process has another one.
        (root / _TABLE).write_text(texts[_TABLE], encoding="utf-8")
        return subprocess.run([sys.executable, "-m", "lab.stubs"], check=False).returncode
    texts |= {name: _formatted(text) for name, text in enumerations.modules().items()}
    texts |= {f"stubs/{name}": text for name, text in stubs().items()}
    stale = [name for name, text in texts.items() if not _is_current(root / name, text)]
    for name in stale:
        if check:
            print(f"{name} is not current: python -m lab.stubs", file=sys.stderr)
        else:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(texts[name], encoding="utf-8")
    return 1 if check and stale else 0


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


def table() -> str:
    """The text of the table, from a process that has imported no operation yet."""
    command = [sys.executable, "-c", _DECLARED, str(resources.root() / "nkiverify" / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [
        '"""Modules of operations and of contracts, each with the operations and the contracts that it declares.',
        '\nGenerated by `python -m lab.stubs`: do not edit.\n"""\n',
        _FUTURE,
        "DECLARED = {",
    ]
    for line in done.stdout.splitlines():
        module, _, names = line.partition(" ")
        wrapped = textwrap.fill(names, 111, initial_indent="        ", subsequent_indent="        ")
        lines.append(f'    "{module}": """\n{wrapped}\n    """,')
    return _formatted("\n".join([*lines, "}", ""]))


def stubs() -> dict[str, str]:
    """The text of every generated file, by its path in `stubs/`."""
    functions: dict[str, dict[str, Callable[..., Any]]] = {module: {} for module in MODULES}
    for declared in declarations():
        for _, module, function in declared.modules():
            functions[module][declared.short_name] = function
    return {_path(module): _formatted(_module(module, found)) for module, found in functions.items()}


def _path(module: str) -> str:
    """The file of a module in `stubs/`."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if _submodules(module) else f"{path}.py"


def _submodules(module: str) -> list[str]:
    inside = [name.removeprefix(f"{module}.") for name in MODULES if name.startswith(f"{module}.")]
    return [name for name in inside if "." not in name]


def _module(module: str, functions: dict[str, Callable[..., Any]]) -> str:
    """The text of a module, before it is formatted."""
    names, late = MODULES[module], _SIMULATE.get(module, "")
    legacy = module.startswith("neuronxcc")
    defaults = {name for function in functions.values() for name in _named_defaults(function, legacy)}
    constants = [name for name in vars(names) if not name.startswith("_")]
    submodules = _submodules(module)
    operators = list(OPERATORS_OF_ISA) if module == "nki.isa" else []
    exported = [*functions, *constants, *submodules, *operators, *re.findall(r"^def (\w+)", late, re.MULTILINE)]
    document = inspect.cleandoc(names.__doc__ or "")
    lines = [f'"""{document}\n\nGenerated by `python -m lab.stubs`: do not edit.\n"""', "", _FUTURE]
    if "np" in defaults:
        lines.append("import numpy as np")
    if constants:
        lines.append(f"from nkiverify.model.names import {names.__name__} as _names")
    if module == "nki.language":
        lines.append("from nkiverify.model.names import removed as _removed")
    if late:
        lines.append("from nkiverify.model.launch import simulate_by as _simulate_by")
    if functions:
        lines.append("from nkiverify.model.stub import stub")
    if operators:
        lines.append(f"from ..language import {', '.join(operators)}")
    if submodules:
        lines.append(f"from . import {', '.join(submodules)}")
    lines += [
        "",
        f"__all__ = {exported!r}",
        "",
        *(f"{name} = _names.{name}" for name in constants),
        late,
        late and _SIMULATED,
    ]
    if module == "nki.language":
        lines.append("__getattr__ = _removed")
    return "\n".join([*lines, *(_function(name, functions[name], legacy) for name in sorted(functions))])


def _function(name: str, function: Callable[..., Any], legacy: bool) -> str:
    """The documented signature of an operation, for `stub`."""
    parameters = inspect.signature(function).parameters.values()
    shown = inspect.Signature(
        [
            each.replace(annotation=each.empty, default=each.default if each.default is each.empty else _Shown(text))
            for each, text in ((each, _default(each.default, legacy)) for each in parameters)
        ]
    )
    document = inspect.cleandoc(function.__doc__ or "").replace("\n", "\n    ")
    return f'\n\n@stub\ndef {name}{shown}:\n    """{document}"""\n'


class _Shown:
    """A default value as the stub writes it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _named_defaults(function: Callable[..., Any], legacy: bool) -> Iterator[str]:
    """The names that the default values of a function are written with."""
    for each in inspect.signature(function).parameters.values():
        if each.default is not each.empty:
            yield _default(each.default, legacy).partition(".")[0]


def _default(value: object, legacy: bool) -> str:
    """A default value as text: by its name, where it has one."""
    if isinstance(value, Operator) and legacy:
        return _NUMPY_OPERATORS[value.name]
    if isinstance(value, MemoryRegion | Operator | DType):
        return value.name
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    name = getattr(value, "__name__", None)
    if name is None:
        return "..." if value is ... else repr(value)
    return name if getattr(builtins, name, None) is value else f"np.{name}"


def _formatted(text: str) -> str:
    """`text` as the linter and the formatter of the repository have it."""
    for command in (["check", "--quiet", "--fix-only", "--select", "I,RUF022"], ["format", "--quiet"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", "stubs/stub.py", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


if __name__ == "__main__":
    sys.exit(main())
