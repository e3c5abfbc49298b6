"""Sections on memory and on the way to the first token: memory, load, memory_peer."""

import json
import time
from pathlib import Path

from peers.measures import spread
from sections.tools import ROOT, mib, run_process, table, with_range


def memory(tools):
    cases = [
        ("llama-3.2-1b", "fp16", 1, 1024),
        ("smollm2-135m", "fp16", 1, 2048),
        ("smollm2-135m", "fp16", 8, 512),
        (str(ROOT / "models" / "tiny-tales"), "fp16", 1, 4096),
        (str(ROOT / "models" / "tiny-tales"), "fp32", 8, 640),
    ]
    rows, record = [], []
    for source, precision, sequences, length in cases:
        planned, peak = planned_and_peak(tools, tools.engine(source, precision), sequences, length)
        rows.append(
            [
                Path(source).name,
                precision,
                sequences,
                length,
                mib(planned),
                mib(peak),
                f"{100 * (peak / planned - 1):+.2f} %",
            ]
        )
        record.append(
            {
                "model": Path(source).name,
                "precision": precision,
                "max_seqs": sequences,
                "max_len": length,
                "planned_bytes": planned,
                "peak_bytes": peak,
            }
        )
    return table(["model", "weights", "max-seqs", "max-len", "planned MiB", "peak MiB", "difference"], rows), record


def planned_and_peak(tools, engine, sequences, length, prompt=512):
    limits = ["--max-seqs", sequences, "--max-len", length]
    plan, _ = tools.run("plan", engine, *limits)
    _, peak = tools.run(
        "bench",
        engine,
        "--prompt-len",
        min(prompt, length - 16),
        "--gen-len",
        8,
        "--batch",
        sequences,
        "--runs",
        1,
        *limits,
    )
    return plan["total_bytes"], peak


def memory_peer(tools):
    """The 1B shape with a context of 2048 tokens that is filled: what was planned, and what both programs then held."""
    file = tools.gguf("llama-1b-q8_0.gguf")
    planned, ours = planned_and_peak(tools, tools.engine(file, "source"), 1, 2048, prompt=2032)
    command = [
        tools.program("llama-bench"),
        "-m",
        file,
        "-t",
        tools.threads,
        "-r",
        1,
        "--no-warmup",
        "-p",
        0,
        "-n",
        0,
        "-pg",
        "2032,16",
        "-o",
        "jsonl",
    ]
    output, theirs = run_process(command)
    if not json.loads(output)["avg_ts"] > 0:
        raise SystemExit(f"{command}: measured nothing")
    rows = [
        ["q8_0", mib(planned), mib(ours), f"{100 * (ours / planned - 1):+.2f} %", mib(theirs), f"{ours / theirs:.3f}"]
    ]
    return table(
        ["1B shape", "planned MiB", "Legato's peak MiB", "over the plan", "llama.cpp's peak MiB", "ratio"], rows
    ), {"planned_bytes": planned, "legato_bytes": ours, "llama_cpp_bytes": theirs}


def seconds(command):
    start = time.perf_counter()
    run_process(command)
    return time.perf_counter() - start


def load(tools):
    """Whole processes that put out one token and end; files in the page cache."""
    rows, record = [], []
    for kind in ("q8_0", "f16"):
        commands = load_commands(tools, tools.gguf(f"llama-1b-{kind}.gguf"))
        for command in commands.values():
            seconds(command)
        rounds = [{name: seconds(command) for name, command in commands.items()} for _ in range(tools.rounds)]
        found = {name: spread([r[name] for r in rounds]) for name in commands}
        for peer in ("llama_bench", "llama_completion"):
            found[f"ratio_{peer}"] = spread([r["legato"] / r[peer] for r in rounds])
        rows.append(
            [
                kind,
                *(f"{found[name]['median']:.3f}" for name in commands),
                with_range(found["ratio_llama_bench"]),
                with_range(found["ratio_llama_completion"]),
            ]
        )
        record.append({"file": kind, **found})
    return (
        table(
            [
                "1B shape",
                "Legato s",
                "llama-bench s",
                "llama-completion s",
                "Legato over llama-bench: median (range)",
                "over llama-completion",
            ],
            rows,
        ),
        record,
    )


def load_commands(tools, file):
    ours = [
        tools.legato,
        "run",
        tools.engine(file, "source"),
        "Hello",
        "--max-tokens",
        1,
        "--ignore-eos",
        "--temperature",
        0,
        "--threads",
        tools.threads,
        "--max-len",
        2048,
    ]
    bench = [tools.program("llama-bench"), "-m", file, "-t", tools.threads, "-p", 0, "-n", 1, "-r", 1, "--no-warmup"]
    completion = [
        tools.program("llama-completion"),
        "-m",
        file,
        "-t",
        tools.threads,
        "-c",
        2048,
        "-p",
        "Hello",
        "-n",
        1,
        "-no-cnv",
        "--temp",
        0,
        "--no-warmup",
    ]
    return {"legato": ours, "llama_bench": bench, "llama_completion": completion}
