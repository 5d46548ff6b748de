# expect: 1 SUCCESSFUL|UNKNOWN|BOUNDED|FAILED
# dims: 1..
# shapes: 1..5

import nki.isa as nisa
from _tables import table, use

def kernel(n):
    x = table(n)
    held = (nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0), nisa.register_alloc(0),
            nisa.register_alloc(0))
    for i in range(n):
        use(x, held[4])
        nisa.register_move(held[4], held[3])
        nisa.register_move(held[3], held[2])
        nisa.register_move(held[2], held[1])
        nisa.register_move(held[1], held[0])
        nisa.register_move(held[0], n)
