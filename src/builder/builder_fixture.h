#pragma once

#include <filesystem>
#include <string>

#include "builder/builder.h"
#include "engine/engine_fixture.h"
#include "ir/graph.h"

/// What the tests of this folder share: small decoders as text.
namespace legato::builder {

/// Two layers of attention and a gated MLP, tied embedding, logits where they are asked for.
/// Weights are seeded random numbers.
inline const char* decoder_text() {
  return R"(graph {
  input %input_ids: i32[tokens]
  input %positions: i32[tokens]
  input %logit_rows: i32[logit_rows]
  constant %table: f32[70, 64]
  constant %norm0: f32[64]
  constant %wq0: f32[64, 64]
  constant %wk0: f32[32, 64]
  constant %wv0: f32[32, 64]
  constant %wo0: f32[64, 64]
  constant %gate0: f32[96, 64]
  constant %up0: f32[96, 64]
  constant %down0: f32[64, 96]
  constant %wq1: f32[64, 64]
  constant %wk1: f32[32, 64]
  constant %wv1: f32[32, 64]
  constant %wo1: f32[64, 64]
  %h0: f32[tokens, 64] = Embedding(%input_ids, %table)
  %rope: f32[tokens, 16] = RotaryTable(%positions) {inv_freq=[1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125]}
  %n0: f32[tokens, 64] = RmsNorm(%h0, %norm0) {epsilon=1e-05}
  %q0: f32[tokens, 64] = Linear(%n0, %wq0)
  %k0: f32[tokens, 32] = Linear(%n0, %wk0)
  %v0: f32[tokens, 32] = Linear(%n0, %wv0)
  %qr0: f32[tokens, 64] = Rope(%q0, %rope) {head_dim=16, rotary_dim=16}
  %kr0: f32[tokens, 32] = Rope(%k0, %rope) {head_dim=16, rotary_dim=16}
  %a0: f32[tokens, 64] = Attention(%qr0, %kr0, %v0) {head_dim=16, heads=4, kv_heads=2, layer=0, scale=0.25}
  %o0: f32[tokens, 64] = Linear(%a0, %wo0)
  %h1: f32[tokens, 64] = Add(%h0, %o0)
  %g0: f32[tokens, 96] = GatedMlp(%h1, %gate0, %up0) {activation="silu", features=96}
  %d0: f32[tokens, 64] = Linear(%g0, %down0)
  %h2: f32[tokens, 64] = Add(%h1, %d0)
  %q1: f32[tokens, 64] = Linear(%h2, %wq1)
  %k1: f32[tokens, 32] = Linear(%h2, %wk1)
  %v1: f32[tokens, 32] = Linear(%h2, %wv1)
  %a1: f32[tokens, 64] = Attention(%q1, %k1, %v1) {head_dim=16, heads=4, kv_heads=2, layer=1, scale=0.25, sinks=2, window=9}
  %o1: f32[tokens, 64] = Linear(%a1, %wo1)
  %h3: f32[tokens, 64] = Add(%h2, %o1)
  %last: f32[logit_rows, 64] = Gather(%h3, %logit_rows) {axis=0}
  %y: f32[logit_rows, 70] = Linear(%last, %table)
  output "logits" = %y
}
)";
}

inline BuildInput input_of(const std::string& text) {
  BuildInput input;
  input.graph = ir::parse(text);
  input.model.architecture = "test";
  input.model.vocab_size = 70;
  input.model.max_context = 128;
  input.model.eos_ids = {2};
  return input;
}

inline std::string graph_text(const std::string& body) { return "graph {\n" + body + "}\n"; }

/// What an attempt says when it fails.
template <typename Body>
Status failure_of(Body&& body) {
  return catch_error([&] { body(); });
}

/// The step of that name, or the first with that op.
inline const engine::StepSpec& step_of(const engine::EngineSpec& spec, const std::string& name) {
  for (const engine::StepSpec& step : spec.steps)
    if (step.name == name || step.op == name) return step;
  throw Error(Code::kNotFound, name, "no such step");
}

}  // namespace legato::builder
