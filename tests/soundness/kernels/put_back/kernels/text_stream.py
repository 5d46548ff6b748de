# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import io
held = io.StringIO()

def kernel(n):
    before = len(held.getvalue())
    for i in range(n):
        held.write('a')
        if i > 2: break
    assert before == 1
