"""The report for code hosts: a session as SARIF 2.1.0, which GitHub, GitLab and editors show next to the code.

A refuted claim is a result of the rule of its contract. One that the target expects, as controls do, is suppressed: it
is no news. A run that ends in no conclusion, or other than expected without a refuted claim, is a result of a rule
named after what happened.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import quote

from nkiverify.foundation.records import KernelWarning, Run, Verdict, Violation
from nkiverify.ir.contract import Contract
from nkiverify.model.documentation import link, readable
from nkiverify.results import wording
from nkiverify.results.codec import Json
from nkiverify.results.session import ExitStatus, Session, status_of, telling, warned

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_STUB_PLACE = re.compile(r"(.+\.py):(\d+)")

#: The rules of runs that have no refuted claim to show.
_ENDINGS: Mapping[str, tuple[str, str]] = {
    "verdict.unknown": ("No conclusion", "The verifier could not conclude anything; nothing is said about the kernel."),
    "verdict.bounded": (
        "Proved up to a bound only",
        "Every claim holds for the loops and shapes up to the bound; nothing is said about larger ones.",
    ),
    "verdict.vacuous": ("Nothing was checked", "The domain of the target is empty, or no claim was reached."),
    "verdict.error": ("A fault of the verifier", "The verifier itself failed. Please report it."),
    "verdict.mismatch": ("Another verdict than expected", "The target expects a verdict that the run does not give."),
}


def text(session: Session, contracts: Mapping[str, Contract]) -> str:
    """The session as the text of a SARIF file. `contracts` are the known ones, by id."""
    return json.dumps(document(session, contracts), indent=2, allow_nan=False) + "\n"


def document(session: Session, contracts: Mapping[str, Contract]) -> dict[str, Json]:
    """The session as the value that the file holds. Paths inside `session.root` are relative to it."""
    results: list[Json] = []
    rules: dict[str, dict[str, Json]] = {}
    weaknesses: set[str] = set()
    for run in telling(session.runs):
        for rule, described, result in _results(run, session.root, contracts):
            rules.setdefault(rule, described)
            number: Json = list(rules).index(rule)
            results.append({"ruleId": rule, "ruleIndex": number} | result)
            if rule in contracts and contracts[rule].cwe:
                weaknesses.add(_weakness(contracts[rule]))
    for run, warning in warned(session.runs):
        rules.setdefault(warning.rule, _warning_rule(warning))
        index: Json = list(rules).index(warning.rule)
        results.append({"ruleId": warning.rule, "ruleIndex": index} | _warning(run, warning, session.root))
    run_object: dict[str, Json] = {
        "tool": {
            "driver": {
                "name": "nkiverify",
                "version": session.made_with.nkiverify,
                "rules": list(rules.values()),
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": session.root.absolute().as_uri().rstrip("/") + "/"}},
        "invocations": [_invocation(session)],
        "results": results,
    }
    if weaknesses:
        run_object["taxonomies"] = [
            {
                "name": "CWE",
                "organization": "MITRE",
                "shortDescription": {"text": "Common Weakness Enumeration"},
                "informationUri": "https://cwe.mitre.org/",
                "taxa": [
                    {"id": weakness, "helpUri": f"https://cwe.mitre.org/data/definitions/{weakness}.html"}
                    for weakness in sorted(weaknesses, key=int)
                ],
            }
        ]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run_object]}


def _results(
    run: Run, root: Path, contracts: Mapping[str, Contract]
) -> Iterator[tuple[str, dict[str, Json], dict[str, Json]]]:
    """The results of one run: the id of the rule, the rule, and the result without both."""
    status = status_of(run)
    expected = status is ExitStatus.AS_EXPECTED
    for position, violation in enumerate(run.violations):
        result: dict[str, Json] = {
            "kind": "fail",
            "level": "note" if expected else "error",
            "message": {"text": _message(run, violation, root)},
            "locations": [_location(run, violation, root)],
            "partialFingerprints": {"nkiverifyViolation/v1": _fingerprint(run, violation, root, position)},
            "properties": {
                "target": run.target,
                "phase": run.phase,
                "engine": run.engine,
                "replayed": violation.replayed,
            },
        }
        related = list(_related(violation, root))
        if related:
            result["relatedLocations"] = related
        if expected:
            result["suppressions"] = [
                {"kind": "external", "justification": f"The target {run.target} expects to be FAILED."}
            ]
        yield violation.contract, _contract_rule(violation, contracts), result
    if (expected and not run.is_bounded) or (run.violations and status is ExitStatus.MISMATCH):
        return
    rule, level = _ending(run)
    place = _physical(run.kernel.partition("::")[0], {"startLine": 1})
    if run.place is not None:
        place = _physical(wording.relative(run.place.file, root), {"startLine": max(1, run.place.line)})
    words = wording.text(run.reason or run.qualifier, root)
    wanted = f", expected {run.expected.value}" if run.expected is not None else ""
    ending = f"{run.target}, phase {run.phase}: {wording.ending(run)}{wanted}" + (f": {words}" if words else "")
    found: dict[str, Json] = {
        "kind": "fail",
        "level": level,
        "message": {"text": ending},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"nkiverifyRun/v1": _digest(run.target, str(run.phase), run.engine, rule)},
        "properties": {"target": run.target, "phase": run.phase, "engine": run.engine},
    }
    if expected:
        found["suppressions"] = [{"kind": "external", "justification": "A verdict up to a bound is accepted."}]
    yield rule, _ending_rule(rule), found


def _warning(run: Run, warning: KernelWarning, root: Path) -> dict[str, Json]:
    """A warning, as a result without its rule."""
    because = wording.because(warning, root)
    about = f"{run.target}, phase {run.phase}, {wording.extent_of(warning)}"
    key = _digest(run.target, str(run.phase), warning.rule, wording.relative(warning.file, root), warning.tensor)
    result: dict[str, Json] = {
        "kind": "fail",
        "level": "warning",
        "message": {"text": f"{warning.statement} {because} ({about})"},
        "locations": [_location(run, warning, root)],
        "partialFingerprints": {"nkiverifyWarning/v1": key},
        "properties": {"target": run.target, "phase": run.phase, "engine": run.engine},
    }
    related = list(_related(warning, root))
    if related:
        result["relatedLocations"] = related
    return result


def _warning_rule(warning: KernelWarning) -> dict[str, Json]:
    return {
        "id": warning.rule,
        "shortDescription": {"text": warning.statement},
        "fullDescription": {"text": f"{warning.statement} It changes no verdict."},
        "help": {"text": f"{warning.statement} It changes no verdict: docs/verdict-details.md says more."},
        "defaultConfiguration": {"level": "warning"},
    }


def _ending(run: Run) -> tuple[str, str]:
    """The rule of a run that is no pass, and how grave it is."""
    if run.verdict is Verdict.UNKNOWN:
        return "verdict.unknown", "warning"
    if run.verdict is Verdict.VACUOUS:
        return "verdict.vacuous", "warning"
    if status_of(run) is ExitStatus.MISMATCH:
        return "verdict.mismatch", "error"
    if run.is_bounded:
        return "verdict.bounded", "warning" if run.lacks_proof else "note"
    return "verdict.error", "error"


def _message(run: Run, violation: Violation, root: Path) -> str:
    witness = ", ".join(f"{name} = {value}" for name, value in violation.witness.items())
    replay = "reproduced by running the kernel" if violation.replayed else "NOT reproduced by running the kernel"
    shapes = f"for {witness}" if witness else "for the only shapes of the target"
    statement = violation.statement or violation.contract
    because = f" {wording.text(violation.message, root)}" if violation.message else ""
    return f"{statement}{because} ({run.target}, phase {run.phase}, {shapes}, {replay})"


def _location(run: Run, violation: Violation | KernelWarning, root: Path) -> dict[str, Json]:
    if not violation.file:
        # No line is to blame, for example for the shape of the result: the kernel as a whole is.
        file, _, function = run.kernel.partition("::")
        place = _physical(file, {"startLine": 1})
        return {"physicalLocation": place, "logicalLocations": [{"name": function or file, "kind": "function"}]}
    region: dict[str, Json] = {"startLine": max(1, violation.line)}
    if violation.column >= 0:
        region["startColumn"] = violation.column + 1
    if violation.end_line >= violation.line:
        region["endLine"] = violation.end_line
        if violation.column >= 0 and violation.end_column >= 0:
            region["endColumn"] = violation.end_column + 1
    return {"physicalLocation": _physical(wording.relative(violation.file, root), region)}


def _related(violation: Violation | KernelWarning, root: Path) -> Iterator[Json]:
    """The calls that led to the place in the kernel, outermost first, and where the model states the contract."""
    places = [(call.file, call.line, f"called here, in {call.function or 'the kernel'}") for call in violation.calls]
    places += [(loop.file, loop.line, f"in this loop, for {loop.value}") for loop in violation.loops]
    if isinstance(violation, KernelWarning):
        places += [(place.file, place.line, "what is done here serves nothing else") for place in violation.also]
    else:
        places += [(label.site.file, label.site.line, label.text) for label in violation.labels]
        if stub := _STUB_PLACE.fullmatch(violation.stub):
            places.append((stub[1], int(stub[2]), "the model states the contract here"))
    for number, (file, line, words) in enumerate(places):
        place = _physical(wording.relative(file, root), {"startLine": max(1, line)})
        yield {"id": number, "physicalLocation": place, "message": {"text": words}}


def _physical(file: str, region: dict[str, Json]) -> dict[str, Json]:
    if Path(file).is_absolute():
        return {"artifactLocation": {"uri": Path(file).as_uri()}, "region": region}
    return {"artifactLocation": {"uri": quote(file, errors="replace"), "uriBaseId": _ROOT}, "region": region}


def _contract_rule(violation: Violation, contracts: Mapping[str, Contract]) -> dict[str, Json]:
    statement = violation.statement or violation.contract
    source = f" Documented in: {readable(violation.source)}." if violation.source else ""
    more = f"`nkiverify explain {violation.contract}` shows the smallest kernel that breaks it, and one that does not."
    rule: dict[str, Json] = {
        "id": violation.contract,
        "shortDescription": {"text": statement},
        "fullDescription": {"text": f"{statement}{source}"},
        "help": {
            "text": f"{statement}{source} {more}",
            "markdown": f"**{violation.contract}**: {statement}\n\n{source.strip()}\n\n{more}",
        },
        "defaultConfiguration": {"level": "error"},
    }
    if page := link(violation.source):
        rule["helpUri"] = page
    known = contracts.get(violation.contract)
    if known is not None and known.cwe:
        weakness = _weakness(known)
        rule["relationships"] = [
            {"target": {"id": weakness, "toolComponent": {"name": "CWE", "index": 0}}, "kinds": ["superset"]}
        ]
        # GitHub's way to say the same.
        rule["properties"] = {"tags": [f"external/cwe/cwe-{weakness}"]}
    return rule


def _ending_rule(rule: str) -> dict[str, Json]:
    title, words = _ENDINGS[rule]
    return {
        "id": rule,
        "shortDescription": {"text": title},
        "fullDescription": {"text": words},
        "help": {"text": f"{words} docs/verdicts.md says what each verdict means."},
    }


def _weakness(contract: Contract) -> str:
    """The number of the contract's CWE."""
    return contract.cwe.removeprefix("CWE-")


def _invocation(session: Session) -> dict[str, Json]:
    ended = session.started + timedelta(seconds=session.seconds)
    status = session.exit_status
    return {
        "executionSuccessful": status not in (ExitStatus.INTERNAL_ERROR, ExitStatus.INTERRUPTED),
        "exitCode": int(status),
        "startTimeUtc": _utc(session.started),
        "endTimeUtc": _utc(ended),
        "arguments": list(session.command),
    }


def _utc(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _fingerprint(run: Run, violation: Violation, root: Path, position: int) -> str:
    """The same for the same fault after lines above it have come or gone."""
    return _digest(
        run.target, str(run.phase), violation.contract, wording.relative(violation.file, root), str(position)
    )


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]
