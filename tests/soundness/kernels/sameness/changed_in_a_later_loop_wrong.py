# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""What is read out of a list that a loop made is changed by another loop, on one path through it."""


def kernel(n):
    rows = [[i] for i in range(n)]
    if n < 3:
        return
    one = rows[0]
    for i in range(n):
        if i % 2 == 1:
            one.append(i)
    assert len(rows[0]) == 1
