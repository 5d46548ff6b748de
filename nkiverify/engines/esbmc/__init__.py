"""ESBMC as the second engine."""
