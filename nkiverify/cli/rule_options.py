"""The options that say what becomes of rules: `-W`, `--strict`, `--strict-language`, `--ignore`."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterable

from nkiverify.foundation.comments import FORM
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.model.policy import (
    ACCEPT_BOUNDED,
    CONTESTED,
    ERROR,
    IGNORE,
    STRICT,
    STRICT_LANGUAGE,
    UNUSED,
    Acceptance,
    Policy,
    WarningRule,
)
from nkiverify.model.versions import NEWEST, VERSIONS, version
from nkiverify.project.settings import Settings, layered


def add_policy(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """Add the options that `policy_of` reads; `otherwise` is what becomes of language findings without them."""
    add_nki(parser)
    add = parser.add_argument
    add(
        "--strict",
        action="store_true",
        default=None,
        help="contested contracts, which kernels that run break, are FAILED and no warning: -W error=contested",
    )
    add(
        "--strict-language",
        action="store_true",
        default=None,
        help=f"what the NKI compiler would not take, or is not documented to take, is FAILED and {otherwise}: "
        "-W 'error=lang.*'",
    )
    add(
        "-W",
        "--warnings",
        action="append",
        type=warning_rule,
        default=[],
        metavar="RULE",
        help="error: warnings fail, with exit status 1; ignore: they are not told of; error=ID, ignore=ID: of one "
        "kind, or of those that match a glob",
    )
    add(
        "--ignore",
        action="append",
        default=[],
        metavar="ID",
        help=f"accept the findings of a rule: they are listed and decide nothing; in a kernel: {FORM}",
    )
    add(
        "--no-device-memory",
        action="store_true",
        help="do not assume that each argument in HBM fits the memory of a device: what breaks only beyond that is "
        "FAILED, too",
    )
    add_accept(
        parser,
        ACCEPT_BOUNDED,
        "accept a verdict that is no proof: bounded, SUCCESSFUL for loops and shapes up to a bound, has exit "
        "status 0, not 3",
    )


def add_accept(parser: argparse.ArgumentParser, name: str, help: str) -> None:
    """Add `--accept`, which takes the `name` of what the command can leave without a proof."""
    parser.add_argument("--accept", action="append", choices=(name,), default=[], help=help)


def accepted_by(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """The names of what is accepted without a proof, on the command line or by the settings."""
    return tuple(dict.fromkeys((*arguments.accept, *(settings.accept or ()))))


def add_nki(parser: argparse.ArgumentParser) -> None:
    """Add `--nki`."""
    parser.add_argument(
        "--nki",
        metavar="VERSION",
        help=f"the version of NKI to verify for: {', '.join(VERSIONS)} (default: {NEWEST}, the newest documented)",
    )


def warning_rule(text: str) -> WarningRule:
    """`error`, or `ignore=df.unused`."""
    action, separator, pattern = text.partition("=")
    if action not in (ERROR, IGNORE) or (separator and not pattern):
        raise argparse.ArgumentTypeError(f"{text!r} is none of error, ignore, error=ID, ignore=ID")
    return WarningRule(action, pattern)


def policy_of(arguments: argparse.Namespace, settings: Settings) -> Policy:
    """The policy about rules of the command line and the settings. Raises `UsageError` for a rule that there is not."""
    rules: list[WarningRule] = []
    if layered("strict", arguments.strict, settings, False).value:
        rules.append(STRICT)
    if layered("strict-language", arguments.strict_language, settings, False).value:
        rules.append(STRICT_LANGUAGE)
    rules += arguments.warnings
    accepted = [Acceptance(id, "accepted on the command line", "--ignore") for id in arguments.ignore]
    accepted += [Acceptance(id, reason, str(settings.file)) for id, reason in settings.ignore or ()]
    _check(rules, accepted)
    # What else is accepted is about other commands than those that give verdicts.
    verdicts = tuple(name for name in accepted_by(arguments, settings) if name == ACCEPT_BOUNDED)
    nki = version(layered("nki", arguments.nki, settings, NEWEST).value)
    return Policy(tuple(rules), tuple(accepted), nki, verdicts, device_memory=not arguments.no_device_memory)


def configured(settings: Settings) -> Policy:
    """The policy about rules of the settings alone, for commands that have none of the options."""
    parser = argparse.ArgumentParser()
    add_policy(parser, "")
    return policy_of(parser.parse_args([]), settings)


def _check(rules: Iterable[WarningRule], accepted: Iterable[Acceptance]) -> None:
    """Raise `UsageError` for a rule that there is not."""
    named = [rule.pattern for rule in rules if rule.pattern and rule not in (STRICT, STRICT_LANGUAGE)]
    accepted = list(accepted)
    if not named and not accepted:
        return
    from nkiverify.verify.rule_ids import acceptable, warned_of

    known = [*warned_of(), CONTESTED, UNUSED]
    for pattern in named:
        if not fnmatch.filter(known, pattern):
            hint = did_you_mean(pattern, known, 1) or f"; the warnings are {', '.join(sorted(known))}"
            raise UsageError(f"-W: there is no warning {pattern!r}{hint}")
    ids = acceptable()
    for one in accepted:
        if one.id not in ids:
            raise UsageError(f"{one.source}: there is no rule {one.id!r} to ignore{did_you_mean(one.id, ids, 1)}")
