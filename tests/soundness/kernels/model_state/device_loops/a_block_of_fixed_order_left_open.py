# expect: 1 UNKNOWN|BOUNDED|VACUOUS
# dims: 1..
# shapes: none

import nki.language as nl

def kernel(n):
    order = nl.no_reorder()
    for i in range(n):
        order.__enter__()
