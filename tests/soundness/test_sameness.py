"""What a loop carries and keeps is the same for every iteration only if nothing can tell it apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

_LIBRARIES = "import collections, enum, math\n"


def _trap(name: str, source: str, *, decided: bool = False) -> Trap:
    return Trap(name, _LIBRARIES + source, decided)


#: What `==` takes for equal: a list of what is before the first iteration, what each one makes of it, what sees that.
_EQUAL = [
    ("negative_zero", "", "0.0", "-0.0", "math.copysign(1.0, x) > 0"),
    (
        "negative_zero_of_a_complex_number",
        "",
        "complex(0.0, 0.0)",
        "complex(0.0, -0.0)",
        "math.copysign(1, x.imag) > 0",
    ),
    ("negative_zero_of_numpy", "import numpy as np", "np.float32(0.0)", "np.float32(-0.0)", "not np.signbit(x)"),
    ("range_of_the_same_elements", "", "range(0, 3, 2)", "range(0, 4, 2)", "x.stop == 3"),
    ("empty_range", "", "range(0)", "range(5, 5)", "x.start == 0"),
    ("slice_of_truth_values", "", "slice(0, 1)", "slice(False, True)", "type(x.start) is int"),
    ("key_that_is_true", "", "{1: 5}", "{True: 5}", "str(list(x)[0]) == '1'"),
    ("key_that_is_a_float", "", "{1: 5}", "{1.0: 5}", "type(list(x)[0]) is int"),
    ("key_in_a_tuple", "", "{(1, 2): 5}", "{(True, 2): 5}", "str(list(x)[0][0]) == '1'"),
    (
        "enumeration_that_calls_all_equal",
        "class E(enum.Enum):\n    A = 1\n    B = 2\n    __eq__ = lambda self, o: True\n    __hash__ = lambda self: 0",
        "E.A",
        "E.B",
        "x.value == 1",
    ),
    (
        "integer_that_calls_all_equal",
        "class Odd(int):\n    __eq__ = lambda self, other: True\n    __hash__ = lambda self: 0",
        "Odd(3)",
        "Odd(4)",
        "int.__add__(x, 0) == 3",
    ),
    (
        "text_that_calls_all_equal",
        "class Odd(str):\n    __eq__ = lambda self, other: True\n    __hash__ = lambda self: 0",
        "Odd('a')",
        "Odd('bb')",
        "len(x) == 1",
    ),
    (
        "attribute_of_an_integer",
        "class Size(int):\n    pass\ndef size(mark):\n    made = Size(3)\n    made.mark = mark\n    return made",
        "size(0)",
        "size(1)",
        "x.mark == 0",
    ),
    (
        "attribute_of_a_text",
        "class Name(str):\n    pass\ndef name(mark):\n    made = Name('a')\n    made.mark = mark\n    return made",
        "name(0)",
        "name(1)",
        "x.mark == 0",
    ),
]

#: What the values are kept in.
_HOLDERS = {
    "local": ("x = {}", "x"),
    "element": ("box = [{}]", "box[0]"),
    "entry": ("box = {{'key': {}}}", "box['key']"),
    "attribute": ("box = Box()\n    box.part = {}", "box.part"),
}


def _equal_traps() -> list[Trap]:
    found = []
    for name, before, start, then, told in _EQUAL:
        for kind, (binding, place) in _HOLDERS.items():
            source = f"""
{before}
class Box:
    pass
def kernel(n):
    {binding.format(start)}
    for i in range(n):
        x = {place}
        assert {told}
        {place} = {then}
"""
            found.append(_trap(f"{name}_in_a_{kind}_wrong", source))
    return found


TRAPS = [
    *_equal_traps(),
    _trap(
        "key_of_a_dictionary_replaced_by_an_equal_one_wrong",
        """
def kernel(n):
    entries = {1: 5}
    for i in range(n):
        assert str(list(entries)[0]) == '1'
        entries[True] = entries.pop(1)
""",
    ),
    # an object made anew is another one than that of the same parts which was there before
    *(
        _trap(
            f"{name}_wrong",
            f"""
class Node:
    pass
def kernel(n):
    first = {made}
    last = first
    {before}
    for i in range(n):
        assert {told}
        last = {made}
""",
        )
        for name, made, before, told in (
            ("object_made_anew", "Node()", "", "last is first"),
            ("list_made_anew", "[1]", "", "last is first"),
            ("object_as_a_key", "Node()", "names = {first: 1}", "last in names"),
            ("object_in_a_list", "Node()", "names = [first]", "last in names"),
            ("equal_only_to_itself", "Node()", "", "last == first"),
        )
    ),
    _trap(
        "list_made_anew_is_not_the_first_one_right",
        """
