# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = bytearray(1)

def kernel(n):
    before = held[0]
    for i in range(n):
        held[0] = held[0] + 1
        if i > 2: break
    assert before == 1
