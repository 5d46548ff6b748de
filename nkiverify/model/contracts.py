"""The registry of contracts: what NKI documents, as data, and the one way a stub states that it must hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, cast

from nkiverify.foundation.errors import InternalError
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract, Taken
from nkiverify.ir.program import Assumed
from nkiverify.model import ops
from nkiverify.model.policy import applied_policy
from nkiverify.model.versions import within
from nkiverify.symbolic import execution
from nkiverify.symbolic.execution import Execution


class ClaimingExecution(Execution, Protocol):
    """The interface that stating a contract needs of an execution, symbolic or concrete."""

    #: The phases whose contracts count: the others are not examined.
    phases: frozenset[int]
    #: What is taken for granted of whatever is stated now.
    rests_on: frozenset[Assumed]
    #: The statement of the kernel that what is stated now is about, where that is not the one being executed.
    about: Site | None

    def require(self, contract: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim, or check it at once."""

    def suffices(self, contract: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim that is enough for the contract; where values are plain, nothing."""

    def leaves_open(self, contract: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """Record a claim that is open, for the reason given, where its condition does not hold; else nothing."""


#: The execution in progress, as stating a contract sees it; not a function around another: every claim asks.
_execution = cast("Callable[[], ClaimingExecution]", execution.current_execution)


#: Begins the reason of a claim that is open because no page decides it.
SILENT = "the documentation does not say"

_registry: dict[str, Contract] = {}


def define(
    id: str,
    statement: str,
    source: str,
    *,
    api: tuple[str, ...] = ("nki", "neuronxcc"),
    hardware: tuple[str, ...] = (),
    cwe: str = "",
    phase: int = 1,
    contested: str = "",
    since: str = "",
    until: str = "",
    takes: Mapping[str, Taken] | None = None,
    limit: bool = False,
    two_sided: bool = False,
    same_elements: bool = False,
) -> Contract:
    """Register a contract; an id is defined once."""
    if id in _registry and not ops.may_be_declared_again():
        raise InternalError(f"contract {id} is defined twice")
    legal = takes or {}
    contract = Contract(
        id,
        statement,
        source,
        api,
        hardware,
        cwe,
        phase,
        contested,
        since,
        until,
        legal,
        limit,
        two_sided,
        same_elements,
    )
    _registry[id] = contract
    return contract


def contract(id: str) -> Contract:
    """The contract with this id; the module of an operation that defines it is imported."""
    if id not in _registry:
        ops.load(id)
    try:
        return _registry[id]
    except KeyError:
        raise InternalError(f"no contract is defined under the id {id}") from None


def all_contracts() -> list[Contract]:
    """Every contract, by id."""
    ops.load_all()
    return [_registry[id] for id in sorted(_registry)]


@contextmanager
def resting_on(assumed: frozenset[Assumed]) -> Iterator[None]:
    """Claims stated inside are decided only if nothing of this turns out to be wrong."""
    run = _execution()
    around = run.rests_on
    run.rests_on = around | assumed
    try:
        yield
    finally:
        run.rests_on = around


@contextmanager
def about(site: Site | None) -> Iterator[None]:
    """Claims stated inside are about the statement at `site`, whatever is being executed."""
    run = _execution()
    around = run.about
    run.about = site
    try:
        yield
    finally:
        run.about = around


_LEGACY = "neuronxcc"
#: How many functions of the legacy API are being called, one in another: then only what binds it is stated.
_legacy_calls = 0


class LegacyRules:
    """Claims stated inside are about a call of the legacy API, whose functions demand what the current ones do."""

    __slots__ = ()

    def __enter__(self) -> None:
        global _legacy_calls
        _legacy_calls += 1

    def __exit__(self, *raised: object) -> None:
        global _legacy_calls
        _legacy_calls -= 1


def require(id: str, condition: object, /, **quantities: object) -> None:
    """State that the contract `id` asks for `condition` here.

    A contract that the API in use does not document asks for nothing.

    `condition` is a `bool` or a symbolic condition, `quantities` are the values the message shows, by name. A symbolic
    run records a claim; a concrete run raises `ContractViolation` where the condition is false. Either looks at the
    contracts of its own phases only.
    """
    run = _execution()
    rule = _registry.get(id) or contract(id)
    if _counts(rule, run):
        run.require(rule, condition, quantities)


def require_if_open(id: str, condition: object, /, **quantities: object) -> None:
    """`require`, unless `condition` is entailed: then there is nothing to claim."""
    if condition is not True:
        require(id, condition, **quantities)


def suffices(id: str, condition: object, /, **quantities: object) -> None:
    """State that `condition` is enough for the contract `id` to hold here, and may be more than it asks for.

    A symbolic run records a claim whose refutation proves nothing until a concrete run breaks the contract; a concrete
    run, which could not tell either, has nothing to report.
    """
    run = _execution()
    rule = _registry.get(id) or contract(id)
    if _counts(rule, run):
        run.suffices(rule, condition, quantities)


def leaves_open(id: str, condition: object, why: str, /, **quantities: object) -> None:
    """State that the contract `id` holds here if `condition` does, and that nobody can tell if it does not: `why`.

    A symbolic run records a claim that is proved or stays undecided; a concrete run, which knows no more, has nothing
    to report.
    """
    run = _execution()
    rule = _registry.get(id) or contract(id)
    if _counts(rule, run):
        run.leaves_open(rule, condition, why, quantities)


def looked_at(id: str) -> bool:
    """True if the execution in progress looks at the contract, and at the others of its phase."""
    return contract(id).phase in _execution().phases


def _counts(rule: Contract, run: ClaimingExecution) -> bool:
    """True if the run looks at the contract, and the API in use, in its version, documents it."""
    if rule.phase not in run.phases or (_legacy_calls and _LEGACY not in rule.api):
        return False
    return not (rule.since or rule.until) or within(nki_version(), rule.since, rule.until)


def nki_version() -> str:
    """The version of NKI that is verified for."""
    return applied_policy().policy.nki


def claim_version(name: str, since: str) -> None:
    """Claim that the version of NKI that is verified for has the function or attribute `name`, new in `since`."""
    require_if_open("api.version", within(nki_version(), since, ""), name=name, since=since, nki=nki_version())


def entailed(id: str) -> None:
    """State a contract that is entailed here: a symbolic run counts the claim, others have nothing to check."""
    if _execution().symbolic:
        require(id, True)
