# expect: 1 FAILED|UNKNOWN
# dims: 0..
# shapes: 0..3

import textwrap

def kernel(n):
    before = int(hasattr(textwrap.dedent, 'seen'))
    for i in range(n):
        textwrap.dedent.seen = i
        if i > 2: break
    assert before == 1
