#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tokenizer/definition.h"

namespace legato::tokenizer {

/// The compact form of a tokenizer, a section of the engine file. Little-endian:
/// "LGTK", u32 version, u64 sizes of the five arrays, then the arrays, each padded to 8 bytes: the
/// config as JSON, one byte an id that tells whether it has a text, u32 ends of the texts, the
/// texts, merges (u32 left, right, result), f64 scores. Equal definitions give equal bytes.
std::string serialize(const Definition& definition);

/// Reads it back. The bytes are untrusted: kVersionMismatch, kCorrupt or kMalformed.
Result<Definition> deserialize(std::span<const std::byte> bytes, const std::string& where);

}  // namespace legato::tokenizer
