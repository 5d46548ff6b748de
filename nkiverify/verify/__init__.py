"""Exploring a target, deciding its claims, and the verdict they amount to."""
