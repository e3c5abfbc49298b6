"""Measures Legato and llama.cpp in turn on the same weights, threads and lengths, and prints ratios.

compare.py --legato build/release/bin/legato --engine 1b-f16.engine --gguf 1b-f16.gguf --peers build/peers
           [--measures prefill,decode] [--threads 2] [--rounds 5] [--json FILE]

Measures: prefill (512 tokens), decode (32 tokens after 128 others), decode1024 (after 1024 others), batch16 (16 sequences
of 128 tokens in and 64 out, decoded together). Each round runs one of each program, one after the other. A ratio is taken
within a round, so that a drift of the machine's speed cancels; the table gives medians and the range over rounds.
Bandwidth and FMA peak come from `legato bench bandwidth` and `legato bench flops` in the same run.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

PROMPT, OUTPUT = 512, 32
BATCH, BATCH_PROMPT, BATCH_OUTPUT = 16, 128, 64


def run_json(command):
    """The objects that a command prints: one over many lines (Legato), or one a line (llama.cpp)."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr[-2000:]}")
    try:
        return [json.loads(done.stdout)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class LlamaCpp:
    def __init__(self, args):
        self.programs = Path(args.peers) / "llama.cpp" / "bin"
        self.gguf, self.threads = args.gguf, args.threads

    def bench(self, *options):
        command = [self.programs / "llama-bench", "-m", self.gguf, "-t", self.threads, "-r", 1, "-o", "jsonl", *options]
        return run_json(command)[0]["avg_ts"]

    def prefill(self):
        return self.bench("-p", PROMPT, "-n", 0)

    def decode(self, depth):
        return self.bench("-p", 0, "-n", OUTPUT, "-d", depth)

    def batch(self):
        command = [self.programs / "llama-batched-bench", "-m", self.gguf, "-t", self.threads, "-tb", self.threads, "-c",
                   BATCH * (BATCH_PROMPT + BATCH_OUTPUT), "-npp", BATCH_PROMPT, "-ntg", BATCH_OUTPUT, "-npl", BATCH,
                   "--output-format", "jsonl"]
        return run_json(command)[0]["speed_tg"]


class Legato:
    def __init__(self, args):
        self.common = [args.legato, "bench", args.engine, "--threads", args.threads, "--json", "--runs", 1]
        self.bytes_per_step = None

    def bench(self, prompt, output, *options):
        return run_json([*self.common, "--prompt-len", prompt, "--gen-len", output, *options])[0]

    def prefill(self):
        return self.bench(PROMPT, 1, "--batch", 1)["prefill"]["tokens_per_s"]

    def decode(self, depth):
        result = self.bench(1, OUTPUT, "--batch", 1, "--depth", depth)
        self.bytes_per_step = self.bytes_per_step or result["bytes_per_step"]
        return result["decode"]["tokens_per_s"]

    def batch(self):
        return self.bench(BATCH_PROMPT, BATCH_OUTPUT, "--batch", BATCH)["decode"]["tokens_per_s"]


MEASURES = {"prefill": lambda side: side.prefill(), "decode": lambda side: side.decode(128),
            "decode1024": lambda side: side.decode(1024), "batch16": lambda side: side.batch()}


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summarise(rounds, measures):
    out = {"rounds": len(rounds)}
    for what in measures:
        ours = [r["legato"][what] for r in rounds]
        theirs = [r["peer"][what] for r in rounds]
        out[what] = {"legato_tokens_per_s": spread(ours), "llama_cpp_tokens_per_s": spread(theirs),
                     "ratio": spread([a / b for a, b in zip(ours, theirs)])}
    return out


def add_shares(out, ceilings, bytes_per_step, parameters):
    read = ceilings["bandwidth"]["read_bytes_per_s"]["all_threads"]
    if "decode" in out and bytes_per_step:
        out["decode"]["share_of_bandwidth"] = out["decode"]["legato_tokens_per_s"]["median"] * bytes_per_step / read
    if "prefill" in out and parameters:
        operations = 2.0 * parameters * out["prefill"]["legato_tokens_per_s"]["median"]
        out["prefill"]["share_of_fma_peak"] = operations / ceilings["flops"]["f32_flops"]
    out["ceilings"] = ceilings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legato", default="build/release/bin/legato")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--gguf", help="default PEERS/models/llama-1b-f16.gguf")
    parser.add_argument("--peers", default="build/peers")
    parser.add_argument("--measures", default="prefill,decode")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parameters", type=float, default=0,
                        help="weights that a prompt token is multiplied with (the head runs for one token only)")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.gguf = args.gguf or Path(args.peers) / "models" / "llama-1b-f16.gguf"
    measures = args.measures.split(",")

    ceilings = {what: run_json([args.legato, "bench", what, "--threads", args.threads, "--json"])[0]
                for what in ("bandwidth", "flops")}
    peer, legato = LlamaCpp(args), Legato(args)
    rounds = []
    for number in range(args.rounds):
        rounds.append({"peer": {what: MEASURES[what](peer) for what in measures},
                       "legato": {what: MEASURES[what](legato) for what in measures}})
        print(f"round {number + 1}: {rounds[-1]}", flush=True)
    result = summarise(rounds, measures)
    add_shares(result, ceilings, legato.bytes_per_step, args.parameters)
    for what in measures:
        row = result[what]
        print(f"{what}: Legato {row['legato_tokens_per_s']['median']:.2f} tok/s, llama.cpp "
              f"{row['llama_cpp_tokens_per_s']['median']:.2f} tok/s, ratio {row['ratio']['median']:.3f} "
              f"({row['ratio']['min']:.3f} to {row['ratio']['max']:.3f})")
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
