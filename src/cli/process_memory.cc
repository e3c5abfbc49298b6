#include "cli/process_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace legato::cli {
namespace {

constexpr uint64_t kKibibyte = 1024;

uint64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      return std::strtoull(line.c_str() + key.size(), nullptr, 10) * kKibibyte;
    }
  }
  return 0;
}

}  // namespace

uint64_t peak_resident_bytes() { return status_bytes("VmHWM:"); }
uint64_t resident_bytes() { return status_bytes("VmRSS:"); }
void release_free_memory() { malloc_trim(0); }

}  // namespace legato::cli
