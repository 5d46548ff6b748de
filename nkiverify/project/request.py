"""From what the user typed to targets: the kernel, its arguments, the domain."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.foundation.records import Kind
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.domain.argument_text import Argument, parse_argument
from nkiverify.frontend.domain.dimensions import Domain, enter_extent, extent_value
from nkiverify.frontend.domain.expressions import check_condition, condition
from nkiverify.frontend.domain.syntax import OptionText, parse
from nkiverify.frontend.kernel_files import STUB_PACKAGES, module_name
from nkiverify.frontend.loader import MadeInRun, MadeOfDimensions, load_kernel, load_module
from nkiverify.frontend.target import Target, Verification
from nkiverify.model.launch import Kernel
from nkiverify.model.names import framework_jit
from nkiverify.project.discovery import function_at, kernels_in, preconditions

#: `kernel[2]`, but not `make_kernel([2])`.
_LAUNCHED = re.compile(r"(.*[\w)])\[([^][]*)\]")

#: What the name of a tensor's dimensions may be in a suggestion.
_SUGGESTION = "bf16[K,M]"

#: How functions of the legacy API are wrapped that no decorator made a kernel.
_LEGACY = "neuronxcc.nki"


@dataclass(slots=True)
class Completion:
    """True if the kernel returned for some values of the domain, as far as is known."""

    returned: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A kernel with the arguments it is to be checked for."""

    path: str
    name: str
    base: Path
    #: The name of its module.
    module: str
    arguments: tuple[Argument, ...]
    where: tuple[tuple[OptionText, ast.expr], ...]
    grid: tuple[ast.expr, ...] | None
    domain: Domain
    asserts: Mapping[tuple[str, int], str]
    positional: frozenset[str]
    wrap: str
    kernel: Callable[..., Any]
    no_spills: bool = False
    outcome: Completion = field(default_factory=Completion)

    @property
    def reference(self) -> str:
        """`path::function`."""
        return f"{self.path}::{self.name}"

    def target(self, hardware: str, several: bool) -> Target:
        """The target for one hardware generation; `several`: there are targets for others as well."""
        return Target(
            name=f"{self.name}@{hardware}" if several else self.name,
            kernel=self.reference,
            family=self.name,
            kind=Kind.SYMBOLIC if self.domain.ranges else Kind.CONCRETE,
            expect={},
            flags="",
            tags=(),
            description="",
            hardware=hardware,
            root=self.base,
            module=__name__,
            file=self.path,
            line=0,
            function=self._execute,
        )

    def _execute(self, v: Verification) -> None:
        if self.no_spills:
            v.no_spills()
        self.call(v)
        if v.possible():
            self.outcome.returned = True

    def call(self, v: Verification, prepare: Callable[[Mapping[str, Any]], None] = lambda values: None) -> Any:
        """Call the kernel, after `prepare` has seen its arguments; what it returns."""
        namespace = _NamesInArguments(sys.modules[self.module], lambda: list(sys.modules.values()))
        dimensions = self.assumed_domain(v)
        v.assume_asserts(self.asserts)
        values = {part.parameter: part.value(v, dimensions, namespace) for part in self.arguments}
        prepare(values)
        kernel: Any = v.kernel
        if isinstance(kernel, MadeOfDimensions):
            kernel = kernel.bound(lambda node: extent_value(node, dimensions))
        kernel = self._wrapped(kernel)
        extents = tuple(extent_value(extent, dimensions) for extent in self.grid or ())
        launches = isinstance(kernel, FunctionType)
        if extents and not launches:
            kernel = kernel[extents[0] if len(extents) == 1 else extents]
        positional = [value for name, value in values.items() if name in self.positional]
        options = {name: value for name, value in values.items() if name not in self.positional}
        with v.calling(extents if launches else ()):
            return kernel(*positional, **options)

    def assumed_domain(self, v: Verification) -> dict[str, Any]:
        """The dimensions, with what --where says of them assumed."""
        dimensions = self.domain.values(v)
        for _, node in self.where:
            v.assume(condition(node, dimensions))
        return dimensions

    def _wrapped(self, kernel: Callable[..., Any]) -> Any:
        if isinstance(kernel, Kernel) or not self.wrap:
            return kernel
        # Of the legacy API, no decorator says that what is written is returned ("df.output_parameter").
        jit = framework_jit if self.wrap == _LEGACY else importlib.import_module(self.wrap).jit
        made: Kernel = jit(kernel)
        made.helper = any(argument.on_chip for argument in self.arguments)
        return made


