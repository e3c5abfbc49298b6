"""Makes the GGUF files and cases beside this file, from the models in ../zoo and the tokenizers in ../tokenizers.

    pip install gguf==0.19.0 numpy==2.4.6 sentencepiece==0.2.3 tokenizers==0.23.3 && python make_gguf.py

PyPI's `gguf` writes the files and tells what quantised blocks stand for; `sentencepiece` and `tokenizers` give the ids.
Running it again gives the same bytes.
"""

import io
import json
import pathlib

import gguf
import numpy as np
import sentencepiece
from gguf import GGMLQuantizationType as Q
from tokenizers import Regex, pre_tokenizers

HERE = pathlib.Path(__file__).parent
ZOO = HERE.parent / "zoo"
TOKENIZERS = HERE.parent / "tokenizers"
CONTROL, USER_DEFINED, NORMAL = 3, 4, 1

LLAMA_NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
GPT2_NAMES = {
    "ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output",
    "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
OUTER_NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "transformer.wte": "token_embd", "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm",
    "wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm"}


def gguf_name(name):
    module, suffix = name.rsplit(".", 1)
    if module in OUTER_NAMES:
        return f"{OUTER_NAMES[module]}.{suffix}"
    layer, inner = module.removeprefix("model.layers.").removeprefix("transformer.").removeprefix("h.").split(".", 1)
    return f"blk.{layer}.{(LLAMA_NAMES | GPT2_NAMES)[inner]}.{suffix}"


