"""Measures Legato and other programs in turn on the same weights, threads and lengths, and prints ratios.

compare.py --legato build/release/bin/legato --engine 1b-f16.engine --peer llama.cpp=1b-f16.gguf [--peer NAME=MODEL ...]
           --peers build/peers [--measures prefill,decode] [--shape llama-3.2-1b] [--threads 2] [--rounds 5]
           [--json FILE]

Peers: llama.cpp, openvino and openvino-f32 (MODEL is a GGUF file), ctranslate2 and onnxruntime (a folder that
NAME_peer.py made). Measures: prefill (512 tokens), decode and decode1024 (32 tokens after 128 and 1024 others), batch16
(16 sequences of 128 tokens in and 64 out, decoded together; llama.cpp only). Each round runs one of each program, one
after the other, each after a warm-up of the same kind (a Python peer, which lives on, in the first round). A ratio is
taken within a round, so that a drift of the machine's speed cancels; the table gives medians and the range over rounds.
Bandwidth and FMA peak come from `legato bench bandwidth` and `legato bench flops` in the same run.
--level avx2 keeps all of them to what a processor without AVX-512 has: llama.cpp is then the build in llama.cpp-avx2,
the Python peers are told by their libraries' own environment variables (ONNX Runtime has none).
"""

import argparse
import json
import os
import signal
import subprocess
from pathlib import Path

from measures import DEPTHS, OUTPUT, PROMPT, spread

BATCH, BATCH_PROMPT, BATCH_OUTPUT = 16, 128, 64
WITHOUT_AVX512 = {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}

# layers, width, FFN width, heads, heads of keys and values, width of a head, vocabulary
SHAPES = {"smollm2-135m": (30, 576, 1536, 9, 3, 64, 49152), "llama-3.2-1b": (16, 2048, 8192, 32, 8, 64, 128256)}


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
    """The peer llama.cpp, by its own benchmarks: a process a measure."""

    def __init__(self, args, model):
        self.programs = Path(args.peers) / ("llama.cpp-avx2" if args.level == "avx2" else "llama.cpp") / "bin"
        self.gguf, self.threads = model, args.threads

    def bench(self, *options):
        """Tokens a second of one run."""
        command = [self.programs / "llama-bench", "-m", self.gguf, "-t", self.threads, "-r", 1, "-o", "jsonl", *options]
        return run_json(command)[0]["avg_ts"]

    def batch(self):
        command = [
            self.programs / "llama-batched-bench",
            "-m",
            self.gguf,
            "-t",
            self.threads,
            "-tb",
            self.threads,
            "-c",
            BATCH * (BATCH_PROMPT + BATCH_OUTPUT),
            "-npp",
            BATCH_PROMPT,
            "-ntg",
            BATCH_OUTPUT,
            "-npl",
            BATCH,
            "--output-format",
            "jsonl",
        ]
        return run_json(command)[0]["speed_tg"]

    def measure(self, what):
        if what == "batch16":
            return self.batch()
        if what == "prefill":
            return self.bench("-p", PROMPT, "-n", 0)
        return self.bench("-p", 0, "-n", OUTPUT, "-d", DEPTHS[what])

    def close(self):
        pass


class Worker:
    """A peer that is a Python library: one process for all rounds, stopped while others are measured."""

    def __init__(self, args, name, model):
        python = Path(args.peers) / "venv" / "bin" / "python"
        program, *more = name.split("-")
        script = Path(__file__).resolve().parent / f"{program}_peer.py"
        self.name = name
        self.log = open(Path(args.peers) / f"{name}.log", "w")
        self.process = subprocess.Popen(
            [str(python), str(script), "serve", str(model), str(args.threads), *more],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=os.environ | (WITHOUT_AVX512 if args.level == "avx2" else {}),
        )
        self.answer()  # it has loaded its model

    def measure(self, what):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return self.answer()["tokens_per_s"]

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.process.send_signal(signal.SIGSTOP)
                return json.loads(line)
        raise SystemExit(f"{self.name} ended with status {self.process.wait()}, see {self.log.name}")

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


class Legato:
    """This project's program: a process a measure. `bytes_per_step`: what it says that a decode step must move."""

    def __init__(self, args):
        self.common = [args.legato, "bench", args.engine, "--threads", args.threads, "--json", "--runs", 1]
        if args.level:
            self.common += ["--cpu-level", args.level]
        self.bytes_per_step = {}

    def bench(self, prompt, output, *options):
        return run_json([*self.common, "--prompt-len", prompt, "--gen-len", output, *options])[0]

    def measure(self, what):
        if what == "prefill":
            return self.bench(PROMPT, 1, "--batch", 1)["prefill"]["tokens_per_s"]
        if what == "batch16":
            result = self.bench(BATCH_PROMPT, BATCH_OUTPUT, "--batch", BATCH)
        else:
            result = self.bench(1, OUTPUT, "--batch", 1, "--depth", DEPTHS[what])
        self.bytes_per_step[what] = result["bytes_per_step"]
        return result["decode"]["tokens_per_s"]


