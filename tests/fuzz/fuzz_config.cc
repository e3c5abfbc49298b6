#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log.h"
#include "base/status.h"
#include "import/hf/generation_config.h"
#include "import/importer.h"
#include "import/random_weights.h"

/// A config.json against weights that have every shape that it asks for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] {
    legato::set_log_sink([](const std::string&) {});
    return true;
  }();
  (void)quiet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const legato::Status status = legato::catch_error([&] {
    const auto config = legato::importer::Config::parse(text, "fuzz");
    legato::importer::read_generation_defaults(config);
    legato::importer::RandomWeights weights(1, legato::DType::kF16);
    const auto model = legato::importer::import_model(config, weights, {});
    legato::ir::verify(model.graph);
  });
  if (!status.ok() && status.message.find('\n') != std::string::npos) __builtin_trap();
  return 0;
}
