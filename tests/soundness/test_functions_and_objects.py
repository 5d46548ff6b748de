"""State hidden in closures, globals, classes, objects, defaults, caches and generators."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    # closures and globals
    Trap(
        "nonlocal_counter_wrong",
        """
        def kernel(n):
            count = 0
            def step():
                nonlocal count
                count += 1
            for i in range(n):
                assert count < 3
                step()
        """,
    ),
    Trap(
        "nonlocal_counter_right",
        """
        def kernel(n):
            count = 0
            def step():
                nonlocal count
                count += 1
            for i in range(n):
                assert count == i
                step()
            assert count == n
        """,
    ),
    Trap(
        "nonlocal_swap_wrong",
        """
        def kernel(n):
            a, b = 0, 1
            def swap():
                nonlocal a, b
                a, b = b, a
            for i in range(n):
                assert a == 0
                swap()
        """,
    ),
    Trap(
        "global_counter_wrong",
        """
        count = 0

        def kernel(n):
            global count
            for i in range(n):
                assert count < 3
                count += 1
        """,
    ),
    Trap(
        "global_counter_right",
        """
        count = 0

        def kernel(n):
            global count
            for i in range(n):
                assert count == i
                count += 1
            assert count == n
        """,
    ),
    Trap(
        "global_counter_in_a_helper_wrong",
        """
        count = 0

        def step():
            global count
            count += 1
            return count

        def kernel(n):
            for i in range(n):
                assert step() < 3
        """,
    ),
    Trap(
        "global_list_wrong",
        """
        log = []

        def kernel(n):
            for i in range(n):
                log.append(i)
            assert len(log) < 3
        """,
    ),
    Trap(
        "global_state_from_path_to_path_right",
        """
        seen = []

        def kernel(n):
            if n > 2:
                seen.append(1)
            else:
                seen.append(2)
            assert len(seen) == 1
        """,
        decided=True,
    ),
    Trap(
        "global_flag_set_in_one_branch_wrong",
        """
        flag = False

        def kernel(n):
            global flag
            if n > 2:
                flag = True
            assert not flag
        """,
        decided=True,
    ),
    Trap(
        "name_of_the_module_set_through_sys_modules_wrong",
        """
        import sys

        count = 0

        def kernel(n):
            for i in range(n):
                assert count < 3
                setattr(sys.modules[__name__], "count", count + 1)
        """,
    ),
    Trap(
        "attribute_of_an_imported_module_wrong",
        """
        import string

        def kernel(n):
            vars(string).pop("mark", None)
            for i in range(n):
                assert getattr(string, "mark", 0) == 0
                string.mark = 1
        """,
    ),
    Trap(
        "random_numbers_wrong",
        """
        import random

        def kernel(n):
            generator = random.Random(0)
            first = generator.random()
            generator = random.Random(0)
            for i in range(n):
                assert generator.random() == first
        """,
    ),
    Trap(
        "closure_reads_the_loop_variable_right",
        """
        def kernel(n):
            def double():
                return 2 * i
            for i in range(n):
                assert double() == 2 * i
        """,
    ),
    Trap(
        "closure_reads_the_loop_variable_wrong",
        """
        def kernel(n):
            def double():
                return 2 * i
            for i in range(n):
                assert double() < 6
        """,
    ),
    Trap(
        "closure_reads_a_carried_name_wrong",
        """
        def kernel(n):
            x = 0
            def read():
                return x
            for i in range(n):
                assert read() < 3
                x = x + 1
        """,
    ),
    Trap(
        "closure_reads_a_rebound_name_wrong",
        """
        def kernel(n):
            x = 1
            def read():
                return x
            for i in range(n):
                assert read() < 5
                x = x * 2
        """,
    ),
    Trap(
        "closure_reads_a_rebound_name_before_it_is_bound_wrong",
        """
        def kernel(n):
            x = 0
            def read():
                return x
            for i in range(n):
                assert read() == 0
                x = i + 1
        """,
    ),
    Trap(
        "closure_appends_wrong",
        """
        def kernel(n):
            log = []
            def note(i):
                log.append(i)
            for i in range(n):
                note(i)
            assert len(log) < 3
        """,
    ),
    Trap(
        "closure_appends_right",
        """
        def kernel(n):
            log = []
            def note(i):
                log.append(i)
            for i in range(n):
                note(i)
            assert len(log) == n
        """,
    ),
    Trap(
        "two_closures_over_one_cell_wrong",
        """
        def counter():
            count = 0
            def step():
                nonlocal count
                count += 1
            def read():
                return count
            return step, read

        def kernel(n):
            step, read = counter()
            for i in range(n):
                step()
            assert read() < 3
        """,
    ),
    Trap(
        "loop_in_a_closure_wrong",
        """
        def kernel(n):
            total = 0
            def run():
                nonlocal total
                for i in range(n):
                    total += 2
            run()
            assert total < 6
        """,
    ),
    Trap(
        "loop_in_a_lambda_body_wrong",
        """
        def kernel(n):
            count = lambda: sum(1 for i in range(n))
            assert count() < 3
        """,
    ),
    # defaults, attributes, caches
    Trap(
        "mutable_default_list_wrong",
        """
        def note(i, log=[]):
            log.append(i)
            return len(log)

        def kernel(n):
            for i in range(n):
                assert note(i) < 3
        """,
    ),
    Trap(
        "mutable_default_list_right",
        """
        def note(i, log=[]):
            log.append(i)
            return len(log)

        def kernel(n):
            for i in range(n):
                assert note(i) == i + 1
        """,
    ),
    Trap(
        "mutable_default_dict_wrong",
        """
        def note(i, table={"count": 0}):
            table["count"] += 1
            return table["count"]

        def kernel(n):
            for i in range(n):
                assert note(i) < 3
        """,
    ),
    Trap(
        "mutable_keyword_default_wrong",
        """
        def note(i, *, log=[]):
            log.append(i)
            return len(log)

        def kernel(n):
            for i in range(n):
                assert note(i) < 3
        """,
    ),
    Trap(
        "mutable_default_of_the_kernel_itself_wrong",
        """
        def kernel(n, m):
            def inner(log=[]):
                log.append(1)
                return len(log)
            for i in range(n):
                inner()
            assert inner() < 3
        """,
    ),
    Trap(
        "attribute_of_a_function_wrong",
        """
        def step():
            step.count += 1
            return step.count

        step.count = 0

        def kernel(n):
            step.count = 0
            for i in range(n):
                assert step() < 3
        """,
    ),
    Trap(
        "lru_cache_right",
        """
        import functools

        @functools.lru_cache(maxsize=None)
        def double(i):
            return 2 * i

        def kernel(n):
            for i in range(n):
                assert double(i) == 2 * i
        """,
    ),
    Trap(
        "lru_cache_with_effects_wrong",
        """
        import functools

        calls = []

        @functools.lru_cache(maxsize=None)
        def note(name):
            calls.append(name)
            return len(calls)

        def kernel(n):
            for i in range(n):
                note("a")
            assert len(calls) == n
        """,
    ),
    Trap(
        # The list is reached through the cache, which is written in C, and in no other way.
        "lru_cache_holds_a_list_wrong",
        """
        import functools

        def kernel(n):
            @functools.lru_cache(maxsize=None)
            def state():
                return [0]

            state()
            for i in range(n):
                state()[0] += 1
            assert state()[0] <= 1
        """,
    ),
    Trap(
        "lru_cache_of_a_size_holds_a_list_wrong",
        """
        import functools

        @functools.lru_cache(maxsize=4)
        def state():
            return [0]

        def kernel(n):
            state()
            for i in range(n):
                state()[0] += 1
            assert state()[0] <= 1
        """,
    ),
    Trap(
        "lru_cache_counts_hits_wrong",
        """
        import functools

        def kernel(n):
            @functools.lru_cache(maxsize=None)
            def double(i):
                return 2 * i

            double(1)
            for i in range(n):
                double(1)
            assert double.cache_info().hits < 2
        """,
    ),
    Trap(
        "lru_cache_keyed_by_a_symbolic_int_wrong",
        """
        import functools

        @functools.lru_cache(maxsize=None)
        def half(i):
            return i // 2

        def kernel(n):
            half.cache_clear()
            for i in range(n):
                half(i)
            assert half.cache_info().misses < 3
        """,
    ),
    Trap(
        "cached_property_wrong",
        """
        import functools

        class Plan:
            def __init__(self):
                self.size = 1
            @functools.cached_property
            def double(self):
                return 2 * self.size

        def kernel(n):
            plan = Plan()
            for i in range(n):
                assert plan.double == 2 * plan.size
                plan.size += 1
        """,
    ),
    Trap(
        "partial_right",
        """
        import functools

        def kernel(n):
            scale = functools.partial(lambda a, b: a * b, 3)
            for i in range(n):
                assert scale(i) == 3 * i
        """,
        decided=True,
    ),
    Trap(
        "partial_of_a_list_wrong",
        """
        import functools

        def kernel(n):
            log = []
            note = functools.partial(lambda log, i: log.append(i), log)
            for i in range(n):
                note(i)
            assert len(note.args[0]) < 3
        """,
    ),
    Trap(
        "partial_of_append_wrong",
        """
        import functools

        def make():
            log = []
            return functools.partial(log.append), functools.partial(len, log)

        def kernel(n):
            note, count = make()
            for i in range(n):
                note(i)
            assert count() < 3
        """,
    ),
    Trap(
        "decorator_that_counts_wrong",
        """
        def counted(function):
            def wrapper(*arguments):
                wrapper.calls += 1
                return function(*arguments)
            wrapper.calls = 0
            return wrapper

        @counted
        def double(i):
            return 2 * i

        def kernel(n):
            for i in range(n):
                double(i)
            assert double.calls < 3
        """,
    ),
    Trap(
        "decorator_that_wraps_right",
        """
        import functools

        def add_one(function):
            @functools.wraps(function)
            def wrapper(*arguments):
                return function(*arguments) + 1
            return wrapper

        @add_one
        def double(i):
            return 2 * i

        def kernel(n):
            for i in range(n):
                assert double(i) == 2 * i + 1
        """,
        decided=True,
    ),
    Trap(
        "singledispatch_right",
        """
        import functools

        @functools.singledispatch
        def size(value):
            return -1

        @size.register(int)
        def _(value):
            return value

        @size.register(list)
        def _(value):
            return len(value)

        def kernel(n):
            assert size(n) == n
            assert size([1, 2]) == 2
        """,
    ),
    Trap(
        "singledispatch_wrong",
        """
        import functools

        @functools.singledispatch
        def size(value):
            return -1

        @size.register(int)
        def _(value):
            return value

        def kernel(n):
            assert size(n) == -1
        """,
    ),
    # classes and objects
    Trap(
        "attribute_counter_wrong",
        """
        class State:
            def __init__(self):
                self.count = 0

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """,
    ),
    Trap(
        "attribute_counter_right",
        """
        class State:
            def __init__(self):
                self.count = 0

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.count == i
                state.count += 1
            assert state.count == n
        """,
    ),
    Trap(
        "attribute_list_wrong",
        """
        class State:
            def __init__(self):
                self.tiles = []

        def kernel(n):
            state = State()
            for i in range(n):
                state.tiles.append(i)
            assert len(state.tiles) < 3
        """,
    ),
    Trap(
        "attribute_list_right",
        """
        class State:
            def __init__(self):
                self.tiles = []

        def kernel(n):
            state = State()
            for i in range(n):
                state.tiles.append(i)
            assert len(state.tiles) == n
            for i in range(n):
                assert state.tiles[i] == i
        """,
    ),
    Trap(
        "attribute_rebound_wrong",
        """
        class State:
            def __init__(self):
                self.tiles = []

        def kernel(n):
            state = State()
            for i in range(n):
                state.tiles = [i]
            assert len(state.tiles) == 0
        """,
    ),
    Trap(
        "attribute_swap_wrong",
        """
        class State:
            pass

        def kernel(n):
            state = State()
            state.a, state.b = 0, 1
            for i in range(n):
                assert state.a == 0
                state.a, state.b = state.b, state.a
        """,
    ),
    Trap(
        "slots_counter_wrong",
        """
        class State:
            __slots__ = ("count",)
            def __init__(self):
                self.count = 0

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """,
    ),
    Trap(
        "private_name_counter_wrong",
        """
        class State:
            __slots__ = ("__count",)
            def __init__(self):
                self.__count = 0
            def step(self):
                self.__count += 1
                return self.__count

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.step() < 3
        """,
    ),
    Trap(
        "class_attribute_counter_wrong",
        """
        class State:
            count = 0

        def kernel(n):
            State.count = 0
            for i in range(n):
                assert State.count < 3
                State.count += 1
        """,
    ),
    Trap(
        "class_attribute_counter_right",
        """
        class State:
            count = 0

        def kernel(n):
            State.count = 0
            for i in range(n):
                assert State.count == i
                State.count += 1
        """,
    ),
    Trap(
        "class_attribute_list_wrong",
        """
        class State:
            log = []

        def kernel(n):
            for i in range(n):
                State.log.append(i)
            assert len(State().log) < 3
        """,
    ),
    Trap(
        "class_attribute_of_a_base_wrong",
        """
        class Base:
            count = 0

        class State(Base):
            pass

        def kernel(n):
            Base.count = 0
            for i in range(n):
                assert State.count < 3
                Base.count += 1
        """,
    ),
    Trap(
        "class_attribute_shadowed_by_the_instance_wrong",
        """
        class State:
            count = 0

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """,
    ),
    Trap(
        "class_attribute_counted_by_instances_wrong",
        """
        class Tile:
            made = 0
            def __init__(self):
                Tile.made += 1
                self.number = Tile.made

        def kernel(n):
            for i in range(n):
                assert Tile().number < 3
        """,
    ),
    Trap(
        "class_method_counter_wrong",
        """
        class State:
            count = 0
            @classmethod
            def step(cls):
                cls.count += 1
                return cls.count

        def kernel(n):
            for i in range(n):
                assert State.step() < 3
        """,
    ),
    Trap(
        "metaclass_counter_wrong",
        """
        class Meta(type):
            made = 0
            def __call__(cls):
                Meta.made += 1
                return super().__call__()

        class Tile(metaclass=Meta):
            pass

        def kernel(n):
            for i in range(n):
                Tile()
            assert Meta.made < 3
        """,
    ),
    Trap(
        "property_with_state_wrong",
        """
        class State:
            def __init__(self):
                self._reads = 0
            @property
            def reads(self):
                self._reads += 1
                return self._reads

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.reads < 3
        """,
    ),
    Trap(
        "property_without_state_right",
        """
        class Plan:
            def __init__(self, size):
                self.size = size
            @property
            def double(self):
                return 2 * self.size

        def kernel(n):
            plan = Plan(n)
            for i in range(plan.double):
                assert i < 2 * n
        """,
        decided=True,
    ),
    Trap(
        "descriptor_with_state_wrong",
        """
        class Counting:
            def __init__(self):
                self.count = 0
            def __get__(self, instance, owner):
                self.count += 1
                return self.count

        class State:
            value = Counting()

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.value < 3
        """,
    ),
    Trap(
        "getattr_with_state_wrong",
        """
        class State:
            def __init__(self):
                self.asked = 0
            def __getattr__(self, name):
                self.asked += 1
                return self.asked

        def kernel(n):
            state = State()
            for i in range(n):
                assert state.anything < 3
        """,
    ),
    Trap(
        "equality_with_state_wrong",
        """
        class Odd:
            def __init__(self):
                self.asked = 0
            def __eq__(self, other):
                self.asked += 1
                return self.asked % 2 == 0
            __hash__ = object.__hash__

        def kernel(n):
            odd = Odd()
            for i in range(n):
                assert not (odd == 1)
        """,
    ),
    Trap(
        "callable_object_wrong",
        """
        class Step:
            def __init__(self):
                self.count = 0
            def __call__(self):
                self.count += 1
                return self.count

        def kernel(n):
            step = Step()
            for i in range(n):
                assert step() < 3
        """,
    ),
    Trap(
        "own_iterator_wrong",
        """
        class Numbers:
            def __init__(self):
                self.count = 0
            def __iter__(self):
                return self
            def __next__(self):
                self.count += 1
                return self.count

        def kernel(n):
            numbers = Numbers()
            for i in range(n):
                assert next(numbers) < 3
        """,
    ),
    Trap(
        "own_sequence_wrong",
        """
        class Numbers:
            def __init__(self, n):
                self.n = n
            def __len__(self):
                return self.n
            def __getitem__(self, i):
                if i >= self.n:
                    raise IndexError
                return i

        def kernel(n):
            for i in Numbers(n):
                assert i < 3
        """,
    ),
    Trap(
        "own_length_right",
        """
        class Numbers:
            def __init__(self, n):
                self.n = n
            def __len__(self):
                return self.n

        def kernel(n):
            assert len(Numbers(n)) == n
        """,
    ),
    Trap(
        "own_truth_value_wrong",
        """
        class Numbers:
            def __init__(self, n):
                self.n = n
            def __bool__(self):
                return self.n > 2

        def kernel(n):
            assert not Numbers(n)
        """,
    ),
    Trap(
        "own_comparison_right",
        """
        import functools

        @functools.total_ordering
        class Size:
            def __init__(self, n):
                self.n = n
            def __eq__(self, other):
                return self.n == other.n
            def __lt__(self, other):
                return self.n < other.n
            __hash__ = None

        def kernel(n, m):
            if Size(n) <= Size(m):
                assert n <= m
            assert max(Size(n), Size(m)).n == max(n, m)
        """,
    ),
    Trap(
        "subclass_of_list_wrong",
        """
        class Log(list):
            pass

        def kernel(n):
            log = Log()
            for i in range(n):
                log.append(i)
            assert len(log) < 3
        """,
    ),
    Trap(
        "subclass_of_dict_wrong",
        """
        class Table(dict):
            pass

        def kernel(n):
            table = Table(count=0)
            for i in range(n):
                table["count"] += 1
            assert table["count"] < 3
        """,
    ),
    Trap(
        "subclass_of_int_wrong",
        """
        class Size(int):
            pass

        def kernel(n):
            assert Size(n) < 3
        """,
    ),
    Trap(
        "subclass_of_int_keeps_its_class",
        """
        class Size(int):
            def double(self):
                return Size(2 * self)

        def kernel(n):
            assert Size(n).double() != 4
        """,
    ),
    Trap(
        "object_rebuilt_each_iteration_wrong",
        """
        class State:
            def __init__(self, count):
                self.count = count

        def kernel(n):
            state = State(0)
            for i in range(n):
                assert state.count < 3
                state = State(state.count + 1)
        """,
    ),
    Trap(
        "object_made_in_the_loop_used_after_it_wrong",
        """
        class Box:
            def __init__(self, value):
                self.value = value

        def kernel(n):
            box = Box(0)
            for i in range(n):
                box = Box(i)
            assert box.value < 3
        """,
    ),
    Trap(
        "object_made_in_the_loop_refers_to_the_one_before_wrong",
        """
        class Node:
            def __init__(self, before, depth):
                self.before = before
                self.depth = depth

        def kernel(n):
            node = None
            for i in range(n):
                node = Node(node, i)
            length = 0
            while node is not None:
                length += 1
                node = node.before
            assert length < 3
        """,
    ),
    Trap(
        "list_of_objects_right",
        """
        class Box:
            def __init__(self, value):
                self.value = value

        def kernel(n):
            boxes = [Box(2 * i) for i in range(n)]
            for i in range(n):
                assert boxes[i].value == 2 * i
        """,
    ),
    Trap(
        "list_of_objects_wrong",
        """
        class Box:
            def __init__(self, value):
                self.value = value

        def kernel(n):
            boxes = [Box(2 * i) for i in range(n)]
            for i in range(n):
                assert boxes[i].value < 6
        """,
    ),
    Trap(
        "dataclass_right",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True)
        class Plan:
            rows: int
            columns: int
            @property
            def size(self):
                return self.rows * self.columns

        def kernel(n, m):
            plan = Plan(n, m)
            assert plan.size == n * m
            assert dataclasses.replace(plan, rows=1).size == m
        """,
        decided=True,
    ),
    Trap(
        "dataclass_wrong",
        """
        import dataclasses

        @dataclasses.dataclass
        class State:
            count: int = 0
            log: list = dataclasses.field(default_factory=list)

        def kernel(n):
            state = State()
            for i in range(n):
                state.count += 1
                state.log.append(i)
            assert state.count < 3
        """,
    ),
    Trap(
        "dataclass_compared_wrong",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True)
        class Plan:
            rows: int

        def kernel(n):
            assert Plan(n) != Plan(3)
        """,
    ),
    Trap(
        "dataclass_ordered_wrong",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True, order=True)
        class Plan:
            rows: int

        def kernel(n):
            assert Plan(n) < Plan(3)
        """,
    ),
    Trap(
        "dataclass_hashed_wrong",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True)
        class Plan:
            rows: int

        def kernel(n):
            assert len({Plan(n), Plan(3)}) == 2
        """,
    ),
    Trap(
        "dataclass_of_the_loop_kept_wrong",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True)
        class Plan:
            rows: int

        def kernel(n):
            plan = Plan(0)
            for i in range(n):
                plan = Plan(i)
            assert plan.rows < 3
        """,
    ),
    Trap(
        "enum_right",
        """
        import enum

        class Mode(enum.Enum):
            SMALL = 0
            LARGE = 1

        def mode(n):
            return Mode.SMALL if n < 3 else Mode.LARGE

        def kernel(n):
            if mode(n) is Mode.SMALL:
                assert n < 3
            else:
                assert mode(n) == Mode.LARGE
        """,
        decided=True,
    ),
    Trap(
        "enum_of_a_symbolic_value_wrong",
        """
        import enum

        class Mode(enum.Enum):
            SMALL = 0
            LARGE = 1

        def kernel(n):
            if n < 2:
                assert Mode(n) is Mode.SMALL
        """,
    ),
    Trap(
        "int_enum_wrong",
        """
        import enum

        class Size(enum.IntEnum):
            SMALL = 2
            LARGE = 4

        def kernel(n):
            assert n != Size.LARGE
            assert n + Size.SMALL < 5
        """,
        decided=True,
    ),
    Trap(
        "enum_state_wrong",
        """
        import enum

        class State(enum.Enum):
            A = 0
            B = 1
            C = 2

        def kernel(n):
            state = State.A
            for i in range(n):
                assert state is not State.C
                state = State.B if state is State.A else State.C
        """,
    ),
    Trap(
        "enum_auto_and_attribute_wrong",
        """
        import enum

        class State(enum.Enum):
            A = 0

        def kernel(n):
            State.A.count = 0
            for i in range(n):
                assert State.A.count < 3
                State.A.count += 1
        """,
    ),
    Trap(
        "weak_reference_wrong",
        """
        import weakref

        class Box:
            pass

        def kernel(n):
            box = Box()
            box.count = 0
            reference = weakref.ref(box)
            for i in range(n):
                assert reference().count < 3
                reference().count += 1
        """,
    ),
    Trap(
        "simple_namespace_wrong",
        """
        import types

        def kernel(n):
            state = types.SimpleNamespace(count=0)
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """,
    ),
    Trap(
        "context_variable_wrong",
        """
        import contextvars

        depth = contextvars.ContextVar("depth", default=0)

        def kernel(n):
            depth.set(0)
            for i in range(n):
                assert depth.get() < 3
                depth.set(depth.get() + 1)
        """,
    ),
    Trap(
        "thread_local_wrong",
        """
        import threading

        local = threading.local()

        def kernel(n):
            local.count = 0
            for i in range(n):
                assert local.count < 3
                local.count += 1
        """,
    ),
    Trap(
        "string_io_wrong",
        """
        import io

        def kernel(n):
            out = io.StringIO()
            for i in range(n):
                out.write("x")
            assert len(out.getvalue()) < 3
        """,
    ),
    Trap(
        "file_wrong",
        """
        import tempfile

        def kernel(n):
            with tempfile.TemporaryFile() as out:
                for i in range(n):
                    out.write(b"x")
                assert out.tell() < 3
        """,
    ),
    # The attributes of Python's own that hold state
    Trap(
        "dictionary_of_an_object_replaced_wrong",
        """
        class Box:
            pass

        def kernel(n):
            box = Box()
            for i in range(n):
                assert "kind" not in box.__dict__
                box.__dict__ = {"kind": 1}
        """,
    ),
    Trap(
        "attribute_grows_by_the_index_wrong",
        """
        class Box:
            count = 0

        def kernel(n):
            box = Box()
            box.count = 0
            for i in range(n):
                box.count += i
                assert box.count >= i * i
        """,
    ),
    Trap(
        "entry_grows_by_the_index_wrong",
        """
        def kernel(n):
            box = {"count": 0}
            for i in range(n):
                box["count"] += i
                assert box["count"] >= i * i
        """,
    ),
    Trap(
        "cell_grows_by_the_index_wrong",
        """
        def kernel(n):
            count = 0
            def grow(by):
                nonlocal count
                count += by
            for i in range(n):
                grow(i)
                assert count >= i * i
        """,
    ),
    Trap(
        "attribute_doubled_each_time_wrong",
        """
        class Box:
            pass

        def kernel(n):
            box = Box()
            box.count = 0
            for i in range(n):
                box.count = 2 * box.count + 1
                assert box.count == i + 1
        """,
    ),
    Trap(
        "attribute_doubled_each_time_seen_behind_the_loop_wrong",
        """
        class Box:
            pass

        def kernel(n):
            box = Box()
            box.count = 0
            for i in range(n):
                box.count += box.count + 1
            assert box.count <= n + 1
        """,
    ),
    Trap(
        "entry_inverted_each_time_wrong",
        """
        def kernel(n):
            state = {"parity": 0}
            for i in range(n):
                state["parity"] = 1 - state["parity"]
                assert state["parity"] == i + 1
        """,
    ),
    Trap(
        "entry_inverted_each_time_seen_behind_the_loop_wrong",
        """
        def kernel(n):
            state = {"parity": 0}
            for i in range(n):
                state["parity"] = 1 - state["parity"]
            assert state["parity"] == n
        """,
    ),
    # recursion and generators
    Trap(
        "recursion_right",
        """
        def total(n):
            return 0 if n <= 0 else 1 + total(n - 1)

        def kernel(n):
            assert total(n) == n
        """,
        seconds=2.0,
    ),
    Trap(
        "recursion_wrong",
        """
        def total(n):
            return 0 if n <= 0 else n + total(n - 1)

        def kernel(n):
            assert total(n) <= 6
        """,
        seconds=2.0,
    ),
    Trap(
        "recursion_on_a_constant_right",
        """
        def power(x, k):
            return 1 if k == 0 else x * power(x, k - 1)

        def kernel(n):
            assert power(n, 3) == n * n * n
        """,
        decided=True,
    ),
    Trap(
        "recursion_in_a_loop_wrong",
        """
        def total(n):
            return 0 if n <= 0 else 1 + total(n - 1)

        def kernel(n):
            for i in range(n):
                assert total(i) < 3
        """,
        seconds=2.0,
    ),
    Trap(
        "recursion_with_a_loop_wrong",
        """
        def visit(n, log):
            for i in range(n):
                log.append(i)
                visit(i, log)

        def kernel(n):
            log = []
            visit(n, log)
            assert len(log) < 7
        """,
        tried=range(5),
        seconds=2.0,
    ),
    Trap(
        "generator_helper_right",
        """
        def doubles(n):
            for i in range(n):
                yield 2 * i

        def kernel(n):
            for x in doubles(n):
                assert x < 2 * n
        """,
    ),
    Trap(
        "generator_helper_wrong",
        """
        def doubles(n):
            for i in range(n):
                yield 2 * i

        def kernel(n):
            for x in doubles(n):
                assert x < 6
        """,
    ),
    Trap(
        "generator_with_state_wrong",
        """
        def fibonacci(n):
            a, b = 0, 1
            for i in range(n):
                yield a
                a, b = b, a + b

        def kernel(n):
            for x in fibonacci(n):
                assert x < 3
        """,
    ),
    Trap(
        "generator_advanced_in_a_loop_wrong",
        """
        def numbers():
            yield 0
            yield 0
            while True:
                yield 1

        def kernel(n):
            steps = numbers()
            for i in range(n):
                assert next(steps) == 0
        """,
    ),
    Trap(
        "generator_that_ends_wrong",
        """
        def numbers():
            yield 0
            yield 0

        def kernel(n):
            steps = numbers()
            for i in range(n):
                next(steps)
        """,
    ),
    Trap(
        "generator_sent_to_wrong",
        """
        def accumulate():
            total = 0
            while True:
                total += yield total

        def kernel(n):
            steps = accumulate()
            next(steps)
            for i in range(n):
                assert steps.send(1) < 3
        """,
    ),
    Trap(
        "generator_delegating_wrong",
        """
        def inner(n):
            for i in range(n):
                yield i

        def outer(n):
            yield 0
            yield from inner(n)

        def kernel(n):
            for x in outer(n):
                assert x < 3
        """,
    ),
    Trap(
        "generator_left_early_wrong",
        """
        def numbers(n, log):
            for i in range(n):
                log.append(i)
                yield i

        def kernel(n):
            log = []
            for i in numbers(n, log):
                if i == 1:
                    break
            assert len(log) == n
        """,
    ),
    Trap(
        "generator_over_a_symbolic_list_wrong",
        """
        def numbers(values):
            for value in values:
                yield value

        def kernel(n):
            for value in numbers([i for i in range(n)]):
                assert value < 3
        """,
    ),
    Trap(
        "generator_zipped_with_a_symbolic_range_wrong",
        """
        def numbers():
            yield 0
            yield 0
            yield 1

        def kernel(n):
            for i, x in zip(range(n), numbers()):
                assert x == 0
        """,
    ),
    Trap(
        "generator_that_shares_a_list_with_its_reader_wrong",
        """
        def numbers(log, n):
            for i in range(n):
                yield len(log)

        def kernel(n):
            log = []
            for x in numbers(log, n):
                assert x == 0
                log.append(x)
        """,
    ),
    Trap(
        "context_manager_of_a_generator_wrong",
        """
        import contextlib

        @contextlib.contextmanager
        def counting(log):
            log.append(1)
            yield
            log.append(2)

        def kernel(n):
            log = []
            for i in range(n):
                with counting(log):
                    pass
            assert len(log) < 5
        """,
    ),
    Trap(
        "exit_stack_wrong",
        """
        import contextlib

        def kernel(n):
            log = []
            with contextlib.ExitStack() as stack:
                for i in range(n):
                    stack.callback(log.append, i)
            assert len(log) < 3
        """,
    ),
    Trap(
        "coroutine_wrong",
        """
        def kernel(n):
            async def work():
                count = 0
                for i in range(n):
                    count += 1
                return count
            steps = work()
            try:
                steps.send(None)
            except StopIteration as stop:
                assert stop.value < 3
        """,
    ),
    Trap(
        "helper_called_with_keyword_arguments_right",
        """
        def area(*, rows, columns=2, **rest):
            return rows * columns + sum(rest.values())

        def kernel(n):
            assert area(rows=n, extra=1) == 2 * n + 1
        """,
        decided=True,
    ),
    Trap(
        "helper_with_star_arguments_right",
        """
        def total(*values):
            result = 0
            for value in values:
                result += value
            return result

        def kernel(n):
            assert total(n, 2, n) == 2 * n + 2
        """,
        decided=True,
    ),
    Trap(
        "helper_that_changes_its_argument_wrong",
        """
        def bump(state):
            state[0] += 1

        def kernel(n):
            state = [0]
            for i in range(n):
                bump(state)
            assert state[0] < 3
        """,
    ),
    Trap(
        "object_passed_around_wrong",
        """
        class State:
            def __init__(self):
                self.inner = {"log": [[0]]}

        def bump(state):
            state.inner["log"][0][0] += 1

        def kernel(n):
            state = State()
            for i in range(n):
                bump(state)
            assert state.inner["log"][0][0] < 3
        """,
    ),
    Trap(
        "cyclic_structure_wrong",
        """
        class Node:
            def __init__(self):
                self.next = self
                self.count = 0

        def kernel(n):
            node = Node()
            for i in range(n):
                node.next.next.count += 1
            assert node.count < 3
        """,
    ),
    Trap(
        "pickle_round_trip_wrong",
        """
        import pickle

        def kernel(n):
            assert pickle.loads(pickle.dumps(n)) < 3
        """,
    ),
    Trap(
        "operator_module_right",
        """
        import operator

        def kernel(n):
            assert operator.add(n, 1) == n + 1
            assert operator.floordiv(n, 2) * 2 <= n
            assert operator.attrgetter("real")(n) == n
        """,
    ),
    Trap(
        "operator_index_wrong",
        """
        import operator

        def kernel(n):
            assert operator.index(n) < 3
        """,
    ),
    Trap(
        "class_of_a_symbolic_value_wrong",
        """
        def kernel(n):
            assert n.__class__ is not int
        """,
    ),
    Trap(
        "class_of_a_condition_and_a_list_wrong",
        """
        def kernel(n):
            assert (n > 3).__class__ is not bool or [n].__class__ is not list or (n / 2).__class__ is not float
        """,
    ),
    Trap(
        "identity_of_ints",
        """
        def kernel(n):
            assert (n is n) and (n + 1 is not None)
        """,
    ),
    Trap(
        "identity_with_a_constant_wrong",
        """
        def kernel(n):
            assert n is not 3
        """,
    ),
]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
