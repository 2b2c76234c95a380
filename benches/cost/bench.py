"""Runs every form on every target from every start, and reports."""

import json
import os

import report
from engines import Stopped, Wrong
from targets import TARGETS, forms_of


def begin(engine, target, start, form):
    """The target as a run finds it; the batch that is loaded into it then."""
    empty = start in ("first", "first, analysed")
    if start != "again":
        engine.target(target.key, filled=not empty, numbered=target.numbered)
        if start == "first, analysed":
            engine.analyse("mart.orders")
    else:
        # What its own first load left: with statistics, but not cleaned up.
        engine.target(target.key, filled=False, numbered=target.numbered)
        engine.run("again", form.script)
        engine.analyse("mart.orders")
    return "again" if empty else start


def measure(engine, target, start, form, rep):
    """One run: its figures and whether the rows are right, or the words for what went wrong."""
    line = {"target": target.name, "start": start, "form": form.name, "rep": rep, "load": round(os.getloadavg()[0], 1)}
    try:
        batch = begin(engine, target, start, form)
        line.update(engine.run(batch, form.script))
        line["wrong_rows"] = engine.wrong(batch, form.first_wins)
    except Wrong as error:
        line["failed"] = str(error)
    except Stopped:
        line["failed"] = f"stopped after {engine.timeout} s"
    return line


def loops(engine, target, forms, say):
    """Which plans would read a whole relation for each row, on an empty target with statistics and on a full one."""
    for filled, words in [(False, "empty and analysed"), (True, "full and analysed")]:
        engine.target(target.key, filled, target.numbered)
        if not filled:
            engine.analyse("mart.orders")
        engine.rename("again", "orders")
        for form in forms:
            for loop in engine.loops(form.script):
                say(f"  plan of {form.name}, target {words}: {loop}")
        engine.rename("orders", "again")


def together(engine, forms, say):
    """The forms with which a second session that loads the same new keys at once fails, or leaves wrong rows: those are
    right only while they are alone."""
    alone = set()
    for form in forms:
        engine.target(("order_id",), filled=False)
        words = engine.together("again", form.script)
        if words is None:
            return None
        wrong = engine.wrong("again", form.first_wins)
        if wrong or words != engine.AS_ONE:
            alone.add(form.name)
            say(f"  two sessions by {form.name}: the second {words}" + (f", {wrong} rows are wrong" if wrong else ""))
    return alone


def repeat(engine, target, start, forms, options):
    """Every run of every form from one start, interleaved: {form: [figures]}."""
    runs = {form.name: [] for form in forms}
    for rep in range(options.reps):
        for form in forms:
            # What failed once, or took too long, is not tried again.
            if any("failed" in line for line in runs[form.name]):
                continue
            line = measure(engine, target, start, form, rep)
            runs[form.name].append(line)
            if options.out:
                with options.out.open("a") as file:
                    file.write(json.dumps({"engine": engine.title, "rows": options.rows, **line}) + "\n")
    return runs


def run(engine, options, say):
    """True when each of our forms left the rows that must be there, and wrote nothing where nothing was to be changed."""
    right = True
    targets = [target for target in TARGETS if target.name in options.keys.split(",")]
    chosen = [word.strip() for word in options.starts.split(";")] if options.starts else None
    for target in targets:
        forms = forms_of(engine, target, options.idemsql, options.forms)
        say(f"\n== {target.title}; {options.rows:,} staged rows")
        alone = None
        if target.name == "plain":
            engine.prepare(1000, target.null_key)
            alone = together(engine, forms, say)
        engine.prepare(options.rows, target.null_key)
        loops(engine, target, forms, say)
        for start in target.starts:
            if chosen and start not in chosen:
                continue
            runs = repeat(engine, target, start, forms, options)
            for text in report.table(engine, start, forms, runs, alone):
                say(text)
            faults = [fault for form in forms if form.ours for fault in broken(engine, form, start, runs[form.name])]
            for fault in faults:
                say(f"  BROKEN: {fault}")
            right = right and not faults
    return right


def broken(engine, form, start, lines):
    """What one of our forms did that it must not, whatever the time."""
    for line in lines:
        if line.get("failed") or line["wrong_rows"]:
            yield f"{form.name}: {line.get('failed') or 'rows are wrong'}"
            return
        written = [name for name in engine.quiet if line[name]]
        if written and (start in ("again", "older") or (start == "changed" and form.first_wins)):
            yield f"{form.name} had nothing to change, but {', '.join(f'{name} is {line[name]:,}' for name in written)}"
