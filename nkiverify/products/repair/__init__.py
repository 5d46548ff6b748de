"""Repair: small edits of a kernel's text, tried near what fails, and checked as any kernel is."""
