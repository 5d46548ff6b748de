"""Random kernels for the campaigns about ranges: chains of operations on tiles, with or without a loop."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from nkiverify.frontend.target import Target
from nkiverify.project.request import request

_UNARY = (
    "exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "softplus", "erf", "relu", "sign", "abs", "square",
    "silu", "gelu", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "mish", "silu_dx", "gelu_dx", "erf_dx", "copy",
)  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "greater", "less_equal", "equal", "power")
_DTYPES = ("nl.float32", "nl.float32", "nl.bfloat16", "nl.float16", "nl.float8_e4m3", "nl.int32", "nl.int8")
_RANGES = (
    (-1.0, 1.0), (0.0, 1.0), (-10.0, 10.0), (0.5, 4.0), (-100.0, -1.0), (-1e4, 1e4), (-3e38, 3e38), (2.0, 2.0),
    (0.1, 0.1),
)  # fmt: skip
_KINDS = (
    "unary", "unary", "binary", "scalar", "reduce", "centred", "exponential", "matmul", "scaled", "select", "cast",
    "masked", "counted", "rescaled", "statistics", "gathered", "part", "linear", "linear", "spread",
    "statistics",
)  # fmt: skip
#: The columns of long rows.
_LONG = 300
_CARRIED = (
    "nisa.tensor_tensor(dst={state}, data1={state}, data2={column}, op=nl.{op})",
    "nisa.tensor_tensor(dst={state}, data1={column}, data2={state}, op=nl.{op})",
    "nisa.tensor_scalar(dst={state}, data={state}, op0=nl.multiply, operand0=0.9, op1=nl.add, operand1={column})",
    "nisa.tensor_scalar(dst={state}, data={state}, op0=nl.multiply, operand0={column}, op1=nl.{op}, operand1=0.5)",
    "nisa.activation(dst={state}, op=nl.tanh, data={state}, bias={column})",
    "nisa.tensor_scalar(dst={state}, data={column}, op0=nl.subtract, operand0={state}, op1=nl.multiply, operand1=0.5)",
)

_HEAD = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
"""


