"""Relations between the numbers of a run: which is at most which other, and of which groups one is known to be large.

A number that is stored has an id, a positive integer. Monotone functions of it have ids that say so, the same ones
whenever they are computed, so that `scale * x - scale * max(x)` is seen to be at most 0. Numbers beyond
`RangesBudget.NUMBERS_WITH_IDS` have id 0, of which nothing is known. Errs to knowing too little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nkiverify.analysis.ranges.linear import Forms, Scaled
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import RangesBudget

#: The function that changes the sign.
_NEGATIVE = 1
#: The arrays that are counted by ids.
_BY_ID = (
    "_upper", "_function", "_argument", "_group", "_member", "_dtype", "_children", "_leaves",
    "_first", "_second", "_beside", "_if_first", "_if_second", "_below",
)  # fmt: skip


class Relations:
    """All that is known of numbers besides their intervals."""

    def __init__(self) -> None:
        self._next = 1
        #: By id: a number that is at least this one, the function this one is the value of, and of which number.
        self._upper = np.zeros(1024, dtype=np.int32)
        #: By id of a greatest number: one of those that it is the greatest of.
        self._below = np.zeros(1024, dtype=np.int32)
        self._function = np.zeros(1024, dtype=np.int32)
        self._argument = np.zeros(1024, dtype=np.int32)
        #: By id: the group it is one of, and the number that it is in this group in place of.
        self._group = np.zeros(1024, dtype=np.int32)
        self._member = np.zeros(1024, dtype=np.int32)
        #: By id: the dtype that the number is known to be of.
        self._dtype = np.zeros(1024, dtype=np.int32)
        #: By group: what its greatest number is at least, and how many numbers it has.
        self._attained: list[float] = [0.0]
        self._sizes: list[int] = [0]
        #: By id of a greatest number: of how many it is the greatest, and how many there are once those that are
        #: greatest numbers themselves are replaced by what they are the greatest of.
        self._children = np.zeros(1024, dtype=np.int32)
        self._leaves = np.zeros(1024, dtype=np.int32)
        #: The group of the differences of either from it; and by group: the greatest number they are from.
        self._differences: dict[tuple[int, int], int] = {}
        self._distances: dict[int, int] = {}
        #: By id of the greater of two numbers: these two. By id: the greater of two that a number is known besides, and
        #: what it is at least where the first of these is the greater one, and where the second is.
        self._first = np.zeros(1024, dtype=np.int32)
        self._second = np.zeros(1024, dtype=np.int32)
        self._beside = np.zeros(1024, dtype=np.int32)
        self._if_first = np.zeros(1024)
        self._if_second = np.zeros(1024)
        #: Whether anything is known of cases.
        self.any_cases = False
        self._codes: dict[tuple[object, ...], int] = {}
        self.forms = Forms(self)
        self._code(("negative",))
        self._values: dict[int, Array] = {}
        self._images: dict[tuple[int, int], int] = {}

    # --- numbers ------------------------------------------------------------------------------------------------------

    def fresh(self, count: int) -> Array:
        """Ids of this many numbers of which nothing is known; 0 where there are none left."""
        if self._next + count > RangesBudget.NUMBERS_WITH_IDS:
            return np.zeros(count, dtype=np.int32)
        found = np.arange(self._next, self._next + count, dtype=np.int32)
        self._next += count
        if self._next > self._upper.size:
            self._grow()
        return found

    def _grow(self) -> None:
        size = max(2 * self._upper.size, self._next)
        for name in _BY_ID:
            held = getattr(self, name)
            larger = np.zeros(size, dtype=held.dtype)
            larger[: held.size] = held
            setattr(self, name, larger)

    def named(self, ids: Array) -> Array:
        """The ids, with fresh ones where there were none."""
        none = ids == 0
        if not none.any():
            return ids
        found = np.array(ids)
        found[none] = self.fresh(int(none.sum()))
        return found

    def is_of(self, ids: Array, dtype: int) -> Array:
        """Where numbers are known to be of a dtype."""
        return np.asarray((self._dtype[ids] == dtype) & (ids > 0))

    def set_dtype(self, ids: Array, dtype: int) -> None:
        """Note that numbers are of a dtype."""
        self._dtype[ids[ids > 0]] = dtype

    # --- functions ----------------------------------------------------------------------------------------------------

    def increasing(self, key: tuple[object, ...], ids: Array, function: Callable[[float], float]) -> Array:
        """The ids of an increasing function of numbers. `key` tells it from others; `function` is it, or less."""
        code = self._code(key)
        known = self._values.get(code, np.zeros(0, dtype=np.int32))
        if known.size < self._upper.size:
            known = np.concatenate([known, np.zeros(self._upper.size - known.size, dtype=np.int32)])
        missing = np.unique(ids[(known[ids] == 0) & (ids > 0)])
        if missing.size:
            made = self.fresh(missing.size)
            known[missing] = made
            if made[0]:
                self._function[made], self._argument[made] = code, missing
                groups = self._group[missing]
                for group in np.unique(groups[groups > 0]).tolist():
                    of_group = groups == group
                    self._group[made[of_group]] = self._image(code, group, function)
                self._member[made] = self._member[missing]
                if self._beside[missing].any():
                    self._image_of_cases(missing, made, function)
        self._values[code] = known
        return np.where(ids > 0, known[ids], 0).astype(np.int32)

    def _code(self, key: tuple[object, ...]) -> int:
        """The number of a function, the same one for the same key."""
        if key not in self._codes:
            self._codes[key] = len(self._codes) + 1
            scaled = Scaled.of(key)
            if scaled is not None:
                self.forms.functions[self._codes[key]] = scaled
        return self._codes[key]

    def odd(self, key: tuple[object, ...], ids: Array, function: Callable[[float], float]) -> Array:
        """As `increasing`, for a function that is odd: of the negative of a number it is the negative."""
        negated = (self._function[ids] == _NEGATIVE) & (ids > 0)
        if not negated.any():
            return self.increasing(key, ids, function)
        plain = self.increasing(key, np.where(negated, self._argument[ids], ids), function)
        return np.where(negated, self.negative(plain), plain)

    def negative(self, ids: Array) -> Array:
        """The ids of the negatives of numbers."""
        twice = (self._function[ids] == _NEGATIVE) & (ids > 0)
        once = np.where(twice, 0, ids)
        found = self.increasing(("negative",), once, lambda least: -np.inf)
        if found.size:
            made = found > 0
            self._group[found[made]], self._dtype[found[made]] = 0, self._dtype[once[made]]
        return np.where(twice, self._argument[ids], found)

    def opposite(self, ids: Array) -> Array:
        """The ids of the negatives of numbers, where they have any; 0 for others."""
        negated = self._function[ids] == _NEGATIVE
        return np.where(negated, self._argument[ids], self._images_of(np.full_like(ids, _NEGATIVE), ids))

    def below(self, ids: Array) -> Array:
        """The ids of one of the numbers that these are the greatest of; 0 for others."""
        return self._below[ids]

    @property
    def room(self) -> int:
        """More than the greatest id."""
        return self._upper.size

    def function(self, ids: Array) -> tuple[Array, Array]:
        """The functions that numbers are the values of, by code, and of which numbers; 0 where they are of none."""
        return self._function[ids], self._argument[ids]

    def _image(self, code: int, group: int, function: Callable[[float], float]) -> int:
        found = self._images.get((code, group))
        if found is None:
            found = self._images[(code, group)] = self._made_group(
                float(function(self._attained[group])), self._sizes[group]
            )
            self._distances[found] = self._distances.get(group, 0)
        return found

    def _image_of_cases(self, ids: Array, made: Array, function: Callable[[float], float]) -> None:
        self._beside[made] = self._beside[ids]
        for least in (self._if_first, self._if_second):
            ends, which = np.unique(least[ids], return_inverse=True)
            images = [function(float(end)) if np.isfinite(end) else -np.inf for end in ends]
            least[made] = np.array(images)[which.reshape(-1)]

    def _made_group(self, attained: float, size: int) -> int:
        self._attained.append(attained)
        self._sizes.append(size)
        return len(self._sizes) - 1

    # --- order --------------------------------------------------------------------------------------------------------

    def greatest(self, ids: Array) -> Array:
        """The ids (…, 1) of the greatest along the last axis of numbers that all have ids; 0 where one has none."""
        rows = ids.reshape(-1, ids.shape[-1])
        found = np.zeros(len(rows), dtype=np.int32)
        left = np.flatnonzero((rows > 0).all(axis=1))
        while left.size:
            # Rows that begin with the same number may be the same row: the first of these is named before the others.
            _, at = np.unique(rows[left, 0], return_index=True)
            found[left[at]] = self._greatest_of_rows(rows[left[at]])
            left = np.delete(left, at)
        return found.reshape(*ids.shape[:-1], 1)

    def _greatest_of_rows(self, rows: Array) -> Array:
        """The ids of the greatest of rows of ids, none of which is there twice."""
        ordered = np.sort(rows, axis=1)
        first = np.concatenate([np.ones((len(rows), 1), dtype=bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
        counts, uppers = first.sum(axis=1), self._upper[rows]
        found: Array = np.where(counts == 1, rows[:, 0], 0)
        known = (uppers[:, 0] > 0) & (self._children[uppers[:, 0]] == counts) & (uppers == uppers[:, :1]).all(axis=1)
        found = np.where(known, uppers[:, 0], found)
        new = found == 0
        made = self.fresh(int(new.sum()))
        if made.size and made[0]:
            members = ordered[new]
            self._children[made] = counts[new]
            self._leaves[made] = np.where(first[new], np.maximum(self._leaves[members], 1), 0).sum(axis=1)
            of = self._dtype[members]
            self._dtype[made] = np.where((of == of[:, :1]).all(axis=1), of[:, 0], 0)
            self._upper[members] = made[:, None]
            self._below[made] = members[:, 0]
            found[new] = made
        return found

    def greater(self, one: Array, other: Array) -> Array:
        """The ids of the greater of two numbers each."""
        one, other = np.broadcast_arrays(one, other)
        both = (one > 0) & (other > 0) & (one != other)
        found = np.where(one == other, one, 0).astype(np.int32)
        made = self.fresh(int(both.sum()))
        if made.size and made[0]:
            found[both] = made
            self._upper[one[both]] = made
            self._upper[other[both]] = made
            self._first[made], self._second[made] = one[both], other[both]
            self._below[made] = one[both]
            self._children[made] = 2
            self._leaves[made] = np.maximum(self._leaves[one[both]], 1) + np.maximum(self._leaves[other[both]], 1)
            same = self._dtype[one[both]] == self._dtype[other[both]]
            self._dtype[made] = np.where(same, self._dtype[one[both]], 0)
        return found

    def bounded(self, one: Array, other: Array) -> None:
        """Note that numbers are at most others, where nothing of the kind is known of them."""
        free = (one > 0) & (other > 0) & (one != other) & (self._upper[one] == 0)
        self._upper[one[free]] = other[free]

    def _above(self, ids: Array) -> Array:
        """The ids of numbers that these are at most: what is known of numbers holds for the values of a function."""
        found = self._upper[ids]
        image = (found == 0) & (self._function[ids] > _NEGATIVE)
        if image.any():
            above = self._upper[self._argument[ids]]
            found = np.where(image, self._images_of(self._function[ids], above), found)
        return found

    def _images_of(self, functions: Array, ids: Array) -> Array:
        """The ids of the values of functions of numbers, where they have one; 0 elsewhere."""
        found = np.zeros(ids.shape, dtype=np.int32)
        for code in np.unique(functions).tolist():
            known = self._values.get(code)
            if known is not None:
                here = (functions == code) & (ids > 0) & (ids < known.size)
                found[here] = known[ids[here]]
        return found

    def at_most(self, one: Array, other: Array) -> tuple[Array, Array, Array]:
        """Where a number is known to be at most another one; and where that is as the other is the greatest of numbers
        that it is one of, these two, else 0. Where it is the greatest of others itself, it has to be so directly."""
        one, other = (np.array(part) for part in np.broadcast_arrays(one, other))
        whole, of_whole = one, other
        holds = (one == other) & (one > 0)
        member, of = np.zeros(one.shape, dtype=np.int32), np.zeros(one.shape, dtype=np.int32)
        while True:
            self._climb(self._upper.__getitem__, one, other, (holds, member, of))
            same = (self._function[one] == self._function[other]) & (self._function[one] > _NEGATIVE) & ~holds
            if not same.any():
                break
            one = np.where(same, self._argument[one], 0)
            other = np.where(same, self._argument[other], 0)
        values = np.where(holds | (self._function[whole] <= _NEGATIVE), 0, whole)
        if values.any():
            self._climb(self._above, values, of_whole, (holds, member, of))
        return holds, member, of

    def _climb(
        self, above: Callable[[Array], Array], one: Array, other: Array, found: tuple[Array, Array, Array]
    ) -> None:
        """Note what `at_most` gives where one reaches the other by steps to numbers `above`."""
        holds, member, of = found
        climbed = one
        for step in range(RangesBudget.STEPS_BETWEEN_NUMBERS):
            climbed = above(climbed)
            if not climbed.any():
                break
            here = (climbed == other) & (climbed > 0)
            holds |= here
            if step:
                here &= self._leaves[one] == 0
            member[here], of[here] = one[here], other[here]

    def _is_leaf(self, ids: Array, of: Array) -> Array:
        """Where numbers are counted among those that the greatest `of` them is of: each one on the way there is one of
        those that the next one is the greatest of, and not at most it for another reason."""
        found, climbed = (ids > 0) & (of > 0), ids
        for _ in range(RangesBudget.STEPS_BETWEEN_NUMBERS):
            climbed = np.where(climbed == of, of, self._upper[climbed])
            found &= self._children[climbed] > 0
            if ((climbed == of) | ~found).all():
                break
        return np.asarray(found & (climbed == of))

    def differences(self, ids: Array, member: Array, of: Array) -> None:
        """Note that numbers are the differences of members from the greatest `of` them."""
        some = (of > 0) & (ids > 0)
        leaf = some & self._is_leaf(member, of)
        kinds = (self._children, leaf & (self._leaves[member] > 0)), (self._leaves, leaf & (self._leaves[member] == 0))
        # Of others not all are known.
        for kind, (sizes, chosen) in enumerate((*kinds, (None, some & ~leaf))):
            for greatest in np.unique(of[chosen]).tolist():
                key = (greatest, kind)
                if key not in self._differences:
                    size = 0 if sizes is None else int(sizes[greatest])
                    made = self._differences[key] = self._made_group(0.0, size)
                    self._distances[made] = greatest
                here = chosen & (of == greatest)
                self._group[ids[here]], self._member[ids[here]] = self._differences[key], member[here]
        first, second = self._first[of] == member, self._second[of] == member
        either = some & (first | second)
        # One of both less the greater of them is 0 where it is that one.
        least = (np.where(which, 0.0, -np.inf)[either] for which in (first, second))
        self.note_cases(ids[either], of[either], *least)

    def attained(self, ids: Array) -> Array:
        """The least that the greatest number along the last axis (…, 1) is known to be; -inf where nothing is."""
        rows = ids.reshape(-1, ids.shape[-1])
        groups = self._group[rows]
        found = np.full(len(rows), -np.inf)
        whole = (groups[:, 0] > 0) & (groups == groups[:, :1]).all(axis=1)
        for row in np.flatnonzero(whole).tolist():
            group = int(groups[row, 0])
            if np.unique(self._member[rows[row]]).size == self._sizes[group]:
                found[row] = self._attained[group]
        return found.reshape(*ids.shape[:-1], 1)

    # --- which of two is the greater ----------------------------------------------------------------------------------

    def note_cases(self, ids: Array, greater: Array, first: Array, second: Array) -> None:
        """Note what numbers are at least where the first of two numbers is the `greater` of them, and where the second
        is."""
        self._beside[ids], self._if_first[ids], self._if_second[ids] = greater, first, second
        self.any_cases |= ids.size > 0

    def attached(self, one: Array, other: Array) -> Array:
        """The greater of two numbers that either is known besides, the last one that was made; 0 for none, and where
        one has no id."""
        found = np.maximum(self._beside[one], self._beside[other])
        return np.where((one > 0) & (other > 0), found, 0)

    def least(self, ids: Array, greater: Array, low: Array) -> tuple[Array, Array]:
        """The least that numbers from `low` on are in both cases of the `greater` of two numbers."""
        known = (self._beside[ids] == greater) & (greater > 0)
        first, second = (np.where(known, least[ids], -np.inf) for least in (self._if_first, self._if_second))
        return np.maximum(low, first), np.maximum(low, second)

    def cases_of_rows(self, ids: Array) -> tuple[Array, Array, Array]:
        """As `note_cases` takes it, of the greatest number along the last axis (…, 1): `greater` is 0 where nothing is
        known of it."""
        rows = ids.reshape(-1, ids.shape[-1])
        groups = self._group[rows]
        shape = (*ids.shape[:-1], 1)
        greater = np.zeros(len(rows), dtype=np.int32)
        ends = np.full((2, len(rows)), -np.inf)
        whole = (groups[:, 0] > 0) & (groups == groups[:, :1]).all(axis=1)
        for row in np.flatnonzero(whole).tolist():
            group = int(groups[row, 0])
            members = np.unique(self._member[rows[row]])
            above = self._above(members)
            of = int(above[0])
            whole_of = int(self._argument[of]) if self._function[of] > _NEGATIVE else of
            if of and (above == of).all() and int(self._children[whole_of]) == members.size:
                greater[row], *ends[:, row] = self._case_of(group, of)
        return greater.reshape(shape), ends[0].reshape(shape), ends[1].reshape(shape)

    def _case_of(self, group: int, one: int) -> tuple[int, float, float]:
        """The greater of two numbers that a group has distances from, of which `one` is the greatest of the numbers
        that there are; what the greatest distance is at least in both cases."""
        greater, attained = self._distances.get(group, 0), self._attained[group]
        if int(self._first[greater]) == one:
            return greater, attained, -np.inf
        return (greater, -np.inf, attained) if int(self._second[greater]) == one else (0, -np.inf, -np.inf)


class FamilyRelations(Relations):
    """Relations of families, whose ids name the numbers at all coordinates: what holds, holds for equal coordinates."""

    def __init__(self) -> None:
        super().__init__()
        #: By id and axis: the greatest of these numbers along it; and by the id of such a greatest: of which and where.
        self._along: dict[tuple[int, tuple[int, ...]], int] = {}
        self._greatest_of: dict[int, tuple[int, tuple[int, ...]]] = {}

    def greatest_along(self, ids: Array, axis: tuple[int, ...]) -> Array:
        """The id (1,) of the greatest of numbers along an axis that these coordinates count."""
        number = int(ids[0])
        if not number or not axis:
            # Along no coordinate all of them are one number.
            return ids
        found = self._along.get((number, axis))
        if found is None:
            (found,) = self.fresh(1).tolist()
            if not found:
                return np.zeros_like(ids)
            self._along[(number, axis)], self._greatest_of[found] = found, (number, axis)
            self._children[found], self._leaves[found] = 1, max(int(self._leaves[number]), 1)
            self._dtype[found], self._below[found] = self._dtype[number], number
        self._upper[number] = found
        return np.array([found], dtype=np.int32)

    def attained_along(self, ids: Array, axis: tuple[int, ...]) -> float:
        """The least that the greatest number along an axis is known to be; -inf where nothing is."""
        group, member = int(self._group[ids[0]]), int(self._member[ids[0]])
        greatest = self._greatest_of.get(self._distances.get(group, 0))
        return self._attained[group] if group and axis and greatest == (member, axis) else -np.inf

    def cases_along(self, ids: Array, axis: tuple[int, ...]) -> tuple[Array, Array, Array]:
        """As `cases_of_rows`, of the greatest number along an axis that these coordinates count."""
        group, member = int(self._group[ids[0]]), int(self._member[ids[0]])
        one = self._greatest_known(member, axis) if axis and group else 0
        greater, first, second = self._case_of(group, one) if one else (0, -np.inf, -np.inf)
        return np.array([greater], dtype=np.int32), np.array([first]), np.array([second])

    def _greatest_known(self, number: int, axis: tuple[int, ...]) -> int:
        """The id of the greatest of numbers along an axis: that of a function of them is the function of theirs."""
        found = self._along.get((number, axis), 0)
        if not found and self._function[number] > _NEGATIVE:
            of = self._along.get((int(self._argument[number]), axis), 0)
            found = int(self._images_of(self._function[[number]], np.array([of]))[0])
        return found
