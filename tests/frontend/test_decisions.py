"""The limit of decisions: it ends what goes on without end on one path, however many paths there are."""

from __future__ import annotations

from pathlib import Path

from nkiverify.frontend.paths import Limits
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.exploration import Exploration, explore
from tests.dataflow.subject import Subject, rows_and_columns

#: Each body has two decisions on each of its paths; what is between them has as many as `PARTS` says.
KERNEL = """
@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    LOOPS
    for part in range(PARTS):
        if columns > 10 + part:
            break
    return out
"""
LOOP = """
    for row in range(rows):
        if row % 2 == 0:
            nisa.dma_copy(dst=out[row], src=x[row])
        elif row % 3 == 0:
            nisa.dma_copy(dst=out[row], src=x[row])
"""
_LIMIT = 24


def _explored(tmp_path: Path, loops: int, parts: int) -> Exploration:
    text = KERNEL.replace("    LOOPS\n", LOOP * loops).replace("PARTS", str(parts))
    subject = Subject.of(tmp_path, text, rows_and_columns)
    return explore(subject.target, hardware_named("trn2"), Limits(decisions=_LIMIT), SHAPE_PHASES)


def test_decisions_of_many_paths_are_no_reason_to_stop(tmp_path: Path) -> None:
    assert _explored(tmp_path, _LIMIT, 2).run.unsupported_construct is None


def test_more_decisions_on_one_path_are(tmp_path: Path) -> None:
    assert _explored(tmp_path, 1, _LIMIT - 1).run.unsupported_construct is None
    limit = _explored(tmp_path, 1, _LIMIT + 2).run.unsupported_construct
    assert limit is not None
    assert limit.construct == f"more than {_LIMIT} decisions"
