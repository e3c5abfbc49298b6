"""The peer OpenVINO GenAI, which reads GGUF files itself (see peer_worker.py).

openvino_peer.py serve MODEL.gguf THREADS [f32]

By its default it computes in bf16 where the processor has such dot products; `f32` makes it compute in float32.
"""

import numpy as np
import openvino
import openvino_genai

import peer_worker


def open_model(model, threads, precision=None):
    properties = {"INFERENCE_NUM_THREADS": str(threads)}
    if precision:
        properties["INFERENCE_PRECISION_HINT"] = precision
    pipeline = openvino_genai.LLMPipeline(model, "CPU", **properties)

    def generate(ids, count):
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = config.min_new_tokens = count
        config.ignore_eos, config.do_sample = True, False
        ids = np.asarray(ids, np.int64)[None]
        inputs = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(np.ones_like(ids)))
        metrics = pipeline.generate(inputs, config).perf_metrics
        if metrics.get_num_generated_tokens() != count:
            raise SystemExit(f"{model}: {metrics.get_num_generated_tokens()} tokens instead of {count}")
        first = metrics.get_ttft().mean / 1e3
        return first, metrics.get_tpot().mean / 1e3 * (count - 1) if count > 1 else 0.0

    return generate


if __name__ == "__main__":
    peer_worker.main(open_model)
