#pragma once

#include <ctime>

namespace legato::testing_support {

/// Seconds that this process has computed since it was made: bounds on time hold on a machine that
/// others use too.
class ProcessorTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

}  // namespace legato::testing_support