def request(
    reference: str,
    base: Path,
    given: Sequence[str],
    where: Sequence[str],
    grid: str | None,
    assume_asserts: bool = False,
    no_spills: bool = False,
) -> Request:
    """The request of `check PATH::NAME --arg … --where … --grid …`. Raises `UsageError`.

    The kernel's own preconditions are taken for assumptions without `where`, and with `assume_asserts`. `no_spills`:
    claim that all that is live at one time fits, as `Verification.no_spills` does.
    """
    path, _, rest = reference.partition("::")
    name = rest.strip()
    launched = _LAUNCHED.fullmatch(name)
    if launched is not None:
        if grid is not None:
            raise UsageError("the grid is given twice, in brackets and by --grid")
        name, grid = launched.groups()
    arguments = tuple(parse_argument(text) for text in given)
    kernel = _load(path, name, base)
    module, space = load_module(path, base)
    names = _NamesInArguments(module, space.modules.values)
    _bind(kernel, name, arguments)
    domain = Domain()
    for argument in arguments:
        argument.shape_dimensions(domain)
    for argument in arguments:
        argument.dimensions(domain, names)
    extents = _grid_extents(grid, domain) if grid is not None else None
    unknown = [one for one in getattr(kernel, "names", ()) if one not in domain.ranges]
    if unknown:
        raise UsageError(f"{name}: {', '.join(unknown)} is no dimension of an argument")
    wrap = _wrapping(kernel, module)
    if extents is not None and not hasattr(kernel, "__getitem__") and not isinstance(kernel, FunctionType):
        raise UsageError(f"--grid: {name} is not launched on a grid, as it is no kernel of nki.jit")
    if extents is None and not callable(kernel):
        raise UsageError(f"{name} is launched in brackets: --grid 2, or {path}::{name}[2]")
    conditions = tuple(parse("--where", text) for text in where)
    for text, node in conditions:
        check_condition(node, text, domain.ranges)
    for text, node in (*((argument.text, argument.node) for argument in arguments), *conditions):
        domain.check_divisors(node, text)
    return Request(
        path=path,
        name=name,
        base=base,
        module=module_name((base / path).resolve())[1],
        arguments=arguments,
        where=conditions,
        grid=extents,
        domain=domain,
        asserts={} if where and not assume_asserts else _asserts(kernel),
        positional=frozenset(
            parameter.name
            for parameter in _parameters(kernel).values()
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY
        ),
        wrap=wrap,
        kernel=kernel,
        no_spills=no_spills,
    )


