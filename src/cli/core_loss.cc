#include "cli/core_loss.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace legato::cli {
namespace {

double waited_us_of_all_threads() {
  double sum = 0;
  std::error_code ignored;  // a kernel without these files counts nothing
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream file(task.path() / "schedstat");
    double running_ns = 0, waiting_ns = 0;
    if (file >> running_ns >> waiting_ns) sum += waiting_ns / 1e3;
  }
  return sum;
}

/// The first line of /proc/stat: "cpu" and times of user, nice, system, idle, iowait, irq, softirq
/// and steal.
int64_t steal_ticks() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  int64_t value = 0;
  for (int field = 0; field < 8; ++field) file >> value;
  return file ? value : 0;
}

}  // namespace

CoreLoss CoreLoss::operator-(const CoreLoss& earlier) const {
  return {preemptions - earlier.preemptions, waited_us - earlier.waited_us,
          steal_ticks - earlier.steal_ticks};
}

CoreLoss core_loss_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {usage.ru_nivcsw, waited_us_of_all_threads(), steal_ticks()};
}

}  // namespace legato::cli
