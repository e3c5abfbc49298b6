"""The peer ONNX Runtime GenAI: writes a llama GGUF file's model as ONNX with its fused operators, and times it.

onnxruntime_peer.py make SOURCE.gguf TARGET float32|int8|int4     (8 and 4 bits: symmetric blocks of 32, MatMulNBits)
onnxruntime_peer.py serve TARGET THREADS
"""

import json
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import peer_worker
from llama_weights import LlamaWeights

CONTEXT, BLOCK = 8192, 32
MICROSOFT = "com.microsoft"
BITS = {"float32": 32, "int8": 8, "int4": 4}


def quantised(matrix, bits):
    """Codes [rows, blocks, bytes] and scales [rows, blocks]: the largest number of a block becomes -2^(bits - 1)."""
    blocks = matrix.reshape(matrix.shape[0], -1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
    half = 2 ** (bits - 1)
    scales = np.where(largest == 0, 1, largest / -half).astype(np.float32)
    codes = np.clip(np.rint(blocks / scales) + half, 0, 2 * half - 1).astype(np.uint8)
    return (codes if bits == 8 else codes[..., ::2] + 16 * codes[..., 1::2]), scales[..., 0]


class Graph:
    def __init__(self, bits):
        self.bits, self.nodes, self.constants = bits, [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, op, inputs, outputs, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, name=f"{outputs[0]}/{op}", **attributes))
        return outputs[0]

    def linear(self, source, matrix, target):
        if self.bits == 32:
            return self.add("MatMul", [source, self.constant(target + ".weight", matrix.T)], [target])
        codes, scales = quantised(matrix, self.bits)
        inputs = [source, self.constant(target + ".codes", codes), self.constant(target + ".scales", scales)]
        rows, columns = matrix.shape
        # Accuracy level 4 lets the kernel quantise activations to int8, its fastest way.
        return self.add(
            "MatMulNBits",
            inputs,
            [target],
            MICROSOFT,
            K=columns,
            N=rows,
            bits=self.bits,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def skip_norm(self, residual, addend, scale, target, epsilon):
        """Adds and normalises; returns the names of the normalised and of the plain sum."""
        self.add(
            "SkipSimplifiedLayerNormalization",
            [residual, addend, scale],
            [target, "", "", target + ".sum"],
            MICROSOFT,
            epsilon=epsilon,
        )
        return target, target + ".sum"


def add_lengths(graph):
    """What GroupQueryAttention wants to know of the mask: the last position of each row, and the longest row."""
    axis = graph.constant("axis1", np.array([1], np.int64))
    graph.add("ReduceSum", ["attention_mask", axis], ["row_lengths"], keepdims=0)
    graph.add("Sub", ["row_lengths", axis], ["last_positions"])
    graph.add("Cast", ["last_positions"], ["seqlens"], to=TensorProto.INT32)
    graph.add("Shape", ["attention_mask"], ["mask_shape"])
    graph.add("Gather", ["mask_shape", graph.constant("index1", np.array(1, np.int64))], ["longest"], axis=0)
    graph.add("Cast", ["longest"], ["total_length"], to=TensorProto.INT32)


def add_rotation(graph, weights):
    frequencies = weights.rope_base ** -(np.arange(0, weights.head_width, 2) / weights.head_width)
    angles = np.outer(np.arange(CONTEXT), frequencies)
    graph.constant("cosines", np.cos(angles).astype(np.float32))
    graph.constant("sines", np.sin(angles).astype(np.float32))


def add_layer(graph, weights, number, normed, residual):
    """One block behind its first norm; returns its addend and the residual that it belongs to."""
    name, found = f"layer{number}", weights.layer(number)
    graph.linear(normed, found["qkv"], name + ".qkv")
    past, present = (
        [f"{when}.{number}.{part}" for part in ("key", "value")] for when in ("past_key_values", "present")
    )
    graph.add(
        "GroupQueryAttention",
        [name + ".qkv", "", "", *past, "seqlens", "total_length", "cosines", "sines"],
        [name + ".attention", *present],
        MICROSOFT,
        num_heads=weights.heads,
        kv_num_heads=weights.kv_heads,
        scale=weights.head_width**-0.5,
        do_rotary=1,
        rotary_interleaved=0,
    )
    addend = graph.linear(name + ".attention", found["output"], name + ".output")
    scale = graph.constant(name + ".ffn_norm", found["ffn_norm"])
    normed, residual = graph.skip_norm(residual, addend, scale, name + ".ffn_in", weights.epsilon)
    gate, up = graph.linear(normed, found["gate"], name + ".gate"), graph.linear(normed, found["up"], name + ".up")
    graph.add("Sigmoid", [gate], [name + ".sigmoid"])
    graph.add("Mul", [gate, name + ".sigmoid"], [name + ".silu"])
    graph.add("Mul", [name + ".silu", up], [name + ".product"])
    return graph.linear(name + ".product", found["down"], name + ".down"), residual


def build_graph(weights, bits):
    graph = Graph(bits)
    add_lengths(graph)
    add_rotation(graph, weights)
    residual = graph.add("Gather", [graph.constant("embedding", weights.embedding), "input_ids"], ["embedded"], axis=0)
    addend = None
    for number in range(weights.layers):
        scale = graph.constant(f"layer{number}.attention_norm", weights.read(f"blk.{number}.attn_norm"))
        target = f"layer{number}.attention_in"
        if addend is None:
            normed = graph.add(
                "SimplifiedLayerNormalization",
                [residual, scale],
                [target],
                axis=-1,
                epsilon=weights.epsilon,
                stash_type=1,
            )
        else:
            normed, residual = graph.skip_norm(residual, addend, scale, target, weights.epsilon)
        addend, residual = add_layer(graph, weights, number, normed, residual)
    scale = graph.constant("final_norm", weights.final_norm)
    normed, _ = graph.skip_norm(residual, addend, scale, "normed", weights.epsilon)
    graph.linear(normed, weights.embedding, "logits")
    return graph


def save_model(graph, weights, target):
    def cache(when, length):
        return [
            helper.make_tensor_value_info(
                f"{when}.{number}.{part}", TensorProto.FLOAT, ["batch", weights.kv_heads, length, weights.head_width]
            )
            for number in range(weights.layers)
            for part in ("key", "value")
        ]

    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "total"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "tokens", weights.vocab])
    proto = helper.make_graph(
        graph.nodes,
        "llama",
        [ids, mask, *cache("past_key_values", "past")],
        [logits, *cache("present", "total")],
        graph.constants,
    )
    versions = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(proto, opset_imports=versions, ir_version=10)
    Path(target).mkdir(parents=True, exist_ok=True)
    for old in Path(target).iterdir():
        old.unlink()
    onnx.save_model(
        model, str(Path(target) / "model.onnx"), save_as_external_data=True, location="model.data", size_threshold=1024
    )