def pair_rows(weight, heads):
    """Rows i and i + half of each head side by side, as the "llama" family has them in GGUF."""
    shape = weight.shape
    return weight.reshape(heads, 2, shape[0] // heads // 2, *shape[1:]).swapaxes(1, 2).reshape(shape)


def load(path):
    """Name, dtype and numbers as f32 of each tensor of a safetensors file."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    for name, entry in sorted(json.loads(data[8:8 + length]).items()):
        if name == "__metadata__" or entry["dtype"] not in ("F32", "F16", "BF16"):
            continue  # causal masks of old exporters are bytes
        begin, end = entry["data_offsets"]
        raw = data[8 + length + begin:8 + length + end]
        if entry["dtype"] == "BF16":
            numbers = (np.frombuffer(raw, dtype=np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            numbers = np.frombuffer(raw, dtype={"F32": np.float32, "F16": np.float16}[entry["dtype"]])
        yield name, Q[entry["dtype"]], numbers.astype(np.float32).reshape(entry["shape"])


def tensors_of(folder, config):
    arch = config["model_type"]
    for name, kind, weight in load(folder / "model.safetensors"):
        if arch == "gpt2" and (name.endswith(".attn.bias") or "c_" in name and name.endswith(".weight")):
            if name.endswith(".attn.bias"):
                continue
            weight = weight.T
        if arch in ("llama", "mistral") and ".q_proj." in name:
            weight = pair_rows(weight, config["num_attention_heads"])
        if arch in ("llama", "mistral") and ".k_proj." in name:
            weight = pair_rows(weight, config["num_key_value_heads"])
        if config.get("tie_word_embeddings") and name == "lm_head.weight":
            continue
        yield gguf_name(name), kind if weight.ndim == 2 else Q.F32, np.ascontiguousarray(weight)


def llama3_factors(config, rope):
    dim = config["head_dim"]
    base, factor = rope["rope_theta"], rope["factor"]
    low, high, original = rope["low_freq_factor"], rope["high_freq_factor"], rope["original_max_position_embeddings"]
    factors = []
    for i in range(0, dim, 2):
        wavelength = 2 * np.pi * base ** (i / dim)
        if wavelength < original / high:
            factors.append(1)
        elif wavelength > original / low:
            factors.append(factor)
        else:
            smooth = (original / wavelength - low) / (high - low)
            factors.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(factors, dtype=np.float32)


def add_settings(writer, config):
    if config["model_type"] == "gpt2":
        writer.add_context_length(config["n_positions"])
        writer.add_embedding_length(config["n_embd"])
        writer.add_block_count(config["n_layer"])
        writer.add_feed_forward_length(config.get("n_inner") or 4 * config["n_embd"])
        writer.add_head_count(config["n_head"])
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
        return
    rope = {"rope_theta": config.get("rope_theta", 10000.0)}
    rope |= config.get("rope_scaling") or {}
    rope |= config.get("rope_parameters") or {}
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(rope["rope_theta"])
    if config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
        writer.add_rope_dimension_count(config["head_dim"])
    if config["model_type"] == "mistral" and config.get("sliding_window"):
        writer.add_sliding_window(config["sliding_window"])
    kind = rope.get("rope_type", "default")
    if kind == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(config, rope))


def add_byte_level_tokenizer(writer, folder, pre):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    texts = dict((index, text) for text, index in tokenizer["model"]["vocab"].items())
    kinds = {}
    for token in tokenizer["added_tokens"]:
        texts[token["id"]] = token["content"]
        kinds[token["id"]] = CONTROL if token["special"] else USER_DEFINED
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([texts[index] for index in range(len(texts))])
    writer.add_token_types([kinds.get(index, NORMAL) for index in range(len(texts))])
    writer.add_token_merges(merges)
    ids = {text: index for index, text in texts.items()}
    for name, add in (("bos_token", writer.add_bos_token_id), ("eos_token", writer.add_eos_token_id),
                      ("pad_token", writer.add_pad_token_id)):
        token = settings.get(name)
        token = token["content"] if isinstance(token, dict) else token
        if token in ids:
            add(ids[token])
    template = folder / "chat_template.jinja"
    text = settings.get("chat_template") or (template.read_text() if template.exists() else None)
    if text:
        writer.add_chat_template(text)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_model(zoo, output, tokenizer=False, **options):
    folder = ZOO / zoo
    config = json.loads((folder / "config.json").read_text())
    arch = "llama" if config["model_type"] == "mistral" else config["model_type"]
    writer = gguf.GGUFWriter(HERE / output, arch, **options)
    writer.add_name(zoo)
    add_settings(writer, config)
    if tokenizer:
        add_byte_level_tokenizer(writer, folder, "gpt-2")
    for name, kind, weight in tensors_of(folder, config):
        writer.add_tensor(name, gguf.quantize(weight, kind), raw_dtype=kind)
    finish(writer)


# Where f16 numbers lie in a block, as offset in bytes.
HALVES = {Q.Q8_0: [0], Q.Q4_0: [0], Q.Q4_1: [0, 2], Q.Q5_0: [0], Q.Q5_1: [0, 2], Q.Q4_K: [0, 2], Q.Q5_K: [0, 2],
          Q.Q6_K: [208]}


def make_blocks():
    """Random blocks of every type, and the numbers that PyPI's gguf reads in them."""
    random = np.random.default_rng(20240229)
    writer = gguf.GGUFWriter(HERE / "blocks.gguf", "llama")
    for kind, halves in HALVES.items():
        block, size = gguf.GGML_QUANT_SIZES[kind]
        rows, blocks = 3, 512 // block
        data = random.integers(0, 256, (rows, blocks, size), dtype=np.uint8)
        for offset in halves:
            scale = random.normal(0, 0.02, (rows, blocks, 1)).astype(np.float16)
            data[:, :, offset:offset + 2] = scale.view(np.uint8)
        data = data.reshape(rows, blocks * size)
        writer.add_tensor(f"{kind.name}.blocks", data, raw_dtype=kind)
        writer.add_tensor(f"{kind.name}.numbers", gguf.dequantize(data, kind))
    finish(writer)


def make_mixed():
    """The llama of the zoo with matrices of every type whose block fits its rows."""
    folder = ZOO / "llama"
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(HERE / "llama-mixed.gguf", "llama")
    add_settings(writer, config)
    kinds = [Q.Q8_0, Q.Q4_0, Q.Q4_1, Q.Q5_0, Q.Q5_1, Q.F16, Q.BF16]
    for count, (name, _, weight) in enumerate(tensors_of(folder, config)):
        if weight.ndim == 1:
            writer.add_tensor(name, weight)
            continue
        kind = kinds[count % len(kinds)]
        writer.add_tensor(name, gguf.quantize(weight, kind), raw_dtype=kind)
    finish(writer)


TEXTS = ["", " ", "Hello world", "  two  spaces ", "The quick brown fox jumps over the lazy dog.", "don't can't I'LL we've",
         "12 345 6789 1234567890", "3.14159, 2^10 = 1024; a+b<c", "caf\u00e9 na\u00efve \u00fcber",
         "\u65e5\u672c\u8a9e\u306e\u6587", "\uc5ec\uae30 \ud55c\uad6d\uc5b4", "emoji \U0001f600\U0001f680 end",
         "line\nbreaks\r\n\r\n  and\ttabs", "x" * 40, "camelCaseWords HTTPServer \u0416\u0443\u043a",
         "<s> </s> <unk> <0x0A>", "\u2581already \u2581 visible", "a\u0301 combining", "\u0661\u0662\u0663 \u2167 \u00bd",
         "once upon a time there was a small dragon who ate bread", "if (x != 0) { return x / 2; } // half"]


def make_sentence_piece():
    text = "\n".join(TEXTS[2:] * 4 + [(HERE.parent.parent.parent / "LICENSE").read_text()[:20000]])
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")), model_writer=model, model_type="bpe", vocab_size=600,
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True, split_digits=True, user_defined_symbols=["<sep>"], num_threads=1,
        minloglevel=2)
    oracle = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    count = oracle.vocab_size()
    writer = gguf.GGUFWriter(HERE / "tokenizer-sentencepiece.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([oracle.id_to_piece(i) for i in range(count)])
    writer.add_token_scores([oracle.get_score(i) for i in range(count)])
    kinds = [6 if oracle.is_byte(i) else 2 if oracle.is_unknown(i) else 3 if oracle.is_control(i) else NORMAL
             for i in range(count)]
    kinds[oracle.piece_to_id("<sep>")] = USER_DEFINED
    writer.add_token_types(kinds)
    writer.add_bos_token_id(oracle.bos_id())
    writer.add_eos_token_id(oracle.eos_id())
    writer.add_unk_token_id(oracle.unk_id())
    finish(writer)
    return [{"text": text, "ids": oracle.encode(text), "decoded": oracle.decode(oracle.encode(text))} for text in TEXTS]


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TEKKEN = (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+"
          r"[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def make_pre_tokenizers():
    """Cuts of the pre-tokenizers behind the names, in the form that the models' tokenizer.json files give them."""
    def split(pattern):
        return pre_tokenizers.Split(Regex(pattern), "isolated")

    words = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    raw = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    digits = pre_tokenizers.Digits(individual_digits=True)
    sequence = pre_tokenizers.Sequence
    by_name = {
        "gpt-2": words, "smollm": sequence([digits, words]), "starcoder": sequence([digits, words]),
        "refact": sequence([digits, words]), "phi-2": words, "llama-bpe": sequence([split(LLAMA3), raw]),
        "smaug-bpe": sequence([split(LLAMA3), raw]), "qwen2": sequence([split(QWEN2), raw]),
        "tekken": sequence([split(TEKKEN), raw]),
        "default": sequence([split(r"[\p{P}\$\+<=>\^~\|]+"), split(GPT2), pre_tokenizers.Digits(),
                             split("[0-9][0-9][0-9]"), raw])}
    return {name: [{"text": text, "pieces": [piece for piece, _ in each.pre_tokenize_str(text)]} for text in TEXTS]
            for name, each in by_name.items()}


def make_seeds():
    """Small whole models of each family for tests/fuzz."""
    seeds = HERE.parent.parent / "fuzz/seeds/gguf"
    seeds.mkdir(parents=True, exist_ok=True)
    for arch in ("llama", "qwen2", "qwen3", "gpt2"):
        writer = gguf.GGUFWriter(seeds / arch, arch)
        config = {"model_type": arch, "vocab_size": 12, "hidden_size": 32, "n_embd": 32, "intermediate_size": 32,
                  "num_hidden_layers": 1, "n_layer": 1, "num_attention_heads": 2, "n_head": 2, "head_dim": 16,
                  "num_key_value_heads": 1, "rms_norm_eps": 1e-5, "layer_norm_epsilon": 1e-5, "n_inner": 32,
                  "max_position_embeddings": 16, "n_positions": 16}
        add_settings(writer, config)
        writer.add_tokenizer_model("llama" if arch == "llama" else "gpt2")
        writer.add_tokenizer_pre("smollm" if arch == "qwen3" else "qwen2")
        writer.add_token_list(["<unk>", "<s>", "</s>", "a", "b", "ab", "H", "e", "l", "lo", "<|im_end|>", "<0x0A>"])
        writer.add_token_types([2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 3, 6])
        writer.add_token_scores([float(-i) for i in range(12)])
        writer.add_token_merges(["a b"])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        writer.add_add_bos_token(True)
        writer.add_chat_template("{{ messages[0].content }}")
        ones, square = np.ones(32, dtype=np.float32), np.eye(32, dtype=np.float32)
        writer.add_tensor("token_embd.weight", square[:12])
        for name in ("output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"):
            writer.add_tensor(name, ones)
        names = ["attn_output", "ffn_up", "ffn_down"]
        if arch == "gpt2":
            writer.add_tensor("position_embd.weight", square[:16])
            writer.add_tensor("blk.0.attn_qkv.weight", np.tile(square, (3, 1)))
            writer.add_tensor("blk.0.attn_qkv.bias", np.tile(ones, 3))
            for name in ["output_norm.bias", "blk.0.attn_norm.bias", "blk.0.ffn_norm.bias"] + [
                    f"blk.0.{name}.bias" for name in names]:
                writer.add_tensor(name, ones)
        else:
            names += ["ffn_gate", "attn_q"]
            for name in ("attn_k", "attn_v"):
                writer.add_tensor(f"blk.0.{name}.weight", gguf.quantize(square[:16], Q.Q4_1), raw_dtype=Q.Q4_1)
        for name in names:
            writer.add_tensor(f"blk.0.{name}.weight", gguf.quantize(square, Q.Q8_0), raw_dtype=Q.Q8_0)
        if arch == "qwen2":
            for name, count in (("attn_q", 32), ("attn_k", 16), ("attn_v", 16)):
                writer.add_tensor(f"blk.0.{name}.bias", ones[:count])
        if arch == "qwen3":
            for name in ("attn_q_norm", "attn_k_norm"):
                writer.add_tensor(f"blk.0.{name}.weight", ones[:16])
        finish(writer)


def main():
    for old in HERE.glob("*.gguf"):
        old.unlink()
    make_model("llama", "llama.gguf", tokenizer=True, split_max_tensors=16)
    make_model("mistral", "mistral.gguf")
    make_model("llama-rope-llama3", "llama3.gguf", tokenizer=True)
    make_model("more-llama-yarn", "llama-yarn.gguf")
    make_model("qwen2", "qwen2.gguf")
    make_model("more-qwen3", "qwen3.gguf")
    make_model("gpt2", "gpt2.gguf")
    make_mixed()
    make_blocks()
    writer = gguf.GGUFWriter(HERE / "tokenizer-qwen2-style.gguf", "qwen2")
    add_byte_level_tokenizer(writer, TOKENIZERS / "qwen2-style", "qwen2")
    finish(writer)
    make_seeds()
    cases = {"sentencepiece": make_sentence_piece(), "pre_tokenizers": make_pre_tokenizers()}
    (HERE / "cases.json").write_text(json.dumps(cases, indent=0, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
