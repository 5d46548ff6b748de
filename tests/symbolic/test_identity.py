"""The identity of an object is its own, whatever its class says of equality, and no audit hook is told of it."""

from __future__ import annotations

import subprocess
import sys

from nkiverify.foundation.source import identity


class _Alike(type):
    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        raise AssertionError("a class of the kernel's is asked")


def test_objects_that_say_that_they_are_equal_have_identities_of_their_own() -> None:
    one, other = _Alike("One", (), {}), _Alike("Other", (), {})
    assert identity(one) == identity(one)
    assert identity(one) != identity(other)
    assert identity([]) != identity([1])


def test_no_audit_hook_is_told() -> None:
    program = (
        "import sys; from nkiverify.foundation.source import identity; told = []; "
        "sys.addaudithook(lambda event, arguments: told.append(event)); "
        "identity(told); print(told == []); id(told); print(told)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["True", "['builtins.id']"]
