#include "cli/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace legato::cli {
namespace {

constexpr size_t kNameWidth = 36;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double bytes_per_second(const StepProfile::Row& row) {
  return share(row.layer.bytes, row.us * 1e-6);
}

}  // namespace

double StepProfile::kernels_us() const {
  double sum = 0;
  for (const Row& row : rows) sum += row.us;
  return sum;
}

double StepProfile::barriers_us() const {
  double sum = 0;
  for (const Row& row : rows) sum += row.barrier_us;
  return sum;
}

std::string format_profile(const StepProfile& profile) {
  std::string out = fmt::format("\n{:<{}} {:>10} {:>7} {:>9} {:>12} {:>9} {:>10}\n", "layer",
                                kNameWidth, "us", "share", "wait us", "bytes", "GB/s", "% of roof");
  const double kernels = profile.kernels_us();
  for (const StepProfile::Row& row : profile.rows) {
    const std::string name =
        row.layer.name.size() <= kNameWidth
            ? row.layer.name
            : "..." + row.layer.name.substr(row.layer.name.size() - kNameWidth + 3);
    out += fmt::format("{:<{}} {:>10.2f} {:>6.1f}% {:>9.2f} {:>12.0f} {:>9.2f} {:>9.1f}%\n", name,
                       kNameWidth, row.us, 100 * share(row.us, kernels), row.barrier_us,
                       row.layer.bytes, bytes_per_second(row) / 1e9,
                       100 * share(bytes_per_second(row), profile.bytes_per_second));
  }
  out += fmt::format(
      "step {:.1f} us (median), kernels {:.1f} us, waiting between them {:.1f} us, step beside "
      "kernels {:.1f} us\n",
      profile.step_us, kernels, profile.barriers_us(), profile.overhead_us());
  return out;
}

Json profile_json(const StepProfile& profile) {
  Json layers = Json::array();
  const double kernels = profile.kernels_us();
  for (const StepProfile::Row& row : profile.rows) {
    layers.push_back({{"name", row.layer.name},
                      {"op", row.layer.op},
                      {"tactic", row.layer.tactic},
                      {"us", row.us},
                      {"share", share(row.us, kernels)},
                      {"barrier_us", row.barrier_us},
                      {"bytes", row.layer.bytes},
                      {"operations", row.layer.operations},
                      {"bytes_per_s", bytes_per_second(row)},
                      {"roofline_share", share(bytes_per_second(row), profile.bytes_per_second)}});
  }
  return {{"step_us", profile.step_us},
          {"kernels_us", kernels},
          {"barriers_us", profile.barriers_us()},
          {"overhead_us", profile.overhead_us()},
          {"layers", std::move(layers)}};
}

}  // namespace legato::cli
