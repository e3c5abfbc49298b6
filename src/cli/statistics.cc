#include "cli/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace legato::cli {

double quantile(std::vector<double> samples, double fraction) {
  std::sort(samples.begin(), samples.end());
  const double place = fraction * static_cast<double>(samples.size() - 1);
  const auto low = static_cast<size_t>(std::floor(place));
  const size_t high = std::min(low + 1, samples.size() - 1);
  return samples[low] + (samples[high] - samples[low]) * (place - static_cast<double>(low));
}

double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }

double minimum(const std::vector<double>& samples) {
  return *std::min_element(samples.begin(), samples.end());
}

double maximum(const std::vector<double>& samples) {
  return *std::max_element(samples.begin(), samples.end());
}

double mean(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  LineFit fit;
  fit.b = xx > 0 ? xy / xx : 0;
  fit.a = mean_y - fit.b * mean_x;
  fit.r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
  return fit;
}

}  // namespace legato::cli
