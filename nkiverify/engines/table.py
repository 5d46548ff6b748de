"""The engines that decide claims, in one table: their names, and those of their options.

The embedded engine decides; a second one, which may be missing, decides the same claims again. Whatever is the second
engine's alone is in `nkiverify.products.esbmc` and `nkiverify.engines.esbmc`; others name it by this table.
"""

from __future__ import annotations

from nkiverify.foundation.dataclass import dataclass

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class Second:
    """The second engine: its name in options and results, that for readers, and the module that speaks for it
    (`verify.plugged.SecondEngine`)."""

    name: str
    title: str
    module: str


SECOND = Second("esbmc", "ESBMC", "nkiverify.products.esbmc.second")

#: What `--engine` may name; auto: the second engine next to the embedded one, where there is one.
ENGINES: tuple[str, ...] = ("auto", EMBEDDED, SECOND.name, "both")

#: What `--lowering` may name: the languages that programs are lowered to for the second engine.
LOWERINGS: tuple[str, ...] = ("c", "python", "both")


def asks_second(engine: str) -> bool:
    """True if `--engine` asks the second engine, alone or next to the embedded one."""
    return engine != EMBEDDED


def second_alone(engine: str) -> bool:
    """True if `--engine` asks the second engine alone."""
    return engine == SECOND.name


def second_must_answer(engine: str) -> bool:
    """True if `--engine` asks for the second engine by name: that there is none is an error."""
    return engine in (SECOND.name, "both")