def kernel(n):
    first = [0]
    last = first
    for i in range(n):
        assert i == 0 or first is not last
        assert first[0] == 0
        last = [0]
""",
    ),
    _trap(
        "object_of_one_path_or_of_the_loop_wrong",
        """
class Node:
    pass
def kernel(n):
    first = Node()
    last = first
    for i in range(n):
        if i % 2:
            last = first
        else:
            last = Node()
    if n > 0:
        assert last is first
""",
    ),
    _trap(
        "object_of_one_path_or_of_the_loop_appended_wrong",
        """
class Node:
    pass
def kernel(n):
    first = Node()
    nodes = []
    for i in range(n):
        if i % 2:
            nodes.append(first)
        else:
            nodes.append(Node())
    if n > 1:
        assert nodes[0] is first
""",
    ),
    _trap(
        "object_of_one_path_or_of_the_loop_listed_wrong",
        """
class Node:
    def __init__(self):
        self.size = 0
def kernel(n):
    first = Node()
    nodes = [first if i % 2 else Node() for i in range(n)]
    if n > 0:
        nodes[0].size = 5
        assert first.size == 5
""",
    ),
    _trap(
        "one_object_twice_or_two_objects_wrong",
        """
class Node:
    def __init__(self):
        self.size = 0
def kernel(n):
    pairs = []
    for i in range(n):
        one = Node()
        two = Node() if i % 2 else one
        pairs.append((one, two))
    if n > 1:
        assert pairs[1][0] is pairs[1][1]
""",
    ),
    _trap(
        "one_object_twice_in_a_pair_wrong",
        """
class Node:
    pass
def kernel(n):
    pairs = []
    for i in range(n):
        one = Node()
        one.size = i
        pairs.append((one, one))
    if n > 1:
        assert pairs[0][0] is not pairs[0][1]
""",
    ),
    _trap(
        "tuple_read_twice_wrong",
        """
def kernel(n):
    pairs = [(i, i + 1) for i in range(n)]
    if n > 1:
        assert pairs[0] is not pairs[0]
""",
    ),
    _trap(
        "last_object_of_a_loop_is_in_its_list_wrong",
        """
class Node:
    pass
def kernel(n):
    nodes = []
    last = None
    for i in range(n):
        last = Node()
        last.size = i
        nodes.append(last)
    if n > 1:
        assert last is not nodes[n - 1]
""",
    ),
    _trap(
        "last_object_of_a_loop_changed_behind_it_wrong",
        """
class Node:
    pass
def kernel(n):
    assert n <= 50
    nodes = []
    last = None
    for i in range(n):
        last = Node()
        last.size = i
        nodes.append(last)
    if n > 1:
        last.size = 77
        assert nodes[n - 1].size != 77
""",
    ),
    _trap(
        "last_object_of_a_loop_has_two_names_wrong",
        """
class Node:
    pass
def kernel(n):
    one = two = None
    for i in range(n):
        one = two = Node()
        one.size = i
    if n > 1:
        one.size = n + 5
        assert two.size == n - 1
""",
    ),
    _trap(
        "entry_renamed_in_an_element_of_a_list_wrong",
        """
def kernel(n):
    entries = [{'a': i} for i in range(n)]
    if n > 1:
        first = entries[0]
        first['b'] = first.pop('a')
        assert 'a' in entries[0]
""",
    ),
    # what a list keeps depends on the iteration, wherever the index is in it
    *(
        _trap(
            f"{name}_of_an_iteration_wrong",
            f"""
class Node:
    pass
def marked(value, mark):
    value.mark = mark
    return value
def make(i):
    def last():
        pass
    last.mark = i
    return last
def kernel(n):
    kept = []
    for i in range(n):
        kept.append({made})
    if n > 1:
        one, two = kept[0], kept[n - 1]
        assert {told}
""",
        )
        for name, made, told in (
            ("slice", "slice(i, i + 1)", "one.start == two.start"),
            ("slice_in_a_tuple", "(0, slice(4 * i, 4 * i + 4))", "one[1].stop == two[1].stop"),
            ("default_argument", "lambda number=i: number", "one() == two()"),
            ("keyword_default", "lambda *, number=i: number", "one() == two()"),
            ("attribute_of_a_function", "make(i)", "one.mark == two.mark"),
            ("default_of_a_property", "property(lambda self, number=i: number)", "one.fget(0) == two.fget(0)"),
            (
                "default_of_a_method",
                "type('Own', (), {'size': lambda self, number=i: number})()",
                "one.size() == two.size()",
            ),
            ("object_as_a_key", "{marked(Node(), i): 1}", "list(one)[0].mark == list(two)[0].mark"),
        )
    ),
    _trap(
        "class_of_an_iteration_wrong",
        """
