#!/usr/bin/env python3
"""Measures what docs/benchmarks.md states and writes it there: memory, accuracy, overhead and the peer.

report.py [--legato build/release/bin/legato] [--peers build/peers] [--data FOLDER] [--work FOLDER] [SECTION ...]

Sections: memory accuracy perplexity overhead peer gguf (all of them by default; `peer` and `gguf` need bench/peers/setup
to have run).
Each section replaces its own table between two markers in docs/benchmarks.md and its part of docs/benchmarks.json.
--data names the folder with the held-out text that the repository does not carry (golden/eval/tales-val.bin);
--work keeps the engines between runs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
RECORD = ROOT / "docs" / "benchmarks.json"


class Tools:
    def __init__(self, args):
        self.legato = args.legato
        self.work = Path(args.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.peers = Path(args.peers)
        self.data = Path(args.data)
        self.rounds = args.rounds

    def run(self, *parts):
        """One command's JSON object and the most memory that its process held, sampled by the kernel (VmHWM)."""
        command = [self.legato, *map(str, parts), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)}: status {status}")
        return json.loads(output), usage.ru_maxrss * 1024

    def engine(self, source, precision):
        name = str(source).replace("/", "-").strip("-")
        path = self.work / f"{name}-{precision}.engine"
        if not path.exists():
            origin = ["--random-weights", source] if not Path(source).is_dir() else [source]
            self.run("build", *origin, "-o", path, "--precision", precision)
        return path


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def mib(count):
    return f"{count / 2**20:.1f}"


def memory(tools):
    cases = [("llama-3.2-1b", "fp16", 1, 1024), ("smollm2-135m", "fp16", 1, 2048), ("smollm2-135m", "fp16", 8, 512),
             (str(ROOT / "models" / "tiny-tales"), "fp16", 1, 4096), (str(ROOT / "models" / "tiny-tales"), "fp32", 8, 640)]
    rows, record = [], []
    for source, precision, sequences, length in cases:
        engine = tools.engine(source, precision)
        limits = ["--max-seqs", sequences, "--max-len", length]
        plan, _ = tools.run("plan", engine, *limits)
        _, peak = tools.run("bench", engine, "--prompt-len", min(512, length - 16), "--gen-len", 8, "--batch", sequences,
                            "--runs", 1, *limits)
        difference = peak / plan["total_bytes"] - 1
        rows.append([Path(source).name, precision, sequences, length, mib(plan["total_bytes"]), mib(peak),
                     f"{100 * difference:+.2f} %"])
        record.append({"model": Path(source).name, "precision": precision, "max_seqs": sequences, "max_len": length,
                       "planned_bytes": plan["total_bytes"], "peak_bytes": peak})
    return table(["model", "weights", "max-seqs", "max-len", "planned MiB", "peak MiB", "difference"], rows), record


def accuracy(tools):
    folders = [(ROOT / "models" / name, ROOT / "tests/data/golden" / name / "verify.safetensors")
               for name in ("tiny-tales", "nano-llama", "nano-gpt2")]
    folders += [(path.parent, path) for path in sorted((ROOT / "tests/data/zoo").glob("*/golden.safetensors"))]
    rows, record = [], []
    for folder, golden in folders:
        result, _ = tools.run("verify", tools.engine(str(folder), "fp32"), "--golden", golden)
        rows.append([folder.name, len(result["cases"]), f"{result['max_rel']:.1e}",
                     "equal" if result["greedy_equal"] else "different"])
        record.append({"model": folder.name, "max_rel": result["max_rel"], "greedy_equal": result["greedy_equal"]})
    return table(["model", "prompts", "largest difference / largest logit", "greedy ids"], rows), record


def perplexity(tools):
    texts = {"moby-dick": ROOT / "tests/data/eval/moby-dick.bin", "tales-val": tools.data / "golden/eval/tales-val.bin"}
    rows, record = [], []
    for name, path in texts.items():
        if not path.exists():
            print(f"perplexity: {path} is absent, its row is left out", file=sys.stderr)
            continue
        values = {}
        for precision in ("fp32", "fp16", "bf16"):
            engine = tools.engine(str(ROOT / "models" / "tiny-tales"), precision)
            values[precision] = tools.run("eval", engine, "--ids", path, "--window", 1024)[0]["perplexity"]
        rows.append([name, f"{values['fp32']:.3f}"] +
                    [f"{values[p]:.3f} ({100 * (values[p] / values['fp32'] - 1):+.3f} %)" for p in ("fp16", "bf16")])
        record.append({"text": name, **values})
    return table(["text", "fp32", "fp16", "bf16"], rows), record


def overhead(tools):
    rows, record = [], []
    engine = tools.engine(str(ROOT / "models" / "tiny-tales"), "fp16")
    for threads in (1, 2):
        profile = tools.work / "profile.json"
        tools.run("bench", engine, "--prompt-len", 64, "--gen-len", 256, "--runs", 5, "--threads", threads,
                  "--export-profile", profile)
        figures = json.loads(profile.read_text())
        step, kernels = figures["step_us"], figures["kernels_us"]
        rows.append([threads, f"{step:.1f}", f"{kernels:.1f}", f"{figures['barriers_us']:.1f}", f"{step - kernels:.1f}",
                     f"{100 * (step - kernels) / step:.1f} %"])
        record.append({"threads": threads, "step_us": step, "kernels_us": kernels, "barriers_us": figures["barriers_us"]})
    return table(["threads", "step us", "kernels us", "waiting us", "step minus kernels us", "share"], rows), record


