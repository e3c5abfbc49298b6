"""Makes the small models of this folder whose names begin with "more-": variants of the families with random weights
and golden logits computed by transformers on the CPU in fp32 (pip install torch transformers safetensors).

    python make_more.py [NAME...]

Everything is seeded: the same library versions give the same files. The golden format is that of the other models here:
P.input_ids, P.last_logits, P.greedy_ids, P.greedy_margins for the prompts one, p17 and p60, and p17.all_logits.
"""
import json
import os
import sys
import zlib

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, GPT2Config, GPTNeoXConfig, LlamaConfig, MistralConfig, OPTConfig, Qwen2Config, Qwen3Config

VOCAB = 160
PROMPTS = {"one": 1, "p17": 17, "p60": 60}
GREEDY = 16
HERE = os.path.dirname(os.path.abspath(__file__))
IDS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
BASE = dict(vocab_size=VOCAB, hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=256, **IDS)


def shard(folder):
    """Splits model.safetensors into two shards with an index, as large models are stored."""
    tensors = load_file(f"{folder}/model.safetensors")
    names = sorted(tensors)
    halves = [names[: len(names) // 2], names[len(names) // 2:]]
    weight_map = {}
    for i, half in enumerate(halves):
        file = f"model-{i + 1:05d}-of-{len(halves):05d}.safetensors"
        save_file({name: tensors[name] for name in half}, f"{folder}/{file}", metadata={"format": "pt"})
        weight_map.update({name: file for name in half})
    os.remove(f"{folder}/model.safetensors")
    total = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    json.dump({"metadata": {"total_size": total}, "weight_map": weight_map},
              open(f"{folder}/model.safetensors.index.json", "w"), indent=1)


def rewrite(folder, change):
    tensors = change(load_file(f"{folder}/model.safetensors"))
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, f"{folder}/model.safetensors",
              metadata={"format": "pt"})


def without_prefix(folder):
    """Names without "transformer.", and the mask buffers that old exporters stored."""
    def change(tensors):
        named = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
        for layer in range(2):
            named[f"h.{layer}.attn.bias"] = torch.tril(torch.ones(1, 1, 64, 64)).to(torch.uint8)
            named[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
        return named
    rewrite(folder, change)


def with_output_copy(folder):
    """A tied model whose file stores the output matrix too, and rotary tables of old exporters."""
    def change(tensors):
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].clone()
        tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(6)
        return tensors
    rewrite(folder, change)


def edit_config(folder, change):
    path = f"{folder}/config.json"
    config = json.load(open(path))
    change(config)
    json.dump(config, open(path, "w"), indent=2, sort_keys=True)


def old_style(folder):
    """config.json as transformers 4 wrote it."""
    def change(config):
        rope = config.pop("rope_parameters")
        config["rope_theta"] = rope.pop("rope_theta")
        kind = rope.pop("rope_type")
        config["rope_scaling"] = None if kind == "default" else {"type": kind, **rope}
        config["torch_dtype"] = config.pop("dtype")
    edit_config(folder, change)


def rope(kind, theta=10000.0, **fields):
    return {"rope_type": kind, "rope_theta": theta, **fields}


def tiny_window(length):
    return {**BASE, "num_key_value_heads": 2, "sliding_window": length}


MODELS = {
    "more-qwen3": (Qwen3Config(**BASE, num_key_value_heads=2, head_dim=16, tie_word_embeddings=True,
                               rope_parameters=rope("default", 1e6)), torch.bfloat16, None),
    "more-qwen2-windows": (Qwen2Config(**{**tiny_window(12), "num_hidden_layers": 3}, use_sliding_window=True, max_window_layers=1,
                                       rope_parameters=rope("default", 1e6)), torch.float16, None),
    "more-llama-yarn": (LlamaConfig(**BASE, num_key_value_heads=1, head_dim=32,
                                    rope_parameters=rope("yarn", factor=4.0, original_max_position_embeddings=64)), torch.float16, None),
    "more-llama-yarn-mscale": (LlamaConfig(**BASE, num_key_value_heads=2, head_dim=32, tie_word_embeddings=True,
                                           rope_parameters=rope("yarn", factor=8.0, original_max_position_embeddings=32, mscale=0.9,
                                                                mscale_all_dim=0.4, beta_fast=16.0, beta_slow=2.0, truncate=False)),
                               torch.float16, with_output_copy),
    "more-llama-dynamic": (LlamaConfig(**{**BASE, "max_position_embeddings": 96}, rope_parameters=rope("dynamic", factor=2.0)),
                           torch.float16, old_style),
    "more-llama3-shards": (LlamaConfig(**{**BASE, "num_attention_heads": 8, "hidden_size": 64}, num_key_value_heads=2, hidden_act="gelu",
                                       rope_parameters=rope("default", 500000.0)), torch.bfloat16, shard),
    "more-mistral-full": (MistralConfig(**{**BASE, "hidden_size": 40}, num_key_value_heads=2, head_dim=16, sliding_window=None,
                                        rope_parameters=rope("default", 1e6)), torch.bfloat16, old_style),
    "more-gpt2-plain": (GPT2Config(vocab_size=VOCAB, n_positions=128, n_embd=48, n_layer=2, n_head=3, activation_function="gelu",
                                   scale_attn_weights=False, tie_word_embeddings=False, **IDS), torch.float16, without_prefix),
    "more-neox": (GPTNeoXConfig(**BASE, attention_bias=False, hidden_act="gelu_new", tie_word_embeddings=True,
                                rope_parameters=rope("linear", 20000.0, factor=2.0, partial_rotary_factor=0.34)), torch.float16, None),
    "more-opt": (OPTConfig(vocab_size=VOCAB, hidden_size=48, ffn_dim=100, num_hidden_layers=2, num_attention_heads=4,
                           max_position_embeddings=128, activation_function="gelu", enable_bias=False,
                           layer_norm_elementwise_affine=False, tie_word_embeddings=False, **IDS), torch.float16, None),
}


@torch.no_grad()
def fill(model, seed, dtype):
    """Random values that `dtype` holds exactly; buffers such as inv_freq stay in fp32."""
    for name, parameter in model.named_parameters():
        generator = torch.Generator().manual_seed(zlib.crc32(f"{seed}/{name}".encode()))
        values = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() == 1:
            values = 0.1 * values if name.endswith("bias") else 1 + 0.2 * values
        else:
            values = 0.3 * values
        parameter.copy_(values.to(dtype).float())


@torch.no_grad()
def logits(model, ids):
    return model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].float()