def kernel(n):
    kept = []
    for i in range(n):
        class Own:
            size = i
        kept.append(Own())
    if n > 1:
        assert kept[0].size == kept[n - 1].size
""",
    ),
    _trap(
        "slice_of_an_iteration_right",
        """
def kernel(n):
    kept = [slice(4 * i, 4 * i + 4) for i in range(n)]
    for i in range(n):
        assert kept[i].stop - 4 == 4 * i
""",
        decided=True,
    ),
    _trap(
        "last_slice_of_a_loop_right",
        """
def kernel(n):
    for i in range(n):
        last = slice(i, i + 1)
    if n > 0:
        assert last.stop == n
""",
        decided=True,
    ),
    # numbers that are no plain ones
    _trap(
        "number_of_an_enumeration_counted_wrong",
        """
class Step(enum.IntEnum):
    FIRST = 0
def kernel(n):
    step = Step.FIRST
    for i in range(n):
        assert isinstance(step, Step)
        step = step + 1
""",
    ),
    _trap(
        "attribute_that_is_a_number_of_an_own_class_counted_wrong",
        """
class Size(int):
    pass
class Box:
    pass
def kernel(n):
    box = Box()
    box.size = Size(0)
    for i in range(n):
        assert isinstance(box.size, Size)
        box.size = box.size + 1
""",
    ),
    # what tells of, or changes, more than the kernel's own names
    *(
        _trap(
            f"{name}_wrong",
            f"""
import inspect, sys, types
import numpy as np
class Node:
    pass
def helper(number=1):
    return number
def kernel(n):
    nodes = [Node() for _ in range(n)]
    array = np.zeros(2)
    for i in range(n):
        assert {told}
        {then}
""",
        )
        for name, told, then in (
            ("names_of_the_function_listed", "'late' not in dir()", "late = 5"),
            ("names_of_the_frame", "'late' not in sys._getframe().f_locals", "late = 5"),
            ("names_of_the_frame_by_inspect", "'late' not in inspect.currentframe().f_locals", "late = 5"),
            ("default_set_past_the_class", "helper() == 1", "object.__setattr__(helper, '__defaults__', (2,))"),
            ("default_set_by_its_function", "helper() == 1", "helper.__setattr__('__defaults__', (2,))"),
            ("name_set_in_a_library", "not hasattr(math, 'x_')", "types.ModuleType.__setattr__(math, 'x_', 1)"),
            ("array_that_is_read_only", "array.flags.writeable", "array.flags.writeable = False"),
            ("identities_of_elements", "id(nodes[0]) != id(nodes[0])", "pass"),
            ("identities_in_a_chain", "not (nodes[0] is nodes[0] is not None)", "pass"),
            ("identities_in_a_chain_of_names", "not (nodes is nodes is not None)", "pass"),
        )
    ),
    # objects that are reached through what has no state of its own
    _trap(
        "list_in_a_slice_changed_wrong",
        """
def kernel(n):
    held = slice([0], None)
    for i in range(n):
        held.start[0] += 1
        assert held.start[0] <= 3
""",
    ),
    _trap(
        "list_in_an_alias_of_a_class_changed_wrong",
        """
def kernel(n):
    held = list[[0]]
    for i in range(n):
        held.__args__[0][0] += 1
        assert held.__args__[0][0] <= 3
""",
    ),
]

#: Up to 255, integers of NumPy's smallest type and Python's are the same.
NARROW = [
    Trap(
        name,
        f"""
        import numpy as np
        def kernel(n):
            assert n <= 300
            k = {start}
            for i in range(n):
                assert {told}
                k = {then}
        """,
        tried=range(253, 259),
    )
    for name, start, told, then in (
        ("counted_in_eight_bits_wrong", "np.uint8(0)", "k == i", "k + np.uint8(1)"),
        ("sum_in_eight_bits_wrong", "0", "k == i", "i + np.uint8(1)"),
        ("product_in_eight_bits_wrong", "0", "k <= 2 * i", "np.uint8(2) * i"),
        ("difference_of_unsigned_numbers_wrong", "0", "k <= 1", "np.uint32(1) - i"),
    )
]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("trap", [*TRAPS, *NARROW], ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
