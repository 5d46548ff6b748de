# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED
# dims: 0..
# shapes: 0..2

import textwrap

def kernel(n, m):
    before = int(hasattr(textwrap, 'seen'))
    i = 1
    if n > m:
        textwrap.seen = i
        assert before == 0
    else:
        assert int(hasattr(textwrap, 'seen')) == before
        assert int(hasattr(textwrap, 'seen')) == 0
