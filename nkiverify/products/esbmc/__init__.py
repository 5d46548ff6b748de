"""ESBMC as the second engine: it decides claims again, by other means, beside the embedded engine or alone."""
