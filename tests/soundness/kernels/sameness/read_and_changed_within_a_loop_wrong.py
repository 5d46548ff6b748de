# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
"""What a loop reads out of a list that another one made is changed by a loop inside of it, and looked at by a later one."""


def kernel(n):
    rows = [[i] for i in range(n)]
    for i in range(n):
        row = rows[i]
        for k in range(n):
            if k == i:
                row[0] = -1
    for i in range(n):
        assert rows[i][0] == i
