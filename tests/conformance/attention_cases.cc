#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/checked.h"
#include "tensor/tensor.h"
#include "tests/conformance/attention_data.h"

namespace legato::conformance {
namespace {

constexpr int kLayer = 1;
/// No block lies there: reading it would leave the pool by terabytes.
constexpr int32_t kFreedBlock = 0x7fffffff;

/// Rows of several pieces as one operand, `padding` elements between them.
TestTensor packed_rows(const std::vector<Piece>& pieces, std::vector<float> SequenceData::*part,
                       int64_t columns, int64_t padding) {
  int64_t tokens = 0;
  for (const Piece& piece : pieces) tokens += piece.tokens;
  TestTensor tensor = empty_output({tokens, columns}, padding);
  auto* out = reinterpret_cast<float*>(tensor.bytes.data());
  for (const Piece& piece : pieces) {
    for (int64_t t = 0; t < piece.tokens; ++t) {
      const float* row = (piece.data->*part).data() + (piece.past + t) * columns;
      std::copy_n(row, columns, out);
      out += tensor.row_stride;
    }
  }
  return tensor;
}

struct Mix {
  std::string name;
  std::vector<std::pair<int32_t, int32_t>> sequences;  ///< past, tokens
};

/// Prefill, decode and both in one step, at the borders of blocks (32) and runs (256).
std::vector<Mix> all_mixes() {
  std::vector<Mix> mixes = {
      {"first token", {{0, 1}}},
      {"prompt", {{0, 7}}},
      {"prompt of 129", {{0, 129}}},
      {"prompt of 300", {{0, 300}}},
      {"continued prompt", {{31, 40}}},
      {"decode batch", {{5, 1}, {300, 1}, {0, 1}, {64, 1}}},
      {"big decode batch",
       {{5, 1},
        {300, 1},
        {0, 1},
        {64, 1},
        {31, 1},
        {32, 1},
        {600, 1},
        {2, 1},
        {255, 1},
        {256, 1},
        {8, 1},
        {9, 1}}},
      {"mixed", {{0, 13}, {40, 1}, {255, 3}, {511, 2}, {17, 1}}},
  };
  for (const int32_t past : {255, 256, 257, 511, 513}) {
    mixes.push_back({fmt::format("decode at {}", past), {{past, 1}}});
    mixes.push_back({fmt::format("3 tokens at {}", past), {{past, 3}}});
  }
  return mixes;
}

std::vector<AttentionOptions> all_options() {
  std::vector<AttentionOptions> list;
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    AttentionOptions o;
    o.name = "plain";
    o.cache_dtype = dtype;
    list.push_back(o);
    o = {"rope norm", 9, 3, 64, 64, false, true, 0, 0, 0, dtype};
    list.push_back(o);
  }
  list.push_back({"one head dim 16", 1, 1, 16, 16, false, false, 0, 0, 0, DType::kF32});
  list.push_back({"dim 24 interleaved", 4, 1, 24, 8, true, false, 0, 0, 0, DType::kF16});
  list.push_back({"dim 80 partial rope", 2, 2, 80, 32, false, false, 0, 0, 0, DType::kBF16});
  list.push_back({"dim 96", 14, 2, 96, 96, false, false, 0, 0, 0, DType::kF16});
  list.push_back({"dim 128 13 rows", 13, 1, 128, 128, false, false, 0, 0, 0, DType::kF16});
  list.push_back({"dim 256 softcap", 2, 1, 256, 256, false, false, 0, 0, 5.0, DType::kF32});
  list.push_back({"window 32", 4, 2, 64, 64, false, false, 32, 0, 0, DType::kF16});
  list.push_back({"window 5", 4, 4, 16, 0, false, false, 5, 0, 0, DType::kF32});
  list.push_back({"window 300 sinks 4", 4, 2, 32, 32, true, true, 300, 4, 0, DType::kBF16});
  list.push_back({"window 40 sinks 33", 6, 2, 64, 64, false, false, 40, 33, 0, DType::kF32});
  list.push_back({"window 1", 2, 1, 64, 64, false, false, 1, 0, 0, DType::kF16});
  return list;
}

/// An element of a position's key or value.
struct CacheElement {
  bool key;
  int32_t block;
  int64_t slot;  ///< of the position in its block
  int64_t head;
  int64_t index;
};

/// Where it lies in the pool.
std::byte* cache_element(Case& test, const AttentionOptions& o, const CacheElement& element) {
  const auto& [key, block, slot, head, i] = element;
  const size_t offset = key ? test.kv.key_offset(kLayer, static_cast<int>(head))
                            : test.kv.value_offset(kLayer, static_cast<int>(head));
  const int64_t index = key ? i * kBlockTokens + slot : slot * o.head_dim + i;
  return test.cache.data() + static_cast<size_t>(block) * test.kv.block_bytes() + offset +
         static_cast<size_t>(index) * dtype_bytes(o.cache_dtype);
}

void fill_past(Case& test, const AttentionOptions& o, const TestSequence& sequence,
               Random& random) {
  for (int32_t position = 0; position < sequence.past; ++position)
    for (int64_t head = 0; head < o.kv_heads; ++head)
      for (int64_t i = 0; i < o.head_dim; ++i)
        for (const bool key : {true, false})
          store_element(
              o.cache_dtype,
              cache_element(test, o,
                            {key, sequence.blocks[static_cast<size_t>(position / kBlockTokens)],
                             position % kBlockTokens, head, i}),
              0, random.normal());
}

/// A window lets go of blocks that no later token sees.
void free_blocks(const AttentionOptions& o, TestSequence& sequence) {
  if (o.window == 0) return;
  for (size_t b = 0; b < sequence.blocks.size(); ++b) {
    const auto begin = static_cast<int64_t>(b) * kBlockTokens;
    const bool in_window = begin + kBlockTokens > sequence.past - o.window + 1;
    if (!in_window && begin >= o.sinks) sequence.blocks[b] = kFreedBlock;
  }
}

/// Scores are sums of head_dim products of about unit size, none above kLargestScore; then weights
/// of up to L values are summed; a score's error scales its weight. A key or value whose last bit
/// in f32 differs may round to the neighbour in the cache's type.
double tolerance(const AttentionOptions& o, int64_t context) {
  constexpr double kLargestScore = 16;
  const double scores =
      kernels::kEpsilonF32 * (2 * std::sqrt(static_cast<double>(o.head_dim)) + 8) * kLargestScore;
  const double sums = kernels::kEpsilonF32 * (std::sqrt(static_cast<double>(context)) + 8);
  const double rounding = o.cache_dtype == DType::kF32 ? 0 : epsilon_of(o.cache_dtype);
  return scores + sums + rounding;
}

}  // namespace

