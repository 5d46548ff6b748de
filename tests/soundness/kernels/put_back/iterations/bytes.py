# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

held = bytearray(1)

def kernel(n):
    for i in range(n):
        assert held[0] == 0
        held[0] = held[0] + 1
