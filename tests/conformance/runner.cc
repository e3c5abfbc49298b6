#include "tests/conformance/runner.h"

#include <cstring>

#include "base/status.h"
#include "device/cpu/team.h"
#include "tensor/quant_panel.h"
#include "tests/conformance/guarded_memory.h"

namespace legato::conformance {
namespace {

using namespace kernels;

Buffer copy_of(const std::vector<std::byte>& bytes, size_t alignment, size_t slack = 0) {
  Buffer buffer = guarded_memory(bytes.size() + slack, alignment);
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return buffer;
}

Buffer packed_panels(const TestTensor& tensor) {
  const int64_t rows = tensor.shape[0];
  const int64_t columns = tensor.shape[1];
  const size_t row_bytes = *dtype_row_bytes(tensor.dtype, columns);
  const size_t step = panel_bytes(tensor.dtype, columns);
  const size_t alignment = is_quantised(tensor.dtype) ? 64 : dtype_bytes(tensor.dtype);
  Buffer buffer =
      guarded_memory(*layout_bytes(WeightLayout::kRows32, tensor.dtype, rows, columns), alignment);
  for (int64_t row = 0; row < rows; row += kPanelRows) {
    const std::byte* from = tensor.bytes.data() + static_cast<size_t>(row) * row_bytes;
    std::byte* to = buffer.data() + static_cast<size_t>(row / kPanelRows) * step;
    const int64_t count = std::min(kPanelRows, rows - row);
    if (is_quantised(tensor.dtype)) {
      pack_quant_panel(tensor.dtype, from, count, columns, to);
    } else {
      pack_panel(from, count, columns, dtype_bytes(tensor.dtype), to);
    }
  }
  return buffer;
}

/// Operands with their memory.
struct Operands {
  std::vector<Operand> list;
  std::vector<Buffer> memory;

  void add(const TestTensor& tensor, WeightLayout layout) {
    Operand operand;
    operand.dtype = tensor.dtype;
    operand.shape = tensor.shape;
    operand.row_stride = tensor.row_stride;
    operand.layout = layout;
    if (tensor.present) {
      memory.push_back(
          layout == WeightLayout::kRows32
              ? packed_panels(tensor)
              : copy_of(tensor.bytes, is_quantised(tensor.dtype) ? 1 : dtype_bytes(tensor.dtype)));
      operand.data = memory.back().data();
    }
    list.push_back(operand);
  }
};

bool is_reference(const Tactic& tactic) {
  return reference_tactics().find(tactic.name()) != nullptr;
}

std::vector<SequenceSpan> spans_of(const Case& test) {
  std::vector<SequenceSpan> spans;
  int32_t first = 0;
  for (const TestSequence& sequence : test.sequences) {
    spans.push_back({first, sequence.tokens, sequence.past, sequence.blocks.data()});
    first += sequence.tokens;
  }
  return spans;
}

std::vector<float> dense(const Operand& operand) {
  std::vector<float> values;
  for (int64_t row = 0; row < operand.rows(); ++row) {
    const float* begin = operand.as<const float>() + row * operand.row_stride;
    values.insert(values.end(), begin, begin + operand.columns());
  }
  return values;
}

}  // namespace

Outcome run_case(const Tactic& tactic, const Case& test, CpuLevel level, int threads) {
  const DeviceInfo device{Backend::kCpu, level};
  throw_if_failed(tactic.supports(test.problem, device));
  const std::unique_ptr<Kernel> kernel = value_or_throw(tactic.bind(test.problem, device));
  Operands inputs;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    WeightLayout layout = WeightLayout::kPlain;
    if (test.inputs[i].constant) layout = tactic.weight_layout(test.problem, i);
    if (test.tied && i == 1 && !is_reference(tactic)) layout = WeightLayout::kRows32;
    inputs.add(test.inputs[i], layout);
  }
  Operands outputs;
  outputs.add(test.output, WeightLayout::kPlain);

  Limits limits = test.limits;
  limits.threads = threads;
  Buffer workspace = guarded_memory(kernel->workspace_bytes(limits), 64);
  Buffer cache = copy_of(test.cache, 64, KvLayout::kReadSlackBytes);
  const std::vector<SequenceSpan> spans = spans_of(test);
  const RaggedBatch batch{spans, static_cast<int32_t>(limits.max_tokens)};
  const KvView kv{cache.data(), &test.kv};
  LaunchArgs args;
  args.inputs = inputs.list;
  args.outputs = outputs.list;
  args.workspace = workspace.data();
  if (!test.kv.layers().empty()) {
    args.batch = &batch;
    args.kv = &kv;
  }
  Team team(threads);
  team.run([&](TeamMember& member) { kernel->launch(args, member); });
  return {dense(outputs.list[0]), {cache.data(), cache.data() + test.cache.size()}};
}

Outcome run_reference(const Case& test) {
  const DeviceInfo device{Backend::kCpu, CpuLevel::kSse2};
  const Tactic* tactic = value_or_throw(reference_tactics().choose(test.problem, device));
  return run_case(*tactic, test, CpuLevel::kSse2, 1);
}

}  // namespace legato::conformance
