"""Arguments as the user describes them: `bf16[K, M]`, `4`, `'causal'`, `Mode.FAST`, `Config(tile=128)`, `c:1..64`."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections import ChainMap
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.frontend.domain.dimensions import Domain, enter_extent, extent_value, is_range
from nkiverify.frontend.domain.expressions import check_integer, integer, names_in
from nkiverify.frontend.domain.syntax import OptionText, TextError, file_named, parse
from nkiverify.frontend.target import Verification
from nkiverify.model.dtypes import DTYPES, DType, int32
from nkiverify.model.known_numbers import whole_range
from nkiverify.model.memory import MemoryRegion
from nkiverify.symbolic.terms import INT32_MAX

#: What people write for dtypes, besides their documented names.
_SHORT_DTYPES = {
    "bf16": "bfloat16",
    "f16": "float16",
    "fp16": "float16",
    "f32": "float32",
    "fp32": "float32",
    "tf32": "tfloat32",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "bool": "bool_",
    "f8_e4m3": "float8_e4m3",
    "fp8_e4m3": "float8_e4m3",
    "f8_e5m2": "float8_e5m2",
    "fp8_e5m2": "float8_e5m2",
}
_BUFFERS = {**{str(region): region for region in MemoryRegion}, "hbm": MemoryRegion.shared_hbm}
#: What builds a sequence of numbers.
_SEQUENCES: Mapping[str, Any] = {"list": list, "tuple": tuple, "range": range}
_STRING_OR_SEMICOLON = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|;""")
_RANGED_SCALAR = re.compile(r"\s*[A-Za-z_]\w*\s*:")


def dtype_called(name: str) -> DType | None:
    """The dtype of a documented or usual short name."""
    return DTYPES.get(_SHORT_DTYPES.get(name, name))


@dataclass(frozen=True, slots=True)
class Argument:
    """The value of one parameter (`elements` of a file), and the methods called on it before the kernel is."""

    parameter: str
    text: OptionText
    node: ast.expr
    calls: tuple[tuple[OptionText, ast.Call], ...] = ()
    elements: Any = None
    file: str = ""

    def dimensions(self, domain: Domain, namespace: Mapping[str, Any]) -> None:
        """Check the argument, and enter its dimensions into `domain`. Raises `TextError`.

        `namespace` is the kernel's module. Dimensions of shapes are to be known before: see `shape_dimensions`.
        """
        _check(self.node, self.text, domain, namespace)
        for text, call in self.calls:
            for part in (*call.args, *(keyword.value for keyword in call.keywords)):
                _check(part, text, domain, namespace)
        if self.elements is not None:
            self._check_file()

    def _check_file(self) -> None:
        """Raise `TextError` where the file does not hold a tensor of this shape."""
        extents = _parts(self.node.slice) if isinstance(self.node, ast.Subscript) else []
        known = [not isinstance(each, ast.Slice) and not any(names_in(each)) for each in extents]
        numbers = [integer(each, {}) if plain else None for each, plain in zip(extents, known, strict=True)]
        shape = self.elements.shape
        same = len(numbers) == len(shape) and all(
            one is None or one == two for one, two in zip(numbers, shape, strict=True)
        )
        if not same:
            held = ", ".join(map(str, shape))
            raise self.text.error(f"{self.file} holds an array of shape ({held})", self.node)

    def shape_dimensions(self, domain: Domain) -> None:
        """Enter the dimensions of the shapes in the argument, and those of integers in it."""
        extents: list[ast.expr] = []
        for node in ast.walk(self.node):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
                extents += _parts(node.slice)
        # A range elsewhere is an integer of its own.
        ranges = [node for node in ast.walk(self.node) if isinstance(node, ast.Slice) and node not in extents]
        for extent in (*ranges, *extents):
            enter_extent(extent, self.text, domain)

    def value(self, v: Verification, dimensions: Mapping[str, Any], namespace: Mapping[str, Any]) -> Any:
        """The argument in a run."""
        if self.elements is not None:
            return _tensor(self.node, self.parameter, v, dimensions, elements=self.elements)
        value = _value(self.node, self.parameter, v, dimensions, namespace)
        for text, call in self.calls:
            assert isinstance(call.func, ast.Attribute)
            method = getattr(value, call.func.attr, None)
            if not callable(method):
                raise text.error(f"{self.parameter} has no method {call.func.attr}", call.func)
            positional, keywords = _arguments_of(call, self.parameter, v, dimensions, namespace)
            method(*positional, **keywords)
        return value

    @property
    def on_chip(self) -> bool:
        """True if a tensor in it is in SBUF or PSUM."""
        names = [node.right for node in ast.walk(self.node) if isinstance(node, ast.BinOp) and _is_placed(node)]
        return any(isinstance(name, ast.Name) and _BUFFERS[name.id].on_chip for name in names)