int32_t blocks_of(int64_t positions) {
  return static_cast<int32_t>(ceil_div(positions, kBlockTokens));
}

SequenceData random_sequence(const AttentionOptions& o, int64_t positions, uint64_t seed) {
  Random random(seed);
  const auto fill = [&](std::vector<float>& to, int64_t columns) {
    to.resize(static_cast<size_t>(positions * columns));
    for (float& x : to) x = random.normal();
  };
  SequenceData data;
  fill(data.q, o.heads * o.head_dim);
  fill(data.k, o.kv_heads * o.head_dim);
  fill(data.v, o.kv_heads * o.head_dim);
  const int64_t half = o.rotary_dim / 2;
  for (int64_t position = 0; position < positions; ++position) {
    for (const bool sine : {false, true}) {
      for (int64_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position) / std::pow(100.0, i / (half + 1.0));
        data.rope.push_back(static_cast<float>(sine ? std::sin(angle) : std::cos(angle)));
      }
    }
  }
  return data;
}

Case attention_case(const AttentionOptions& o, const std::vector<Piece>& pieces) {
  Random random(77);
  const auto norm_weight = [&] {
    return o.qk_norm ? random_constant(random, DType::kF32, {o.head_dim}) : TestTensor{};
  };
  TestTensor rope;
  if (o.rotary_dim > 0) rope = packed_rows(pieces, &SequenceData::rope, o.rotary_dim, 0);
  TestTensor q = packed_rows(pieces, &SequenceData::q, o.heads * o.head_dim, 48);
  const TestTensor output = empty_output(q.shape);
  Case test = make_case(o.name, "Attention",
                        {{"heads", o.heads},
                         {"kv_heads", o.kv_heads},
                         {"head_dim", o.head_dim},
                         {"scale", 1 / std::sqrt(static_cast<double>(o.head_dim))},
                         {"layer", int64_t{kLayer}},
                         {"window", o.window},
                         {"sinks", o.sinks},
                         {"softcap", o.softcap},
                         {"rotary_dim", o.rotary_dim},
                         {"interleaved", int64_t{o.interleaved}},
                         {"norm_epsilon", 1e-6}},
                        {q, packed_rows(pieces, &SequenceData::k, o.kv_heads * o.head_dim, 16),
                         packed_rows(pieces, &SequenceData::v, o.kv_heads * o.head_dim, 0), rope,
                         norm_weight(), norm_weight()},
                        output);
  const KvLayerSpec layer{static_cast<int32_t>(o.kv_heads), static_cast<int32_t>(o.head_dim),
                          static_cast<int32_t>(o.window), static_cast<int32_t>(o.sinks)};
  test.kv = KvLayout({layer, layer}, o.cache_dtype);
  int32_t last_block = 0;
  for (const Piece& piece : pieces) {
    test.sequences.push_back({piece.tokens, piece.past, piece.blocks});
    for (const int32_t block : piece.blocks) last_block = std::max(last_block, block);
    test.limits.max_context = std::max<int64_t>(test.limits.max_context, piece.past + piece.tokens);
  }
  test.limits.max_sequences = static_cast<int64_t>(pieces.size());
  test.cache.assign(static_cast<size_t>(last_block + 1) * test.kv.block_bytes(), std::byte{0xff});
  test.tolerance = tolerance(o, test.limits.max_context);
  return test;
}

std::vector<Case> attention_cases() {
  std::vector<Case> cases;
  for (const AttentionOptions& options : all_options()) {
    const SequenceData data = random_sequence(options, 620, 3);
    for (const Mix& mix : all_mixes()) {
      std::vector<Piece> pieces;
      int32_t next = 0;
      for (const auto& [past, tokens] : mix.sequences) {
        Piece piece{&data, past, tokens, {}};
        // Descending, so that neighbours in the sequence aren't neighbours in memory.
        const int32_t count = blocks_of(past + tokens);
        for (int32_t b = 0; b < count; ++b) piece.blocks.push_back(next + count - 1 - b);
        next += count;
        pieces.push_back(std::move(piece));
      }
      Case test = attention_case(options, pieces);
      test.name = fmt::format("{} {}, {}", options.name, dtype_name(options.cache_dtype), mix.name);
      Random random(13);
      for (TestSequence& sequence : test.sequences) {
        fill_past(test, options, sequence, random);
        free_blocks(options, sequence);
      }
      cases.push_back(std::move(test));
    }
  }
  return cases;
}

}  // namespace legato::conformance