@dataclass(slots=True)
class _Chain:
    """Statements on tiles of P by `width`; `prefix` begins the names of what they make."""

    chance: random.Random
    width: str = "F"
    prefix: str = "t"
    lines: list[str] = field(default_factory=list)
    tiles: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    made: int = 0

    def tile(self, dtype: str, width: str = "") -> str:
        """A new tile."""
        self.made += 1
        name = f"{self.prefix}{self.made}"
        self.lines.append(f"{name} = nl.ndarray((P, {width or self.width}), dtype={dtype}, buffer=nl.sbuf)")
        return name

    def load(self, part: str = "") -> None:
        """Load both inputs, or this part of them."""
        for name in ("x", "y"):
            made = self.tile(f"{name}.dtype")
            self.lines.append(f"nisa.dma_copy(dst={made}, src={name}{part})")
            self.tiles.append(made)

    def reduced(self, op: str, data: str, rest: str = "") -> str:
        """A column reduced from a tile."""
        column = self.tile("nl.float32", "1")
        self.lines.append(f"nisa.tensor_reduce(dst={column}, op=nl.{op}, data={data}, axis=1{rest})")
        return column

    def step(self, *, products: bool = True) -> None:
        """One operation more, by chance."""
        chance, lines = self.chance, self.lines
        source, dtype = chance.choice(self.tiles[-3:]), chance.choice(_DTYPES)
        constant = chance.choice((0.5, 2.0, -1.0, 3.0, 1e-6, 0.0, -0.25, 7.0))
        kind = chance.choice(_KINDS)
        kind = "unary" if kind == "matmul" and not products else kind
        match kind:
            case "unary":
                made = self.tile(dtype)
                op = chance.choice(_UNARY)
                lines.append(f"nisa.activation(dst={made}, op=nl.{op}, data={source}, scale={constant})")
            case "binary":
                made = self.tile(dtype)
                other, op = chance.choice(self.tiles), chance.choice(_BINARY)
                lines.append(f"nisa.tensor_tensor(dst={made}, data1={source}, data2={other}, op=nl.{op})")
            case "scalar" | "scaled":
                made = self.tile(dtype)
                op = chance.choice(("add", "subtract", "multiply", "maximum", "minimum", "greater"))
                operand = chance.choice(self.columns) if kind == "scaled" and self.columns else str(constant)
                rest = f"op0=nl.{op}, operand0={operand}, reverse0={chance.choice((True, False))}"
                lines.append(f"nisa.tensor_scalar(dst={made}, data={source}, {rest})")
            case "reduce":
                op, negate = chance.choice(("add", "maximum", "minimum", "maximum")), chance.choice(("True", "False"))
                self.columns.append(self.reduced(op, source, f", negate={negate}"))
                return
            case "centred" | "exponential":
                made = self._beside_its_column(kind, source)
            case "matmul":
                made = self._product(source)
            case "rescaled":
                self.columns.append(self._sum_beside_another(source, chance.choice(self.tiles)))
                return
            case "statistics":
                self.columns += self._moments(source)
                return
            case "spread":
                self.columns.append(self._spread(source, chance.choice((source, source, *self.tiles))))
                return
            case "gathered":
                made = self._gathered(source)
            case "part":
                made = self._partly_written(source, constant)
            case "linear":
                made = self._cancelled(source, dtype, constant)
            case "masked" | "counted":
                made = self.tile("nl.float32")
                pattern = f"pattern=[[{chance.choice((1, -1, 3))}, {self.width}]], offset={chance.choice((0, -1, 5))}"
                pattern += f", channel_multiplier={chance.choice((1, -1, 0))}"
                if kind == "counted":
                    lines.append(f"nisa.iota(dst={made}, {pattern})")
                else:
                    fill = chance.choice(('float("-inf")', "-30000.0", "0.5"))
                    op = chance.choice(("greater_equal", "less", "equal"))
                    rest = f"on_true_tile={source}, on_false_value={fill}, cmp_op=nl.{op}"
                    lines.append(f"nisa.affine_select(dst={made}, {pattern}, {rest})")
            case "select":
                made, holds = self.tile("nl.float32"), self.tile("nl.uint8")
                lines += [
                    f"nisa.tensor_scalar(dst={holds}, data={source}, op0=nl.greater, operand0={constant})",
                    f"nisa.tensor_copy(dst={made}, src={chance.choice(self.tiles)})",
                    f"nisa.tensor_copy_predicated(dst={made}, src={source}, predicate={holds})",
                ]
            case _:
                made = self.tile(dtype)
                lines.append(f"nisa.tensor_copy(dst={made}, src={source})")
        self.tiles.append(made)

    def _beside_its_column(self, kind: str, source: str) -> str:
        """A tile less the maxima of its rows, or its exponentials and their sums."""
        if kind == "centred":
            column, made = self.reduced("maximum", source), self.tile("nl.float32")
            self.lines.append(
                f"nisa.tensor_scalar(dst={made}, data={source}, op0=nl.subtract, operand0={column}, "
                f"op1=nl.multiply, operand1={self.chance.choice((1.0, 0.5, 3.0))})"
            )
        else:
            column = self.tile("nl.float32", "1")
            made = self.tile(self.chance.choice(("nl.float32", "nl.bfloat16")))
            self.lines.append(
                f"nisa.activation_reduce(dst={made}, op=nl.exp, data={source}, reduce_op=nl.add, reduce_res={column})"
            )
        self.columns.append(column)
        return made

    def _sum_beside_another(self, source: str, other: str) -> str:
        """The inverse of the sums of exponentials of two tiles less the greater of their maxima, or nearly so."""
        columns = [self.reduced("maximum", data) for data in (source, self.chance.choice((other, other, source)))]
        greater = self.tile("nl.float32", "1")
        self.lines.append(f"nisa.tensor_tensor(dst={greater}, data1={columns[0]}, data2={columns[1]}, op=nl.maximum)")
        sums = [self.exponentials(source, self.chance.choice((greater, columns[0])))]
        # The sums of the second one, or those of the first one's rows as they were.
        second = self.chance.choice((other, columns[1]))
        sums.append(self.exponentials(second, self.chance.choice((greater, greater, columns[1]))))
        total = self.tile("nl.float32", "1")
        self.lines += [
            f"nisa.tensor_tensor(dst={total}, data1={sums[0]}, data2={sums[1]}, op=nl.add)",
            f"nisa.reciprocal(dst={total}, data={total})",
        ]
        return total

    def exponentials(self, data: str, less: str) -> str:
        """The sums of the rows of exp(data - less)."""
        width = "1" if ", 1)" in self._declared(data) else ""
        apart, sums = self.tile("nl.float32", width), self.tile("nl.float32", "1")
        self.lines += [
            f"nisa.tensor_scalar(dst={apart}, data={data}, op0=nl.subtract, operand0={less})",
            f"nisa.activation_reduce(dst={apart}, op=nl.exp, data={apart}, reduce_op=nl.add, reduce_res={sums})",
        ]
        return sums

    def _declared(self, name: str) -> str:
        return next((line for line in self.lines if line.startswith(f"{name} = ")), "")

    def _moments(self, source: str) -> list[str]:
        """The means, and the roots of the variances, of rows that are looked at in two parts, the same one twice."""
        chance, (data, mean, spread) = (
            self.chance,
            (self.tile("nl.float32"), *(self.tile("nl.float32", "1") for _ in "ab")),
        )
        statistics, moments = f"statistics{self.made}", f"moments{self.made}"
        self.lines += [
            f"{statistics} = nl.ndarray((P, 12), dtype=nl.float32, buffer=nl.sbuf)",
            f"{moments} = nl.ndarray((P, 2), dtype=nl.float32, buffer=nl.sbuf)",
            f"nisa.tensor_copy(dst={data}, src={source})",
            f"nisa.bn_stats(dst={statistics}[:, 0:6], data={data})",
            f"nisa.bn_stats(dst={statistics}[:, 6:12], data={data})",
            f"nisa.bn_aggr(dst={moments}, data={statistics})",
            f"nisa.tensor_copy(dst={mean}, src={moments}[:, 0:1])",
            f"nisa.activation(dst={spread}, op=nl.{chance.choice(('sqrt', 'copy'))}, data={moments}[:, 1:2])",
        ]
        return [mean, spread]

    def _gathered(self, source: str) -> str:
        """Elements of each row from the last to the first, or each of them the first."""
        data, made, places = self.tile("nl.float32"), self.tile("nl.float32"), self.tile("nl.uint32")
        step, first = self.chance.choice(((1, "0"), (-1, f"{self.width} - 1"), (0, "0")))
        self.lines += [
            f"nisa.tensor_copy(dst={data}, src={source})",
            f"nisa.iota(dst={places}, pattern=[[{step}, {self.width}]], offset={first})",
            f"nisa.nc_n_gather(dst={made}, data={data}, indices={places})",
        ]
        return made

    def _spread(self, source: str, other: str) -> str:
        """The roots of the greatest less the least of rows, or of the sums of both."""
        found = self.reduced("maximum", source)
        rest = f"op=nl.{self.chance.choice(('subtract', 'subtract', 'add'))}"
        least = self.reduced(self.chance.choice(("minimum", "minimum", "maximum")), other)
        self.lines += [
            f"nisa.tensor_tensor(dst={found}, data1={found}, data2={least}, {rest})",
            f"nisa.activation(dst={found}, op=nl.sqrt, data={found})",
        ]
        return found

    def _partly_written(self, source: str, constant: float) -> str:
        """A tile, or what a mask leaves of it, of which a column is written again; and its exponentials."""
        chance, made, other = self.chance, self.tile("nl.float32"), self.chance.choice(self.tiles)
        if chance.random() < 0.5:
            pattern = f"pattern=[[{chance.choice((1, -1))}, {self.width}]], offset=0, channel_multiplier=1"
            fill = chance.choice(('float("-inf")', "-30000.0"))
            rest = f"on_true_tile={source}, on_false_value={fill}"
            self.lines.append(f"nisa.affine_select(dst={made}, {pattern}, {rest}, cmp_op=nl.greater)")
        else:
            self.lines.append(f"nisa.tensor_copy(dst={made}, src={source})")
        self.lines.append(
            chance.choice(
                (
                    f"nisa.memset({made}[:, 0:1], {constant})",
                    f"nisa.tensor_copy(dst={made}[:, 0:1], src={other}[:, 1:2])",
                    f"nisa.tensor_copy(dst={made}[:, 1:2], src={other}[:, 0:1])",
                )
            )
        )
        self.columns.append(self.exponentials(made, self.reduced("maximum", made)))
        return made

    def _cancelled(self, source: str, dtype: str, constant: float) -> str:
        """A sum, a product or a multiple of numbers, less one of these, or less what is computed from them again."""
        chance, other = self.chance, self.chance.choice(self.tiles)
        op = chance.choice(("add", "subtract", "multiply", "add"))
        computed = [self.tile(chance.choice(("nl.float32", "nl.float32", dtype))) for _ in "ab"]
        for name in computed:
            rest = f"data1={source}, data2={other}, op=nl.{op}"
            if constant > 0 and op != "multiply":
                second = f", op1=nl.multiply, operand1={constant}" if chance.random() < 0.5 else ""
                rest = f"data={source}, op0=nl.{op}, operand0={constant}{second}"
            call = "tensor_tensor" if rest.startswith("data1") else "tensor_scalar"
            self.lines.append(f"nisa.{call}(dst={name}, {rest})")
        between, made = self.tile("nl.float32"), self.tile("nl.float32")
        left = chance.choice((computed[1], source, other))
        self.lines += [
            f"nisa.tensor_tensor(dst={between}, data1={computed[0]}, data2={other}, "
            f"op=nl.{chance.choice(('add', op))})",
            f"nisa.tensor_tensor(dst={made}, data1={chance.choice((between, computed[0]))}, data2={left}, "
            f"op=nl.{chance.choice(('subtract', 'subtract', 'add'))})",
        ]
        self.tiles.append(between)
        return made

    def _product(self, source: str) -> str:
        """The transpose of a tile times another one, multiplied by the tile."""
        made, left, right = self.tile("nl.float32"), self.tile("nl.bfloat16"), self.tile("nl.bfloat16")
        turned, weights = f"turned{self.made}", f"weights{self.made}"
        for name, shape in ((turned, "(F, P)"), (weights, "(F, F)")):
            self.lines.append(f"{name} = nl.ndarray({shape}, dtype=nl.bfloat16, buffer=nl.sbuf)")
        for name, shape, dtype in (("square", "(F, F)", "float32"), ("flipped", "(F, P)", "bfloat16")):
            self.lines.append(f"{name} = nl.ndarray({shape}, dtype=nl.{dtype}, buffer=nl.psum)")
        self.lines += [
            "product = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.psum)",
            f"nisa.tensor_copy(dst={left}, src={source})",
            f"nisa.tensor_copy(dst={right}, src={self.chance.choice(self.tiles)})",
            f"nisa.nc_matmul(dst=square, stationary={left}, moving={right})",
            f"nisa.tensor_copy(dst={weights}, src=square)",
            f"nisa.nc_transpose(dst=flipped, data={left})",
            f"nisa.tensor_copy(dst={turned}, src=flipped)",
            f"nisa.nc_matmul(dst=product, stationary={turned}, moving={weights})",
            f"nisa.tensor_copy(dst={made}, src=product)",
        ]
        return made

    def text(self, indent: str) -> str:
        """The statements."""
        return "".join(f"{indent}{line}\n" for line in self.lines)


