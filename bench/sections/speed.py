"""Sections on speed: overhead, gguf, peers_small, peers_1b, w8, avx2."""

import json

from sections.tools import compare, percent, table, with_range
from sections.accuracy import TINY_TALES

MODELS = {"SmolLM2-135M": ("smollm2-135m", "smollm2-135m"), "1B shape": ("llama-1b", "llama-3.2-1b")}


def overhead(tools):
    rows, record = [], []
    engine = tools.engine(TINY_TALES, "fp16")
    for threads in (1, 2):
        profile = tools.work / "profile.json"
        tools.run(
            "bench",
            engine,
            "--prompt-len",
            64,
            "--gen-len",
            256,
            "--runs",
            5,
            "--threads",
            threads,
            "--export-profile",
            profile,
        )
        figures = json.loads(profile.read_text())
        step, kernels = figures["step_us"], figures["kernels_us"]
        rows.append(
            [
                threads,
                f"{step:.1f}",
                f"{kernels:.1f}",
                f"{figures['barriers_us']:.1f}",
                f"{step - kernels:.1f}",
                f"{100 * (step - kernels) / step:.1f} %",
            ]
        )
        record.append(
            {"threads": threads, "step_us": step, "kernels_us": kernels, "barriers_us": figures["barriers_us"]}
        )
    return table(["threads", "step us", "kernels us", "waiting us", "step minus kernels us", "share"], rows), record


HEAD = [
    "model",
    "weights",
    "measure",
    "Legato tok/s",
    "peer",
    "its tok/s",
    "ratio: median (range)",
    "of bandwidth",
    "of FMA peak",
]


def result_rows(label, result):
    """A line for each measure and peer of one comparison; `label`: the cells for model and weights."""
    for what, found in result.items():
        if what in ("rounds", "ceilings"):
            continue
        for name, theirs in found["peers"].items():
            yield [
                *label,
                what,
                f"{found['legato_tokens_per_s']['median']:.1f}",
                name,
                f"{theirs['tokens_per_s']['median']:.1f}",
                with_range(theirs["ratio"]),
                percent(found.get("share_of_bandwidth")),
                percent(found.get("share_of_fma_peak")),
            ]


def gguf(tools, model):
    """The same GGUF files on both sides."""
    stem, shape = MODELS[model]
    measures = ["prefill", "decode"] + (["decode1024", "batch16"] if stem.startswith("smollm2") else [])
    rows, record = [], {}
    for kind in ("f16", "q8_0", "q4_0"):
        file = tools.gguf(f"{stem}-{kind}.gguf")
        result = compare(tools, tools.engine(file, "source"), {"llama.cpp": file}, measures, shape)
        record[kind] = result
        rows += result_rows([model, kind], result)
    return table(HEAD, rows), record


def other_peers(tools, stem, kind):
    """What reads, or was made of, the same model at the same width. OpenVINO's precision matters for f16 files alone:
    with codes of 8 and 4 bits it computes in int8 either way."""
    peers = {"openvino": tools.gguf(f"{stem}-{kind}.gguf")}
    if kind == "f16" and stem.startswith("smollm2"):
        peers["openvino-f32"] = peers["openvino"]
    for name, other in (
        ("onnxruntime", {"f16": "float32", "q8_0": "int8", "q4_0": "int4"}),
        ("ctranslate2", {"f16": "float32"}),
    ):
        folder = tools.gguf(f"{stem}-{name}-{other.get(kind)}")
        if folder.exists():
            peers[name] = folder
    return peers


def others(tools, model):
    """The GGUF files against the Python peers."""
    stem, shape = MODELS[model]
    measures = ["prefill", "decode"] + (["decode1024"] if stem.startswith("smollm2") else [])
    rows, record = [], {}
    for kind in ("f16", "q8_0", "q4_0"):
        engine = tools.engine(tools.gguf(f"{stem}-{kind}.gguf"), "source")
        record[kind] = compare(tools, engine, other_peers(tools, stem, kind), measures, shape)
        rows += result_rows([model, kind], record[kind])
    return table(HEAD, rows), record


def w8(tools):
    """Legato's w8 against CTranslate2's int8: scales of rows and int8 activations on both sides."""
    rows, record = [], {}
    for model, (stem, shape) in MODELS.items():
        engine = tools.engine(tools.gguf(f"{stem}-f16.gguf"), "w8")
        peers = {"ctranslate2": tools.gguf(f"{stem}-ctranslate2-int8")}
        measures = ["prefill", "decode"] if stem.startswith("smollm2") else ["prefill"]
        record[stem] = compare(tools, engine, peers, measures, shape)
        rows += result_rows([model, "w8"], record[stem])
    return table(HEAD, rows), record


def avx2(tools):
    """All sides kept to AVX2: the GGUF files against llama.cpp, w8 against CTranslate2's int8. OpenVINO, told by oneDNN's
    variable to do without AVX-512, computes f16 files in float32 and refuses quantised ones."""
    rows, record = [], {}
    for model, (stem, shape) in MODELS.items():
        for kind in ("f16", "q8_0", "q4_0"):
            file = tools.gguf(f"{stem}-{kind}.gguf")
            peers = {"llama.cpp": file} | ({"openvino-f32": file} if kind == "f16" else {})
            result = compare(tools, tools.engine(file, "source"), peers, ["prefill", "decode"], shape, "avx2")
            record[f"{stem}-{kind}"] = result
            rows += result_rows([model, kind], result)
        engine = tools.engine(tools.gguf(f"{stem}-f16.gguf"), "w8")
        peers = {"ctranslate2": tools.gguf(f"{stem}-ctranslate2-int8")}
        record[f"{stem}-w8"] = compare(tools, engine, peers, ["prefill"], shape, "avx2")
        rows += result_rows([model, "w8"], record[f"{stem}-w8"])
    return table(HEAD, rows), record
