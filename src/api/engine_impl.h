#pragma once

#include <memory>
#include <optional>

#include "device/buffer.h"
#include "engine/engine.h"
#include "legato/engine.h"
#include "tensor/kv_layout.h"

namespace legato {
inline namespace v1 {

struct Engine::Impl {
  /// The caller's memory, null without. Declared before the engine, whose weights lie in it.
  std::unique_ptr<Allocator> allocator;
  std::shared_ptr<const engine::Engine> engine;
  EngineInfo info;
  bool loaded = false;
  std::optional<Tokenizer> tokenizer;
};

}  // namespace v1

namespace api {

/// What a spec says, without the facts of its file.
EngineInfo describe_spec(const engine::EngineSpec& spec);

/// Layout of the cache for a dtype; the engine's default when none is given. kInvalidArgument for
/// a dtype that no cache can have.
Result<KvLayout> kv_layout(const engine::KvSpec& kv, std::optional<DataType> type);

}  // namespace api
}  // namespace legato