def parse_argument(given: str) -> Argument:
    """The argument `parameter=text`. Raises `TextError`."""
    name, separator, content = given.partition("=")
    parameter = name.strip()
    if not separator or not parameter.isidentifier():
        example = "x='bf16[K,M]'"
        raise TextError(f"an argument is written parameter=value, for example {example}", "--arg", given, 0, len(name))
    option = f"--arg {parameter}"
    from_file = file_named(content)
    if from_file is not None:
        return _from_file(parameter, option, content, *from_file)
    first, *rest = _statements(content)
    if _RANGED_SCALAR.match(first):
        text, node = parse(option, first, subscript=True)
    else:
        text, node = parse(option, first)
    return Argument(parameter, text, node, tuple(_method_call(parameter, *parse(option, one)) for one in rest))


def _statements(content: str) -> list[str]:
    """The parts of `content` that semicolons outside strings separate."""
    parts, start = [], 0
    for found in _STRING_OR_SEMICOLON.finditer(content):
        if found.group() == ";":
            parts.append(content[start : found.start()])
            start = found.end()
    return [*parts, content[start:]]


def _method_call(parameter: str, text: OptionText, node: ast.expr) -> tuple[OptionText, ast.Call]:
    """`parameter.method(…)`, which the object is prepared with. Raises `TextError`."""
    called = node.func if isinstance(node, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else None
    if not isinstance(node, ast.Call) or not isinstance(owner, ast.Name) or owner.id != parameter:
        raise text.error(f"after a semicolon, a method of the object is called: {parameter}.method(…)", node)
    return text, node


def _from_file(parameter: str, option: str, content: str, described: str, file: str) -> Argument:
    """A tensor with the contents of a file."""
    from nkiverify.frontend.domain.file_contents import (  # as late as this: few are from files
        as_dtype,
        described_by,
        loaded,
    )

    array = loaded(option, file)
    text, node = parse(option, described or described_by(option, file, array))
    # Messages show what was typed.
    first = content.index(described) if described else 0
    text = OptionText(option, content, [first + place if described else 0 for place in range(len(text.content) + 1)])
    if not isinstance(node, ast.Subscript):
        raise text.error("a file holds the elements of a tensor, written u32[P,1] in @FILE.npy", node)
    return Argument(parameter, text, node, elements=as_dtype(option, file, array, _dtype_of(node, text)), file=file)


# --- checking ---------------------------------------------------------------------------------------------------------


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _is_placed(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def _check(node: ast.expr, text: OptionText, domain: Domain, namespace: Mapping[str, Any]) -> None:
    if isinstance(node, ast.Slice):
        enter_extent(node, text, domain)
    elif isinstance(node, ast.BinOp) and _is_placed(node):
        _check_placed(node, text, domain, namespace)
    elif isinstance(node, ast.Compare):
        _check_contents(node, text, domain, namespace)
    elif isinstance(node, ast.Subscript):
        _dtype_of(node, text)
        for extent in _parts(node.slice):
            enter_extent(extent, text, domain)
            if isinstance(extent, ast.Slice) or any(names_in(extent)):
                continue
            if integer(extent, {}) < 1:
                raise text.error("an extent is at least 1", extent)
            if integer(extent, {}) > INT32_MAX:
                raise text.error(f"an extent is a 32-bit integer, at most {INT32_MAX}", extent)
    elif isinstance(node, ast.Constant):
        if not isinstance(node.value, bool | int | float | str | None):
            raise text.error(f"a {type(node.value).__name__} cannot be given", node)
    elif isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            _check(part, text, domain, namespace)
    elif isinstance(node, ast.Dict):
        for key, part in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant):
                raise text.error("the keys of a dictionary are texts or numbers", key or node)
            _check(part, text, domain, namespace)
    elif isinstance(node, ast.Name):
        if node.id not in domain.ranges and not _is_object(node.id, namespace) and dtype_called(node.id) is None:
            hint = did_you_mean(node.id, [*namespace, *domain.ranges, *_SHORT_DTYPES, *DTYPES])
            advice = hint or f"; an integer of its own is written {node.id}:1..64, a text in quotes"
            raise text.error(f"{node.id} is no dimension of a tensor and no name of the kernel's module{advice}", node)
    elif isinstance(node, ast.Attribute):
        _object(node, text, namespace)
    elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
        if _builds_sequence(node, namespace):
            _check_sequence(node, text, domain, namespace)
            return
        function = _object(node.func, text, namespace)
        if not callable(function):
            raise text.error("this cannot be called", node.func)
        within = _names_for(function, namespace)
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            _check(part, text, domain, within)
        try:
            inspect.signature(function).bind(*node.args, **{keyword.arg or "": keyword for keyword in node.keywords})
        except (TypeError, ValueError) as error:
            raise text.error(f"{ast.unparse(node.func)}: {error}", node) from None
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_float(node.operand):
        return
    else:
        enter_extent(node, text, domain)


def _builds_sequence(node: ast.Call, namespace: Mapping[str, Any]) -> bool:
    """True for `list(…)`, `tuple(…)` and `range(…)`, unless the kernel's module means something else by the name."""
    return isinstance(node.func, ast.Name) and node.func.id in _SEQUENCES and not _is_object(node.func.id, namespace)


def _check_sequence(node: ast.Call, text: OptionText, domain: Domain, namespace: Mapping[str, Any]) -> None:
    """A range of plain numbers, or the elements of a sequence."""
    called = ast.unparse(node.func)
    if node.keywords or not 1 <= len(node.args) <= (3 if called == "range" else 1):
        raise text.error(f"{called} takes one {'to three numbers' if called == 'range' else 'sequence'}", node)
    for part in node.args:
        if called != "range":
            if not isinstance(part, ast.List | ast.Tuple | ast.Call):
                raise text.error("a sequence belongs here: [0, 1] or range(8)", part)
            _check(part, text, domain, namespace)
        else:
            check_integer(part, text)
            if any(names_in(part)):
                raise text.error("a number belongs here, and no dimension", part)
    if called == "range" and len(node.args) > 2 and integer(node.args[2], {}) == 0:
        raise text.error("the step of a range is not 0", node.args[2])


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _check_placed(node: ast.BinOp, text: OptionText, domain: Domain, namespace: Mapping[str, Any]) -> None:
    if not isinstance(node.left, ast.Subscript):
        raise text.error("only a tensor is in a memory: bf16[128,512]@sbuf", node)
    if not isinstance(node.right, ast.Name) or node.right.id not in _BUFFERS:
        raise text.error(f"a memory is one of {', '.join(_BUFFERS)}", node.right)
    _check(node.left, text, domain, namespace)


def _check_contents(node: ast.Compare, text: OptionText, domain: Domain, namespace: Mapping[str, Any]) -> None:
    """A tensor, or a register, with the range of its numbers: `u32[P, 1] in 0..V-1`, `f32[P, F] in -1.5..1.5`."""
    subject, values = node.left, node.comparators[0]
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In) or not is_range(values):
        raise text.error("the numbers in a tensor are written u32[P,1] in low..high", node)
    if _is_register(subject):
        dtype = int32
    else:
        tensor = subject.left if isinstance(subject, ast.BinOp) else subject
        if not isinstance(tensor, ast.Subscript):
            raise text.error("only a tensor, or `register`, has a range of numbers", subject)
        _check(subject, text, domain, namespace)
        dtype = _dtype_of(tensor, text)
    if dtype.is_float:
        _check_floats(values, text)
        return
    whole = whole_range(dtype)
    if whole is None:
        raise text.error(f"only integers and floats have a range, not {dtype}", subject)
    for end in _ends(values):
        if isinstance(end, ast.Constant) and end.value is None:
            raise text.error("give both ends of the range", values)
        check_integer(end, text)
        for name in names_in(end):
            if name.id not in domain.ranges:
                hint = did_you_mean(name.id, domain.ranges)
                raise text.error(f"no --arg has a dimension {name.id}{hint}", name)
        if not any(names_in(end)) and not whole.low <= integer(end, {}) <= whole.high:
            raise text.error(f"no {dtype} is {ast.unparse(end)}: it is {whole}", end)
    if not any(names_in(values)) and integer(_ends(values)[0], {}) > integer(_ends(values)[1], {}):
        raise text.error("no integer is in this range", values)


