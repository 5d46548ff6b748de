"""Exchanges of two programs of a launch, for all shapes: the programs that execute one send to each other or not.

`marks.order` is the same for a concrete run. Errs to "no": what that leaves open, concrete runs look at.
"""

from __future__ import annotations

from nkiverify.model.operation import Operation
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Index, Term

#: The programs that exchange something ("sendrecv.ranks").
_RANKS = (0, 1)


def are_each_others(operation: Operation, program: Index) -> bool:
    """True if each program sends as much as the one waits for that it sends to, by the same pipe ("sendrecv.pipe")."""
    sent, wanted = operation.reads["src"], operation.writes["dst"]
    if sent.dtype != wanted.dtype:
        return False

    def of(rank: int, name: str) -> object:
        return _for(program, rank, operation.attributes.get(name))

    for rank in _RANKS:
        source, target = of(rank, "recv_from_rank"), of(rank, "send_to_rank")
        if source not in _RANKS or target not in _RANKS:
            return False
        assert isinstance(source, int) and isinstance(target, int)
        if not of(source, "send_to_rank") == rank == of(target, "recv_from_rank"):
            return False
        if of(source, "pipe_id") != of(rank, "pipe_id"):
            return False
        sizes = ((sent.shape[0], wanted.shape[0]), (sent.size, wanted.size))
        if any(_for(program, source, one) != _for(program, rank, other) for one, other in sizes):
            return False
    return True


def _for(program: Index, rank: int, value: object) -> object:
    """The form of `value` in the program of a rank: a number, or what is equal for equal terms."""
    if not isinstance(value, Term):
        return value
    found = terms.substitute(value, {program: terms.constant(rank)})
    return ("term", found.uid) if found.constant is None else found.constant
