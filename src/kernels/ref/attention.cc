#include <algorithm>

#include "base/checked.h"
#include "kernels/ref/formulas.h"
#include "kernels/reference_tactic.h"
#include "tensor/tensor.h"

namespace legato::kernels::ref {
namespace {

struct Spec {
  int64_t heads, kv_heads, head_dim, window, sinks, rotary_dim;
  int layer;
  bool interleaved;
  double scale, softcap, norm_epsilon;

  static Spec of(const Attributes& a) {
    return {a.get_int("heads"),
            a.get_int("kv_heads"),
            a.get_int("head_dim"),
            a.get_int("window", 0),
            a.get_int("sinks", 0),
            a.get_int("rotary_dim", 0),
            static_cast<int>(a.get_int("layer")),
            a.get_int("interleaved", 0) != 0,
            a.get_float("scale"),
            a.get_float("softcap", 0.0),
            a.get_float("norm_epsilon", 0.0)};
  }

  bool visible(int64_t position, int64_t key) const {
    return window == 0 || key > position - window || key < sinks;
  }
};

/// Scratch memory within the workspace.
struct Scratch {
  float* keys;     ///< [tokens, kv_heads * head_dim], normed and turned
  float* query;    ///< [head_dim]
  double* scores;  ///< [context]

  static size_t bytes(const Spec& spec, int64_t tokens, int64_t context) {
    return keys_bytes(spec, tokens) + query_bytes(spec) +
           static_cast<size_t>(context) * sizeof(double);
  }
  Scratch(const Spec& spec, int64_t tokens, std::byte* workspace)
      : keys(reinterpret_cast<float*>(workspace)),
        query(reinterpret_cast<float*>(workspace + keys_bytes(spec, tokens))),
        scores(
            reinterpret_cast<double*>(workspace + keys_bytes(spec, tokens) + query_bytes(spec))) {}

 private:
  static size_t keys_bytes(const Spec& spec, int64_t tokens) {
    return round_up(static_cast<size_t>(tokens * spec.kv_heads * spec.head_dim) * sizeof(float),
                    64);
  }
  static size_t query_bytes(const Spec& spec) {
    return round_up(static_cast<size_t>(spec.head_dim) * sizeof(float), 64);
  }
};

/// A head of q or k after its norm and rotation.
void prepare_head(const Spec& spec, const float* head, const Operand& norm, const Operand& table,
                  int64_t token, float* out) {
  if (norm.present()) {
    normalise({Norm::kRms, spec.norm_epsilon, norm, Operand{}}, head, spec.head_dim, out);
  } else {
    std::copy_n(head, spec.head_dim, out);
  }
  if (table.present()) rotate(out, row_of(table, token), spec.rotary_dim, spec.interleaved);
}

/// Keys and values of one sequence, element by element, from the step's own operands.
struct OwnTokens {
  const Spec& spec;
  const Scratch& scratch;
  const Operand& v;
  const SequenceSpan& sequence;

  double key(int64_t position, int64_t head, int64_t i) const {
    const int64_t row = sequence.first_token + position;
    return scratch.keys[(row * spec.kv_heads + head) * spec.head_dim + i];
  }
  double value(int64_t position, int64_t head, int64_t i) const {
    return row_of(v, sequence.first_token + position)[head * spec.head_dim + i];
  }
};

/// The same from the paged cache.
struct CachedTokens {
  const Spec& spec;
  const KvView& kv;
  const SequenceSpan& sequence;

