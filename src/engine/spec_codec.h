#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "engine/schema.h"

namespace legato::engine {

/// Largest spec section that is written or read.
inline constexpr uint64_t kMaxSpecBytes = uint64_t{8} << 20;

/// The bytes of the spec section: equal specs give equal bytes. Backend and CPU level are not among
/// them; they stand in the file's header.
std::string encode_spec(const EngineSpec& spec);

/// Reads untrusted bytes; bounded in time and memory. Only their form is judged: validate_spec()
/// judges what they say. kMalformed names `where` and the byte.
Result<EngineSpec> decode_spec(std::span<const std::byte> bytes, const std::string& where);

}  // namespace legato::engine
