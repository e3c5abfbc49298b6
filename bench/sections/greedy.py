"""Section greedy: ten prompts, our tokens against llama.cpp's on the public Q4_1 file, up to near-ties.

Where the two first differ, the margin between the two best logits of an fp32 engine of the same file is compared with
twice the largest difference between that engine's logits and llama.cpp's at that step: below it, either token is right
(a near-tie). After a near-tie both go on from llama.cpp's token, so that every prompt compares COUNT tokens.
"""

import json
import struct

from sections.tools import run_process, table

COUNT = 24
PROMPTS = [
    "The capital of France is",
    "Once upon a time, in a small village by the sea,",
    "def fibonacci(n):\n    ",
    "Water boils at a temperature of",
    "The three laws of thermodynamics state that",
    "Dear Sir or Madam,\n\nI am writing to",
    "Q: What is 12 times 12?\nA:",
    "The main difference between a frog and a toad is",
    "In 1969, the first humans",
    "My favourite recipe for bread needs flour, water,",
]


class Logits:
    """llama.cpp's tokens behind a prompt, and the logits that chose them."""

    def __init__(self, tools, file, prompt):
        path = tools.work / "logits.f32"
        output, _ = run_process([tools.program("llama_driver"), "greedy", file, tools.threads, COUNT, path, *prompt])
        self.tokens = [int(word) for word in output.split()]
        if len(self.tokens) != COUNT:
            raise SystemExit(f"llama_driver greedy: {len(self.tokens)} tokens, expected {COUNT}")
        data = path.read_bytes()
        self.row_bytes = len(data) // COUNT
        self.data = data

    def row(self, step):
        return self.data[step * self.row_bytes : (step + 1) * self.row_bytes]


def save_golden(path, ids, logits):
    """A golden file of one prompt: its ids and the logits (bytes of float32) behind the last."""
    id_bytes = struct.pack(f"<{len(ids)}q", *ids)
    sizes = len(id_bytes), len(id_bytes) + len(logits)
    header = json.dumps(
        {
            "step.input_ids": {"dtype": "I64", "shape": [len(ids)], "data_offsets": [0, sizes[0]]},
            "step.last_logits": {"dtype": "F32", "shape": [len(logits) // 4], "data_offsets": list(sizes)},
        }
    ).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header + id_bytes + logits)


def continue_greedily(tools, engine, ids, count, *flags):
    result, _ = tools.run(
        "run",
        engine,
        "--ids",
        ",".join(map(str, ids)),
        "--max-tokens",
        count,
        "--temperature",
        0,
        "--ignore-eos",
        "--threads",
        tools.threads,
        *flags,
    )
    return result


def own_tokens(tools, engine, ids, count):
    return continue_greedily(tools, engine, ids, count)["token_ids"]


def fp32_margin(tools, engine, ids):
    result = continue_greedily(tools, engine, ids, 1, "--logprobs", 2)
    best, second = (entry["logprob"] for entry in result["logprobs"][0]["top"])
    return best - second


def fp32_difference(tools, engine, ids, row):
    """The largest one between the logits behind `ids` and llama.cpp's."""
    golden = tools.work / "step.safetensors"
    save_golden(golden, ids, row)
    result, _ = tools.run("verify", engine, "--golden", golden, may_fail=True)
    return result["cases"][0]["max_abs"]


def compare_prompt(tools, engines, peer, prompt):
    """The steps at which the two first choose different tokens, each with its margin and bound."""
    done, found = 0, []
    while done < COUNT:
        ours = own_tokens(tools, engines["source"], prompt + peer.tokens[:done], COUNT - done)
        if len(ours) != COUNT - done:
            raise SystemExit(f"greedy: {len(ours)} tokens behind {done}, expected {COUNT - done}")
        differs = next((i for i, pair in enumerate(zip(ours, peer.tokens[done:])) if pair[0] != pair[1]), None)
        if differs is None:
            break
        step = done + differs
        ids = prompt + peer.tokens[:step]
        margin = fp32_margin(tools, engines["fp32"], ids)
        bound = 2 * fp32_difference(tools, engines["fp32"], ids, peer.row(step))
        found.append(
            {"step": step, "legato": ours[differs], "llama_cpp": peer.tokens[step], "margin": margin, "bound": bound}
        )
        done = step + 1
    return found


def greedy(tools):
    file = tools.gguf("smollm2-135m-q4_1.gguf")
    engines = {precision: tools.engine(file, precision) for precision in ("source", "fp32")}
    rows, record = [], []
    for text in PROMPTS:
        prompt = tools.run("tokenize", engines["source"], text)[0]["ids"]
        peer = Logits(tools, file, prompt)
        found = compare_prompt(tools, engines, peer, prompt)
        far = [one for one in found if one["margin"] >= one["bound"]]
        first = found[0] if found else None
        rows.append(
            [
                f"`{json.dumps(text)[1:-1]}`",
                COUNT,
                *([first["step"], f"{first['margin']:.3f}", f"{first['bound']:.3f}"] if first else ["none", "", ""]),
                len(found) - len(far),
                "different" if far else "equal",
            ]
        )
        record.append({"prompt": text, "tokens": COUNT, "differences": found, "equal_up_to_near_ties": not far})
    return (
        table(["prompt", "tokens", "first difference at", "fp32 margin", "bound", "near-ties", "verdict"], rows),
        record,
    )
