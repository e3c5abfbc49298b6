"""Writes one random model of Llama-3.2-1B's shape in both forms: a Hugging Face folder and a GGUF file, both f16.

make_models.py OUTDIR TOKENIZER.gguf    (needs numpy, safetensors, gguf; 5 GB of disk)

The GGUF file has the tokenizer of another one, with spare tokens up to the vocabulary of the shape.
"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file

WIDTH, LAYERS, HEADS, KV_HEADS, HEAD_DIM, FFN, VOCAB = 2048, 16, 32, 8, 64, 8192, 128256
CONTEXT, THETA, EPSILON = 131072, 500000.0, 1e-5

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": FFN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD_DIM,
    "vocab_size": VOCAB,
    "rms_norm_eps": EPSILON,
    "rope_theta": THETA,
    "max_position_embeddings": CONTEXT,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "bos_token_id": 1,
    "eos_token_id": 2,
    "attention_bias": False,
    "mlp_bias": False,
    "torch_dtype": "float16",
}

# name in the folder, name in the GGUF file, rows, columns, heads whose rows GGUF permutes (0: none)
MATRICES = [
    ("self_attn.q_proj", "attn_q", HEADS * HEAD_DIM, WIDTH, HEADS),
    ("self_attn.k_proj", "attn_k", KV_HEADS * HEAD_DIM, WIDTH, KV_HEADS),
    ("self_attn.v_proj", "attn_v", KV_HEADS * HEAD_DIM, WIDTH, 0),
    ("self_attn.o_proj", "attn_output", WIDTH, HEADS * HEAD_DIM, 0),
    ("mlp.gate_proj", "ffn_gate", FFN, WIDTH, 0),
    ("mlp.up_proj", "ffn_up", FFN, WIDTH, 0),
    ("mlp.down_proj", "ffn_down", WIDTH, FFN, 0),
]


class Noise:
    """Normal numbers of deviation 0.02: one long pattern, rolled anew for each run of it (fast to make)."""

    def __init__(self):
        self.random = np.random.default_rng(1)
        self.pattern = (self.random.standard_normal(4194301, dtype=np.float32) * 0.02).astype(np.float16)

    def matrix(self, rows, columns):
        flat = np.empty(rows * columns, np.float16)
        for begin in range(0, flat.size, self.pattern.size):
            run = np.roll(self.pattern, int(self.random.integers(self.pattern.size)))
            flat[begin : begin + run.size] = run[: flat.size - begin]
        return flat.reshape(rows, columns)


def permuted(matrix, heads):
    """Rotary pairs as GGUF's llama keeps them: neighbours instead of halves of a head."""
    half = matrix.shape[0] // heads // 2
    return np.ascontiguousarray(matrix.reshape(heads, 2, half, matrix.shape[1]).swapaxes(1, 2).reshape(matrix.shape))


def make_tensors():
    noise = Noise()
    ones = np.ones(WIDTH, np.float16)
    tensors = {"model.embed_tokens.weight": noise.matrix(VOCAB, WIDTH), "model.norm.weight": ones}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        tensors[prefix + "input_layernorm.weight"] = ones
        tensors[prefix + "post_attention_layernorm.weight"] = ones
        for name, _, rows, columns, _ in MATRICES:
            tensors[prefix + name + ".weight"] = noise.matrix(rows, columns)
    return tensors


def write_folder(folder, tensors):
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=1))


def add_tokenizer(writer, source):
    for field in gguf.GGUFReader(source).fields.values():
        if not field.name.startswith("tokenizer."):
            continue
        value = field.contents()
        if field.name == "tokenizer.ggml.tokens":
            value += [f"<|spare_{number}|>" for number in range(VOCAB - len(value))]
        elif field.name == "tokenizer.ggml.token_type":
            value = list(value) + [int(gguf.TokenType.UNUSED)] * (VOCAB - len(value))
        is_list = field.types[0] == gguf.GGUFValueType.ARRAY
        writer.add_key_value(field.name, value, field.types[0], sub_type=field.types[-1] if is_list else None)


def write_gguf(path, tensors, tokenizer):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("random Llama-3.2-1B shape")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(THETA)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(VOCAB)
    writer.add_rope_dimension_count(HEAD_DIM)
    add_tokenizer(writer, tokenizer)
    writer.add_tensor("token_embd.weight", tensors["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", tensors["model.norm.weight"].astype(np.float32))
    for layer in range(LAYERS):
        source, target = f"model.layers.{layer}.", f"blk.{layer}."
        for name, norm in [("input_layernorm", "attn_norm"), ("post_attention_layernorm", "ffn_norm")]:
            writer.add_tensor(f"{target}{norm}.weight", tensors[f"{source}{name}.weight"].astype(np.float32))
        for name, short, _, _, heads in MATRICES:
            matrix = tensors[f"{source}{name}.weight"]
            writer.add_tensor(f"{target}{short}.weight", permuted(matrix, heads) if heads else matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    out = Path(sys.argv[1])
    tensors = make_tensors()
    write_folder(out / "llama-1b-hf", tensors)
    write_gguf(out / "llama-1b-f16.gguf", tensors, sys.argv[2])
    print(f"{sum(tensor.size for tensor in tensors.values())} parameters")


if __name__ == "__main__":
    main()
