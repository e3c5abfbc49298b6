#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace legato {

/// XXH3, 64 bits: checksums of sections, cache keys and block hashes. Not cryptographic.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);

/// The same value over bytes that arrive in pieces. One thread.
class Hasher {
 public:
  explicit Hasher(uint64_t seed = 0);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace legato
