"""The flags of a target: what is understood, and what is refused."""

from __future__ import annotations

import pytest

from nkiverify.engines.esbmc import flags
from nkiverify.engines.esbmc.flags import Flags, Strategy
from nkiverify.engines.esbmc.locate import Solver
from nkiverify.foundation.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Flags()),
        ("--unwind 5", Flags(unwind=5)),
        ("--unwind=1 --overflow-check", Flags(unwind=1, overflow_check=True)),
        ("--k-induction --bitwuzla", Flags(strategy=Strategy.K_INDUCTION, solver=Solver.BITWUZLA)),
        ("--incremental-bmc --multi-property", Flags(strategy=Strategy.INCREMENTAL, multi_property=True)),
        ("--z3 --timeout 30s", Flags(solver=Solver.Z3, timeout=30.0)),
        ("--boolector --timeout=2m", Flags(solver=Solver.BOOLECTOR, timeout=120.0)),
        ("--timeout 1h", Flags(timeout=3600.0)),
        ("--timeout 45", Flags(timeout=45.0)),
    ],
)
def test_flags_that_a_target_can_have(text: str, expected: Flags) -> None:
    assert flags.read(text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("--unwind 4 --no-unwinding-assertions", "--no-unwinding-assertions is refused, since a loop cut off"),
        ("--partial-loops", "--partial-loops is refused"),
        ("--no-assertions", "nothing would be checked"),
        ("--unwind", "--unwind needs a positive integer"),
        ("--unwind 0", "--unwind needs a positive integer"),
        ("--unwind many", "--unwind needs a positive integer"),
        ("--timeout soon", "--timeout needs a number of seconds"),
        ("--timeout 0s", "--timeout needs a number of seconds"),
        ("--depth 5", "--depth is not among those a target can have"),
        ("--z3=yes", "--z3 takes no value"),
        ("--no-div-by-zero-check", "is not among those"),
        ("-Z", "'-Z' is no flag"),
        ("matmul.py", "'matmul.py' is no flag"),
        ("--unwind '4", "No closing quotation"),
    ],
)
def test_flags_that_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as refused:
        flags.read(text)
    assert repr(text) in str(refused.value)
