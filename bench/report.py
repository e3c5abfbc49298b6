#!/usr/bin/env python3
"""Measures what docs/benchmarks.md states and writes it there.

report.py [--legato build/release/bin/legato] [--peers build/peers] [--data FOLDER] [--work FOLDER] [SECTION ...]

Sections (all of them by default): those without peers are memory accuracy perplexity overhead; those that need
bench/peers/setup to have run are gguf gguf_1b peers_small peers_1b w8 avx2 load memory_peer context greedy
perplexity_gguf; targets sums up what the others have written. On two cores with five rounds avx2 takes about a quarter
of an hour, the others up to eight minutes each.
Each section replaces its own table between two markers in docs/benchmarks.md and its part of docs/benchmarks.json.
--data names the folder with the held-out text that the repository does not carry (golden/eval/tales-val.bin);
--work keeps the engines between runs (those older than the program are built anew).
"""

import argparse
import json
import os
import platform
import re
import subprocess
import time

from sections import accuracy, context, greedy, memory, speed, targets
from sections.tools import ROOT, Tools

PAGE = ROOT / "docs" / "benchmarks.md"
RECORD = ROOT / "docs" / "benchmarks.json"

SECTIONS = {
    "memory": memory.memory,
    "accuracy": accuracy.accuracy,
    "perplexity": accuracy.perplexity,
    "overhead": speed.overhead,
    "gguf": lambda tools: speed.gguf(tools, "SmolLM2-135M"),
    "gguf_1b": lambda tools: speed.gguf(tools, "1B shape"),
    "peers_small": lambda tools: speed.others(tools, "SmolLM2-135M"),
    "peers_1b": lambda tools: speed.others(tools, "1B shape"),
    "w8": speed.w8,
    "avx2": speed.avx2,
    "load": memory.load,
    "memory_peer": memory.memory_peer,
    "context": context.context,
    "greedy": greedy.greedy,
    "perplexity_gguf": accuracy.perplexity_gguf,
}
WITHOUT_PEERS = ("memory", "accuracy", "perplexity", "overhead")
TARGETS = "targets"


def machine(tools):
    """Where and when a section was measured, and the machine's ceilings at that time."""
    flops, _ = tools.run("bench", "flops")
    device, _ = tools.run("bench", tools.engine(ROOT / "models/tiny-tales", "fp16"), "--prompt-len", 8, "--gen-len", 1)
    return {
        "device": device["device"],
        "commit": device["commit"],
        "date": time.strftime("%Y-%m-%d"),
        "kernel": platform.release(),
        "threads": tools.threads,
        "rounds": tools.rounds,
        "read_bytes_per_s": tools.read_bandwidth(),
        "f32_flops": flops["f32_flops"],
    }


def peer_versions(tools):
    """What setup wrote of llama.cpp, and the packages of its environment."""
    python, built = tools.peers / "venv/bin/python", tools.peers / "llama.cpp.version"
    frozen = subprocess.run(
        [str(python), "-m", "pip", "freeze"], capture_output=True, text=True, check=True
    ).stdout.split()
    names = ("ctranslate2", "onnxruntime", "onnxruntime-genai", "openvino", "openvino-genai")
    packages = dict(line.split("==") for line in frozen if "==" in line)
    return {"llama.cpp": built.read_text().strip(), **{name: packages[name] for name in names if name in packages}}


def describe(where):
    note = (
        f"{where['device']}; {where['read_bytes_per_s'] / 1e9:.1f} GB/s read, "
        f"{where['f32_flops'] / 1e9:.0f} GFLOP/s f32; "
        f"commit {where['commit']}, {where['date']}"
    )
    if "peers" in where:
        rounds = where["rounds"]
        note += f"; {rounds} round{'' if rounds == 1 else 's'}; " + ", ".join(
            f"{name} {version}" for name, version in where["peers"].items()
        )
    return note + "."


def replace_section(name, text):
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    page = PAGE.read_text()
    if begin not in page:
        raise SystemExit(f"{PAGE}: has no marker {begin}")
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.S))


def run_section(name, tools, record):
    if name == TARGETS:
        text, record[TARGETS] = targets.summary(record)
    else:
        text, figures = SECTIONS[name](tools)
        where = machine(tools)
        if name not in WITHOUT_PEERS:
            where["peers"] = peer_versions(tools)
        record[name] = {"machine": where, "figures": figures}
        text += f"\n\n{describe(where)}"
    replace_section(name, text)
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legato", default=str(ROOT / "build/release/bin/legato"))
    parser.add_argument("--peers", default=str(ROOT / "build/peers"))
    parser.add_argument("--data", default=os.environ.get("LEGATO_TEST_DATA", str(ROOT.parent / "shared")))
    parser.add_argument("--work", default=str(ROOT / "build/report"))
    parser.add_argument("--rounds", type=int, default=5, help="of comparisons with peers")
    parser.add_argument("--threads", type=int, default=2, help="of both sides in comparisons")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join([*SECTIONS, TARGETS]))
    args = parser.parse_args()
    for name in args.sections:
        if name not in SECTIONS and name != TARGETS:
            parser.error(f"no section {name}; there are {', '.join([*SECTIONS, TARGETS])}")
    tools = Tools(args)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name in args.sections or [*SECTIONS, TARGETS]:
        start = time.monotonic()
        text = run_section(name, tools, record)
        print(f"{text}\n\n{name}: {time.monotonic() - start:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
