"""Relations between the numbers of a run: which is at most which other, and of which groups one is known to be large.

A number that is stored has an id, a positive integer. Monotone functions of it have ids that say so, the same ones
whenever they are computed, so that `scale * x - scale * max(x)` is seen to be at most 0. Ids end with `_MOST`: later
numbers have id 0, of which nothing is known. Errs to knowing too little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nkiverify.analysis.values.formats import Array

#: Numbers that have an id, at most: what is known of each takes 32 bytes.
_MOST = 6_000_000
#: Steps from a number to one that is at least it.
_STEPS = 64
#: The function that changes the sign.
_NEGATIVE = 1


class Relations:
    """All that is known of numbers beside their intervals."""

    def __init__(self) -> None:
        self._next = 1
        #: By id: a number that is at least this one, the function this one is the value of, and of which number.
        self._upper = np.zeros(1024, dtype=np.int32)
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
        #: The group of the differences of either from it.
        self._differences: dict[tuple[int, bool], int] = {}
        self._codes: dict[tuple[object, ...], int] = {("negative",): _NEGATIVE}
        self._values: dict[int, Array] = {}
        self._images: dict[tuple[int, int], int] = {}

    # --- numbers ------------------------------------------------------------------------------------------------------

    def fresh(self, count: int) -> Array:
        """Ids of so many numbers of which nothing is known; 0 where there are none left."""
        if self._next + count > _MOST:
            return np.zeros(count, dtype=np.int32)
        found = np.arange(self._next, self._next + count, dtype=np.int32)
        self._next += count
        if self._next > self._upper.size:
            self._grow()
        return found

    def _grow(self) -> None:
        size = max(2 * self._upper.size, self._next)
        for name in ("_upper", "_function", "_argument", "_group", "_member", "_dtype", "_children", "_leaves"):
            held = getattr(self, name)
            larger = np.zeros(size, dtype=np.int32)
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
        code = self._codes.setdefault(key, len(self._codes) + 1)
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
        self._values[code] = known
        return np.where(ids > 0, known[ids], 0).astype(np.int32)

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
            made = found[found > 0]
            self._group[made] = 0
        return np.where(twice, self._argument[ids], found)

    def negated(self, ids: Array) -> Array:
        """The ids of the numbers that these are the negatives of; 0 for others."""
        return np.where(self._function[ids] == _NEGATIVE, self._argument[ids], 0)

    def _image(self, code: int, group: int, function: Callable[[float], float]) -> int:
        found = self._images.get((code, group))
        if found is None:
            found = self._images[(code, group)] = self._made_group(
                float(function(self._attained[group])), self._sizes[group]
            )
        return found

    def _made_group(self, attained: float, size: int) -> int:
        self._attained.append(attained)
        self._sizes.append(size)
        return len(self._sizes) - 1

    # --- order --------------------------------------------------------------------------------------------------------

    def greatest(self, ids: Array) -> Array:
        """The ids (…, 1) of the greatest along the last axis of numbers that all have ids; 0 where one has none."""
        rows = ids.reshape(-1, ids.shape[-1])
        whole = (rows > 0).all(axis=1)
        found = np.zeros(len(rows), dtype=np.int32)
        different = np.sort(rows, axis=1)
        counts = 1 + (different[:, 1:] != different[:, :-1]).sum(axis=1)
        uppers = self._upper[rows]
        for row in np.flatnonzero(whole).tolist():
            count, first = int(counts[row]), int(uppers[row, 0])
            if first and int(self._children[first]) == count and (uppers[row] == first).all():
                found[row] = first
                continue
            if count == 1:
                found[row] = rows[row, 0]
                continue
            (made,) = self.fresh(1).tolist()
            if made:
                members = np.unique(rows[row])
                self._upper[members] = made
                self._children[made] = count
                self._leaves[made] = np.maximum(self._leaves[members], 1).sum()
                of = np.unique(self._dtype[members])
                self._dtype[made] = of[0] if of.size == 1 else 0
                found[row] = made
        return found.reshape(*ids.shape[:-1], 1)

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
            self._children[made] = 2
            self._leaves[made] = np.maximum(self._leaves[one[both]], 1) + np.maximum(self._leaves[other[both]], 1)
            same = self._dtype[one[both]] == self._dtype[other[both]]
            self._dtype[made] = np.where(same, self._dtype[one[both]], 0)
        return found

    def bounded(self, one: Array, other: Array) -> None:
        """Note that numbers are at most others, where nothing of the kind is known of them."""
        free = (one > 0) & (other > 0) & (one != other) & (self._upper[one] == 0)
        self._upper[one[free]] = other[free]

    def at_most(self, one: Array, other: Array) -> tuple[Array, Array, Array]:
        """Where a number is known to be at most another one; and where that is as the other is the greatest of numbers
        that it is one of, these two, else 0. Where it is the greatest of others itself, it has to be so directly."""
        one, other = (np.array(part) for part in np.broadcast_arrays(one, other))
        holds = (one == other) & (one > 0)
        member, of = np.zeros(one.shape, dtype=np.int32), np.zeros(one.shape, dtype=np.int32)
        while True:
            climbed = one
            for step in range(_STEPS):
                climbed = self._upper[climbed]
                if not climbed.any():
                    break
                found = (climbed == other) & (climbed > 0)
                holds |= found
                if step:
                    found &= self._leaves[one] == 0
                member, of = np.where(found, one, member), np.where(found, other, of)
            same = (self._function[one] == self._function[other]) & (self._function[one] > _NEGATIVE) & ~holds
            if not same.any():
                return holds, member, of
            one = np.where(same, self._argument[one], 0)
            other = np.where(same, self._argument[other], 0)

    def differences(self, ids: Array, member: Array, of: Array) -> None:
        """Note that numbers are the differences of members from the greatest `of` them."""
        for single, chosen in enumerate(
            ((of > 0) & (self._leaves[member] > 0), (of > 0) & (self._leaves[member] == 0))
        ):
            sizes = self._leaves if single else self._children
            for greatest in np.unique(of[chosen & (ids > 0)]).tolist():
                key = (greatest, bool(single))
                if key not in self._differences:
                    self._differences[key] = self._made_group(0.0, int(sizes[greatest]))
                here = chosen & (ids > 0) & (of == greatest)
                self._group[ids[here]], self._member[ids[here]] = self._differences[key], member[here]

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


class FamilyRelations(Relations):
    """Relations of families, whose ids name the numbers at all coordinates: what holds, holds for equal coordinates."""

    def __init__(self) -> None:
        super().__init__()
        #: By id and axis: the greatest of these numbers along it; and by the id of such a greatest: of which and where.
        self._along: dict[tuple[int, tuple[int, ...]], int] = {}
        self._greatest_of: dict[int, tuple[int, tuple[int, ...]]] = {}
        #: By group: the id of the greatest number from which it has differences.
        self._distances: dict[int, int] = {}

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
            self._dtype[found] = self._dtype[number]
        self._upper[number] = found
        return np.array([found], dtype=np.int32)

    def attained_along(self, ids: Array, axis: tuple[int, ...]) -> float:
        """The least that the greatest number along an axis is known to be; -inf where nothing is."""
        group, member = int(self._group[ids[0]]), int(self._member[ids[0]])
        greatest = self._greatest_of.get(self._distances.get(group, 0))
        return self._attained[group] if group and axis and greatest == (member, axis) else -np.inf

    def differences(self, ids: Array, member: Array, of: Array) -> None:
        """Note that numbers are the differences of members from the greatest `of` them."""
        super().differences(ids, member, of)
        for (greatest, _), group in self._differences.items():
            self._distances.setdefault(group, greatest)

    def _image(self, code: int, group: int, function: Callable[[float], float]) -> int:
        found = super()._image(code, group, function)
        self._distances.setdefault(found, self._distances.get(group, 0))
        return found
