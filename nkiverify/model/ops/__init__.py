"""Operations, one declaration each, in modules that are imported when an operation or a contract of theirs is first
asked for: a check needs few of them, and importing all took a tenth of a small one. So are those of
`nkiverify.model.contract_tables`, whose contracts belong to no operation.

Nobody may see which have been imported: the registries ask here for what they do not have, and for all before they list
what there is.
"""

from __future__ import annotations

from importlib import import_module

from nkiverify.model.ops.table import DECLARED

#: Whether an import has been interrupted, by an end of time or of Python's stack in the kernel that called first: what
#: is imported again then declares again.
_interrupted = False
_MODULES = {name: module for module, names in DECLARED.items() for name in names.split()}


def is_declared(name: str) -> bool:
    """True if an operation is declared, or a contract of one defined, by this name."""
    return name in _MODULES


def load(name: str) -> None:
    """Import the module that declares the operation, or defines the contract, of this name, where one does."""
    if name in _MODULES:
        _import(_MODULES[name])


def load_all() -> list[str]:
    """Import every module of operations and of contracts; the names of all that they declare and define, in the order
    in which they do so where nothing has been asked for."""
    for module in DECLARED:
        _import(module)
    return list(_MODULES)


def may_be_declared_again() -> bool:
    """True if modules that have declared something may not have been imported to their end."""
    return _interrupted


def _import(module: str) -> None:
    global _interrupted
    try:
        import_module(f"nkiverify.model.{module}")
    except BaseException:
        _interrupted = True
        raise