class _NamesInArguments(Mapping[str, Any]):
    """The names of the kernel's module; then the classes and functions that one of the kernel's `others` alone defines,
    and the classes of the modules of NKI that it imports, as `ReplicaGroup`: what a caller imports to make an argument,
    the kernel itself often has no use for. These are looked for when the first of them is asked for: an argument that
    is a tensor or a number asks for none."""

    def __init__(self, module: ModuleType, others: Callable[[], Iterable[ModuleType]]) -> None:
        self._module = module
        self._others = others

    @functools.cached_property
    def _every(self) -> Mapping[str, Any]:
        defined: dict[str, set[int]] = {}
        found: dict[str, Any] = {}
        for other in self._others():
            if KERNEL_MARKER not in vars(other):
                continue
            for name, value in vars(other).items():
                own = isinstance(value, type | FunctionType) and value.__module__ == other.__name__
                if own and not name.startswith("_"):
                    found[name] = value
                    defined.setdefault(name, set()).add(id(value))
        documented = [vars(value) for value in vars(self._module).values() if _is_of_nki(value)]
        classes = {name: value for names in documented for name, value in names.items() if isinstance(value, type)}
        alone = {name: value for name, value in found.items() if len(defined[name]) == 1}
        return ChainMap(vars(self._module), alone, classes)

    def __getitem__(self, name: str) -> Any:
        own = vars(self._module)
        return own[name] if name in own else self._every[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


def _is_of_nki(value: object) -> bool:
    return isinstance(value, ModuleType) and _package_of(value) in STUB_PACKAGES


def parameters_of(reference: str, base: Path) -> Mapping[str, inspect.Parameter]:
    """The parameters of the kernel `path::name`. Raises `UsageError` where there is none."""
    path, _, rest = reference.partition("::")
    launched = _LAUNCHED.fullmatch(rest.strip())
    return _parameters(_load(path, launched[1] if launched else rest.strip(), base))


def _parameters(kernel: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters of a kernel. What is no function gives one when it is launched in brackets: that may take
    anything."""
    if not callable(kernel):
        return {"arguments": inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)}
    return inspect.signature(kernel).parameters


def _load(path: str, name: str, base: Path) -> Callable[..., Any]:
    try:
        kernel, _ = load_kernel(f"{path}::{name}", base)
    except UsageError as error:
        if name and "no function" in str(error) and "mean" not in str(error):
            known = [found.name for found in kernels_in((base / path).resolve())]
            listed = f"; kernels in it: {', '.join(known)}" if known else "; there are no kernels in it"
            raise UsageError(f"{error}{listed}") from None
        raise
    return kernel


def _bind(kernel: Callable[..., Any], name: str, arguments: Sequence[Argument]) -> None:
    """Raise `UsageError` where the arguments are not those of the kernel."""
    parameters = _parameters(kernel)
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    seen: set[str] = set()
    for argument in arguments:
        if argument.parameter in seen:
            raise UsageError(f"--arg {argument.parameter} is given twice")
        seen.add(argument.parameter)
        known = parameters.get(argument.parameter)
        variadic = known is not None and known.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        if (known is None and not takes_any) or variadic:
            hint = did_you_mean(argument.parameter, parameters) or f"; its parameters are {', '.join(parameters)}"
            raise UsageError(f"--arg {argument.parameter}: {name} has no such parameter{hint}")
    missing = [
        parameter.name
        for parameter in parameters.values()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        and parameter.name not in seen
    ]
    if missing:
        example = f"--arg {missing[0]}='{_SUGGESTION}'"
        raise UsageError(f"{name} needs --arg for {', '.join(missing)}; for example {example}")


def _grid_extents(grid: str, domain: Domain) -> tuple[ast.expr, ...]:
    text, node = parse("--grid", grid, subscript=True)
    extents = tuple(_Numbers().visit(extent) for extent in (node.elts if isinstance(node, ast.Tuple) else [node]))
    for extent in extents:
        enter_extent(extent, text, domain)
    return extents


class _Numbers(ast.NodeTransformer):
    """Takes grids as the legacy API writes them for numbers: `nl.nc(2)` is 2, `nl.spmd_dim(a, b)` a * b."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if node.keywords or not node.args or any(isinstance(part, ast.Starred) for part in node.args):
            return node
        if called == "nc" and len(node.args) == 1:
            return node.args[0]
        if called == "spmd_dim":
            return reduce(lambda left, right: ast.copy_location(ast.BinOp(left, ast.Mult(), right), node), node.args)
        return node


def _wrapping(kernel: Callable[..., Any], module: ModuleType) -> str:
    """How a function that no decorator made a kernel is run: as a kernel of the API that it uses.

    But a function that launches kernels, and has no operation of its own, is called as it is, and so are an object that
    gives one in brackets and what a factory makes in each run.
    """
    function = _innermost(kernel)
    if isinstance(function, Kernel | MadeInRun) or not callable(kernel):
        return ""
    namespace = vars(module)
    if _launches(function, namespace):
        return ""
    return _LEGACY if _is_legacy(function, namespace) else "nki"


def _launches(function: Any, namespace: Mapping[str, Any]) -> bool:
    """True if a function calls kernels, and has no operation of its own: a kernel may call others as helpers."""
    names = set(getattr(getattr(function, "__code__", None), "co_names", ()))
    used = [namespace[name] for name in names if name in namespace]
    if not any(isinstance(value, Kernel) for value in used):
        return False
    imported = [vars(value) for value in used if _is_of_nki(value)]
    return not any(_operates(scope.get(name)) for scope in (namespace, *imported) for name in names)


def _operates(value: object) -> bool:
    """True if `value` is an operation of NKI, of which functions that launch kernels use one at most, for the grid."""
    return isinstance(value, FunctionType) and _package_of(value) in STUB_PACKAGES and value.__name__ != "spmd_dim"


def _is_legacy(function: Any, namespace: Mapping[str, Any]) -> bool:
    """True if a function is of the legacy API: by what it and the functions it calls use, else by what its module
    imports. Annotations do not count: kernels of the current API have been seen with those of `neuronxcc.nki.typing`.
    """
    used = _packages_used(function)
    if len(used) != 1:
        used = {_package_of(value) for value in namespace.values()}
    return "neuronxcc" in used


def _packages_used(function: Any) -> set[str]:
    """The packages of NKI, of which names stand in the code of a function and of those it calls."""
    found: set[str] = set()
    seen: set[int] = set()
    functions = [function]
    while functions:
        code = getattr(functions[-1], "__code__", None)
        namespace = getattr(functions.pop(), "__globals__", {})
        if code is None or id(code) in seen:
            continue
        seen.add(id(code))
        for name in _names_of(code):
            value = namespace.get(name)
            found.add(_package_of(value))
            functions.append(_innermost(value) if callable(value) else value)
    return found & set(STUB_PACKAGES)


def _names_of(code: CodeType) -> Iterator[str]:
    """The names in a code object, and in those of the functions and comprehensions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


def _package_of(value: object) -> str:
    """The package that a module is in, or that a function or class is from; "" for annotations and anything else."""
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, type) or callable(value):
        name = str(getattr(value, "__module__", ""))
    else:
        return ""
    return "" if name == "neuronxcc.nki.typing" else name.partition(".")[0]


def _innermost(kernel: Callable[..., Any]) -> Any:
    """The kernel, or else the function, that the decorators of `kernel` say they wrap."""
    return inspect.unwrap(kernel, stop=lambda function: isinstance(function, Kernel))


def _asserts(kernel: Callable[..., Any]) -> dict[tuple[str, int], str]:
    """The lines of the kernel's preconditions, with what a report shows of them."""
    function = _innermost(kernel)
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return {}
    node = function_at(Path(code.co_filename), code.co_firstlineno)
    if node is None:
        return {}
    return {
        (code.co_filename, line): f"{stated.text} (line {stated.first})"
        for stated in preconditions(node)
        for line in range(stated.first, stated.last + 1)
    }
