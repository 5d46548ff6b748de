"""Elements as sets over the dimensions, for all shapes at once (isl)."""

import sys
from types import ModuleType

# islpy asks what is installed for its version, which nobody reads here: metadata and e-mail headers are slow to load.
_version = ModuleType("islpy.version")
_version.__dict__.update(VERSION=(), VERSION_TEXT="")
sys.modules.setdefault("islpy.version", _version)