def open_peer(args, text):
    name, _, model = text.partition("=")
    return name, LlamaCpp(args, model) if name == "llama.cpp" else Worker(args, name, model)


def prefill_operations(shape, tokens):
    """Two operations a weight and token, the head for the last token alone, and causal attention."""
    layers, width, ffn, heads, kv_heads, head_width, vocab = SHAPES[shape]
    weights = layers * (2 * width * heads * head_width + 2 * width * kv_heads * head_width + 3 * width * ffn)
    pairs = tokens * (tokens + 1) / 2
    return 2 * weights * tokens + 2 * width * vocab + 4 * pairs * heads * head_width * layers


def summarise(rounds, measures, peers):
    out = {"rounds": len(rounds)}
    for what in measures:
        ours = [r["legato"][what] for r in rounds]
        out[what] = {"legato_tokens_per_s": spread(ours), "peers": {}}
        for name in peers:
            theirs = [r[name][what] for r in rounds]
            out[what]["peers"][name] = {
                "tokens_per_s": spread(theirs),
                "ratio": spread([a / b for a, b in zip(ours, theirs)]),
            }
    return out


def add_shares(out, ceilings, bytes_per_step, shape):
    """Of bandwidth for decodes, of the FMA peak for a prefill of a known shape, by Legato's medians."""
    read = ceilings["bandwidth"]["read_bytes_per_s"]["all_threads"]
    for what in DEPTHS.keys() & out.keys():
        out[what]["share_of_bandwidth"] = out[what]["legato_tokens_per_s"]["median"] * bytes_per_step[what] / read
    if "prefill" in out and shape:
        operations = prefill_operations(shape, PROMPT) / PROMPT * out["prefill"]["legato_tokens_per_s"]["median"]
        out["prefill"]["share_of_fma_peak"] = operations / ceilings["flops"]["f32_flops"]
    out["ceilings"] = ceilings


def measure_ceilings(args):
    level = ["--cpu-level", args.level] if args.level else []
    return {
        what: run_json([args.legato, "bench", what, "--threads", args.threads, "--json", *level])[0]
        for what in ("bandwidth", "flops")
    }


def median_ceilings(all_ceilings):
    """Those of the run whose bandwidth, and of the run whose arithmetic, is the median."""
    by_read = sorted(all_ceilings, key=lambda c: c["bandwidth"]["read_bytes_per_s"]["all_threads"])
    by_flops = sorted(all_ceilings, key=lambda c: c["flops"]["f32_flops"])
    middle = len(all_ceilings) // 2
    return {"bandwidth": by_read[middle]["bandwidth"], "flops": by_flops[middle]["flops"]}


def print_summary(result, measures, peers):
    for what in measures:
        for name in peers:
            theirs = result[what]["peers"][name]
            ratio = theirs["ratio"]
            print(
                f"{what}: Legato {result[what]['legato_tokens_per_s']['median']:.2f} tok/s, {name} "
                f"{theirs['tokens_per_s']['median']:.2f} tok/s, ratio {ratio['median']:.3f} "
                f"({ratio['min']:.3f} to {ratio['max']:.3f})"
            )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--legato", default="build/release/bin/legato")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--peer", action="append", required=True, metavar="NAME=MODEL")
    parser.add_argument("--peers", default="build/peers")
    parser.add_argument("--measures", default="prefill,decode")
    parser.add_argument("--shape", choices=sorted(SHAPES), help="of the model, for the share of the FMA peak")
    parser.add_argument("--level", choices=["avx2"], help="instructions that all sides may use; default: the machine's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    args = parse_arguments()
    measures = args.measures.split(",")
    legato = Legato(args)
    peers = dict(open_peer(args, text) for text in args.peer)
    rounds, ceilings = [], []
    try:
        for number in range(args.rounds):
            ceilings.append(measure_ceilings(args))
            rounds.append(
                {
                    name: {what: side.measure(what) for what in measures}
                    for name, side in [*peers.items(), ("legato", legato)]
                }
            )
            print(f"round {number + 1}: {rounds[-1]}", flush=True)
    finally:
        for side in peers.values():
            side.close()
    result = summarise(rounds, measures, peers)
    add_shares(result, median_ceilings(ceilings), legato.bytes_per_step, args.shape)
    print_summary(result, measures, peers)
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
