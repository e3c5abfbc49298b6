"""The peer CTranslate2: writes a llama GGUF file's model in its form, and times it (see peer_worker.py).

ctranslate2_peer.py make SOURCE.gguf TARGET int8|float32
ctranslate2_peer.py serve TARGET THREADS
"""

import time
from pathlib import Path

import ctranslate2
from ctranslate2.specs import TransformerDecoderModelSpec, common_spec

import peer_worker
from llama_weights import LlamaWeights


def make(source, target, kind):
    weights = LlamaWeights(source)
    spec = TransformerDecoderModelSpec.from_config(
        weights.layers,
        weights.heads,
        num_heads_kv=weights.kv_heads,
        activation=common_spec.Activation.SWISH,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=weights.rope_base,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = decoder.projection.weight = weights.embedding
    decoder.layer_norm.gamma = weights.final_norm
    for number, layer in enumerate(decoder.layer):
        fill_layer(layer, weights.layer(number))
    spec.config.layer_norm_epsilon = weights.epsilon
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = "t0", "t1", "t2"
    spec.register_vocabulary([f"t{number}" for number in range(weights.vocab)])
    spec.validate()
    spec.optimize(quantization=None if kind == "float32" else kind)
    Path(target).mkdir(parents=True, exist_ok=True)
    spec.save(target)


def fill_layer(layer, found):
    layer.self_attention.layer_norm.gamma = found["attention_norm"]
    layer.self_attention.linear[0].weight = found["qkv"]
    layer.self_attention.linear[1].weight = found["output"]
    layer.ffn.layer_norm.gamma = found["ffn_norm"]
    layer.ffn.linear_0.weight = found["gate"]
    layer.ffn.linear_0_noact.weight = found["up"]
    layer.ffn.linear_1.weight = found["down"]


def open_model(model, threads):
    generator = ctranslate2.Generator(model, device="cpu", intra_threads=threads, inter_threads=1)

    def seconds(prompt, count):
        start = time.perf_counter()
        result = generator.generate_batch(
            [prompt], max_length=count, min_length=count, sampling_topk=1, include_prompt_in_result=False
        )
        taken = time.perf_counter() - start
        if len(result[0].sequences_ids[0]) != count:
            raise SystemExit(f"{model}: {len(result[0].sequences_ids[0])} tokens instead of {count}")
        return taken

    def generate(ids, count):
        # There is no clock inside: what more tokens take is what they cost beyond the first.
        prompt = [f"t{number}" for number in ids]
        first = seconds(prompt, 1)
        return first, seconds(prompt, count) - first if count > 1 else 0.0

    return generate


if __name__ == "__main__":
    peer_worker.main(open_model, make)