def generated(chance: random.Random) -> str:
    """The text of a random kernel."""
    chain = _Chain(chance)
    chain.load()
    for _ in range(chance.randint(1, 7)):
        chain.step()
    # The sum of an input, which a range of one number leaves nothing but its rounding.
    chain.reduced("add", chain.tiles[chance.randrange(2)])
    last = chain.tile("nl.float32")
    chain.lines += [
        f"nisa.tensor_copy(dst={last}, src={chain.tiles[-1]})", f"nisa.dma_copy(dst=out, src={last})", "return out"
    ]  # fmt: skip
    return _HEAD + chain.text("    ")


def _online(chance: random.Random, around: _Chain, body: _Chain) -> list[str]:
    """Running sums of exponentials beside a running maximum, right or nearly so: the sums, and the maximum."""
    best, sums = (around.tile("nl.float32") for _ in "ab")
    begin = chance.choice(('float("-inf")', 'float("-inf")', "-1.0e4", "0.0"))
    around.lines += [f"nisa.memset({best}, {begin})", f"nisa.memset({sums}, {chance.choice((0.0, 0.0, 1.0))})"]
    source = body.tiles[-1]
    column = body.reduced("maximum", chance.choice((source, source, source, body.tiles[0])))
    better, kept = body.tile("nl.float32", "1"), body.tile("nl.float32", "1")
    body.lines.append(f"nisa.tensor_tensor(dst={better}, data1={best}, data2={column}, op=nl.maximum)")
    one, other = chance.choice(((best, better), (best, better), (best, better), (better, best)))
    body.lines += [
        f"nisa.tensor_tensor(dst={kept}, data1={one}, data2={other}, op=nl.subtract)",
        f"nisa.activation(dst={kept}, op=nl.exp, data={kept})",
    ]
    added = body.exponentials(source, chance.choice((better, better, column, best)))
    body.lines += [
        f"nisa.tensor_scalar(dst={sums}, data={sums}, op0=nl.multiply, operand0={kept}, op1=nl.add, operand1={added})",
        f"nisa.tensor_copy(dst={best}, src={chance.choice((better, better, better, column))})",
    ]
    return [sums, best]


