"""Elements as sets over the dimensions, for all shapes at once (isl)."""
