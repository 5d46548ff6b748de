"""Lists whose length may be symbolic.

A list display in a kernel makes a `SymList`: elements one by one, or segments of as many equal-shaped elements as a
loop had iterations, kept as one element with the loop index left open. It is no `list` for CPython: C code that would
look into the storage of a list goes through its methods and meets an unsupported construct instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from typing import Any, NoReturn

from nkiverify.foundation.source import identity
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Term, render
from nkiverify.symbolic.execution import current_execution, unsupported
from nkiverify.symbolic.integers import Extent
from nkiverify.symbolic.segments import Element, ListOfParts, Part, Pending, Segment
from nkiverify.symbolic.stands_for import StandsFor
from nkiverify.symbolic.substitution import CannotSubstitute, mutable_parts, substitute
from nkiverify.symbolic.values import as_term


def element_at(segment: Segment, position: Term) -> Any:
    """The element at `position` of a segment."""
    template = segment.template
    if isinstance(template, Pending):
        template.read()
    if segment.unordered:
        current_execution().drawn()
    shared = {identity(part) for part in segment.shared}
    fresh = {identity(part) for part in mutable_parts(template)} - shared
    try:
        value = substitute(template, {segment.index: position}, lambda part: identity(part) in fresh)
    except CannotSubstitute as reason:
        raise unsupported(f"reading a list made in a loop: it holds {reason}") from None
    if fresh:
        # What is read is a copy: changing it would not be seen by who reads the same element again.
        current_execution().copied_on_read([part for part in mutable_parts(value) if identity(part) not in shared])
    return value


def _clamped(bound: Term, length: Term) -> Term:
    """A bound of a slice as a position, 0 to `length`: one that is negative counts from the end, and none is too far
    out."""
    if bound < 0:  # type: ignore[operator]
        bound = terms.add(bound, length)
        return bound if bound >= 0 else terms.constant(0)  # type: ignore[operator]
    return bound if bound <= length else length  # type: ignore[operator]


class SymList(StandsFor, ListOfParts, MutableSequence[Any]):
    """A list of the kernel. With elements only it behaves as `list` does; segments make its length symbolic."""

    __slots__ = ()
    _stands_for: type = list

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, elements: Iterable[Any] = (), parts: Iterable[Part] = (), frozen: bool = False) -> None:
        self.parts: list[Part] = [Element(value) for value in elements]
        self.parts.extend(parts)
        #: A copy read out of a segment: changing it could not be seen by other readers of the same element.
        self.frozen = frozen

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def symbolic(self) -> bool:
        """True if the list has segments."""
        return any(isinstance(part, Segment) for part in self.parts)

    def length(self) -> Extent:
        """The number of elements, symbolic if there are segments."""
        if not self.symbolic:
            return len(self.parts)
        if any(isinstance(part, Segment) and part.unordered for part in self.parts):
            current_execution().drawn()
        total = terms.constant(0)
        for part in self.parts:
            total = terms.add(total, terms.constant(1) if isinstance(part, Element) else part.length)
        return total  # type: ignore[return-value]

    def forced_length(self) -> int | None:
        """The number of elements, where there is only one on this path."""
        length = self.length()
        return length if isinstance(length, int) else current_execution().forced_value(length)

    def _values(self, use: str) -> list[Any]:
        values: list[Any] = []
        for part in self.parts:
            if isinstance(part, Element):
                values.append(part.value)
                continue
            length = part.length.constant
            if length is None:
                length = current_execution().forced_value(part.length)
            if length is None:
                raise unsupported(f"{use} a list of symbolic length {render(part.length)}", "index it, or loop over it")
            values.extend(element_at(part, terms.constant(position)) for position in range(length))
        return values

    def __len__(self) -> int:
        return len(self._values("taking, in C code, the length of"))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values("running through")) if self.symbolic else self._live()

    def _live(self) -> Iterator[Any]:
        position = 0
        # Elements appended meanwhile are seen, as with Python's lists.
        while position < len(self.parts):
            part = self.parts[position]
            if isinstance(part, Segment):
                raise unsupported("running through a list that a loop appends to")
            yield part.value
            position += 1

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._values("running backwards through")[::-1])

    def __contains__(self, value: object) -> bool:
        return any(value is element or value == element for element in self._values("searching"))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        position = as_term(key)
        if position is None:
            raise TypeError(f"list indices must be integers or slices, not {type(key).__name__}")
        constant = position.constant
        if not self.symbolic:
            if constant is None:
                constant = self._choose(position, len(self.parts))
            part = self.parts[constant]
            assert isinstance(part, Element)
            return part.value
        return self._at(position)

    def _choose(self, position: Term, length: int) -> int:
        """The concrete index that `position` is on this path; the run is split over the possible ones."""
        run = current_execution()
        forced = run.forced_value(position)
        if forced is not None:
            return forced
        if length > 64:
            raise unsupported(f"indexing a list of {length} elements with {render(position)}")
        for candidate in range(length):
            if bool(conditions.equals_zero(terms.add(position, terms.constant(-candidate)))):
                return candidate
        for candidate in range(-length, 0):
            if bool(conditions.equals_zero(terms.add(position, terms.constant(-candidate)))):
                return candidate
        raise IndexError("list index out of range")

    def _at(self, position: Term) -> Any:
        length = as_term(self.length())
        assert length is not None
        if position < 0:  # type: ignore[operator]
            position = terms.add(position, length)
            if position < 0:  # type: ignore[operator]
                raise IndexError("list index out of range")
        for part in self.parts:
            size = terms.constant(1) if isinstance(part, Element) else part.length
            if position < size:  # type: ignore[operator]
                return part.value if isinstance(part, Element) else element_at(part, position)
            position = terms.add(position, size, -1)
        raise IndexError("list index out of range")

    def _slice(self, key: slice) -> SymList:
        if not self.symbolic:
            return SymList(parts=self.parts[key])
        length = as_term(self.length())
        start = terms.constant(0) if key.start is None else as_term(key.start)
        stop = length if key.stop is None else as_term(key.stop)
        if length is None or start is None or stop is None or key.step not in (None, 1):
            return SymList(self._values("slicing")[key])
        start, stop = _clamped(start, length), _clamped(stop, length)
        parts: list[Part] = []
        for part in self.parts:
            size = terms.constant(1) if isinstance(part, Element) else part.length
            from_first, to_last = bool(start <= 0), bool(size <= stop)  # type: ignore[operator]
            if from_first and to_last:
                parts.append(part)
            else:
                first = terms.constant(0) if from_first else start
                last = size if to_last else stop
                if isinstance(part, Segment) and first < last:  # type: ignore[operator]
                    template = element_at(part, terms.add(terms.of_atom(part.index), first))
                    count = terms.add(last, first, -1)
                    parts.append(Segment(count, part.index, template, part.shared, part.unordered))
            start, stop = terms.add(start, size, -1), terms.add(stop, size, -1)
        return SymList(parts=parts)

    # --- changing ----------------------------------------------------------------------------------------------------

    def _change(self, use: str) -> None:
        if self.frozen:
            raise unsupported(f"{use} a list that was read out of a list made in a loop")

    def append(self, value: Any) -> None:
        """As `list.append`."""
        self._change("appending to")
        self.parts.append(Element(value))

    def extend(self, values: Iterable[Any]) -> None:
        """As `list.extend`."""
        self._change("extending")
        if isinstance(values, SymList):
            self.parts.extend(values.parts)
        else:
            # One by one, as an iterator may look at the list, or raise an exception.
            for value in values:
                self.parts.append(Element(value))

    def _concrete(self, use: str) -> list[Part]:
        self._change(use)
        if self.symbolic:
            self.parts = [Element(value) for value in self._values(use)]
        return self.parts

    def insert(self, index: Any, value: Any) -> None:
        """As `list.insert`."""
        self._concrete("inserting into").insert(index, Element(value))

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = self._concrete("assigning to an element of")
        if isinstance(key, slice):
            parts[key] = [Element(element) for element in value]
            return
        position = as_term(key)
        if position is None:
            raise TypeError(f"list indices must be integers or slices, not {type(key).__name__}")
        constant = position.constant
        parts[self._choose(position, len(parts)) if constant is None else constant] = Element(value)

    def __delitem__(self, key: Any) -> None:
        del self._concrete("deleting from")[key]

    def pop(self, index: Any = -1) -> Any:
        """As `list.pop`."""
        part = self._concrete("popping from").pop(index)
        assert isinstance(part, Element)
        return part.value

    def clear(self) -> None:
        """As `list.clear`."""
        self._change("clearing")
        self.parts.clear()

    def reverse(self) -> None:
        """As `list.reverse`."""
        self._concrete("reversing").reverse()

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """As `list.sort`."""
        values = [part.value for part in self._concrete("sorting") if isinstance(part, Element)]
        values.sort(key=key, reverse=reverse)
        self.parts = [Element(value) for value in values]

    def copy(self) -> SymList:
        """As `list.copy`."""
        return SymList(parts=self.parts)

    __copy__ = copy

    # --- operators ---------------------------------------------------------------------------------------------------

    def __add__(self, other: object) -> Any:
        if isinstance(other, SymList):
            return SymList(parts=[*self.parts, *other.parts])
        if isinstance(other, list):
            return SymList(parts=[*self.parts, *(Element(value) for value in other)])
        return NotImplemented

    def __radd__(self, other: object) -> Any:
        if isinstance(other, list):
            return SymList(parts=[*(Element(value) for value in other), *self.parts])
        return NotImplemented

    def __iadd__(self, other: Iterable[Any]) -> SymList:  # type: ignore[misc]
        self.extend(other)
        return self

    def __mul__(self, times: object) -> Any:
        count = as_term(times)
        if count is None:
            return NotImplemented
        constant = count.constant
        if constant is None:
            constant = current_execution().forced_value(count)
        if constant is not None:
            return SymList(parts=self.parts * constant)
        if len(self.parts) != 1 or self.symbolic:
            raise unsupported(f"repeating a list of several elements {render(count)} times")
        # The elements are one and the same object, as in Python: changing one through the copy is refused.
        atom = terms.index_atom(terms.index("element", count, "repeated"))
        element = self.parts[0]
        assert isinstance(element, Element)
        shared = tuple(mutable_parts(element.value))
        return SymList(parts=[Segment(terms.maximum((count, terms.constant(0))), atom, element.value, shared)])

    __rmul__ = __mul__

    def __imul__(self, times: object) -> Any:
        repeated = SymList.__mul__(self, times)
        if isinstance(repeated, SymList):
            self._change("repeating")
            self.parts[:] = repeated.parts
            return self
        return repeated

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, SymList | list):
            return NotImplemented
        if self is other:
            return True
        theirs = other._values("comparing") if isinstance(other, SymList) else other
        return self._values("comparing") == theirs

    def __lt__(self, other: object) -> Any:
        if not isinstance(other, SymList | list):
            return NotImplemented
        return self._values("comparing") < list(other)

    def __gt__(self, other: object) -> Any:
        if not isinstance(other, SymList | list):
            return NotImplemented
        return self._values("comparing") > list(other)

    def __repr__(self) -> str:
        shown = [
            repr(part.value) if isinstance(part, Element) else f"{part.template!r} for {part.index} in 0..{part.length}"
            for part in self.parts
        ]
        return f"[{', '.join(shown)}]"

    def substituted(self, recurse: Callable[[Any], Any], mapping: Mapping[Atom, Term], fresh: bool) -> SymList:
        """The list with `recurse` applied to every part, for the atoms of `mapping`; in any case a copy if `fresh`."""
        parts: list[Part] = []
        changed = fresh
        for part in self.parts:
            if isinstance(part, Element):
                value = recurse(part.value)
                changed = changed or value is not part.value
                parts.append(Element(value))
            else:
                inner = {atom: term for atom, term in mapping.items() if atom is not part.index}
                assert inner or not mapping
                length, template = terms.substitute(part.length, inner), recurse(part.template)
                changed = changed or length is not part.length or template is not part.template
                parts.append(Segment(length, part.index, template, part.shared, part.unordered))
        return SymList(parts=parts, frozen=True) if changed else self


class SymTuple(SymList):
    """A tuple of the kernel whose length is symbolic: a list that cannot be changed."""

    __slots__ = ()
    _stands_for = tuple

    def _changes(self, *arguments: object) -> NoReturn:
        raise TypeError("'tuple' object does not support item assignment")

    __setitem__ = __delitem__ = _changes

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self._values("hashing")))

    def _slice(self, key: slice) -> SymTuple:
        return SymTuple(parts=super()._slice(key).parts)

    def __add__(self, other: object) -> Any:
        if isinstance(other, SymTuple | tuple):
            return SymTuple(parts=[*self.parts, *_parts_of(other)])
        return NotImplemented

    def __radd__(self, other: object) -> Any:
        return SymTuple(parts=[*_parts_of(other), *self.parts]) if isinstance(other, tuple) else NotImplemented

    def __iadd__(self, other: object) -> Any:
        return self.__add__(other)

    def __mul__(self, times: object) -> Any:
        repeated = super().__mul__(times)
        return SymTuple(parts=repeated.parts) if isinstance(repeated, SymList) else repeated

    __rmul__ = __imul__ = __mul__

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, SymTuple | tuple):
            return NotImplemented
        return self is other or tuple(self._values("comparing")) == tuple(other)

    def __getattribute__(self, name: str) -> Any:
        if name in _MUTATORS:
            raise AttributeError(f"'tuple' object has no attribute '{name}'")
        return super().__getattribute__(name)

    def substituted(self, recurse: Callable[[Any], Any], mapping: Mapping[Atom, Term], fresh: bool) -> SymList:
        """As that of a list."""
        changed = super().substituted(recurse, mapping, fresh)
        return self if changed is self else SymTuple(parts=changed.parts)


#: What lists have and tuples have not.
_MUTATORS = frozenset({"append", "extend", "insert", "pop", "clear", "reverse", "sort", "copy", "remove"})


def _parts_of(values: SymTuple | tuple[Any, ...]) -> list[Part]:
    return values.parts if isinstance(values, SymTuple) else [Element(value) for value in values]