def looped(chance: random.Random) -> str:
    """The text of a random kernel whose loop goes through the columns of x, four at a time, and carries numbers."""
    around, body = _Chain(chance, "1", "state"), _Chain(chance, "4")
    kept = chance.choice(("nl.float32", "nl.float32", "nl.bfloat16", "nl.float16"))
    states = []
    for _ in range(2):
        states.append(around.tile(kept))
        around.lines.append(f"nisa.memset({states[-1]}, {chance.choice((0.0, 1.0, -1.0e4, 0.5))})")
    body.load("[:, t * 4 : t * 4 + 4]")
    for _ in range(chance.randint(0, 4)):
        body.step(products=False)
    for _ in range(chance.randint(1, 3)):
        column = body.reduced(chance.choice(("add", "maximum", "minimum")), body.tiles[-1])
        text = chance.choice(_CARRIED)
        op = chance.choice(("add", "maximum", "minimum", "multiply", "subtract"))
        body.lines.append(text.format(state=chance.choice(states), column=column, op=op))
    online = chance.random() < 0.4
    if online:
        states = _online(chance, around, body)
    around.lines.append("for t in range(F // 4):")
    around.lines += ["    " + line for line in body.lines]
    last = around.tile("nl.float32")
    around.lines += [
        f"nisa.reciprocal(dst={last}, data={states[0]})"
        if online
        else f"nisa.tensor_tensor(dst={last}, data1={states[0]}, data2={states[1]}, op=nl.add)",
        f"nisa.dma_copy(dst=out[:, 0:1], src={last})",
        "return out",
    ]
    return _HEAD + around.text("    ")


def drawn(chance: random.Random, folder: Path, number: int, sizes: bool = False) -> Target:
    """The target of a random kernel, on random ranges."""
    file = folder / f"k{number}.py"
    file.write_text(looped(chance) if sizes and number % 2 else generated(chance))
    given = [(name, *chance.choice(_RANGES), chance.choice(("f32", "bf16"))) for name in ("x", "y")]
    # Sums of one number many times over are all rounding; a product has as many rows as they have columns.
    long = any(low == high for _, low, high, _ in given) and "matmul" not in file.read_text()
    shape = "P,F" if sizes else f"128,{_LONG if long else 13}"
    arguments = [f"{name}={dtype}[{shape}] in {low}..{high}" for name, low, high, dtype in given]
    where = ("P <= 128", "F <= 64") if sizes else ()
    return request(f"{file.name}::kernel", folder, arguments, where, None).target("trn2", False)
