#!/usr/bin/env python3
"""Times the linter beside other SQL linters, all in one run on one machine.

    python3 benches/lint/peers.py FOLDER                                  only the others
    python3 benches/lint/peers.py FOLDER --idemsql target/release/idemsql
    python3 benches/lint/peers.py FOLDER --corpora tiny,small --runs 5
    python3 benches/lint/peers.py FOLDER --corpora dump --idemsql ...     writes a file of 1 GB

FOLDER takes the scripts (corpus.py) and a virtual environment for each tool; give one outside of the repository.

CPU seconds are the figure to quote: the kernel's account of the finished child, over all of its threads, the least of
the runs. Wall time depends on who else uses the machine. The runs are interleaved: every tool once, then every tool
again, so that a busy minute does not hit one tool alone. Output goes to nowhere in timed runs; the counts come from a
run before, which is not timed and warms the file cache.

The tools check different things. None of the others looks at what a second run of a script does to the data, but for
one rule of pipeline-lint; squawk is about locks, sqruff and sqlfluff are about style. Compare the time that it takes to
read and judge the same bytes, not the number of findings.
"""

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import corpus

PEERS = {"squawk": "squawk-cli==2.70.0", "sqruff": "sqruff==0.44.0", "sqlfluff": "sqlfluff==4.5.0", "pipeline-lint": "pipeline-lint==0.1.0"}
# Too slow for all 1,000 files: it gets the first 50, and the table says so.
FEW = {"sqlfluff": 50}
# What each tool writes about a file that it did not check, and a line of its output that is a finding.
SKIPPED = re.compile(r"(?<!, 0 )skip|processed 0 file|exceeds|too large|not checked|maximum parse node", re.IGNORECASE)
FINDING = {
    "idemsql": re.compile(r"^\S+:\d+:\d+: (error|warning|info)\["),
    "squawk": re.compile(r"^\S+:\d+:\d+: (warning|error)"),
    "sqruff": re.compile(r"^L:\s*\d+ \| P:"),
    "sqlfluff": re.compile(r"^L:\s*\d+ \| P:"),
    "pipeline-lint": re.compile(r"^\s+\d+:\d+\s+(error|warning)\s+DE\d+"),
}
# How many files a tool says that it read, where it says so.
READ = re.compile(r"(?:processed|in|checked) (\d+) file|(\d+) files? checked")


def command(tool, program, path, root):
    """The tool at work on a file or a folder, as its users call it for PostgreSQL."""
    if tool == "idemsql":
        return [program, "lint", "--dialect", "postgres", "--format", "concise", str(path)]
    if tool == "squawk":  # It takes files and patterns, no folders.
        return [program, "--reporter", "gcc", str(path) if path.is_file() else f"{path}/*.sql"]
    if tool == "sqruff":
        return [program, "lint", "--config", str(root / "sqruff.cfg"), str(path)]
    if tool == "sqlfluff":
        return [program, "lint", "--dialect", "postgres", "--disable-progress-bar", "--processes", "1", str(path)]
    return [program, "check", "--sql-dialect", "postgres", str(path)]


