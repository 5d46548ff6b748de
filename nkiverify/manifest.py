"""The names that manifests import: the decorator for targets, and what it takes. The names here are a promise to
users."""

from nkiverify.foundation.records import Kind
from nkiverify.frontend.target import Verification
from nkiverify.project.manifest_targets import FAILED, SUCCESSFUL, Family, target

__all__ = ["FAILED", "SUCCESSFUL", "Family", "Kind", "Verification", "target"]