  std::byte* block(int64_t position) const {
    return kv.block(sequence.blocks[position / kBlockTokens]);
  }
  std::byte* keys(int64_t position, int64_t head) const {
    return block(position) + kv.layout->key_offset(spec.layer, static_cast<int>(head));
  }
  std::byte* values(int64_t position, int64_t head) const {
    return block(position) + kv.layout->value_offset(spec.layer, static_cast<int>(head));
  }
  double key(int64_t position, int64_t head, int64_t i) const {
    return load_element(kv.layout->dtype(), keys(position, head),
                        i * kBlockTokens + position % kBlockTokens);
  }
  double value(int64_t position, int64_t head, int64_t i) const {
    return load_element(kv.layout->dtype(), values(position, head),
                        position % kBlockTokens * spec.head_dim + i);
  }
  void append(int64_t position, int64_t head, const float* key, const float* value) const {
    for (int64_t i = 0; i < spec.head_dim; ++i) {
      store_element(kv.layout->dtype(), keys(position, head),
                    i * kBlockTokens + position % kBlockTokens, key[i]);
      store_element(kv.layout->dtype(), values(position, head),
                    position % kBlockTokens * spec.head_dim + i, value[i]);
    }
  }
};

/// out[head_dim] = softmax(scale * query . keys) values over what `position` sees.
template <typename Source>
void attend(const Spec& spec, const Source& source, int64_t position, int64_t kv_head,
            const Scratch& scratch, float* out) {
  double largest = -INFINITY;
  for (int64_t key = 0; key <= position; ++key) {
    if (!spec.visible(position, key)) continue;
    double score = 0;
    for (int64_t i = 0; i < spec.head_dim; ++i)
      score += scratch.query[i] * source.key(key, kv_head, i);
    score *= spec.scale;
    if (spec.softcap > 0) score = spec.softcap * std::tanh(score / spec.softcap);
    scratch.scores[key] = score;
    largest = std::max(largest, score);
  }
  double sum = 0;
  for (int64_t key = 0; key <= position; ++key) {
    if (!spec.visible(position, key)) continue;
    scratch.scores[key] = std::exp(scratch.scores[key] - largest);
    sum += scratch.scores[key];
  }
  for (int64_t i = 0; i < spec.head_dim; ++i) {
    double total = 0;
    for (int64_t key = 0; key <= position; ++key)
      if (spec.visible(position, key)) total += scratch.scores[key] * source.value(key, kv_head, i);
    out[i] = static_cast<float>(total / sum);
  }
}

template <typename Source>
void attend_sequence(const Spec& spec, const Source& source, const LaunchArgs& args,
                     const Scratch& scratch) {
  const SequenceSpan& sequence = source.sequence;
  for (int64_t i = 0; i < sequence.num_tokens; ++i) {
    const int64_t token = sequence.first_token + i;
    for (int64_t head = 0; head < spec.heads; ++head) {
      prepare_head(spec, row_of(args.inputs[0], token) + head * spec.head_dim,
                   operand_at(args.inputs, 4), operand_at(args.inputs, 3), token, scratch.query);
      attend(spec, source, sequence.past_tokens + i, head / (spec.heads / spec.kv_heads), scratch,
             row_of(args.outputs[0], token) + head * spec.head_dim);
    }
  }
}

void launch(const Spec& spec, const LaunchArgs& args) {
  LEGATO_CHECK(args.batch != nullptr);
  const Scratch scratch(spec, args.batch->num_tokens, args.workspace);
  for (const SequenceSpan& sequence : args.batch->sequences) {
    const OwnTokens own{spec, scratch, args.inputs[2], sequence};
    LEGATO_CHECK(args.kv != nullptr || sequence.past_tokens == 0);
    for (int64_t i = 0; i < sequence.num_tokens; ++i) {
      const int64_t token = sequence.first_token + i;
      for (int64_t head = 0; head < spec.kv_heads; ++head) {
        float* key = scratch.keys + (token * spec.kv_heads + head) * spec.head_dim;
        prepare_head(spec, row_of(args.inputs[1], token) + head * spec.head_dim,
                     operand_at(args.inputs, 5), operand_at(args.inputs, 3), token, key);
        if (args.kv != nullptr)
          CachedTokens{spec, *args.kv, sequence}.append(
              sequence.past_tokens + i, head, key,
              row_of(args.inputs[2], token) + head * spec.head_dim);
      }
    }
    if (args.kv != nullptr) {
      attend_sequence(spec, CachedTokens{spec, *args.kv, sequence}, args, scratch);
    } else {
      attend_sequence(spec, own, args, scratch);
    }
  }
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {0, 1, 2, 3}));
  const Spec spec = Spec::of(problem.attributes);
  if (spec.kv_heads < 1 || spec.heads % spec.kv_heads != 0 || spec.head_dim < 1 ||
      spec.rotary_dim > spec.head_dim || spec.layer < 0)
    return refuse_problem(problem, "heads, kv_heads, head_dim and rotary_dim don't fit");
  BoundReference bound;
  bound.workspace_bytes = [spec](const Limits& limits) {
    return Scratch::bytes(spec, limits.max_tokens, limits.max_context);
  };
  bound.launch = [spec](const LaunchArgs& args) { launch(spec, args); };
  return bound;
}

}  // namespace

void register_attention(TacticRegistry& registry) { add_reference(registry, "Attention", bind); }

}  // namespace legato::kernels::ref