def peer(tools):
    folder = tools.peers / "models" / "llama-1b-hf"
    out = tools.work / "peer.json"
    command = [sys.executable, ROOT / "bench/peers/compare.py", "--legato", tools.legato, "--engine",
               tools.engine(str(folder), "fp16"), "--peers", tools.peers, "--rounds", tools.rounds,
               "--parameters", 0.973e9, "--json", out]
    subprocess.run([str(part) for part in command], check=True)
    result = json.loads(out.read_text())
    rows = []
    for what, share in (("decode", "share_of_bandwidth"), ("prefill", "share_of_fma_peak")):
        row = result[what]
        ours, theirs, ratio = row["legato_tokens_per_s"], row["llama_cpp_tokens_per_s"], row["ratio"]
        rows.append([what, f"{ours['median']:.2f}", f"{theirs['median']:.2f}",
                     f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})",
                     f"{100 * row[share]:.0f} % of {'bandwidth' if what == 'decode' else 'the f32 FMA peak'}"])
    return table(["1B shape, fp16, 2 threads", "Legato tok/s", "llama.cpp tok/s", "ratio: median (range)", "share"],
                 rows), result


GGUF_FILES = [("SmolLM2-135M", f"smollm2-135m-{kind}.gguf", kind) for kind in ("f16", "q8_0", "q4_0")] + [
    ("1B shape", f"llama-1b-{kind}.gguf", kind) for kind in ("f16", "q8_0", "q4_0")]


def gguf(tools):
    """The same GGUF files on both sides."""
    rows, record = [], {}
    for model, name, kind in GGUF_FILES:
        file = tools.peers / "models" / name
        engine = tools.work / f"{file.stem}-source.engine"
        if not engine.exists():
            tools.run("build", file, "-o", engine)
        small = model.startswith("SmolLM2")
        measures = ["prefill", "decode"] + (["decode1024", "batch16"] if small else [])
        out = tools.work / "gguf.json"
        subprocess.run([sys.executable, str(ROOT / "bench/peers/compare.py"), "--legato", str(tools.legato), "--engine",
                        str(engine), "--gguf", str(file), "--peers", str(tools.peers), "--rounds", str(tools.rounds),
                        "--measures", ",".join(measures), "--json", str(out)], check=True)
        result = json.loads(out.read_text())
        record[name] = result
        for what in measures:
            ours, theirs, ratio = (result[what][key] for key in ("legato_tokens_per_s", "llama_cpp_tokens_per_s", "ratio"))
            share = f"{100 * result[what]['share_of_bandwidth']:.0f} %" if what == "decode" else ""
            rows.append([model, kind, what, f"{ours['median']:.1f}", f"{theirs['median']:.1f}",
                         f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})", share])
    return table(["model", "file", "measure", "Legato tok/s", "llama.cpp tok/s", "ratio: median (range)", "of bandwidth"],
                 rows), record


SECTIONS = {"memory": memory, "accuracy": accuracy, "perplexity": perplexity, "overhead": overhead, "peer": peer, "gguf": gguf}


def machine(tools):
    bandwidth, _ = tools.run("bench", "bandwidth")
    flops, _ = tools.run("bench", "flops")
    device, _ = tools.run("bench", tools.engine(str(ROOT / "models/tiny-tales"), "fp16"), "--prompt-len", 8, "--gen-len", 1)
    return {"device": device["device"], "commit": device["commit"], "date": time.strftime("%Y-%m-%d"),
            "read_bytes_per_s": bandwidth["read_bytes_per_s"], "f32_flops": flops["f32_flops"]}


def replace_section(name, text):
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    page = PAGE.read_text()
    if begin not in page:
        raise SystemExit(f"{PAGE}: has no marker {begin}")
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.S))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legato", default=str(ROOT / "build/release/bin/legato"))
    parser.add_argument("--peers", default=str(ROOT / "build/peers"))
    parser.add_argument("--data", default=os.environ.get("LEGATO_TEST_DATA", str(ROOT.parent / "shared")))
    parser.add_argument("--work", default=str(ROOT / "build/report"))
    parser.add_argument("--rounds", type=int, default=5, help="of the peer comparison")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    args = parser.parse_args()
    for name in args.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name}; there are {', '.join(SECTIONS)}")
    tools = Tools(args)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for name in args.sections or SECTIONS:
        text, figures = SECTIONS[name](tools)
        where = machine(tools)
        note = (f"{where['device']}; {where['read_bytes_per_s']['all_threads'] / 1e9:.1f} GB/s read, "
                f"{where['f32_flops'] / 1e9:.0f} GFLOP/s f32; commit {where['commit']}, {where['date']}.")
        replace_section(name, f"{text}\n\n{note}")
        record[name] = {"machine": where, "figures": figures}
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
        print(text + "\n", flush=True)


if __name__ == "__main__":
    main()
