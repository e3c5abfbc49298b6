"""Measures Legato and llama.cpp in turn on the same weights, threads and lengths, and prints ratios.

compare.py --legato build/release/bin/legato --engine 1b-f16.engine --peers build/peers
           [--threads 2] [--rounds 5] [--json FILE]

Each round runs one of each: llama-bench, then `legato bench`. A ratio is taken within a round, so that a drift of the
machine's speed cancels; the table gives medians and the range over rounds. Bandwidth and FMA peak come from
`legato bench bandwidth` and `legato bench flops` in the same run.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

PROMPT, OUTPUT, DEPTH = 512, 32, 128


def run_json(command):
    """The objects that a command prints: one over many lines (Legato), or one a line (llama-bench)."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr[-2000:]}")
    try:
        return [json.loads(done.stdout)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def peer_round(args):
    program = Path(args.peers) / "llama.cpp" / "bin" / "llama-bench"
    common = [program, "-m", args.gguf, "-t", args.threads, "-r", 1, "-o", "jsonl"]
    prefill = run_json(common + ["-p", PROMPT, "-n", 0])[0]
    decode = run_json(common + ["-p", 0, "-n", OUTPUT, "-d", DEPTH])[0]
    return {"prefill": prefill["avg_ts"], "decode": decode["avg_ts"]}


def legato_round(args):
    common = [args.legato, "bench", args.engine, "--threads", args.threads, "--json", "--batch", 1, "--runs", 1]
    prefill = run_json(common + ["--prompt-len", PROMPT, "--gen-len", 1])[0]
    decode = run_json(common + ["--prompt-len", 1, "--gen-len", OUTPUT, "--depth", DEPTH])[0]
    return {"prefill": prefill["prefill"]["tokens_per_s"], "decode": decode["decode"]["tokens_per_s"],
            "bytes_per_step": decode["bytes_per_step"]}


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def summarise(rounds, ceilings, parameters):
    out = {"rounds": len(rounds)}
    for what in ("prefill", "decode"):
        ours = [r["legato"][what] for r in rounds]
        theirs = [r["peer"][what] for r in rounds]
        out[what] = {"legato_tokens_per_s": spread(ours), "llama_cpp_tokens_per_s": spread(theirs),
                     "ratio": spread([a / b for a, b in zip(ours, theirs)])}
    read = ceilings["bandwidth"]["read_bytes_per_s"]["all_threads"]
    peak = ceilings["flops"]["f32_flops"]
    bytes_per_step = rounds[0]["legato"]["bytes_per_step"]
    out["decode"]["share_of_bandwidth"] = out["decode"]["legato_tokens_per_s"]["median"] * bytes_per_step / read
    if parameters:
        operations = 2.0 * parameters * out["prefill"]["legato_tokens_per_s"]["median"]
        out["prefill"]["share_of_fma_peak"] = operations / peak
    return out | {"ceilings": ceilings}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legato", default="build/release/bin/legato")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--gguf", help="default PEERS/models/llama-1b-f16.gguf")
    parser.add_argument("--peers", default="build/peers")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parameters", type=float, default=0.973e9,
                        help="weights that a prompt token is multiplied with (the head runs for one token only)")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.gguf = args.gguf or Path(args.peers) / "models" / "llama-1b-f16.gguf"

    ceilings = {what: run_json([args.legato, "bench", what, "--threads", args.threads, "--json"])[0]
                for what in ("bandwidth", "flops")}
    rounds = []
    for number in range(args.rounds):
        rounds.append({"peer": peer_round(args), "legato": legato_round(args)})
        print(f"round {number + 1}: {rounds[-1]}", flush=True)
    result = summarise(rounds, ceilings, args.parameters)
    for what in ("decode", "prefill"):
        row = result[what]
        print(f"{what}: Legato {row['legato_tokens_per_s']['median']:.2f} tok/s, llama.cpp "
              f"{row['llama_cpp_tokens_per_s']['median']:.2f} tok/s, ratio {row['ratio']['median']:.3f} "
              f"({row['ratio']['min']:.3f} to {row['ratio']['max']:.3f})")
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
