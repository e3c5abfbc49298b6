#include "base/hash.h"

#include <xxhash.h>

#include "base/check.h"

namespace legato {

struct Hasher::State {
  State() : xxh3(XXH3_createState()) { LEGATO_CHECK(xxh3 != nullptr); }
  ~State() { XXH3_freeState(xxh3); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  XXH3_state_t* xxh3;
};

uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hasher::Hasher(uint64_t seed) : state_(std::make_unique<State>()) {
  XXH3_64bits_reset_withSeed(state_->xxh3, seed);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->xxh3, bytes.data(), bytes.size());
}
uint64_t Hasher::digest() const { return XXH3_64bits_digest(state_->xxh3); }

}  // namespace legato
