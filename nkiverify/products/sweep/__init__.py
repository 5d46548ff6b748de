"""Sweeps: every target in every configuration for every generation, resumable, in shards on several machines."""
