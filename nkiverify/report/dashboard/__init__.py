"""The dashboard: the last results as one HTML page that opens from disk, without a network."""
