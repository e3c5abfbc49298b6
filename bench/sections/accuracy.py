"""Sections on how right the results are: accuracy, perplexity, perplexity_gguf."""

import re
import subprocess
import sys

from sections.tools import ROOT, table

MOBY_DICK = ROOT / "tests/data/eval/moby-dick"
TINY_TALES = str(ROOT / "models" / "tiny-tales")
# Of the comparison with llama-perplexity, which scores the second half of a window but for its first token.
WINDOW, WINDOWS, SCORE_FROM = 512, 20, 257


def accuracy(tools):
    folders = [
        (ROOT / "models" / name, ROOT / "tests/data/golden" / name / "verify.safetensors")
        for name in ("tiny-tales", "nano-llama", "nano-gpt2")
    ]
    folders += [(path.parent, path) for path in sorted((ROOT / "tests/data/zoo").glob("*/golden.safetensors"))]
    rows, record = [], []
    for folder, golden in folders:
        result, _ = tools.run("verify", tools.engine(str(folder), "fp32"), "--golden", golden)
        rows.append(
            [
                folder.name,
                len(result["cases"]),
                f"{result['max_rel']:.1e}",
                "equal" if result["greedy_equal"] else "different",
            ]
        )
        record.append({"model": folder.name, "max_rel": result["max_rel"], "greedy_equal": result["greedy_equal"]})
    return table(["model", "prompts", "largest difference / largest logit", "greedy ids"], rows), record


def perplexity(tools):
    """Of tiny-tales in every precision, on a text of its kind and on another."""
    texts = {"tales-val": tools.data / "golden/eval/tales-val.bin", "moby-dick": MOBY_DICK.with_suffix(".bin")}
    others = ("fp16", "bf16", "w8", "w4")
    rows, record = [], []
    for name, path in texts.items():
        if not path.exists():
            print(f"perplexity: {path} is absent, its row is left out", file=sys.stderr)
            continue
        values = {
            precision: tools.run("eval", tools.engine(TINY_TALES, precision), "--ids", path, "--window", 1024)[0][
                "perplexity"
            ]
            for precision in ("fp32", *others)
        }
        rows.append(
            [name, f"{values['fp32']:.3f}"]
            + [f"{values[p]:.3f} ({100 * (values[p] / values['fp32'] - 1):+.3f} %)" for p in others]
        )
        record.append({"text": name, **values})
    return table(["text", "fp32", *others], rows), record


def peer_perplexity(tools, file):
    command = [
        tools.program("llama-perplexity"),
        "-m",
        file,
        "-t",
        tools.threads,
        "-f",
        MOBY_DICK.with_suffix(".txt"),
        "-c",
        WINDOW,
        "-b",
        WINDOW,
        "--chunks",
        WINDOWS,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", check=True)
    return float(re.search(r"Final estimate: PPL = ([\d.]+)", done.stdout + done.stderr)[1])


def own_perplexity(tools, file, precision):
    result, _ = tools.run(
        "eval",
        tools.engine(file, precision),
        "--text",
        MOBY_DICK.with_suffix(".txt"),
        "--window",
        WINDOW,
        "--score-from",
        SCORE_FROM,
        "--max-windows",
        WINDOWS,
        "--no-special",
        "--threads",
        tools.threads,
    )
    return result["perplexity"]


def perplexity_gguf(tools):
    """SmolLM2's files by llama-perplexity's protocol on both sides: 20 windows of 512, tokens 257 to 511 of each scored."""
    rows, record = [], []
    for kind, more in (("f16", ["w8"]), ("q8_0", ["w8"]), ("q4_1", ["w8", "w4"]), ("q4_0", [])):
        file = tools.gguf(f"smollm2-135m-{kind}.gguf")
        theirs = peer_perplexity(tools, file)
        for precision in ("source", *more):
            ours = own_perplexity(tools, file, precision)
            name = "the file's own" if precision == "source" else precision
            rows.append([kind, name, f"{ours:.3f}", f"{theirs:.3f}", f"{100 * (ours / theirs - 1):+.2f} %"])
            record.append({"file": kind, "precision": precision, "legato": ours, "llama_cpp": theirs})
            print("perplexity_gguf:", *rows[-1], flush=True)
    return table(["file", "engine's weights", "Legato", "llama.cpp", "difference"], rows), record
