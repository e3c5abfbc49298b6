// Rates of the CPU kernels against what the machine can do, measured in the same run.
// Usage: legato_kernel_bench [--threads N] [--level avx512] [--only TEXT] [--runs R]
// Prints one JSON object a line: first the probes, then a line a measurement.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "base/checked.h"
#include "base/json.h"
#include "device/cpu/huge_memory.h"
#include "device/cpu/team.h"
#include "kernels/cpu/probe/probe.h"
#include "kernels/cpu/register_tactics.h"
#include "tensor/kv_layout.h"

namespace legato::kernels {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int threads = usable_cores();
  CpuLevel level = best_cpu_level();
  std::string only;
  int runs = 15;
};

struct Machine {
  double bytes_per_s = 0;
  double flops = 0;
};

/// Memory filled with small numbers of `dtype`.
Buffer random_memory(DType dtype, int64_t elements) {
  HugeMemory memory;
  const size_t width = dtype_bytes(dtype);
  Buffer buffer =
      value_or_throw(memory.allocate(static_cast<size_t>(elements) * width + 2 * kPanelRows * 4));
  uint32_t state = 12345;
  for (int64_t i = 0; i < elements; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    // The upper half of a float is a bfloat16; as a binary16 these bits are small numbers too.
    const uint32_t half = dtype == DType::kBF16 ? bits >> 16 : (state >> 16 & 0x83ff) | 0x2000;
    std::memcpy(buffer.data() + static_cast<size_t>(i) * width, width == 4 ? &bits : &half, width);
  }
  return buffer;
}

/// Random codes; whatever of them is read as an f16 scale is a finite number.
Buffer random_codes(int64_t bytes) {
  HugeMemory memory;
  Buffer buffer = value_or_throw(memory.allocate(static_cast<size_t>(bytes)));
  uint32_t state = 54321;
  for (int64_t i = 0; i < bytes; ++i) {
    state = state * 1664525u + 1013904223u;
    buffer.data()[i] = static_cast<std::byte>(state >> 24 & 0x7bu);
  }
  return buffer;
}