def _check_floats(values: ast.expr, text: OptionText) -> None:
    for end in _ends(values):
        if _float(end) is None:
            raise text.error("the ends of a range of floats are two numbers", end)
    low, high = (_float(end) for end in _ends(values))
    if low is not None and high is not None and not low <= high:
        raise text.error("no number is in this range", values)


def _float(node: ast.expr) -> float | None:
    """A number, with or without a sign; None for anything else, and for what is not finite."""
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    value = inner.value if isinstance(inner, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if inner is node else -float(value)


def _is_register(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "register"


def _ends(values: ast.expr) -> tuple[ast.expr, ast.expr]:
    """The least and the greatest number of a range."""
    assert isinstance(values, ast.BinOp)
    return values.left, values.right


def _dtype_of(node: ast.Subscript, text: OptionText) -> DType:
    head = node.value
    name = _dtype_name(head)
    dtype = dtype_called(name)
    if dtype is None:
        known = [*_SHORT_DTYPES, *DTYPES]
        hint = did_you_mean(name, known) or "; dtypes are " + ", ".join(DTYPES)
        raise text.error(f"{name or 'this'} is no dtype{hint}", head)
    return dtype


def _dtype_name(head: ast.expr) -> str:
    """The last part of the name before the brackets, `bfloat16` of `nl.bfloat16`."""
    return head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""


def _names_for(function: Any, namespace: Mapping[str, Any]) -> Mapping[str, Any]:
    """The meaning of names in the arguments of a call of `function`: those of the module that calls it, then of its
    own."""
    own: Mapping[str, Any] = getattr(function, "__globals__", {})
    if isinstance(function, type):
        methods = [member for member in vars(function).values() if isinstance(member, FunctionType)]
        own = next((one.__globals__ for one in methods if one.__globals__.get("__name__") == function.__module__), {})
    return ChainMap(dict(namespace), dict(own))


def _is_object(name: str, namespace: Mapping[str, Any]) -> bool:
    return name in namespace and not name.startswith("__")


def _object(node: ast.expr, text: OptionText, namespace: Mapping[str, Any]) -> Any:
    """The object that a dotted name means in the kernel's module."""
    if isinstance(node, ast.Name):
        if not _is_object(node.id, namespace):
            names = [name for name in namespace if not name.startswith("_")]
            raise text.error(f"the kernel's module has no {node.id}{did_you_mean(node.id, names)}", node)
        return namespace[node.id]
    if not isinstance(node, ast.Attribute):
        raise text.error("a dotted name of the kernel's module belongs here", node)
    owner = _object(node.value, text, namespace)
    try:
        return getattr(owner, node.attr)
    except AttributeError:
        hint = did_you_mean(node.attr, [name for name in dir(owner) if not name.startswith("_")])
        raise text.error(f"{ast.unparse(node.value)} has no {node.attr}{hint}", node) from None


# --- making values ----------------------------------------------------------------------------------------------------


def _value(
    node: ast.expr, name: str, v: Verification, dimensions: Mapping[str, Any], namespace: Mapping[str, Any]
) -> Any:
    def part(node: ast.expr, called: str = name) -> Any:
        return _value(node, called, v, dimensions, namespace)

    if isinstance(node, ast.Compare):
        ends = _ends(node.comparators[0])
        if not _is_register(node.left) and _tensor_dtype(node.left).is_float:
            return _tensor(node.left, name, v, dimensions, (_float(ends[0]), _float(ends[1])))
        low, high = (integer(end, dimensions) for end in ends)
        if _is_register(node.left):
            return v.register(name, low, high)
        return _tensor(node.left, name, v, dimensions, (low, high))
    if (isinstance(node, ast.BinOp) and _is_placed(node)) or isinstance(node, ast.Subscript):
        return _tensor(node, name, v, dimensions)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(part(element, f"{name}_{position}") for position, element in enumerate(node.elts))
    if isinstance(node, ast.List):
        return [part(element, f"{name}_{position}") for position, element in enumerate(node.elts)]
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        return {key: part(each, f"{name}_{key!s}") for key, each in zip(keys, node.values, strict=True)}
    if isinstance(node, ast.Name) and node.id not in dimensions:
        return namespace[node.id] if _is_object(node.id, namespace) else dtype_called(node.id)
    if isinstance(node, ast.Attribute):
        return _dotted(node, namespace)
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
        if _builds_sequence(node, namespace):
            assert isinstance(node.func, ast.Name)
            return _SEQUENCES[node.func.id](*(part(argument) for argument in node.args))
        function = _dotted(node.func, namespace)
        positional, keywords = _arguments_of(node, name, v, dimensions, _names_for(function, namespace))
        return function(*positional, **keywords)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant) and _is_float(node.operand):
        return -float(node.operand.value)  # type: ignore[arg-type]
    return extent_value(node, dimensions)


def _arguments_of(
    node: ast.Call, name: str, v: Verification, dimensions: Mapping[str, Any], namespace: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The values of the arguments of a call, those by keyword under their own names, several others numbered."""
    alone = len(node.args) == 1
    positional = [
        _value(argument, name if alone else f"{name}_{position}", v, dimensions, namespace)
        for position, argument in enumerate(node.args)
    ]
    keywords = {
        keyword.arg: _value(keyword.value, keyword.arg, v, dimensions, namespace)
        for keyword in node.keywords
        if keyword.arg
    }
    return positional, keywords


def _tensor(
    node: ast.expr,
    name: str,
    v: Verification,
    dimensions: Mapping[str, Any],
    values: tuple[Any, Any] | None = None,
    elements: Any = None,
) -> Any:
    buffer = MemoryRegion.shared_hbm
    if isinstance(node, ast.BinOp):
        assert isinstance(node.right, ast.Name)
        buffer = _BUFFERS[node.right.id]
        node = node.left
    dtype = _tensor_dtype(node)
    assert isinstance(node, ast.Subscript)
    shape = [extent_value(extent, dimensions) for extent in _parts(node.slice)]
    return v.tensor(name, shape, dtype, buffer, values=values, elements=elements)


def _tensor_dtype(node: ast.expr) -> DType:
    """The dtype of a tensor as it is written, with its memory or without."""
    tensor = node.left if isinstance(node, ast.BinOp) else node
    assert isinstance(tensor, ast.Subscript)
    dtype = dtype_called(_dtype_name(tensor.value))
    assert dtype is not None
    return dtype


def _dotted(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return namespace[node.id]
    assert isinstance(node, ast.Attribute)
    return getattr(_dotted(node.value, namespace), node.attr)
