#include "cli/bench_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "cli/bench_machine.h"
#include "cli/statistics.h"
#include "cli/units.h"

namespace legato::cli {
namespace {

double prefill_rate(const BenchReport& report) {
  const double ms = median(report.measured.prefill_ms);
  const auto tokens = static_cast<double>(report.workload.prompt_len * report.workload.batch);
  return ms > 0 ? tokens / ms * 1e3 : 0;
}

double decode_rate(const BenchReport& report) {
  return static_cast<double>(report.workload.batch) / median(report.measured.itl_ms) * 1e3;
}

double output_rate(const BenchReport& report) {
  return static_cast<double>(report.measured.output_tokens) / report.measured.seconds;
}

/// Milliseconds that the memory needs at least for the bytes of a step; 0 when it wasn't measured.
double floor_ms(const BenchReport& report) {
  const double rate = report.profile.bytes_per_second;
  return rate > 0 ? report.bytes_per_step / rate * 1e3 : 0;
}

LineFit fit_curve(const BenchReport& report) {
  std::vector<double> lengths;
  for (const int64_t depth : report.curve_depths) {
    lengths.push_back(static_cast<double>(depth) +
                      static_cast<double>(report.workload.gen_len - 1) / 2);
  }
  return fit_line(lengths, report.curve_ms);
}

Json roofline_json(const BenchReport& report) {
  const double floor = floor_ms(report);
  if (floor == 0) return {{"floor_ms", nullptr}, {"ratio", nullptr}};
  return {{"floor_ms", floor},
          {"ratio", median(report.measured.itl_ms) / floor},
          {"read_bytes_per_s", report.profile.bytes_per_second}};
}

Json latency_json(const std::vector<double>& ms) {
  return {{"min", minimum(ms)},       {"mean", mean(ms)},          {"median", median(ms)},
          {"p90", quantile(ms, 0.9)}, {"p95", quantile(ms, 0.95)}, {"p99", quantile(ms, 0.99)},
          {"max", maximum(ms)}};
}

}  // namespace

CpuLevel bench_level(const std::string& name) {
  return name.empty() ? best_cpu_level() : *cpu_level_from_name(name);
}

Json bench_json(const BenchReport& report) {
  const Workload& workload = report.workload;
  Json object;
  object["prefill"] = {{"tokens_per_s", prefill_rate(report)},
                       {"ms", latency_json(report.measured.prefill_ms)}};
  object["decode"] = {{"tokens_per_s", decode_rate(report)},
                      {"itl_ms", latency_json(report.measured.itl_ms)}};
  object["output_tokens_per_s"] = output_rate(report);
  object["bytes_per_step"] = report.bytes_per_step;
  object["bandwidth_bytes_per_s"] = report.bytes_per_step / median(report.measured.itl_ms) * 1e3;
  object["roofline"] = roofline_json(report);
  object["peak_rss_bytes"] = report.peak_bytes;
  object["device"] = describe_device(report.threads, report.level);
  object["commit"] = source_commit();
  object["workload"] = {{"prompt_len", workload.prompt_len},
                        {"gen_len", workload.gen_len},
                        {"batch", workload.batch},
                        {"depth", workload.depth},
                        {"runs", workload.runs},
                        {"threads", report.threads}};
  if (!report.curve_depths.empty()) {
    const LineFit fit = fit_curve(report);
    object["itl_curve"] = {{"depths", report.curve_depths}, {"median_ms", report.curve_ms}};
    object["itl_fit"] = {{"a_ms", fit.a}, {"b_ms_per_token", fit.b}, {"r2", fit.r2}};
  }
  if (!report.profile.rows.empty()) object["profile"] = profile_json(report.profile);
  return object;
}

Json steps_json(const std::vector<StepSample>& steps) {
  Json object;
  for (const char* key : {"context", "ms", "preemptions", "waited_us", "steal_ticks"}) {
    object[key] = Json::array();
  }
  for (const StepSample& step : steps) {
    object["context"].push_back(step.context);
    object["ms"].push_back(step.ms);
    object["preemptions"].push_back(step.lost.preemptions);
    object["waited_us"].push_back(step.lost.waited_us);
    object["steal_ticks"].push_back(step.lost.steal_ticks);
  }
  return object;
}

std::string format_bench(const BenchReport& report) {
  const std::vector<double>& itl = report.measured.itl_ms;
  std::string out = fmt::format(
      "{}\nprefill   {:.1f} tokens/s ({} x {}, median {:.2f} ms)\n"
      "decode    {:.1f} tokens/s\n"
      "latency   min {:.3f} ms, max {:.3f} ms, mean {:.3f} ms, median {:.3f} ms, p90 {:.3f} ms, "
      "p95 {:.3f} ms, p99 {:.3f} ms\n"
      "output    {:.1f} tokens/s over the whole time\n",
      describe_device(report.threads, report.level), prefill_rate(report), report.workload.batch,
      counted(report.workload.prompt_len, "token"), median(report.measured.prefill_ms),
      decode_rate(report), minimum(itl), maximum(itl), mean(itl), median(itl), quantile(itl, 0.9),
      quantile(itl, 0.95), quantile(itl, 0.99), output_rate(report));
  out += fmt::format("bytes     {} a step, {:.2f} GB/s\n",
                     format_bytes(static_cast<uint64_t>(report.bytes_per_step)),
                     report.bytes_per_step / median(itl) / 1e6);
  if (const double floor = floor_ms(report); floor > 0) {
    out += fmt::format("memory    gives {:.2f} GB/s: floor {:.3f} ms, ratio {:.2f}\n",
                       report.profile.bytes_per_second / 1e9, floor, median(itl) / floor);
  }
  out += fmt::format("peak      {}\n", format_bytes(report.peak_bytes));
  for (size_t i = 0; i < report.curve_ms.size(); ++i) {
    out += fmt::format("context   {:>7}: {:.3f} ms\n", report.curve_depths[i], report.curve_ms[i]);
  }
  if (!report.curve_depths.empty()) {
    const LineFit fit = fit_curve(report);
    out += fmt::format("step      {:.4f} ms + {:.3g} ms a token of context, R2 {:.4f}\n", fit.a,
                       fit.b, fit.r2);
  }
  if (!report.profile.rows.empty()) out += format_profile(report.profile);
  return out;
}

}  // namespace legato::cli