def genai_config(weights):
    decoder = {
        "session_options": {"intra_op_num_threads": 2, "provider_options": []},
        "filename": "model.onnx",
        "head_size": weights.head_width,
        "hidden_size": weights.width,
        "num_attention_heads": weights.heads,
        "num_hidden_layers": weights.layers,
        "num_key_value_heads": weights.kv_heads,
        "inputs": {
            "input_ids": "input_ids",
            "attention_mask": "attention_mask",
            "past_key_names": "past_key_values.%d.key",
            "past_value_names": "past_key_values.%d.value",
        },
        "outputs": {
            "logits": "logits",
            "present_key_names": "present.%d.key",
            "present_value_names": "present.%d.value",
        },
    }
    # An end token that random prompts hardly meet, so that all tokens asked for come.
    last = weights.vocab - 1
    model = {
        "type": "llama",
        "context_length": CONTEXT,
        "vocab_size": weights.vocab,
        "bos_token_id": 1,
        "eos_token_id": last,
        "pad_token_id": last,
        "decoder": decoder,
    }
    return {"model": model, "search": {"do_sample": False, "max_length": CONTEXT, "past_present_share_buffer": True}}


def make(source, target, kind):
    weights = LlamaWeights(source)
    save_model(build_graph(weights, BITS[kind]), weights, target)
    (Path(target) / "genai_config.json").write_text(json.dumps(genai_config(weights), indent=1))


def open_model(model, threads):
    import onnxruntime_genai  # not needed to make a model

    config = onnxruntime_genai.Config(model)
    config.overlay(json.dumps({"model": {"decoder": {"session_options": {"intra_op_num_threads": threads}}}}))
    loaded = onnxruntime_genai.Model(config)

    def generate(ids, count):
        parameters = onnxruntime_genai.GeneratorParams(loaded)
        parameters.set_search_options(max_length=len(ids) + count + 1, do_sample=False)
        generator = onnxruntime_genai.Generator(loaded, parameters)
        start = time.perf_counter()
        generator.append_tokens(np.asarray(ids, np.int32))
        generator.generate_next_token()
        first = time.perf_counter()
        for _ in range(count - 1):
            generator.generate_next_token()
        return first - start, time.perf_counter() - first

    return generate


if __name__ == "__main__":
    peer_worker.main(open_model, make)
