"""Results on disk: one codec, files, history, and the cache of verdicts."""
