"""Phase 4: what is read was written, what is returned is written, and nothing unordered touches the same element."""

#: The number of the phase.
PHASE = 4
