"""Repair: small edits of a kernel's text, tried near what fails, and judged as any kernel is."""
