#include "api/test_engine.h"

#include <algorithm>
#include <filesystem>

#include "base/status.h"
#include "tests/support/temporary_folder.h"

namespace legato::api {

const Engine& test_engine() {
  static const Engine engine = [] {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "test.engine";
    BuildOptions options;
    options.precision = DataType::kF32;
    (void)value_or_throw(
        build_engine(LEGATO_SOURCE_DIR "/models/nano-llama", path.string(), options));
    return value_or_throw(Engine::load(path.string()));
  }();
  return engine;
}

int32_t best_token(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

std::vector<int32_t> greedy(Session& session, Sequence& sequence, std::span<const int32_t> prompt,
                            size_t count) {
  throw_if_failed(session.append(sequence, prompt));
  std::vector<int32_t> out;
  while (true) {
    out.push_back(best_token(session.logits()));
    if (out.size() == count) return out;
    const StepItem item{&sequence, {&out.back(), 1}, StepItem::Logits::kLast};
    throw_if_failed(session.step({&item, 1}));
  }
}

}  // namespace legato::api