/// Median seconds of one launch. `prepare(i)` chooses the arguments of run i.
template <typename Prepare>
double median_seconds(Team& team, const Kernel& kernel, int runs, Prepare prepare) {
  std::vector<double> seconds;
  team.run([&](TeamMember& member) {
    Clock::time_point begin = Clock::now();
    for (int i = 0; i <= runs; ++i) {
      kernel.launch(prepare(i), member);
      member.barrier();
      const Clock::time_point end = Clock::now();
      if (member.rank() == 0 && i > 0)
        seconds.push_back(std::chrono::duration<double>(end - begin).count());
      begin = end;
    }
  });
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), team_(options_.threads) {
    cpu::register_all_tactics(registry_);
  }

  void probe() {
    cpu::BandwidthOptions bandwidth;
    bandwidth.threads = options_.threads;
    const cpu::BandwidthResult read = value_or_throw(cpu::measure_read_bandwidth(bandwidth));
    const cpu::FlopsResult flops = cpu::measure_flops(options_.level, options_.threads);
    machine_ = {read.bytes_per_s, flops.f32_flops};
    Json line;
    line["probe"]["threads"] = options_.threads;
    line["probe"]["level"] = std::string(cpu_level_name(options_.level));
    line["probe"]["read_gb_s"] = rounded(read.bytes_per_s / 1e9);
    line["probe"]["huge_pages"] = read.huge_pages;
    line["probe"]["f32_gflop_s"] = rounded(flops.f32_flops / 1e9);
    line["probe"]["int8_gop_s"] = rounded(flops.int8_ops / 1e9);
    print(line);
  }

  void linear(int64_t tokens, int64_t features, int64_t k, DType dtype) {
    const std::string name = std::string("linear ") + std::string(dtype_name(dtype)) + " T" +
                             std::to_string(tokens) + " " + std::to_string(features) + "x" +
                             std::to_string(k);
    if (!wanted(name)) return;
    Problem problem;
    problem.op = "Linear";
    problem.inputs = {{true, false, DType::kF32, SymShape{tokens, k}},
                      {true, true, dtype, SymShape{features, k}}};
    problem.outputs = {{true, false, DType::kF32, SymShape{tokens, features}}};
    const std::unique_ptr<Kernel> kernel = bind(problem);
    Limits limits;
    limits.max_tokens = tokens;
    const Cost cost = kernel->cost({tokens, tokens, 0});
    // Enough copies of the weights that none stays in the cache.
    const int64_t panels = ceil_div(features, kPanelRows);
    const int64_t bytes = panels * static_cast<int64_t>(panel_bytes(dtype, k));
    const int64_t copies = tokens > 16 ? 1 : std::max<int64_t>(1, (int64_t{256} << 20) / bytes);
    const Buffer weights = is_quantised(dtype)
                               ? random_codes(bytes * copies)
                               : random_memory(dtype, panels * kPanelRows * k * copies);
    Buffer x = random_memory(DType::kF32, tokens * k);
    Buffer out = random_memory(DType::kF32, tokens * features);
    Buffer workspace = scratch(*kernel, limits);
    std::vector<Operand> inputs = {
        {x.data(), DType::kF32, WeightLayout::kPlain, Shape{tokens, k}, k},
        {nullptr, dtype, WeightLayout::kRows32, Shape{features, k}, k}};
    const std::vector<Operand> outputs = {
        {out.data(), DType::kF32, WeightLayout::kPlain, Shape{tokens, features}, features}};
    std::vector<std::vector<Operand>> variants;
    for (int64_t i = 0; i < copies; ++i) {
      inputs[1].data = const_cast<std::byte*>(weights.data()) + i * bytes;
      variants.push_back(inputs);
    }
    const double seconds = median_seconds(team_, *kernel, options_.runs, [&](int i) {
      return LaunchArgs{variants[static_cast<size_t>(i) % variants.size()], outputs,
                        workspace.data(), nullptr, nullptr};
    });
    report(name, cost, seconds);
  }

  struct AttentionShape {
    int64_t heads, kv_heads, head_dim;
  };

  void attention(const AttentionShape& shape, int64_t tokens, int64_t past, DType dtype) {
    const std::string name = std::string("attention ") + std::string(dtype_name(dtype)) + " T" +
                             std::to_string(tokens) + " past " + std::to_string(past) + " " +
                             std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) +
                             "x" + std::to_string(shape.head_dim);
    if (!wanted(name)) return;
    const int64_t width = shape.heads * shape.head_dim;
    const int64_t kv_width = shape.kv_heads * shape.head_dim;
    Problem problem = attention_problem(shape, tokens);
    Limits limits;
    limits.max_tokens = tokens;
    limits.max_context = past + tokens;
    // One kernel a layer, so that the cache of the last run isn't what the next one reads.
    const int64_t layers =
        std::clamp<int64_t>((int64_t{128} << 20) / ((past + tokens) * kv_width * 4), 1, 16);
    std::vector<std::unique_ptr<Kernel>> kernels;
    for (int64_t i = 0; i < layers; ++i) {
      problem.attributes.set("layer", i);
      kernels.push_back(bind(problem));
    }
    Cost cost = kernels[0]->cost({tokens, tokens, past + (tokens + 1) / 2});
    cost.bytes = static_cast<double>((past + tokens) * kv_width * 2) *
                 static_cast<double>(dtype_bytes(dtype));
    Buffer workspace = scratch(*kernels[0], limits);
    const KvLayerSpec layer{static_cast<int32_t>(shape.kv_heads),
                            static_cast<int32_t>(shape.head_dim), 0, 0};
    const KvLayout layout(std::vector<KvLayerSpec>(static_cast<size_t>(layers), layer), dtype);
    std::vector<int32_t> blocks(static_cast<size_t>(ceil_div(past + tokens, kBlockTokens)));
    std::iota(blocks.begin(), blocks.end(), 0);
    Buffer cache = random_memory(
        dtype, static_cast<int64_t>(blocks.size() * layout.block_bytes() / dtype_bytes(dtype)));
    const SequenceSpan span{0, static_cast<int32_t>(tokens), static_cast<int32_t>(past),
                            blocks.data()};
    const RaggedBatch batch{{&span, 1}, static_cast<int32_t>(tokens)};
    const KvView kv{cache.data(), &layout};
    std::vector<Buffer> memory;
    const auto operand = [&](int64_t columns) {
      memory.push_back(random_memory(DType::kF32, tokens * columns));
      return Operand{memory.back().data(), DType::kF32, WeightLayout::kPlain,
                     Shape{tokens, columns}, columns};
    };
    const std::vector<Operand> inputs = {operand(width), operand(kv_width), operand(kv_width),
                                         operand(shape.head_dim)};
    const std::vector<Operand> outputs = {operand(width)};
    const Rotation rotation(std::move(kernels));
    const double seconds = median_seconds(team_, rotation, options_.runs, [&](int i) {
      rotation.choose(i);
      return LaunchArgs{inputs, outputs, workspace.data(), &batch, &kv};
    });
    report(name, cost, seconds);
  }

 private:
  /// Launches one of several kernels, chosen by run; each member chooses the same.
  class Rotation final : public Kernel {
   public:
    explicit Rotation(std::vector<std::unique_ptr<Kernel>> kernels)
        : kernels_(std::move(kernels)) {}
    void choose(int run) const { chosen() = static_cast<size_t>(run) % kernels_.size(); }
    size_t workspace_bytes(const Limits&) const override { return 0; }
    Cost cost(const StepSize&) const override { return {}; }
    void launch(const LaunchArgs& args, Stream& stream) const override {
      kernels_[chosen()]->launch(args, stream);
    }

   private:
    static size_t& chosen() {
      thread_local size_t index = 0;
      return index;
    }
    std::vector<std::unique_ptr<Kernel>> kernels_;
  };

  static Problem attention_problem(const AttentionShape& shape, int64_t tokens) {
    Problem problem;
    problem.op = "Attention";
    problem.attributes = {{"heads", shape.heads},       {"kv_heads", shape.kv_heads},
                          {"head_dim", shape.head_dim}, {"scale", 0.125},
                          {"layer", int64_t{0}},        {"rotary_dim", shape.head_dim}};
    const auto spec = [&](int64_t columns) {
      return OperandSpec{true, false, DType::kF32, SymShape{tokens, columns}};
    };
    const int64_t kv_width = shape.kv_heads * shape.head_dim;
    problem.inputs = {spec(shape.heads * shape.head_dim), spec(kv_width), spec(kv_width),
                      spec(shape.head_dim)};
    problem.outputs = {spec(shape.heads * shape.head_dim)};
    return problem;
  }

  bool wanted(const std::string& name) const {
    return name.find(options_.only) != std::string::npos;
  }

  std::unique_ptr<Kernel> bind(const Problem& problem) const {
    const DeviceInfo device{Backend::kCpu, options_.level};
    for (const auto& tactic : registry_.all()) {
      if (tactic->op() != problem.op) continue;
      throw_if_failed(tactic->supports(problem, device));
      return value_or_throw(tactic->bind(problem, device));
    }
    throw Error(Code::kNotFound, problem.op, "no tactic");
  }

  Buffer scratch(const Kernel& kernel, Limits limits) const {
    limits.threads = options_.threads;
    HugeMemory memory;
    return value_or_throw(memory.allocate(kernel.workspace_bytes(limits) + 64));
  }

  static double rounded(double x) { return std::round(x * 1000) / 1000; }
  static void print(const Json& line) { std::printf("%s\n", line.dump().c_str()); }

  void report(const std::string& name, const Cost& cost, double seconds) const {
    Json line;
    line["name"] = name;
    line["us"] = rounded(seconds * 1e6);
    line["gb_s"] = rounded(cost.bytes / seconds / 1e9);
    line["share_of_bandwidth"] = rounded(cost.bytes / seconds / machine_.bytes_per_s);
    line["gflop_s"] = rounded(cost.operations / seconds / 1e9);
    line["share_of_fma_peak"] = rounded(cost.operations / seconds / machine_.flops);
    print(line);
    std::fflush(stdout);
  }

  Options options_;
  Machine machine_;
  Team team_;
  TacticRegistry registry_;
};

