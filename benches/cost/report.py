"""The figures of one start as a table for people."""

from statistics import median

TITLES = {
    "first": "first load, empty target",
    "again": "the same batch again",
    "first, analysed": "first load, empty target with statistics",
    "changed": "1 % of the keys changed",
    "new": "10 % more keys",
    "older": "every row older",
}


def middle(lines, name):
    return median(line[name] for line in lines)


def table(engine, start, forms, runs, alone):
    """The lines of the table, of which two columns are ratios of CPU seconds: `x` to the fastest form of one meaning whose
    rows are right, and `x2` to the fastest of those that also let two sessions load at once."""
    names = list(engine.counters)
    width = max(len(form.name) for form in forms)
    yield f"\n{TITLES[start]}"
    yield f"{'':<{width}} {'wall s':>8} {'CPU s':>8} {'x':>6} {'x2':>6} " + " ".join(f"{name:>13}" for name in names) + "  rows"
    for first_wins in [False, True]:
        group = [form for form in forms if form.first_wins == first_wins]
        right = [form.name for form in group if not any(line.get("failed") or line["wrong_rows"] for line in runs[form.name])]
        cpu = {name: middle(runs[name], "cpu") for name in right}
        best = min(cpu.values(), default=0)
        # None where it was not tried.
        best_together = min((seconds for name, seconds in cpu.items() if alone is not None and name not in alone), default=0)
        for form in group:
            lines = runs[form.name]
            failed = next((line["failed"] for line in lines if "failed" in line), None)
            if failed:
                yield f"{form.name:<{width}} {failed}"
                continue
            ratios = " ".join(f"{ratio(cpu.get(form.name), least):>6}" for least in [best, best_together])
            figures = " ".join(f"{middle(lines, name):>13,.0f}" for name in names)
            wrong = max(line["wrong_rows"] for line in lines)
            rows = f"{wrong:,} wrong" if wrong else "right"
            yield f"{form.name:<{width}} {middle(lines, 'seconds'):>8.3f} {middle(lines, 'cpu'):>8.3f} {ratios} {figures}  {rows}"


def ratio(seconds, least):
    """The ratio in words; none for wrong rows, nor for less than the kernel's clock can tell apart."""
    return f"{seconds / least:.2f}" if seconds is not None and least >= 0.05 else "-"
