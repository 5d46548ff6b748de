"""Incremental runs: a target of which nothing changed keeps the verdict it has, and is not run again."""