def install(root):
    """A virtual environment for each peer, made once."""
    programs = {}
    for tool, package in PEERS.items():
        home = root / "tools" / tool
        program = home / "bin" / tool
        if not program.exists():
            print(f"installing {package}", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
            subprocess.run([home / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", package], check=True)
        programs[tool] = str(program)
    # Without this it passes over files of more than 20,000 bytes; with it, it says what it cannot do.
    (root / "sqruff.cfg").write_text("[sqruff]\ndialect = postgres\nlarge_file_skip_byte_limit = 0\n")
    return programs


class Run:
    """One finished child."""

    def __init__(self, argv, timeout):
        start = time.perf_counter()
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stopper = threading.Timer(timeout, child.kill)
        stopper.start()
        _, status, usage = os.wait4(child.pid, 0)
        stopper.cancel()
        self.wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss / 1024


def floor():
    """The size of this program in MiB: the kernel's peak of a child begins there, so smaller ones cannot be told apart."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()).group(1)) / 1024


def counted(tool, argv, timeout):
    """Findings, exit code, words about skipped files and the number of files read, of one run that is not timed."""
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, None, f"stopped after {timeout:.0f} s", None
    lines = (done.stdout + "\n" + done.stderr).splitlines()
    findings = sum(1 for line in lines if FINDING[tool].match(line))
    skipped = [" ".join(line.replace(argv[-1], Path(argv[-1]).name).split()) for line in lines if SKIPPED.search(line)]
    said = [int(one or other) for one, other in READ.findall("\n".join(lines[-20:]))]
    return findings, done.returncode, skipped, said[-1] if said else None


def version(program):
    """What the tool says about itself."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--idemsql", help="the program to measure; left out when not given")
    parser.add_argument("--corpora", default="tiny,small,big", help="tiny, small, big, dump")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="tools, separated by commas")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that one run may take")
    options = parser.parse_args()
    root = options.folder.resolve()
    repository = Path(__file__).resolve().parents[2]
    if root == repository or repository in root.parents:
        parser.error("give a folder outside of the repository")
    root.mkdir(parents=True, exist_ok=True)

    programs = install(root)
    if options.idemsql:
        programs = {"idemsql": str(Path(options.idemsql).resolve()), **programs}
    if options.only:
        programs = {tool: program for tool, program in programs.items() if tool in options.only.split(",")}
    print("tools: " + ", ".join(f"{tool} ({version(program)})" for tool, program in programs.items()))
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; least of {options.runs} runs, interleaved")
    print("the rules differ: compare the time for the same bytes, not the findings\n")

    head = f"{'corpus':<6} {'tool':<14} {'CPU s':>9} {'wall s':>9} {'peak MiB':>9} {'files':>6} {'MB/CPU s':>9} {'findings':>9} {'exit':>5}  notes"
    for name in options.corpora.split(","):
        path = getattr(corpus, name)(root / "corpus")
        print(head)
        jobs = {}
        for tool, program in programs.items():
            if name == "dump" and tool != "idemsql":
                print(f"{name:<6} {tool:<14} not run on 1 GB: it holds the whole file in memory, many times over")
                continue
            few = FEW.get(tool) if name == "small" else None
            data = corpus.first_files(root / "corpus", few) if few else path
            argv = command(tool, program, data, root)
            findings, code, skipped, said = counted(tool, argv, options.timeout)
            if findings is None:
                print(f"{name:<6} {tool:<14} {skipped}")
                continue
            jobs[tool] = (argv, data, few, findings, code, skipped, said, [])
        for turn in range(options.runs):
            for tool, (argv, *_, runs) in jobs.items():
                # The slow ones are not made to run as often: their figures differ by parts in a hundred.
                if turn < 2 or sum(run.wall for run in runs) < 60:
                    runs.append(Run(argv, options.timeout))
        for tool, (_, data, few, findings, code, skipped, said, runs) in jobs.items():
            files = [data] if data.is_file() else list(data.glob("*.sql"))
            size = sum(file.stat().st_size for file in files)
            cpu, wall = min(run.cpu for run in runs), min(run.wall for run in runs)
            notes = []
            if few:
                notes.append(f"{few} of 1,000 files; for all of them some {cpu * 1000 / few:.0f} CPU s (extrapolated)")
            if said is not None and said != len(files):
                notes.append(f"says that it read {said} of {len(files)} files")
            if skipped:
                notes.append(f"says: {skipped[0][:150]}" + (f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""))
            peak = max(run.peak for run in runs)
            peak = f"{peak:.0f}" if peak > floor() * 1.05 else f"<{floor():.0f}"
            # No rate for a tool that left out what it was given.
            read = not skipped and said in (None, len(files))
            rate = f"{size / 1e6 / max(cpu, 1e-6):.2f}" if read else "-"
            print(
                f"{name:<6} {tool:<14} {cpu:>9.3f} {wall:>9.3f} {peak:>9} {len(files):>6} {rate:>9} {findings:>9} {code:>5}  {'; '.join(notes)}"
            )
        print(flush=True)


if __name__ == "__main__":
    main()
