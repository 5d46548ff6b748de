"""Contracts that belong to no operation, one module per area: those of operations stand with them in
`nkiverify.model.ops`. A module is imported when a contract of it is first asked for.

Ids and sources are those of the NKI documentation survey the project works from: a source names the page and section
that states the rule. An area's module says in its docstring which abbreviations of pages it uses.
"""
