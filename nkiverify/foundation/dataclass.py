"""`dataclass`: makes classes of records as Python's does, in a tenth of the time.

`dataclasses` writes each method of a record as text and has it compiled when its module is loaded: a thousand methods,
a quarter of the time of a small check. Here that is done with `__init__` alone, when the first record of a class is
made, and once for all that have as many fields; the other methods are the same for all, and ask for the values of the
fields. Whatever else takes dataclasses, `dataclasses.replace` for example, takes these. Of the options there are those
that are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A type checker knows what this makes.
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    import operator
    import sys
    import types
    from operator import attrgetter
    from reprlib import recursive_repr

    _FIELDS = "__dataclass_fields__"

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False, kw_only=False):
        """Make a class one of records; the options are those of `dataclasses.dataclass`."""

        def made(cls):
            found = _fields_of(cls, kw_only)
            every = tuple(found.values())
            compared = _values([one.name for one in every if one.compare])
            added = {
                "__repr__": _repr,
                "__match_args__": tuple(one.name for one in every if one.init and not one.kw_only),
            }
            if eq:
                hashed = [one.name for one in every if (one.compare if one.hash is None else one.hash)]
                added |= {"__eq__": _comparison("__eq__", compared), "__hash__": _hash(hashed) if frozen else None}
            if order:
                added |= {name: _comparison(name, compared) for name in ("__lt__", "__le__", "__gt__", "__ge__")}
            # Python gives a class with `__eq__` this `__hash__`.
            own = {name: value for name, value in cls.__dict__.items() if (name, value) != ("__hash__", None)}
            added = {name: value for name, value in added.items() if name not in own}
            record = _with_slots(cls, own, found, frozen) if slots else _with_defaults(cls, own, found)
            if "__init__" not in own:
                record.__init__ = _first_init(record, every, frozen)
            for name, value in added.items():
                setattr(record, name, value)
            setattr(record, _FIELDS, found)
            if frozen:
                _freeze(record, frozenset(found))
            return record

        return made if cls is None else made(cls)

    def _fields_of(cls, kw_only):
        """The fields by their names, those of the bases first."""
        found = {}
        for base in cls.__mro__[-1:0:-1]:
            found.update(base.__dict__.get(_FIELDS, ()))
        for name, kind in cls.__annotations__.items():
            if "ClassVar" in str(kind):
                continue
            one = cls.__dict__.get(name, dataclasses.MISSING)
            if not isinstance(one, dataclasses.Field):
                if type(one).__hash__ is None:
                    raise ValueError(f"all records would share the {name} of {cls.__name__}: use default_factory")
                one = dataclasses.field(default=one)
            one.name, one.type, one.kw_only, one._field_type = name, kind, kw_only, dataclasses._FIELD
            found[name] = one
        return found

    #: Records of a class that are made before its `__init__` is written out: compiling it takes as long.
    _MADE_FIRST = 40

    def _first_init(cls, found, frozen):
        """The `__init__` of the first records of a class, which writes out that of the others: of most classes there
        are none, or few. Wrong arguments are left to the one that is written out, which says what Python says."""
        name = f"{cls.__qualname__}.__init__"
        positional = [one.name for one in found if one.init and not one.kw_only]
        parameters = frozenset(one.name for one in found if one.init)
        made = 0

        def first(self, /, *values, **named):
            nonlocal made
            made += 1
            given = dict(zip(positional, values))  # noqa: B905 (too many are refused below)
            fits = len(given) == len(values) and given.keys().isdisjoint(named) and parameters.issuperset(named)
            given |= named
            given |= _missing_fields(found, given)
            if made > _MADE_FIRST or not fits or not parameters.issubset(given):
                cls.__init__ = _init(cls, name, found, frozen)
                cls.__init__(self, *values, **named)
                return
            assign = object.__setattr__ if frozen else setattr
            for field_name, value in given.items():
                assign(self, field_name, value)
            if hasattr(cls, "__post_init__"):
                self.__post_init__()

        return first

    def _missing_fields(found, given):
        """The fields that are not given and have a default, with it."""
        missing = dataclasses.MISSING
        return {
            one.name: one.default if one.default_factory is missing else one.default_factory()
            for one in found
            if one.name not in given and not (one.default is missing and one.default_factory is missing)
        }

    def _init(cls, name, found, frozen):
        """`__init__`, written out: it is called more often than all else. Classes with as many fields that are set in
        the same ways share what is compiled."""
        missing = dataclasses.MISSING
        inside, ways = {"_set": object.__setattr__, "_missing": missing}, []
        positional, named, defaults, named_defaults = [], [], [], {}
        for number, one in enumerate(found):
            made = one.default_factory is not missing
            if not one.init and not made and one.default is missing:
                continue
            slot = getattr(cls, one.name, None)
            # A slot of a frozen record in half the time of `object.__setattr__`, which looks for it.
            by_slot = frozen and isinstance(slot, types.MemberDescriptorType)
            ways.append((number, one.init, one.kw_only, made, by_slot))
            inside[f"_set{number}"] = slot.__set__ if by_slot else None
            inside[f"_name{number}"] = one.name
            inside[f"_value{number}"] = one.default_factory if made else one.default
            if one.init:
                (named if one.kw_only else positional).append(one.name)
                default = missing if made else one.default
                if one.kw_only and (made or one.default is not missing):
                    named_defaults[one.name] = default
                elif made or one.default is not missing:
                    defaults.append(default)
                elif defaults and not one.kw_only:
                    raise TypeError(f"{one.name} of {cls.__name__} has no default, and the field before it has one")
        key = (tuple(ways), frozen, hasattr(cls, "__post_init__"))
        if key not in _codes:
            _codes[key] = _compiled_init(*key)
        code = _codes[key]
        attributes = {f"_attribute{number}": found[number].name for number, *_ in ways}
        code = code.replace(
            co_varnames=("self", *positional, *named), co_names=tuple(attributes.get(n, n) for n in code.co_names)
        )
        cells = tuple(types.CellType(inside[name]) for name in code.co_freevars)
        space = sys.modules[cls.__module__].__dict__
        init = types.FunctionType(code, space, "__init__", tuple(defaults) or None, cells)
        init.__kwdefaults__ = named_defaults or None
        init.__qualname__ = name
        return init

    #: The codes of `__init__` that have been compiled.
    _codes = {}

    def _compiled_init(ways, frozen, more):
        """The code of an `__init__` whose fields are set in these ways, by their numbers."""
        positional, named, lines, inside = [], [], [], ["_set", "_missing"]
        for number, init, kw_only, made, by_slot in ways:
            value = f"_parameter{number}" if init else f"_value{number}{'()' * made}"
            if init:
                (named if kw_only else positional).append(value)
                value = f"_value{number}() if {value} is _missing else {value}" if made else value
            if made or not init:
                inside.append(f"_value{number}")
            if by_slot:
                inside.append(f"_set{number}")
                lines.append(f"_set{number}(self, {value})")
            elif frozen:
                inside.append(f"_name{number}")
                lines.append(f"_set(self, _name{number}, {value})")
            else:
                lines.append(f"self._attribute{number} = {value}")
        if more:
            lines.append("self.__post_init__()")
        parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
        body = "\n  ".join(lines or ["pass"])
        names = {}
        exec(f"def _made({', '.join(inside)}):\n def __init__({parameters}):\n  {body}\n return __init__", names)
        return next(part for part in names["_made"].__code__.co_consts if isinstance(part, types.CodeType))

    def _values(names):
        """A function from a record to the tuple of these fields of it."""
        if len(names) > 1:
            return attrgetter(*names)
        if not names:
            return lambda record: ()
        value = attrgetter(*names)
        return lambda record: (value(record),)

    @recursive_repr()
    def _repr(self):
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in getattr(self, _FIELDS).values() if one.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _comparison(name, values):
        compare = getattr(operator, name)

        def compared(self, other):
            if other.__class__ is self.__class__:
                return compare(values(self), values(other))
            return NotImplemented

        return compared

    def _hash(names):
        values = _values(names)
        return lambda self: hash(values(self))

    def _with_defaults(cls, own, found):
        """The class, with the defaults of its fields where it says more of them."""
        for name, one in found.items():
            if isinstance(own.get(name), dataclasses.Field):
                if one.default is dataclasses.MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, one.default)
        return cls

    def _with_slots(cls, own, found, frozen):
        """The class with slots for its fields: another one, as they cannot be added."""
        inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
        left_out = {*found, "__dict__", "__weakref__"}
        space = {name: value for name, value in own.items() if name not in left_out}
        space["__slots__"] = tuple(name for name in found if name not in inherited)
        if frozen:
            space = {"__getstate__": _state, "__setstate__": _set_state} | space
        record = type(cls)(cls.__name__, cls.__bases__, space)
        record.__qualname__ = cls.__qualname__
        return record

    def _state(self):
        return [getattr(self, name) for name in getattr(self, _FIELDS)]

    def _set_state(self, state):
        for name, value in zip(getattr(self, _FIELDS), state, strict=False):
            object.__setattr__(self, name, value)

    def _freeze(record, names):
        """Have its fields neither assigned nor deleted; what else a subclass has is its own."""

        def assign(self, name, value):
            if type(self) is record or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
            super(record, self).__setattr__(name, value)

        def delete(self, name):
            if type(self) is record or name in names:
                raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
            super(record, self).__delattr__(name)

        record.__setattr__, record.__delattr__ = assign, delete
