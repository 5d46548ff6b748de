"""State that hides outside variables, lists and dictionaries, and what tells a symbolic value from an ordinary one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

TRAPS = [
    Trap("exception_args_counter_wrong", """
        def kernel(n):
            state = ValueError(0)
            for i in range(n):
                assert state.args[0] < 3
                state.args = (state.args[0] + 1,)
        """),
    Trap("class_equal_to_int_wrong", """
        class Meta(type):
            def __hash__(cls):
                return hash(int)
            def __eq__(cls, other):
                return True
        class State(metaclass=Meta):
            pass
        def kernel(n):
            state = State()
            state.count = 0
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """),
    Trap("class_equal_to_int_made_wrong", """
        class Meta(type):
            def __hash__(cls):
                return hash(int)
            def __eq__(cls, other):
                return True
        class State(metaclass=Meta):
            pass
        def kernel(n):
            made = []
            for i in range(n):
                state = State()
                state.number = i
                made.append(state)
            for k in range(n):
                assert made[k].number < 3
        """),
    Trap("exception_attribute_counter_wrong", """
        def kernel(n):
            state = ValueError()
            state.count = 0
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """),
    Trap("own_exception_attribute_counter_wrong", """
        class Stop(Exception):
            def __init__(self):
                self.count = 0
        def kernel(n):
            state = Stop()
            for i in range(n):
                assert state.count < 3
                state.count += 1
        """),
    Trap("exception_notes_wrong", """
        def kernel(n):
            state = ValueError()
            for i in range(n):
                assert len(getattr(state, "__notes__", ())) < 3
                state.add_note("x")
        """),
    Trap("exception_context_chain_wrong", """
        def kernel(n):
            state = ValueError()
            for i in range(n):
                deep = state.__cause__
                assert deep is None or deep.__cause__ is None
                new = ValueError()
                new.__cause__ = state.__cause__
                state.__cause__ = new
        """),
    Trap("exception_traceback_with_wrong", """
        def kernel(n):
            state = ValueError()
            for i in range(n):
                assert state.__traceback__ is None
                try:
                    raise state
                except ValueError:
                    pass
        """),
    Trap("exception_list_in_args_wrong", """
        def kernel(n):
            state = ValueError([])
            for i in range(n):
                assert len(state.args[0]) < 3
                state.args[0].append(1)
        """),
    Trap("stop_iteration_value_wrong", """
        def kernel(n):
            state = StopIteration(0)
            for i in range(n):
                assert state.value < 3
                state.value += 1
        """),
    Trap("function_defaults_wrong", """
        def helper(count=0):
            return count
        def kernel(n):
            helper.__defaults__ = (0,)
            for i in range(n):
                assert helper() < 3
                helper.__defaults__ = (helper() + 1,)
        """),
    Trap("function_kwdefaults_wrong", """
        def helper(*, count=0):
            return count
        def kernel(n):
            helper.__kwdefaults__ = {"count": 0}
            for i in range(n):
                assert helper() < 3
                helper.__kwdefaults__ = {"count": helper() + 1}
        """),
    Trap("function_kwdefaults_in_place_wrong", """
        def helper(*, count=0):
            return count
        def kernel(n):
            helper.__kwdefaults__["count"] = 0
            for i in range(n):
                assert helper() < 3
                helper.__kwdefaults__["count"] += 1
        """),
    Trap("function_code_wrong", """
        def one():
            return 1
        def two():
            return 2
        def kernel(n):
            def helper():
                return 1
            for i in range(n):
                assert helper() == 1
                helper.__code__ = two.__code__
        """),
    Trap("function_name_wrong", """
        def kernel(n):
            def helper():
                return 1
            for i in range(n):
                assert helper.__name__ == "helper"
                helper.__name__ = "other"
        """),
    Trap("function_doc_wrong", """
        def kernel(n):
            def helper():
                return 1
            for i in range(n):
                assert helper.__doc__ is None
                helper.__doc__ = "other"
        """),
    Trap("function_annotations_wrong", """
        def kernel(n):
            def helper(x):
                return 1
            for i in range(n):
                assert "x" not in helper.__annotations__
                helper.__annotations__["x"] = int
        """),
    Trap("object_class_wrong", """
        class A:
            value = 1
        class B:
            value = 2
        def kernel(n):
            state = A()
            for i in range(n):
                assert state.value == 1
                state.__class__ = B
        """),
    Trap("class_bases_wrong", """
        class A:
            value = 1
        class B:
            value = 2
        class C(A):
            pass
        def kernel(n):
            C.__bases__ = (A,)
            for i in range(n):
                assert C.value == 1
                C.__bases__ = (B,)
        """),
    Trap("class_name_wrong", """
        class A:
            value = 1
        def kernel(n):
            A.__name__ = "A"
            for i in range(n):
                assert A.__name__ == "A"
                A.__name__ = "B"
        """),
    Trap("class_doc_wrong", """
        class A:
            value = 1
        def kernel(n):
            A.__doc__ = "A"
            for i in range(n):
                assert A.__doc__ == "A"
                A.__doc__ = "B"
        """),
    Trap("is_of_ints_wrong", """
        def kernel(n):
            a = n + 1000
            b = 1000 + n
            assert a is b
        """),
    Trap("is_of_ints_not_wrong", """
        def kernel(n):
            a = n + 1000
            b = 1000 + n
            assert a is not b
        """),
    Trap("is_of_ints_container_wrong", """
        def kernel(n):
            a = n + 1000
            b = 1000 + n
            assert [a] == [b]
            import operator
            assert operator.is_(a, b)
        """),
    Trap("attribute_of_ours_that_raises_wrong", """
        def kernel(n):
            try:
                n.constant
            except AttributeError:
                raise ValueError()
        """),
    Trap("attribute_of_ours_handled_wrong", """
        def kernel(n):
            found = 0
            try:
                n.constant
                found = 1
            except AttributeError:
                pass
            assert found == 0
        """),
    Trap("second_attribute_of_ours_handled_wrong", """
        def kernel(n):
            found = 0
            try:
                n.atoms
                found = 1
            except AttributeError:
                pass
            assert found == 0
        """),
    Trap("attribute_of_ours_of_a_list_wrong", """
        def kernel(n):
            x = [1, 2]
            found = 0
            try:
                x.parts
                found = 1
            except AttributeError:
                pass
            assert found == 0
        """),
    Trap("format_of_fstring_wrong", """
        def kernel(n):
            assert '{}'.format(f'{n}') != "3"
        """),
    Trap("format_of_fstring2_wrong", """
        def kernel(n):
            assert '{x}'.format(x=f'{n}') != "3"
        """),
    Trap("format_of_fstring_nested_wrong", """
        def kernel(n):
            text = f'{n}'
            assert '{}'.format([text]) != "['3']"
        """),
    Trap("format_spec_wrong", """
        def kernel(n):
            assert '{:>4}'.format(f'{n}') != "   3"
        """),
    Trap("format_bound_wrong", """
        def kernel(n):
            fmt = '{}'.format
            assert fmt(f'{n}') != "3"
        """),
    Trap("format_map_n_wrong", """
        def kernel(n):
            assert '{x}'.format_map({'x': f'{n}'}) != "3"
        """),
    Trap("string_template_f_wrong", """
        import string
        def kernel(n):
            assert string.Template('$x').substitute(x=f'{n}') != "3"
        """),
    Trap("string_formatter_wrong", """
        import string
        def kernel(n):
            assert string.Formatter().format('{}', f'{n}') != "3"
        """),
    Trap("pprint_f_wrong", """
        import pprint
        def kernel(n):
            assert pprint.pformat(f'{n}') != "'3'"
        """),
    Trap("decimal_context_wrong", """
        import decimal
        def kernel(n):
            decimal.getcontext().prec = 28
            for i in range(n):
                assert decimal.getcontext().prec > 25
                decimal.getcontext().prec -= 1
        """),
    Trap("finalizer_one_late_wrong", """
        class Log:
            count = 0
        class A:
            def __del__(self):
                Log.count += 1
        def kernel(n):
            Log.count = 0
            a = A()
            for i in range(n):
                a = A()
                assert Log.count < 3
        """),
    Trap("recursion_limit_wrong", """
        import sys
        def kernel(n):
            sys.setrecursionlimit(5000)
            for i in range(n):
                assert sys.getrecursionlimit() < 5003
                sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        """),
    Trap("sys_attribute_wrong", """
        import sys
        def kernel(n):
            sys.trap = 0
            for i in range(n):
                assert sys.trap < 3
                sys.trap += 1
        """),
    Trap("math_attribute_wrong", """
        import math
        def kernel(n):
            math.trap = 0
            for i in range(n):
                assert math.trap < 3
                math.trap += 1
        """),
    Trap("builtins_attribute_wrong", """
        import builtins
        def kernel(n):
            builtins.trap = 0
            for i in range(n):
                assert builtins.trap < 3
                builtins.trap += 1
        """),
    Trap("nl_attribute_wrong", """
        def kernel(n):
            nl.trap = 0
            for i in range(n):
                assert nl.trap < 3
                nl.trap += 1
        """),
    Trap("nl_function_attribute_wrong", """
        def kernel(n):
            nl.add.trap = 0
            for i in range(n):
                assert nl.add.trap < 3
                nl.add.trap += 1
        """),
    Trap("nl_function_attribute_after_use_on_the_host_wrong", """
        import numpy as np
        table = nl.add(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
        def kernel(n):
            nl.add.trap = 0
            for i in range(n):
                assert nl.add.trap < 3
                nl.add.trap += 1
        """),
    Trap("sys_modules_state_wrong", """
        import sys, types
        def kernel(n):
            sys.modules["trap_mod"] = types.SimpleNamespace(count=0)
            for i in range(n):
                assert sys.modules["trap_mod"].count < 3
                sys.modules["trap_mod"].count += 1
        """),
    Trap("sys_modules_replaced_wrong", """
        import json, sys, types
        def kernel(n):
            for i in range(n):
                count = getattr(sys.modules["json"], "trap_count", 0)
                assert count < 3
                sys.modules["json"] = types.ModuleType("json")
                sys.modules["json"].trap_count = count + 1
        """),
    Trap("module_object_wrong", """
        import types
        def kernel(n):
            m = types.ModuleType("m")
            m.count = 0
            for i in range(n):
                assert m.count < 3
                m.count += 1
        """),
    Trap("property_closure_wrong", """
        def make():
            seen = []
            def count(self):
                seen.append(1)
                return len(seen)
            return type("A", (), {"count": property(count)})
        def kernel(n):
            a = make()()
            for i in range(n):
                assert a.count < 3
        """),
    Trap("partial_dict_wrong", """
        import functools
        def kernel(n):
            p = functools.partial(max, 1)
            p.count = 0
            for i in range(n):
                assert p.count < 3
                p.count += 1
        """),
    Trap("partial_setstate_wrong", """
        import functools
        def kernel(n):
            p = functools.partial(max, 0)
            for i in range(n):
                assert p(0) < 3
                p.__setstate__((max, (p(0) + 1,), {}, {}))
        """),
    Trap("property_dict_wrong", """
        class P(property):
            pass
        def kernel(n):
            p = P(lambda self: 1)
            p.count = 0
            for i in range(n):
                assert p.count < 3
                p.count += 1
        """),
    Trap("numpy_nditer_wrong", """
        import numpy as np
        def kernel(n):
            a = np.nditer(np.arange(10))
            for i in range(n):
                assert int(next(a)) < 3
        """),
    Trap("numpy_flatiter_wrong", """
        import numpy as np
        def kernel(n):
            a = np.arange(10).flat
            for i in range(n):
                assert int(next(a)) < 3
        """),
    Trap("numpy_random_state_wrong", """
        import numpy as np
        def kernel(n):
            np.random.seed(0)
            first = np.random.randint(1000)
            np.random.seed(0)
            for i in range(n):
                assert np.random.randint(1000) == first
        """),
    Trap("numpy_generator_wrong", """
        import numpy as np
        def kernel(n):
            rng = np.random.default_rng(0)
            first = np.random.default_rng(0).integers(1000)
            for i in range(n):
                assert rng.integers(1000) == first
        """),
    Trap("numpy_errstate_wrong", """
        import numpy as np
        def kernel(n):
            np.set_printoptions(precision=4)
            for i in range(n):
                assert np.get_printoptions()["precision"] < 7
                np.set_printoptions(precision=np.get_printoptions()["precision"] + 1)
        """),
    Trap("logging_state_wrong", """
        import logging
        def kernel(n):
            log = logging.getLogger("trap")
            log.setLevel(10)
            for i in range(n):
                assert log.level < 13
                log.setLevel(log.level + 1)
        """),
    Trap("logger_attribute_wrong", """
        import logging
        def kernel(n):
            log = logging.getLogger("trap")
            log.count = 0
            for i in range(n):
                assert log.count < 3
                log.count += 1
        """),
    Trap("abc_register_wrong", """
        import abc
        class A(abc.ABC):
            pass
        class B:
            pass
        def kernel(n):
            class A(abc.ABC):
                pass
            b = B()
            for i in range(n):
                assert not issubclass(B, A)
                A.register(B)
        """),
    Trap("str_subclass_attribute_wrong", """
        class S(str):
            pass
        def kernel(n):
            s = S("x")
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("int_subclass_attribute_wrong", """
        class S(int):
            pass
        def kernel(n):
            s = S(1)
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("tuple_subclass_attribute_wrong", """
        class S(tuple):
            pass
        def kernel(n):
            s = S((1,))
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("frozenset_subclass_attribute_wrong", """
        class S(frozenset):
            pass
        def kernel(n):
            s = S((1,))
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("float_subclass_attribute_wrong", """
        class S(float):
            pass
        def kernel(n):
            s = S(1)
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("fraction_attribute_wrong", """
        from fractions import Fraction
        class F(Fraction):
            pass
        def kernel(n):
            s = F(1)
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("fraction_slot_wrong", """
        from fractions import Fraction
        def kernel(n):
            s = Fraction(1)
            for i in range(n):
                assert s < 3
                s._numerator += 1
        """),
    Trap("namedtuple_subclass_attribute_wrong", """
        from collections import namedtuple
        class P(namedtuple("P", "x")):
            pass
        def kernel(n):
            s = P(1)
            s.count = 0
            for i in range(n):
                assert s.count < 3
                s.count += 1
        """),
    Trap("bound_method_of_deque_wrong", """
        from collections import deque
        def kernel(n):
            q = deque(range(10))
            step = q.popleft
            del q
            for i in range(n):
                assert step() < 3
        """),
    Trap("traceback_frame_wrong", """
        import sys
        def kernel(n):
            def inner():
                count = 0
                try:
                    raise ValueError
                except ValueError as e:
                    return e
            e = inner()
            for i in range(n):
                assert len(e.args) < 3
                e.args += (1,)
        """),
    Trap("garbage_collector_switched_off_wrong", """
        import gc
        def kernel(n):
            gc.enable()
            for i in range(n):
                assert gc.isenabled()
                gc.disable()
        """),
    Trap("warnings_filters_wrong", """
        import warnings
        def kernel(n):
            warnings.resetwarnings()
            for i in range(n):
                assert len(warnings.filters) < 3
                warnings.simplefilter("ignore", append=True)
                warnings.filters.append(1)
        """),
    Trap("import_path_grows_wrong", """
        import sys
        def kernel(n):
            start = len(sys.path)
            for i in range(n):
                assert len(sys.path) < start + 3
                sys.path.append("x")
            del sys.path[start:]
        """),
    Trap("library_module_global_wrong", """
        import string
        def kernel(n):
            string.whitespace = ""
            for i in range(n):
                assert len(string.whitespace) < 3
                string.whitespace += " "
        """),
    Trap("class_of_a_library_counts_wrong", """
        import string
        def kernel(n):
            string.Template.count = 0
            for i in range(n):
                assert string.Template.count < 3
                string.Template.count += 1
        """),
    Trap("str_subclass_made_in_loop_wrong", """
        class S(str):
            pass
        def kernel(n):
            made = []
            for i in range(n):
                s = S("x")
                s.number = i
                made.append(s)
            for k in range(n):
                assert made[k].number < 3
        """),
    Trap("str_subclass_of_branches_wrong", """
        class S(str):
            pass
        def kernel(n):
            made = []
            for i in range(n):
                s = S("x")
                if i == 3:
                    s.number = 1
                else:
                    s.number = 0
                made.append(s)
            for k in range(n):
                assert made[k].number == 0
        """),
    Trap("namedtuple_with_attribute_made_wrong", """
        from collections import namedtuple
        class P(namedtuple("P", "x")):
            pass
        def kernel(n):
            made = []
            for i in range(n):
                s = P(1)
                s.number = i
                made.append(s)
            for k in range(n):
                assert made[k].number < 3
        """),
    Trap("own_exceptions_made_branches_wrong", """
        class E(Exception):
            pass
        def kernel(n):
            made = []
            for i in range(n):
                if i == 3:
                    e = E(1)
                else:
                    e = E(0)
                made.append(e)
            for k in range(n):
                assert made[k].args[0] == 0
        """),
    Trap("exceptions_made_wrong", """
        def kernel(n):
            made = []
            for i in range(n):
                made.append(ValueError(i))
            for k in range(n):
                assert made[k].args[0] < 3
        """),
    Trap("object_class_by_object_setattr_wrong", """
        class A:
            value = 1
        class B:
            value = 2
        def kernel(n):
            state = A()
            for i in range(n):
                assert state.value == 1
                object.__setattr__(state, "__class__", B)
        """),
    Trap("weakref_dead_no_loop_wrong", """
        import weakref
        class A:
            pass
        def kernel(n):
            a = A()
            ref = weakref.ref(a)
            for i in range(n):
                a = A()
            assert ref() is not None
        """),
    Trap("weakref_in_loop_wrong", """
        import weakref
        class A:
            pass
        def kernel(n):
            a = A()
            ref = weakref.ref(a)
            for i in range(n):
                assert ref() is not None
                a = None
        """),
    Trap("weakref_alive_only_in_cycle_wrong", """
        import weakref
        class A:
            pass
        def kernel(n):
            box = [A()]
            ref = weakref.ref(box[0])
            for i in range(n):
                box.append(1)
            box.clear()
            assert ref() is not None
        """),
    Trap("from_operator_import_is_wrong", """
        from operator import is_ as the_same
        def kernel(n):
            a = n + 1000
            b = 1000 + n
            assert the_same(a, b)
        """),
    Trap("from_operator_import_star_wrong", """
        from operator import *
        def kernel(n):
            a = n + 1000
            b = 1000 + n
            assert is_(a, b)
        """),
    Trap("vars_of_module_wrong", """
        import math
        def kernel(n):
            math.__dict__["trap"] = 0
            for i in range(n):
                assert math.trap < 3
                math.__dict__["trap"] = math.trap + 1
        """),
    Trap("arguments_of_the_process_grow_wrong", """
        import sys
        def kernel(n):
            start = len(sys.argv)
            for i in range(n):
                assert len(sys.argv) < start + 3
                sys.argv.append("x")
            del sys.argv[start:]
        """),
    Trap("library_list_direct_wrong", """
        import keyword
        def kernel(n):
            start = len(keyword.softkwlist)
            for i in range(n):
                assert len(keyword.softkwlist) < start + 3
                keyword.softkwlist.append("x")
        """),
    Trap("library_list_alias_wrong", """
        import string
        import keyword
        def kernel(n):
            words = keyword.softkwlist
            start = len(words)
            for i in range(n):
                assert len(words) < start + 3
                words.append("x")
            del words[start:]
        """),
    Trap("finalizer_after_snapshot_wrong", """
        class Log:
            count = 0
        class A:
            def __del__(self):
                Log.count += 1
        def kernel(n):
            Log.count = 0
            a = A()
            for i in range(n):
                b = i
            a = None
            assert Log.count == 0
        """),
    Trap("finalizer_of_a_class_in_a_function_wrong", """
        class Log:
            count = 0
        def kernel(n):
            Log.count = 0
            class A:
                def __del__(self):
                    Log.count += 1
            a = A()
            for i in range(n):
                b = i
            a = None
            assert Log.count == 0
        """),
    Trap("dict_of_ids_wrong", """
        def kernel(n):
            seen = {id(n): 1}
            assert id(n + 0) in seen
        """),
    Trap("contextvar_wrong", """
        import contextvars
        VAR = contextvars.ContextVar("v", default=0)
        def kernel(n):
            VAR.set(0)
            for i in range(n):
                assert VAR.get() < 3
                VAR.set(VAR.get() + 1)
        """),
    Trap("generator_throw_wrong", """
        def steps():
            count = 0
            while True:
                try:
                    yield count
                except ValueError:
                    count += 1
        def kernel(n):
            it = steps()
            next(it)
            for i in range(n):
                assert it.throw(ValueError()) < 4
        """),
    Trap("cache_on_method_wrong", """
        import functools
        class A:
            def __init__(self):
                self.count = 0
            @functools.cache
            def step(self, key):
                self.count += 1
                return self.count
        def kernel(n):
            a = A()
            for i in range(n):
                a.step(3)
            assert a.count < 2
            for i in range(n):
                assert a.step(i) < 3
        """),
    Trap("class_bases_by_type_setattr_wrong", """
        class A:
            value = 1
        class B:
            value = 2
        class C(A):
            pass
        def kernel(n):
            for i in range(n):
                assert C.value == 1
                type.__setattr__(C, "__bases__", (B,))
        """),
    Trap("format_method_in_message_right", """
        def kernel(n):
            for i in range(n):
                assert i < n, "index {} of {}".format(i, n)
        """, decided=True),
    Trap("format_method_shown_right", """
        def kernel(n):
            name = "tile_{}".format(n)
            t = name + "x"
            assert n >= 0
        """, decided=True),
    Trap("environ_read_right", """
        import os
        def kernel(n):
            x = int(os.environ.get("NKI_TRAP_NONE", "1"))
            for i in range(n):
                assert i * x < n
        """, decided=True),
    Trap("logger_used_right", """
        import logging
        LOG = logging.getLogger(__name__)
        LOG.setLevel(logging.WARNING)
        def kernel(n):
            for i in range(n):
                LOG.info("at %s", i)
                assert i < n
        """, decided=True),
    Trap("attribute_named_like_ours_right", """
        class Tile:
            def __init__(self, n):
                self.length = n
                self.parts = [n]
                self.constant = 3
        def kernel(n):
            t = Tile(n)
            for i in range(n):
                assert i < t.length
                assert t.parts[0] == n
                assert t.constant == 3
        """, decided=True),
    Trap("labels_of_a_function_right", """
        def make(n):
            def inner():
                return n
            inner.__name__ = "x"
            inner.limit = 3
            return inner
        def kernel(n):
            f = make(n)
            assert f() == n
            assert f.limit == 3
        """, decided=True),
    Trap("loop_target_is_an_attribute_wrong", """
        class Box:
            pass
        def kernel(n):
            box = Box()
            box.x = 0
            for box.x in range(n):
                pass
            assert box.x < 3
        """),
    Trap("loop_target_is_nonlocal_wrong", """
        def kernel(n):
            i = 0
            def run():
                nonlocal i
                for i in range(n):
                    pass
            run()
            assert i < 3
        """),
    Trap("type_of_self_counts_wrong", """
        class A:
            count = 0
            def step(self):
                type(self).count += 1
                return self.count
        def kernel(n):
            A.count = 0
            a = A()
            for i in range(n):
                assert a.step() < 4
        """),
    Trap("own_dict_counts_wrong", """
        class A:
            pass
        def kernel(n):
            a = A()
            a.count = 0
            d = a.__dict__
            for i in range(n):
                assert a.count < 3
                d["count"] += 1
        """),
    Trap("singledispatch_registers_wrong", """
        import functools
        @functools.singledispatch
        def f(x):
            return 0
        def kernel(n):
            for i in range(n):
                assert f("x") == 0
                f.register(str, lambda x: 1)
        """),
    Trap("iter_with_sentinel_kept_wrong", """
        def kernel(n):
            box = [0]
            def step():
                box[0] += 1
                return box[0]
            it = iter(step, 100)
            for i in range(n):
                assert next(it) < 4
        """),
    Trap("instancecheck_counts_wrong", """
        class Meta(type):
            count = 0
            def __instancecheck__(cls, value):
                Meta.count += 1
                return Meta.count < 4
        class A(metaclass=Meta):
            pass
        def kernel(n):
            Meta.count = 0
            for i in range(n):
                assert isinstance(3, A)
        """),
    Trap("index_of_object_counts_wrong", """
        class A:
            count = 0
            def __index__(self):
                A.count += 1
                return A.count
        def kernel(n):
            A.count = 0
            a = A()
            data = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
            for i in range(n):
                assert data[a] < 4
        """),
    Trap("numpy_structured_wrong", """
        import numpy as np
        def kernel(n):
            a = np.zeros(2, dtype=[("x", np.int32)])
            for i in range(n):
                a["x"] += 1
                assert a["x"][0] < 4
        """),
    Trap("numpy_shape_changed_wrong", """
        import numpy as np
        def kernel(n):
            a = np.zeros((2, 3))
            for i in range(n):
                assert a.shape == (2, 3)
                a.shape = (3, 2)
        """),
    Trap("numpy_masked_wrong", """
        import numpy as np
        def kernel(n):
            a = np.ma.array([1, 2, 3], mask=[0, 0, 0])
            for i in range(n):
                assert a.count() == 3
                a.mask[0] = True
        """),
    Trap("hashlib_state_wrong", """
        import hashlib
        def kernel(n):
            h = hashlib.md5()
            first = h.hexdigest()
            for i in range(n):
                assert h.hexdigest() == first
                h.update(b"x")
        """),
    Trap("module_getattr_state_wrong", """
        import types
        def kernel(n):
            m = types.ModuleType("m")
            seen = []
            m.__getattr__ = lambda name: seen.append(name) or len(seen)
            for i in range(n):
                assert m.x < 4
        """),
    Trap("decorated_class_instances_counted_wrong", """
        def counted(cls):
            made = []
            old = cls.__init__
            def __init__(self):
                made.append(1)
                self.number = len(made)
                old(self)
            cls.__init__ = __init__
            return cls
        @counted
        class A:
            def __init__(self):
                pass
        def kernel(n):
            start = A().number
            for i in range(n):
                assert A().number < start + 4
        """),
    Trap("builtins_type_wrong", """
        import builtins
        def kernel(n):
            assert builtins.type(n) is not int
        """),
    Trap("staticmethod_state_wrong", """
        def make():
            seen = []
            def count():
                seen.append(1)
                return len(seen)
            class A:
                step = staticmethod(count)
            return A
        def kernel(n):
            a = make()
            for i in range(n):
                assert a.step() < 3
        """),
    Trap("classmethod_attribute_dict_wrong", """
        class A:
            @classmethod
            def step(cls):
                return 1
        def kernel(n):
            A.__dict__["step"].__func__.count = 0
            for i in range(n):
                f = A.__dict__["step"].__func__
                assert f.count < 3
                f.count += 1
        """),
    Trap("super_object_state_wrong", """
        class A:
            def step(self):
                self.count += 1
                return self.count
        class B(A):
            def parent(self):
                return super()
        def kernel(n):
            b = B()
            b.count = 0
            s = b.parent()
            del b
            for i in range(n):
                assert s.step() < 3
        """),
    Trap("method_wrapper_state_wrong", """
        class A:
            count = 0
        def kernel(n):
            a = A()
            a.count = 0
            get = a.__getattribute__
            put = a.__setattr__
            del a
            for i in range(n):
                assert get("count") < 3
                put("count", get("count") + 1)
        """),
    Trap("attribute_of_ours_by_attrgetter_handled", """
        import operator
        def kernel(n):
            found = 0
            try:
                operator.attrgetter("constant")(n)
                found = 1
            except AttributeError:
                pass
            assert found == 0
        """),
]  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS, ids=str)
def test_verdict_is_not_wrong(trap: Trap, tmp_path: Path) -> None:
    assert complaints(trap, tmp_path) == []
