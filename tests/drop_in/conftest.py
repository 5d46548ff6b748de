"""Tests written for the vendor's simulator are no tests of this suite: a process of their own runs them."""

collect_ignore = ["cases", "standin"]
