"""Elements one by one, in a concrete run (NumPy)."""
