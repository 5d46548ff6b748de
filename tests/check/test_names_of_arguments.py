"""Names in --arg: those of the kernel's module, then classes and functions that one of its modules alone defines."""

from __future__ import annotations

from tests.check.kernel_files import Checker, write

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl
    from parts.views import loaded


    @nki.jit
    def kernel(x):
        tile = loaded(x)
        out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out, tile)
        return out
"""
VIEWS = """
    import nki.isa as nisa
    import nki.language as nl


    class Wrapped:
        def __init__(self, inner):
            self.inner = inner


    def loaded(x):
        tile = nl.ndarray(x.inner.shape, dtype=x.inner.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x.inner)
        return tile
"""


def test_a_class_of_a_module_that_the_kernel_imports_makes_an_argument(check: Checker) -> None:
    write(check.folder, k=KERNEL, parts__views=VIEWS)
    assert check("k.py::kernel", "--arg", "x=Wrapped(bf16[128,512])") == 0
    assert check("k.py::kernel", "--arg", "x=Wrapped(bf16[129,512])", "--phase", "1") == 1


def test_a_name_that_two_modules_define_is_none(check: Checker) -> None:
    other = "class Wrapped:\n    pass\n"
    write(check.folder, k=KERNEL + "    import parts.others\n", parts__views=VIEWS, parts__others=other)
    assert check("k.py::kernel", "--arg", "x=Wrapped(bf16[128,512])") == 2
    assert "the kernel's module has no Wrapped" in check.err


COLLECTIVE = """
    import nki
    import nki.collectives as ncc
    import nki.language as nl


    @nki.jit
    def kernel(x, group):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        ncc.all_reduce(srcs=[x], dsts=[out], replica_group=group, op=nl.add)
        return out
"""


def test_a_range_of_numbers_makes_a_list_in_an_argument_and_a_file_with_one_kernel_is_that(check: Checker) -> None:
    write(check.folder, k=COLLECTIVE)
    given = ("k.py", "--phase", "1", "--arg", "x=bf16[128,512]", "--arg")
    assert check(*given, "group=ncc.ReplicaGroup([list(range(4)), range(4, 8)])") == 0
    assert check(*given, "group=ncc.ReplicaGroup([list(range(4)), range(3, 8)])") == 1
    assert "cc.groups_disjoint" in check.out
    assert check(*given, "group=ncc.ReplicaGroup([range(n)])") == 2
    assert "a number belongs here, and no dimension" in check.err


def test_a_class_of_nki_needs_no_module_before_it(check: Checker) -> None:
    write(check.folder, k=COLLECTIVE)
    given = ("k.py", "--phase", "1", "--arg", "x=bf16[128,512]", "--arg")
    assert check(*given, "group=ReplicaGroup([list(range(8))])") == 0
    assert check(*given, "group=ReplicaGroup([[0, 1], [1, 2]])") == 1
    assert "cc.groups_disjoint" in check.out


LAUNCHED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def halves(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        i = nl.program_id(0)
        part = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=part, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=part)
        return out


    def launch(x):
        return halves(x)


    def launch_on_two(x):
        return halves[2](x)
"""


def test_a_grid_is_that_of_launches_that_name_none(check: Checker) -> None:
    write(check.folder, k=LAUNCHED)
    given = ("--arg", "x=bf16[256,512]")
    assert check("k.py::launch", *given) == 1
    assert "df.output_written" in check.out
    assert check("k.py::launch", *given, "--grid", "2") == 0
    assert check("k.py::launch[2]", *given) == 0
    assert check("k.py::launch_on_two", *given) == 0
    assert check("k.py::launch_on_two", *given, "--grid", "2") == 2
    assert "a grid of its own" in check.out
