"""A command that is started before its words are known: what a check imports is loaded by the time they are.

Imports are most of a small check. An editor that starts the process for the next check when the last one has ended
waits for none of them. Nothing of a kernel is loaded, and one process runs one command.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

from nkiverify.cli import main

#: Imported with what they import in turn: all that most checks need.
_LOADED = (
    "nkiverify.foundation.late",
    "nkiverify.cli.check",
    "nkiverify.cli.check_answers",
    "nkiverify.cli.remembered_checks",
    "nkiverify.analysis.marks.writers",
    "nkiverify.analysis.sets.quantifiers",
    "nkiverify.analysis.sets.unread_inputs",
    "nkiverify.analysis.sets.used",
    "nkiverify.analysis.values.known_run",
    "nkiverify.frontend.loops",
    "nkiverify.phases.dataflow.played",
    "nkiverify.phases.dataflow.rearranged",
    "nkiverify.phases.dataflow.tails",
    "nkiverify.phases.dataflow.trial",
    "nkiverify.phases.dataflow.unread",
    "nkiverify.phases.memory.peaks",
    "nkiverify.phases.memory.played",
    "nkiverify.products.derive.dead",
    "nkiverify.products.derive.derivation",
    "nkiverify.project.tiles",
    "nkiverify.project.uses",
    "nkiverify.results.codec",
    "nkiverify.symbolic.points",
    "nkiverify.verify.dataflow_verdict",
    "nkiverify.verify.least_shapes",
    "nkiverify.verify.witness.helping",
    "nkiverify.verify.witness.witness_explanation",
    "importlib.metadata",
    "numpy",
    "subprocess",
)


def console() -> int:
    """Load what a check needs, then run the command whose words come on stdin, a line of JSON; the exit status. Without
    a line, as nobody wants one any more, nothing is run."""
    from nkiverify.foundation.process import is_for_kernels

    main.prepare()
    is_for_kernels()
    for name in _LOADED:
        importlib.import_module(name)
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    # No command reads more of it, and no kernel.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    sys.argv[1:] = json.loads(line)
    return main.console()
