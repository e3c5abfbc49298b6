#pragma once

#include "engine/schema.h"

/// The fields of the spec section in the order in which they are written. One list serves the
/// encoder and the decoder: `archive(a, b, c)` writes or reads each of its arguments.
namespace legato::engine {

template <typename Archive>
void visit_fields(Archive& archive, WeightSpec& weight) {
  archive(weight.name, weight.dtype, weight.shape, weight.layout, weight.offset, weight.bytes);
}

template <typename Archive>
void visit_fields(Archive& archive, ValueSpec& value) {
  archive(value.name, value.dtype, value.shape, value.storage, value.index);
}

template <typename Archive>
void visit_fields(Archive& archive, OperandRef& operand) {
  archive(operand.value, operand.first_column, operand.columns);
}

template <typename Archive>
void visit_fields(Archive& archive, StepSpec& step) {
  archive(step.name, step.op, step.tactic, step.attributes, step.inputs, step.outputs);
}

template <typename Archive>
void visit_fields(Archive& archive, SlotSpec& slot) {
  archive(slot.bytes);
}

template <typename Archive>
void visit_fields(Archive& archive, KvLayerSpec& layer) {
  archive(layer.kv_heads, layer.head_dim, layer.window, layer.sinks);
}

template <typename Archive>
void visit_fields(Archive& archive, KvSpec& kv) {
  archive(kv.layers, kv.default_dtype);
}

template <typename Archive>
void visit_fields(Archive& archive, GenerationDefaults& generation) {
  archive(generation.do_sample, generation.temperature, generation.top_k, generation.top_p,
          generation.min_p, generation.repetition_penalty);
}

template <typename Archive>
void visit_fields(Archive& archive, ModelInfo& model) {
  archive(model.architecture, model.vocab_size, model.max_context, model.eos_ids, model.bos_id,
          model.pad_id, model.generation);
}

template <typename Archive>
void visit_fields(Archive& archive, ProfileDim& dim) {
  archive(dim.symbol, dim.min, dim.opt, dim.max);
}

template <typename Archive>
void visit_fields(Archive& archive, EngineSpec& spec) {
  archive(spec.precision, spec.model, spec.kv, spec.profile, spec.weights, spec.weights_bytes,
          spec.slots, spec.values, spec.inputs, spec.outputs, spec.steps, spec.build_options);
}

}  // namespace legato::engine
