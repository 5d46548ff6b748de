"""The targets that come with the tool, read once a process: many files of tests have them as parameters."""

from __future__ import annotations

from nkiverify.foundation import resources
from nkiverify.project.manifest_targets import load_targets

TARGETS = tuple(load_targets(resources.root()))
BY_NAME = {target.name: target for target in TARGETS}
