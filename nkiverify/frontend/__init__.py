"""Python to shape program: loading, rewriting, loops, paths, the heap, built-ins."""
