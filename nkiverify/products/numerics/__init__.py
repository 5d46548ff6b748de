"""Phase 5: numbers that stay finite, for all inputs of a range."""
