#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/counted.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/bench_machine.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/measure.h"
#include "cli/model_source.h"
#include "cli/output_path.h"
#include "cli/process_memory.h"
#include "cli/profile_table.h"
#include "cli/session_flags.h"
#include "cli/statistics.h"
#include "cli/step_shape.h"

namespace legato::cli {
namespace {

double total_bytes(const std::vector<EngineLayer>& layers) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [](double sum, const EngineLayer& layer) { return sum + layer.bytes; });
}

class BenchCommand : public Command {
 public:
  std::string name() const override { return "bench"; }
  std::string summary() const override { return "measure an engine, or the machine itself"; }
  std::string examples() const override {
    return "  legato bench tiny.engine --prompt-len 512 --gen-len 128 --batch 4\n"
           "      prefill and decode rates, latencies, bytes against what the memory can give\n"
           "  legato bench tiny.engine --dump-profile\n"
           "      and each kernel: time, share, bytes, GB/s, % of the roofline\n"
           "  legato bench tiny.engine --itl-curve 0,512,1024,2048\n"
           "      and how a step grows with the context: a + b * length\n"
           "  legato bench bandwidth; legato bench flops\n"
           "      what this machine's memory and arithmetic can do\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_,
                 "an engine, a model folder or a GGUF file, or: bandwidth, flops");
    options.text("--load-engine", "X.engine", &load_engine_, "the same as MODEL");
    options.integer("--prompt-len", "P", &prompt_len_, {0, 1 << 24},
                    "tokens to read; default 512, or what the context holds");
    options.integer("--gen-len", "G", &gen_len_, {1, 1 << 24},
                    "tokens to generate; default 128, or what the context holds");
    options.integer("--batch", "B", &batch_, {1, 65536}, "sequences at once; default 1");
    options.integer("--depth", "L", &depth_, {0, 1 << 24},
                    "tokens that each sequence holds before; default 0");
    OptionSpec& runs =
        options.integer("--runs", "R", &runs_, {1, 100000}, "repeats after one warm-up; default 3");
    runs.aliases = {"--iterations"};
    OptionSpec curve{.name = "--itl-curve", .value = "0,1024,..."};
    curve.doc = "measure a step at these context lengths too, and fit a line";
    curve.assign = [this](const std::string& text) {
      curve_ = parse_integer_list(text, {0, 1 << 24});
    };
    options.add(curve);
    options.flag("--dump-profile", &dump_profile_, "measure each kernel of a decode step");
    options.text("--export-profile", "FILE", &export_profile_, "write that as JSON");
    options.text("--export-steps", "FILE", &export_steps_,
                 "write each decode step as JSON, with what kept its threads from a core");
    session_.declare(options);
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    if (model_ && load_engine_) throw UsageError("give MODEL or --load-engine, not both");
    if (load_engine_) model_ = load_engine_;
    if (!model_) throw UsageError("MODEL is missing");
    if (*model_ == "serve") throw UsageError("serve: not supported yet");
    if (*model_ == "bandwidth" || *model_ == "flops") return bench_machine(console);
    for (const auto& output : {export_profile_, export_steps_}) {
      if (output) check_output(*output, {resolve_source(*model_)});
    }
    BenchReport report = measure_engine(console);
    // With the engine gone, a buffer of its size leaves the process's peak as it was.
    const uint64_t now = resident_bytes();
    report.profile.bytes_per_second = read_bandwidth(
        report.threads, report.peak_bytes > now ? report.peak_bytes - now : uint64_t{0});
    if (export_profile_) write_json(*export_profile_, profile_json(report.profile));
    if (export_steps_) write_json(*export_steps_, steps_json(report.steps));
    if (json_) {
      console.print_json(bench_json(report));
    } else {
      console.print(format_bench(report));
    }
    return 0;
  }

 private:
  int bench_machine(Console& console) const {
    if (prompt_len_ || gen_len_ || batch_ || depth_ || runs_ || !curve_.empty() || dump_profile_ ||
        export_profile_ || export_steps_ || session_.precision().given()) {
      throw UsageError(fmt::format("{} takes --threads, --cpu-level and --json only", *model_));
    }
    const int threads = session_.threads() > 0 ? session_.threads() : usable_cores();
    const bool bandwidth = *model_ == "bandwidth";
    const Json object = bandwidth ? bandwidth_json(threads)
                                  : flops_json(threads, bench_level(session_.cpu_level()));
    if (json_) {
      console.print_json(object);
    } else if (bandwidth) {
      const Json& read = object["read_bytes_per_s"];
      console.print(fmt::format("read  {:.2f} GB/s with one thread, {:.2f} GB/s with {} ({})\n",
                                read["one_thread"].get<double>() / 1e9,
                                read["all_threads"].get<double>() / 1e9, threads,
                                read["huge_pages"].get<bool>() ? "huge pages" : "small pages"));
    } else {
      console.print(fmt::format("f32   {:.1f} GFLOP/s\nint8  {:.1f} GOP/s\n",
                                object["f32_flops"].get<double>() / 1e9,
                                object["int8_ops"].get<double>() / 1e9));
    }
    return 0;
  }

  BenchReport measure_engine(Console& console) {
    Workload workload;
    const Engine engine = load_model(*model_, session_, console, [&](const EngineInfo& info) {
      workload = make_workload(session_.longest_context(info));
      judge_workload(workload, info);
    });
    if (const Status settled = engine.wait_until_settled(); !settled.ok())
      console.warn(settled.to_string());
    const SessionOptions options =
        session_.session_options(engine.info(), workload.batch, needed_context(workload));
    Session session = open_session(engine, options);
    return measure(session, workload);
  }

  /// What can't run is said before anything is loaded.
  void judge_workload(const Workload& workload, const EngineInfo& info) const {
    const int64_t needed = needed_context(workload);
    const SessionOptions options = session_.session_options(info, workload.batch, needed);
    if (needed > options.max_context) {
      throw UsageError(fmt::format("the workload needs a context of {}, there is one of {}", needed,
                                   options.max_context));
    }
    if (workload.batch > options.max_sequences) {
      throw UsageError(
          fmt::format("--batch: {} is above --max-seqs {}", workload.batch, options.max_sequences));
    }
    const int64_t step_tokens = max_step_tokens(info);
    if (workload.batch > step_tokens) {
      throw UsageError(fmt::format("--batch: {} is above the {} of a step of this engine",
                                   workload.batch, counted(step_tokens, "token")));
    }
  }

  /// Lengths that were not given shrink to what the context holds.
  Workload make_workload(int64_t context) const {
    Workload workload;
    workload.depth = depth_.value_or(workload.depth);
    const int64_t room = context - workload.depth - prompt_len_.value_or(0);
    // A short context is shared by prompt and output as the defaults share a long one.
    const int64_t share = prompt_len_ ? room : room / 5;
    workload.gen_len = gen_len_.value_or(std::clamp<int64_t>(share, 1, workload.gen_len));
    workload.prompt_len =
        prompt_len_.value_or(std::clamp<int64_t>(room - workload.gen_len, 0, workload.prompt_len));
    workload.batch = batch_.value_or(workload.batch);
    workload.runs = runs_.value_or(workload.runs);
    return workload;
  }

  int64_t needed_context(const Workload& workload) const {
    int64_t needed = workload.context();
    for (const int64_t depth : curve_) needed = std::max(needed, depth + workload.gen_len);
    return needed;
  }

  BenchReport measure(Session& session, const Workload& workload) const {
    BenchReport report;
    report.workload = workload;
    report.curve_depths = curve_;
    report.threads = session.options().threads;
    report.level = bench_level(session.options().cpu_level);
    Bench bench(session, workload.batch);
    if (export_steps_) bench.record_steps();
    report.measured = bench.run(workload);
    for (const int64_t depth : curve_) {
      bench.fill(depth);
      std::vector<double> steps;
      for (int64_t i = 0; i < workload.gen_len; ++i) steps.push_back(bench.decode_step());
      report.curve_ms.push_back(median(steps));
    }
    report.steps = bench.steps();
    const int64_t context = workload.depth + workload.prompt_len + workload.gen_len / 2;
    const std::vector<EngineLayer> layers =
        session.layer_costs(workload.batch, workload.batch, context);
    report.bytes_per_step = total_bytes(layers);
    report.profile.step_us = median(report.measured.itl_ms) * 1e3;
    if (dump_profile_ || export_profile_) {
      bench.fill(workload.depth + workload.prompt_len);
      profile_steps(session, bench, workload.gen_len, layers, report.profile);
    }
    report.peak_bytes = peak_resident_bytes();
    return report;
  }

  static void profile_steps(Session& session, Bench& bench, int64_t steps,
                            const std::vector<EngineLayer>& layers, StepProfile& profile) {
    session.enable_profile(true);
    session.reset_profile();
    for (int64_t i = 0; i < steps; ++i) bench.decode_step();
    const std::vector<LayerTime> times = session.profile();
    session.enable_profile(false);
    const double scale = 1e6 / static_cast<double>(steps);
    for (size_t i = 0; i < times.size() && i < layers.size(); ++i) {
      profile.rows.push_back(
          {layers[i], times[i].seconds * scale, times[i].barrier_seconds * scale});
    }
  }

  static void write_json(const std::string& path, const Json& object) {
    const std::string text = object.dump(2) + "\n";
    AtomicFile file = value_or_throw(AtomicFile::create(path));
    throw_if_failed(file.write(std::as_bytes(std::span(text))));
    throw_if_failed(file.commit());
  }

  std::optional<std::string> model_, load_engine_, export_profile_, export_steps_;
  std::optional<int64_t> prompt_len_, gen_len_, batch_, depth_, runs_;
  std::vector<int64_t> curve_;
  bool dump_profile_ = false, json_ = false;
  SessionFlags session_;
};

}  // namespace

void register_bench(CommandRegistry& registry) { registry.add(std::make_unique<BenchCommand>()); }

}  // namespace legato::cli
