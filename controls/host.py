"""Controls of contracts about what the kernel computes on the host."""


def host__division_by_zero(n: either(right="n: 1..8", wrong="n: 0..8")):
    return 128 // n


def host__int32(n: either(right="n: 1..32767", wrong="n: 1..32768")):
    return n * 65536
