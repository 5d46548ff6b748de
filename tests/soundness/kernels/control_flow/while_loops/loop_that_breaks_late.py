# expect: 1 FAILED|UNKNOWN|BOUNDED
# dims: 0..
# args: --unwind 4
# shapes: 0..14

def kernel(n):
    for i in range(n):
        if i == 12:
            break
    assert i != 12 if n else True
