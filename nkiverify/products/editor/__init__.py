"""The language server: what a check finds out, where an editor shows it."""
