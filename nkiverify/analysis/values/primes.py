"""Random primes, and chains of primes each of which divides its predecessor less one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nkiverify.foundation.dataclass import dataclass

#: Products of two residues stay below 2^46, sums of 128 such products below 2^53: what float64 holds exactly.
LARGEST = int(0.99 * (1 << 24))
_LEAST = 1 << 23
#: The last prime of a chain, and the factors (even) between neighbours.
_LAST_OF_CHAIN = (1 << 17, 1 << 21)
_FACTORS = tuple(range(2, 17, 2))


@dataclass(frozen=True, slots=True)
class PrimeLink:
    """That the prime of one lane, `order`, divides that of another, `lane`, less one: `generator` has this order."""

    lane: int
    order: int
    generator: int


@dataclass(frozen=True, slots=True)
class Moduli:
    """Primes, by lanes, and the links between them; the last ones of chains come last."""

    primes: tuple[int, ...]
    links: tuple[PrimeLink, ...] = ()

    @property
    def last(self) -> int:
        """How many primes are the last ones of a chain."""
        return len({link.order for link in self.links} - {link.lane for link in self.links})

    @property
    def first(self) -> list[int]:
        """The lanes of the first primes of the chains."""
        return sorted({link.lane for link in self.links} - {link.order for link in self.links})


def is_prime(number: int) -> bool:
    """True if an odd number below 2^32 is prime (Miller and Rabin, with bases that decide up to there)."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        if base % number == 0:
            continue
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def unrelated(random: np.random.Generator, count: int) -> Moduli:
    """Different random primes between 2^23 and 0.99 * 2^24, of which there are about half a million."""
    found: list[int] = []
    while len(found) < count:
        candidate = int(random.integers(_LEAST, LARGEST)) | 1
        if candidate not in found and is_prime(candidate):
            found.append(candidate)
    return Moduli(tuple(found))


def chained(random: np.random.Generator, length: int, chains: int = 1, *, doubling: bool = False) -> Moduli:
    """Random chains, none with a prime of another. `doubling`: each prime is twice the next one, and one."""
    found: list[list[int]] = []
    while len(found) < chains:
        candidate = _chain(random, length, doubling)
        if not any(set(candidate) & set(other) for other in found):
            found.append(candidate)
    links = []
    for number, primes in enumerate(found):
        lanes = [number * (length - 1) + place for place in range(length - 1)] + [chains * (length - 1) + number]
        links += [
            PrimeLink(lane, order, _generator(random, prime, divisor))
            for (lane, prime), (order, divisor) in pairwise(zip(lanes, primes, strict=True))
        ]
    return Moduli(
        tuple(prime for chain in found for prime in chain[:-1]) + tuple(chain[-1] for chain in found), tuple(links)
    )


def _chain(random: np.random.Generator, length: int, doubling: bool) -> list[int]:
    """Primes, the greatest first, each of which is a multiple of the next one, and one."""
    factors = np.array(_FACTORS[:1] if doubling else _FACTORS)
    low, high = ((1 << 20), (1 << 22)) if doubling else _LAST_OF_CHAIN
    while True:
        primes = [int(random.integers(low, high)) | 1]
        if not is_prime(primes[0]):
            continue
        while len(primes) < length:
            further = (int(factor) * primes[0] + 1 for factor in random.permutation(factors))
            found = next((prime for prime in further if prime <= LARGEST and is_prime(prime)), None)
            if found is None:
                break
            primes.insert(0, found)
        if len(primes) == length and primes[0] >= _LEAST // 2:
            return primes


def _generator(random: np.random.Generator, prime: int, order: int) -> int:
    """A random element of this prime order."""
    while True:
        found = pow(int(random.integers(2, prime - 1)), (prime - 1) // order, prime)
        if found != 1:
            return found
