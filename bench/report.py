"""The table that is printed, and the page docs/performance.md with its plot."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench import shares

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, ROW, LEFT = 760, 30, 300


def table(found: Mapping[str, Any]) -> str:
    """All that the cycles gave, for the terminal and for the page."""
    return "\n".join([*_machine(found), "", *_goals(found), "", *_absolute(found), "", *_more(found)])


def write(home: Path) -> None:
    """Put what was measured last into docs/performance.md, and draw its plot."""
    results = {path.stem: json.loads(path.read_text()) for path in sorted(home.glob("*.json"))}
    parts = [table(results["cycles"]), "![What each does, as a share of the reference](performance.svg)"]
    if "streams" in results:
        parts.append("\n".join(_streams(results["streams"]["streams"])))
    if "large" in results:
        parts.append("\n".join(_large(results["large"]["large"])))
    page = DOCS / "performance.md"
    text = _put(page.read_text(), "measured", "\n\n".join(parts))
    page.write_text(_put(text, "shares", shares.table(results["profile"])) if "profile" in results else text)
    (DOCS / "performance.svg").write_text(plot(results["cycles"]["measured"]["cycles"]))
    (DOCS / "performance.json").write_text(json.dumps(results, indent=1) + "\n")


def _put(page: str, name: str, content: str) -> str:
    """The page with this between the marks of this name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n\n{content}\n\n{end}{rest.partition(end)[2]}"


def _machine(found: Mapping[str, Any]) -> Iterator[str]:
    machine, measured = found["machine"], found["measured"]
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    yield f"{machine['processors']} processors ({machine['model']}), {machine['postgres']}, Python {machine['python']}, {packages}."
    yield f"Load by {machine['load']}; {machine['fsyncs a second']:,} fsyncs a second; load average {machine['load average']:.1f} then."
    yield f"{len(measured['cycles'])} cycles in {found['seconds']} s; {measured['audited']:,} commands audited, none lost, none double."
    for name, why in measured["skipped"].items():
        yield f"Skipped: {name} ({why})."


def _goals(found: Mapping[str, Any]) -> Iterator[str]:
    yield "| | | goal | measured (quartiles) | verdict |"
    yield "| --- | --- | --- | --- | --- |"
    for goal in found["goals"]:
        low, middle, high = goal["quartiles"] or (0, 0, 0)
        measured = f"{middle:.2f} ({low:.2f} to {high:.2f})" if goal["quartiles"] else ""
        yield f"| {goal['key']} | {goal['what']} | {goal['goal']} | {measured} | {goal['verdict']} |"


def _absolute(found: Mapping[str, Any]) -> Iterator[str]:
    measured = found["measured"]
    yield "| | median | least | most |"
    yield "| --- | --- | --- | --- |"
    for name, values in measured["absolute"].items():
        unit = " us" if name == "latency at 1" else "" if name.endswith("ms") or "/" in name else " a second"
        digits = 1 if max(values) < 1000 else 0
        yield f"| {name}{unit} | {median(values):,.{digits}f} | {min(values):,.{digits}f} | {max(values):,.{digits}f} |"
    for name, values in measured["microseconds"].items():
        yield f"| {name}, us of a processor a command | {median(values):.0f} | {min(values):.0f} | {max(values):.0f} |"


def _more(found: Mapping[str, Any]) -> Iterator[str]:
    more = found["more"]
    steady = more["steady"]
    times = ", ".join(f"{name} {steady[name]:.1f} ms" for name in ("p50", "p90", "p99", "max"))
    yield f"* At a steady {steady['rate']:,.0f} commands a second (half of the most): {times}."
    for name in ("views", "views not modified"):
        yield f"* {name.capitalize()}: {more[name]['rate']:,.0f} a second, p50 {more[name]['p50']:.1f} ms, p99 {more[name]['p99']:.1f} ms."
    yield f"* A page of 50 of {more['list']['matches']:,} matches: p50 {more['list']['p50']:.1f} ms, p99 {more['list']['p99']:.1f} ms."
    yield f"* A process is ready after {more['seconds to start']:.1f} s and takes {more['process bytes'] / 1e6:.0f} MB; a live match adds"
    yield f"  {more['bytes a live match'] / 1e3:.1f} kB ({more['matches']:,} matches)."


def _streams(found: Mapping[str, Any]) -> Iterator[str]:
    times = ", ".join(f"{name} {value:.2f} ms" for name, value in found["ms beyond the answer"].items())
    yield f"* {found['streams']:,} streams open in one process, {found['bytes a stream'] / 1e3:.1f} kB each."
    yield f"* {found['lost']} of {found['deliveries'] + found['lost']:,} deliveries lost; {found['streams that ended']} streams ended."
    yield f"* At {found['moves a second']:,.0f} moves a second, a move is seen after its answer: {times}."


def _large(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| events in the log | commands / pgbench, median | us of a processor: service | PostgreSQL |"
    yield "| --- | --- | --- | --- |"
    for row in found:
        service, postgres = (row["microseconds"][f"commands: {who}"] for who in ("service", "PostgreSQL"))
        yield f"| {row['events']:,} | {median(row['of pgbench']):.3f} | {service:.0f} | {postgres:.0f} |"


def plot(cycles: Sequence[Mapping[str, float]]) -> str:
    """Every cycle's share of the reference as a dot, on a logarithmic scale, with the median as a line."""
    names = [name for name in cycles[0] if name not in ("reference swing", "p99 / p50", "latency at 1")]
    names.sort(key=lambda name: -median(cycle[name] for cycle in cycles))
    least, decades = 0.001, 4

    def place(value: float) -> float:
        share = min(1.0, max(0.0, (math.log10(value) - math.log10(least)) / decades))
        return LEFT + share * (WIDTH - LEFT - 20)

    height = ROW * (len(names) + 2)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for power in range(decades + 1):
        x = place(least * 10**power)
        drawn.append(f'<line x1="{x:.0f}" y1="8" x2="{x:.0f}" y2="{height - ROW}" stroke="#ddd"/>')
        drawn.append(f'<text x="{x:.0f}" y="{height - 12}" text-anchor="middle" fill="#555">{least * 10**power:g}</text>')
    for row, name in enumerate(names):
        y, middle = ROW * row + 22, place(median(cycle[name] for cycle in cycles))
        drawn.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{name}</text>')
        drawn += [f'<circle cx="{place(cycle[name]):.1f}" cy="{y}" r="4" fill="#2563eb" fill-opacity="0.35"/>' for cycle in cycles]
        drawn.append(f'<line x1="{middle:.1f}" y1="{y - 9}" x2="{middle:.1f}" y2="{y + 9}" stroke="#111" stroke-width="2"/>')
    return "\n".join([*drawn, "</svg>", ""])