def greedy(model, ids):
    sequence, margins = list(ids), []
    for _ in range(GREEDY):
        best = logits(model, sequence)[-1].topk(2)
        margins.append(float(best.values[0] - best.values[1]))
        sequence.append(int(best.indices[0]))
    return sequence[len(ids):], margins


def golden(model, name):
    tensors = {}
    for prompt, length in PROMPTS.items():
        generator = torch.Generator().manual_seed(zlib.crc32(f"{name}/{prompt}".encode()))
        ids = torch.randint(3, VOCAB, (length,), generator=generator)
        values = logits(model, ids.tolist())
        continuation, margins = greedy(model, ids.tolist())
        tensors[f"{prompt}.input_ids"] = ids
        tensors[f"{prompt}.last_logits"] = values[-1].clone()
        tensors[f"{prompt}.greedy_ids"] = torch.tensor(continuation)
        tensors[f"{prompt}.greedy_margins"] = torch.tensor(margins)
        if prompt == "p17":
            tensors[f"{prompt}.all_logits"] = values.contiguous()
    return tensors


def make(name):
    config, dtype, finish = MODELS[name]
    folder = f"{HERE}/{name}"
    os.makedirs(folder, exist_ok=True)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    for seed in range(8):
        fill(model, seed, dtype)
        tensors = golden(model.eval(), name)
        if min(float(tensors[f"{prompt}.greedy_margins"].min()) for prompt in PROMPTS) > 2e-3:
            break
    model.to(dtype).save_pretrained(folder)
    save_file(tensors, f"{folder}/golden.safetensors", metadata={"legato_golden": "decoder"})
    if finish is not None:
        finish(folder)
    size = sum(os.path.getsize(f"{folder}/{file}") for file in os.listdir(folder))
    print(f"{name}: seed {seed}, {size // 1024} KiB, largest logit {float(tensors['p17.all_logits'].abs().max()):.3f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[1:] or MODELS:
        make(wanted)
