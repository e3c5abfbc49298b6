"""A llama model out of a GGUF file as float32 matrices, in the row order of Hugging Face's checkpoints."""

import gguf
import numpy as np

OF_LAYER = {
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "output": "attn_output",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
    "attention_norm": "attn_norm",
    "ffn_norm": "ffn_norm",
}


def halves(matrix, heads):
    """GGUF keeps the two numbers that rotate together side by side; here they lie half a head apart."""
    pairs = matrix.reshape(heads, -1, 2, matrix.shape[1])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(matrix.shape)


class LlamaWeights:
    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        self.tensors = {tensor.name: tensor for tensor in reader.tensors}

        def field(key):
            return reader.fields["llama." + key].contents()

        self.layers = field("block_count")
        self.heads = field("attention.head_count")
        self.kv_heads = field("attention.head_count_kv")
        self.rope_base = field("rope.freq_base")
        self.epsilon = field("attention.layer_norm_rms_epsilon")
        self.embedding = self.read("token_embd")
        self.vocab, self.width = self.embedding.shape
        self.head_width = self.width // self.heads
        self.final_norm = self.read("output_norm")
        if "output.weight" in self.tensors:
            raise SystemExit(f"{path}: has an output matrix of its own, these peers' writers expect a tied one")

    def read(self, name):
        tensor = self.tensors[name + ".weight"]
        return gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)

    def layer(self, number):
        """The layer's matrices and norms by the names of OF_LAYER, and `qkv`, the first three in one."""
        found = {name: self.read(f"blk.{number}.{short}") for name, short in OF_LAYER.items()}
        found["query"] = halves(found["query"], self.heads)
        found["key"] = halves(found["key"], self.kv_heads)
        found["qkv"] = np.concatenate([found["query"], found["key"], found["value"]])
        return found
