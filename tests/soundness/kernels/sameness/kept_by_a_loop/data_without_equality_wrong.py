# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..


from dataclasses import dataclass


@dataclass(eq=False)
class Box:
    value: int


def kernel(n):
    kept = []
    for i in range(n):
        kept.append(Box(i))
    if n > 3:
        assert kept[0] != kept[0]
