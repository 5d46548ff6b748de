"""The answers about a backward kernel, as text."""

from __future__ import annotations

from pathlib import Path

from nkiverify.products.equiv.comparison import ComparisonFinding
from nkiverify.products.equiv.comparison_text import Answered, for_all_of, painted, sizes, untried
from nkiverify.products.equiv.gradient_pairing import ArgumentKind
from nkiverify.products.equiv.gradient_runs import Pairing
from nkiverify.products.equiv.gradients import ForAll, GradientAnswers
from nkiverify.report.style import Style
from nkiverify.results import wording
from nkiverify.results.wording import place


def text(answered: Answered[GradientAnswers], base: Path, style: Style) -> str:
    """The output of `nkiverify grad`."""
    lines = [style.head(" and its gradients in ".join(answered.references))]
    (chosen, found), *others = answered.at
    if found.pairing is not None:
        lines.append("  assumed: " + assumed(found.pairing))
        lines += [f"  assumed: {text}" for text in found.pairing.one_sided]
    if chosen:
        lines.append("  chosen: " + sizes(chosen))
    lines += _answers(found, base, style)
    for dimensions, other in others:
        if [one.answer for one in other.findings()] == [one.answer for one in found.findings()]:
            lines.append(f"  also: {sizes(dimensions)}: the same answers")
        else:
            lines.append(f"  also: {sizes(dimensions)}")
            lines += _answers(other, base, style)
    lines += untried(answered, base, style)
    lines += [for_all(argued, base, style) for argued in found.for_all]
    return "\n".join(lines)


def for_all(argued: ForAll, base: Path, style: Style) -> str:
    """The line about all values of dimensions."""
    label = for_all_of(argued.dimensions)
    if argued.why_not:
        where = "" if argued.site is None else f"{place(argued.site.file, argued.site.line, base)}: "
        return f"{label}not argued: {where}{argued.why_not}"
    names = ", ".join(argued.equal)
    attached = f" with {sizes(argued.attached)}" if argued.attached else ""
    why = "both kernels do the same with every block"
    return f"{label}{style.good('EQUAL (argued)')}: {names}, over the reals{attached}: {why}"


def assumed(pairing: Pairing) -> str:
    """The line that says what belongs together, and what only the order says."""
    inputs, outputs = [known.name for known in pairing.inputs], [known.name for known in pairing.outputs]
    parts = []
    for name, role in pairing.roles.items():
        of = (outputs if role.part in (ArgumentKind.SAVED, ArgumentKind.INCOMING) else inputs)[role.position]
        if (role.part, of) != (ArgumentKind.INPUT, name):
            parts.append(f"{name} {role.part.value} {of}{'' if role.by_name else ' (by order)'}")
    for gradient in pairing.gradients:
        parts.append(f"{gradient.name} is the gradient of {gradient.of}{'' if gradient.by_name else ' (by order)'}")
    given = {role.position for role in pairing.roles.values() if role.part is ArgumentKind.INCOMING}
    without = [name for place, name in enumerate(outputs) if place not in given]
    if without:
        parts.append(f"the gradient of {', '.join(without)} is 0")
    asked = {gradient.position for gradient in pairing.gradients}
    others = [name for place, name in enumerate(inputs) if place in pairing.floats and place not in asked]
    if others:
        parts.append(f"there is no gradient of {', '.join(others)}")
    return "; ".join(parts)


def _answers(found: GradientAnswers, base: Path, style: Style) -> list[str]:
    lines = []
    if found.shapes:
        lines.append("  at: " + ", ".join(f"{name} {shape}" for name, shape in found.shapes.items()))

    def line(label: str, question: str, finding: ComparisonFinding) -> str:
        return f"  {label:15} {painted(question, finding.answer, style)}: {wording.text(finding.text, base)}"

    if found.legal is not None:
        lines.append(line("legal", "legal", found.legal))
    if found.defined is not None:
        lines.append(line("defined", "defined", found.defined))
    for one in found.gradients:
        lines.append(f"  {one.gradient.name}, the gradient of {one.gradient.of}")
        lines.append("  " + line("over the reals", "reals", one.reals))
        lines += [f"      {wording.text(sentence, base)}" for sentence in one.diagnosis]
        lines.append("  " + line("floating point", "floats", one.floats))
    return lines
