"""Phase 4: sets of elements for all shapes, concrete runs with marks for some."""
