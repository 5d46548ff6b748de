"""ESBMC as the second engine: it decides claims again, by other means, next to the embedded engine or alone."""