void measure_all(Bench& bench) {
  struct Matrix {
    int64_t features, k;
  };
  // Llama-3.2-1B: qkv, o, gate and up, down, head; SmolLM2-135M: qkv, o, gate and up, down, head.
  const Matrix matrices[] = {{3072, 2048},   {2048, 2048}, {16384, 2048}, {2048, 8192},
                             {128256, 2048}, {960, 576},   {576, 576},    {3072, 576},
                             {576, 1536},    {49152, 576}};
  bench.probe();
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32})
    for (const Matrix& m : matrices) bench.linear(1, m.features, m.k, dtype);
  for (const Matrix& m : matrices) {
    for (const int64_t tokens : {2, 4, 8, 12, 16, 64, 512}) {
      if (m.features * m.k * tokens > int64_t{1} << 36) continue;
      bench.linear(tokens, m.features, m.k, DType::kF16);
    }
  }
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ4K,
                            DType::kQ6K, DType::kW8})
    for (const Matrix& m : matrices)
      for (const int64_t tokens : {1, 4, 16, 512})
        if (m.features * m.k * tokens <= int64_t{1} << 36 && m.k % 256 == 0)
          bench.linear(tokens, m.features, m.k, dtype);
  for (const Bench::AttentionShape& shape : {Bench::AttentionShape{32, 8, 64}, {9, 3, 64}}) {
    for (const int64_t past : {128, 512, 1024, 2048, 4096, 8192})
      bench.attention(shape, 1, past, DType::kF16);
    for (const int64_t tokens : {128, 512, 2048, 4096})
      bench.attention(shape, tokens, 0, DType::kF16);
  }
}

int run(int argc, char** argv) {
  Options options;
  std::string level(cpu_level_name(options.level));
  CLI::App app("Rates of the CPU kernels against what the machine can do");
  app.add_option("--threads", options.threads, "threads")->capture_default_str();
  app.add_option("--level", level, "sse2, avx2, avx512 or avx512vnni")->capture_default_str();
  app.add_option("--only", options.only, "measure only names that contain this");
  app.add_option("--runs", options.runs, "launches that the median is taken of")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto known = cpu_level_from_name(level);
  if (!known || *known > best_cpu_level()) {
    std::fprintf(stderr, "--level %s: this machine does not have it\n", level.c_str());
    return 2;
  }
  options.level = *known;
  Bench bench(options);
  measure_all(bench);
  return 0;
}

}  // namespace
}  // namespace legato::kernels

int main(int argc, char** argv) { return legato::kernels::run(argc, argv); }
