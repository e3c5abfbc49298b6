#pragma once

#include <span>
#include <vector>

namespace legato::cli {

/// The value below which `fraction` of the samples lie, between neighbours by linear interpolation.
/// `samples` must not be empty.
double quantile(std::vector<double> samples, double fraction);
double median(const std::vector<double>& samples);
double minimum(const std::vector<double>& samples);
double maximum(const std::vector<double>& samples);
double mean(const std::vector<double>& samples);

/// y = a + b x by least squares.
struct LineFit {
  double a = 0;
  double b = 0;
  double r2 = 0;  ///< share of the variance that the line explains
};
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace legato::cli
