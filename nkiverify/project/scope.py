"""The functions and enumerations that names mean in a file: its own, and those that it imports from files of
its repository.

Read from the text; nothing is executed. A name that several places define has the meaning of the last one.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.kernel_files import ModuleFiles, file_at, module_name
from nkiverify.frontend.source_names import child_nodes
from nkiverify.frontend.trees import parse


@functools.lru_cache(maxsize=32)
def nodes_of(node: ast.AST) -> tuple[ast.AST, ...]:
    """The node and all nodes in it, the outer ones first, without such as `Load` and `Add`: what is read off a kernel
    asks for them again for each of its names."""
    found = [node]
    for part in found:
        found += child_nodes(part)
    return tuple(found)


class ModuleScope:
    """The names of one module. `file` is where it is read from and `files` finds those that it imports; without them
    only its own names are known."""

    def __init__(self, tree: ast.Module, file: Path | None = None, files: _Files | None = None) -> None:
        nodes = nodes_of(tree)
        self.file = file
        self.files = files
        self._functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        self._enums = {node.name: node for node in nodes if isinstance(node, ast.ClassDef) and is_enum(node)}
        #: By the name here: the module, with dots in front where it is relative, and the name there, empty for itself.
        self._imported: dict[str, tuple[str, str]] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname or "." not in alias.name:
                        self._imported[alias.asname or alias.name] = alias.name, ""
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                self._imported |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}

    def imported_as(self, name: str) -> str:
        """The full name of what a name is imported as; `import a.b` gives `a` itself."""
        module, there = self._imported.get(name, (name, ""))
        return f"{module}.{there}" if there else module

    def function(self, called: ast.expr) -> tuple[ast.FunctionDef, ModuleScope] | None:
        """The function that a call calls by its name, or by `module.name`, and the scope that it is written in."""
        if isinstance(called, ast.Name):
            return self.named(called.id)
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            module = self._module(called.value.id)
            return module.named(called.attr) if module is not None else None
        return None

    def named(
        self, name: str, steps: int = ExploringBudget.NAMES_PASSED_ON
    ) -> tuple[ast.FunctionDef, ModuleScope] | None:
        """The function of this name, and the scope that it is written in."""
        if name in self._functions:
            return self._functions[name], self
        there = self._origin(name) if steps else None
        return there.named(self._imported[name][1], steps - 1) if there is not None else None

    def enum(self, name: str, steps: int = ExploringBudget.NAMES_PASSED_ON) -> ast.ClassDef | None:
        """The enumeration of this name."""
        if name in self._enums:
            return self._enums[name]
        there = self._origin(name) if steps else None
        return there.enum(self._imported[name][1], steps - 1) if there is not None else None

    def _origin(self, name: str) -> ModuleScope | None:
        """The module that a name is imported from."""
        module, there = self._imported.get(name, ("", ""))
        return self._scope(module) if there else None

    def _module(self, name: str) -> ModuleScope | None:
        """The module that a name here means."""
        module, there = self._imported.get(name, ("", ""))
        if not there:
            return self._scope(module)
        return self._scope(module + there if module.endswith(".") else f"{module}.{there}")

    def _scope(self, module: str) -> ModuleScope | None:
        if not module or self.files is None or self.file is None:
            return None
        return self.files.scope(module, self.file)


@dataclass(slots=True)
class _Files:
    """The scopes of the files that the modules of one repository import from each other."""

    modules: ModuleFiles
    known: dict[Path, ModuleScope | None] = field(default_factory=dict)

    def scope(self, module: str, importer: Path) -> ModuleScope | None:
        """The scope of a module that the file `importer` imports; None where no file of the repository has it."""
        name = module.lstrip(".")
        if level := len(module) - len(name):
            folder = importer.parents[level - 1] if level <= len(importer.parents) else importer.parent
            file = file_at(folder.joinpath(*name.split(".")) if name else folder)
        else:
            file = self.modules.source_of(name)
        return self.of(file) if file is not None else None

    def of(self, file: Path) -> ModuleScope | None:
        """The scope of a file; None where its text cannot be read."""
        if file not in self.known:
            try:
                self.known[file] = ModuleScope(parse(file), file, self)
            except UsageError:  # said where the kernel is loaded
                self.known[file] = None
        return self.known[file]


def scope_of(tree: ast.Module, file: Path, base: Path) -> ModuleScope:
    """The scope of the kernel file `file`, whose text is `tree`; `base` is where the user is."""
    root, _ = module_name(file)
    return ModuleScope(tree, file, _Files(ModuleFiles(root, base)))


def function_named(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """The function `name` or `Class.name` of a module; where it is assigned a decorated function, that one; where it is
    assigned what another function makes, the one within that."""
    parts = name.split(".")
    body: list[ast.stmt] = tree.body
    for part in parts[:-1]:
        owner = next((node for node in _statements(body) if isinstance(node, ast.ClassDef) and node.name == part), None)
        if owner is None:
            return None
        body = owner.body
    functions = [node for node in _statements(body) if isinstance(node, ast.FunctionDef) and node.name == parts[-1]]
    if functions:
        return functions[-1]
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            for argument in node.value.args:
                if name in names and isinstance(argument, ast.Name) and argument.id != name:
                    return function_named(tree, argument.id)
            if name in names and isinstance(node.value.func, ast.Name) and node.value.func.id != name:
                return _made_by(function_named(tree, node.value.func.id))
    return None


def _made_by(factory: ast.FunctionDef | None) -> ast.FunctionDef | None:
    """The function that one in whose text it stands returns, decorated or not."""
    if factory is None:
        return None
    within = {node.name: node for node in factory.body if isinstance(node, ast.FunctionDef)}
    for node in reversed(factory.body):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            returned = [*value.args, value.func] if isinstance(value, ast.Call) else [value]
            return next((within[one.id] for one in returned if isinstance(one, ast.Name) and one.id in within), None)
    return None


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those in `if` and `try` among them."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _statements([*node.body, *node.orelse, *node.finalbody])


def is_enum(node: ast.ClassDef) -> bool:
    """True if a class is an enumeration by its bases."""
    return any(last_name(base) in ("Enum", "IntEnum", "StrEnum", "Flag") for base in node.bases)


def last_name(node: ast.expr) -> str:
    """`name` for `name` and `module.name`; empty for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def parameters(function: ast.FunctionDef) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters with their defaults, None for one that has none."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    return [*zip(positional, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
