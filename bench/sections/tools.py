"""Running the program and its peers, and writing tables."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Tools:
    """What the sections share: the program, the peers, and where they work, by report.py's arguments."""

    def __init__(self, args):
        self.legato = args.legato
        self.work = Path(args.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.peers = Path(args.peers)
        self.data = Path(args.data)
        self.rounds = args.rounds
        self.threads = args.threads

    def run(self, *parts, may_fail=False):
        """One command's JSON object and the most memory that its process held, sampled by the kernel (VmHWM)."""
        output, peak = run_process([self.legato, *parts, "--json"], may_fail)
        return json.loads(output), peak

    def engine(self, source, precision):
        """Of a model folder, a GGUF file or a known shape; precision "source" keeps a file's own types. One that is
        older than the program or the file is built anew."""
        name = Path(source).name.removesuffix(".gguf")
        path = self.work / f"{name}-{precision}.engine"
        origins = [Path(self.legato), Path(source)] if Path(source).is_file() else [Path(self.legato)]
        if not path.exists() or path.stat().st_mtime < max(origin.stat().st_mtime for origin in origins):
            origin = [source] if Path(source).exists() else ["--random-weights", source]
            options = [] if precision == "source" else ["--precision", precision]
            self.run("build", *origin, "-o", path, *options)
        return path

    def gguf(self, name):
        return self.peers / "models" / name

    def program(self, name):
        return self.peers / "llama.cpp" / "bin" / name

    def read_bandwidth(self):
        """Bytes a second, all threads."""
        result, _ = self.run("bench", "bandwidth", "--threads", self.threads)
        return result["read_bytes_per_s"]["all_threads"]


def run_process(command, may_fail=False):
    """Standard output, and the peak of resident bytes."""
    command = [str(part) for part in command]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    output, errors = read_both(process)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 and not may_fail:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{errors[-1000:]}")
    return output, usage.ru_maxrss * 1024


def read_both(process):
    """What a process writes to both of its streams, without reaping it (its usage is wanted)."""
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    output = process.stdout.read()
    reader.join()
    return output, errors[0]


def compare(tools, engine, peers, measures, shape, level=None):
    """bench/peers/compare.py's result for {peer's name: its model}."""
    out = tools.work / "compare.json"
    command = [
        sys.executable,
        ROOT / "bench/peers/compare.py",
        "--legato",
        tools.legato,
        "--engine",
        engine,
        "--peers",
        tools.peers,
        "--rounds",
        tools.rounds,
        "--threads",
        tools.threads,
        "--shape",
        shape,
        "--measures",
        ",".join(measures),
        "--json",
        out,
    ]
    if level:
        command += ["--level", level]
    for name, model in peers.items():
        command += ["--peer", f"{name}={model}"]
    subprocess.run([str(part) for part in command], check=True)
    return json.loads(out.read_text())


def with_range(figures, digits=2):
    return f"{figures['median']:.{digits}f} ({figures['min']:.{digits}f} to {figures['max']:.{digits}f})"


def percent(share):
    return "" if share is None else f"{100 * share:.0f} %"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def mib(count):
    return f"{count / 2**20:.1f}"
