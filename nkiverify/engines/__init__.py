"""Engines take a shape program and decide its claims."""
