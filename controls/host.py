"""Controls of contracts about what the kernel computes on the host."""


def host__division_by_zero__right(n: "n: 1..8"):
    return 128 // n


def host__division_by_zero__wrong(n: "n: 0..8"):
    return 128 // n


def host__int32__right(n: "n: 1..32767"):
    return n * 65536


def host__int32__wrong(n: "n: 1..32768"):
    return n * 65536
