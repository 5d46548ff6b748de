"""Costs beside the counters of a device: `make profiles CHECKOUT=DIR`, a checkout of `zhang677/AccelOpt`.

The counters are those of `device-profiles.csv`, which is given by `--profiles`: what was published of runs of seven
kernels. Nothing of the kernels is kept here but the shapes that their asserts and comments name. A bar that is not
reached is printed as such; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nkiverify.model.hardware import hardware_named
from nkiverify.products.cost.report import CostQuestion, CostReport, report
from nkiverify.project.request import request

#: The shapes of the arguments, as the names of the files and the loops of the kernels have them.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "swiglu_M4096_N3072_K1024_0": (
        "v1=f32[8,4,128,8,128]",
        "v2=f32[8,128,3072]",
        "v3=f32[24,128,1024]",
        "v4=f32[8,128,3072]",
    ),
    "add_rmsnorm_matmul_M4096_N2048_K1024_0": (
        "x_tensor=f32[4096,1024]",
        "w_tensor=f32[1024,2048]",
        "eps=1e-5",
        "z_tensor=f32[4096,1024]",
        "g_tensor=f32[1024]",
    ),
    "matmul_M4096_N12288_K5120_0": ("v1=f32[32,128,40,128]", "v2=f32[40,128,12288]"),
    "rope_single_freq_apply_B1_H64_N4096_D128_0": ("x_in=f32[128,262144]", "cos=f32[64,262144]", "sin=f32[64,262144]"),
    "adamw_M10944_N2048_0": tuple(f"v{number}=f32[10944,2048]" for number in range(1, 5)),
    "silu_M4096_N7168_0": ("v1=f32[128,32,7168]",),
    "mamba_M7168_C256_S16_0": (
        "delta=f32[7168,256]",
        "u=f32[7168,256]",
        "a=f32[7168,16]",
        "b=f32[16,256]",
        "c=f32[16,256]",
    ),
}
#: The generation whose rates and limits are used: the least, as the profiles name none.
HARDWARE = "trn1"
#: What is allowed: of writes where nothing spills, of writes less spills, of the rank of the time.
_WRITES, _LESS_SPILLS, _RANK = 0.01, 0.02, 0.9
#: Instructions that a matmul of float32 is made of, each of which the counter counts in full (docs/cost.md; all of the
#: kernels compute in float32), and what broadcasts across partitions may add.
_FLOAT32_INSTRUCTIONS, _BROADCASTS = 2, 0.001
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Compared:
    """A kernel with what was counted on a device."""

    name: str
    counted: Mapping[str, float]
    ours: CostReport

    def number(self, figure: str) -> int:
        """A figure of ours; 0 where there is none."""
        row = self.ours.by_name.get(figure)
        return 0 if row is None or row.most is None else row.most

    @property
    def spills(self) -> bool:
        """True if more is live than there is, as far as is told."""
        return any(peak.spills for peak in self.ours.peaks if peak.memory == "sbuf")

    @property
    def kept(self) -> int:
        """Bytes that are written to what is given or returned: the counters call tensors of the kernel's own in HBM
        spills."""
        return self.number("hbm_written") - self.number("scratch_written_once")


def compared(checkout: Path, profiles: Path) -> list[Compared]:
    """The kernels of a checkout beside their counters."""
    found = []
    with profiles.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row["kernel"].removesuffix(".py")
            if name not in ARGUMENTS:
                continue
            asked = request(f"NKIBench/kernels/{name}.py::kernel", checkout, ARGUMENTS[name], [], None)
            ours = report(name, asked.target(HARDWARE, False), hardware_named(HARDWARE), CostQuestion(), _SECONDS)
            counted = {key: float(value or 0) for key, value in row.items() if key not in ("kernel", "sizes")}
            found.append(Compared(name, counted, ours))
    return found


def table(found: Sequence[Compared]) -> Iterator[str]:
    """A line for each kernel, and one for each bar."""
    reached: dict[str, list[bool]] = {}

    def bar(name: str, holds: bool) -> str:
        reached.setdefault(name, []).append(holds)
        return "" if holds else " NOT REACHED"

    for one in found:
        counted = one.counted
        yield one.name
        if one.ours.refused or one.ours.unknown:
            yield f"  no figures: {one.ours.refused or one.ours.unknown}"
            bar("figures", False)
            continue
        saved, reloaded = counted["spill_save_bytes"], counted["spill_reload_bytes"]
        written = counted["hbm_write_bytes"] - saved
        off = abs(one.kept - written) / written
        allowed = _LESS_SPILLS if saved else _WRITES
        yield f"  written    {one.kept:>16,} counted {written:>18,.0f}  {off:.2%}{bar('writes', off <= allowed)}"
        least, most = one.number("hbm_read_once") - one.number("scratch_read_once"), one.number("hbm_read")
        read = counted["hbm_read_bytes"] - reloaded
        # What does not fit is spilled, or loaded again from where it came: then more is read than is written.
        again = read > most
        yield f"  read       {least:>16,} to {most:,} counted {read:,.0f}{bar('reads', least <= read <= most)}"
        spills = "spilled" if saved else "loaded again" if again else "neither"
        told = "does not fit" if one.spills else "fits"
        yield f"  on chip    {told:>16} counted {spills}{bar('spills', one.spills is (spills != 'neither'))}"
        flops = one.number("flops")
        if flops:
            computed = counted["hardware_flops"] - counted["transpose_flops"]
            times_as_many = computed / flops
            explained = bar("flops", abs(times_as_many / _FLOAT32_INSTRUCTIONS - 1) <= _BROADCASTS)
            yield f"  flops      {flops:>16,} counted {computed:,.0f}, {times_as_many:.5f} times{explained}"
        times = one.ours.times
        if times is not None:
            (engine, bound), (busiest, written_time) = times.bound, times.busiest
            below = bar("bound below", bound * 1e3 <= counted["latency"])
            yield (
                f"  time       at least {bound * 1e3:.3f} ms ({engine}), as written {written_time * 1e3:.3f} ms "
                f"({busiest}), measured {counted['latency']:.3f} ms{below}"
            )
    timed = [(one, one.ours.times) for one in found if one.ours.times is not None]
    latencies = [one.counted["latency"] for one, _ in timed]
    bound = spearman([times.bound[1] for _, times in timed], latencies)
    yield f"rank of the lower bound against latency (Spearman): {bound:.3f}{bar('rank of the bound', bound >= _RANK)}"
    rank = spearman([times.busiest[1] for _, times in timed], latencies)
    yield f"rank of the time as written against latency (Spearman): {rank:.3f}{bar('rank as written', rank >= _RANK)}"
    for name, holds in reached.items():
        yield f"{name:<18} {'reached' if all(holds) else 'NOT REACHED':<12} {sum(holds)} of {len(holds)}"


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation of numbers of which no two are equal."""
    count = len(one)
    ranks = zip(_ranks(one), _ranks(other), strict=True)
    return 1 - 6 * sum((left - right) * (left - right) for left, right in ranks) / (count * (count * count - 1))


def _ranks(numbers: Sequence[float]) -> list[int]:
    ordered = sorted(numbers)
    return [ordered.index(number) for number in numbers]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True, metavar="DIR", help="a checkout of zhang677/AccelOpt")
    parser.add_argument(
        "--profiles",
        type=Path,
        default=Path("../shared/reference/device-profiles.csv"),
        metavar="FILE",
        help="counters",
    )
    given = parser.parse_args(arguments)
    lines = list(table(compared(given.checkout.resolve(), given.profiles)))
    print("\n".join(lines))
    return int(any("NOT REACHED" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
