"""For which shapes a kernel is legal: preconditions that are found from runs, and proved as a domain."""
