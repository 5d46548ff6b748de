"""The part of `nkiverify doctor` that is about ESBMC."""

from __future__ import annotations

from nkiverify.engines.esbmc import canary, locate
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.engines.esbmc.lowering import TargetLanguage


def examined() -> bool:
    """Print which ESBMC there are, and try that which is asked; whether all that is there can be used."""
    try:
        installed = list(locate.every())
    except locate.Unusable as reason:
        print(f"esbmc: cannot be used: {reason}")
        return False
    if not installed:
        wheels = " and ".join(wheel.distribution for wheel in locate.WHEELS)
        print(f"esbmc: none ($ESBMC, PATH and the wheels {wheels} were tried); the embedded engine works without")
        return True
    for place, found in enumerate(installed):
        solvers = ", ".join(called for _, called in found.solvers) or "its default"
        asked = "" if place else ", the one that is asked: the first of $ESBMC, PATH and the wheels"
        print(f"{found.name}: {found.path} (from {found.whence}){asked}")
        print(f"  front ends {' and '.join(found.front_ends)}; solvers {solvers}")
    found = installed[0]
    languages = (TargetLanguage.C, TargetLanguage.PYTHON) if found.has_python else (TargetLanguage.C,)
    right = [_is_right(found, language) for language in languages]
    return all(right)


def _is_right(found: Installation, language: TargetLanguage) -> bool:
    """Try the ESBMC on programs with known verdicts, and print how it did; whether every verdict is right."""
    title = f"  canary set of {found.name}, lowered to {language.value}"
    trial = canary.check(found, language)
    if trial.unfinished:
        print(f"{title}: could not be tried: {trial.unfinished}")
    elif trial.wrong:
        print(f"{title}: refused, it gets these wrong:")
        for case in trial.wrong:
            print(f"    {case.case}: expected {case.expected}, found {case.found}")
    else:
        print(f"{title}: every verdict is right")
    return not trial.unfinished and not trial.wrong
