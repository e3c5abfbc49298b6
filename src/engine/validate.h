#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "engine/schema.h"

namespace legato::engine {

/// Judges what a spec says, so that the runtime may trust every index, range and size in it:
/// indices, weight places, slots that fit their values, steps that read only what was written
/// before, attention steps that agree with the cache. Names of ops, tactics and their attributes
/// are judged when kernels are bound. kMalformed names `where`, the item, and both sides.
Status validate_spec(const EngineSpec& spec, const std::string& where);

/// The extents that a symbol may have, as bindings: every symbol at its least or its greatest.
DimBindings profile_bindings(const EngineSpec& spec, bool greatest);

/// Bytes that a value takes, as the slots' sizes name them.
Dim value_bytes(DType dtype, const SymShape& shape);

/// Whether `size` is at most `limit` whatever its symbols are: their difference has no negative
/// term.
bool always_fits(const Dim& size, const Dim& limit);

/// What a spec may hold at most, so that judging a hostile one stays cheap.
inline constexpr size_t kMaxValues = size_t{1} << 15;
inline constexpr size_t kMaxSteps = size_t{1} << 15;
inline constexpr size_t kMaxSlotSizes = 8;

/// Bytes of a weight in its layout; nullopt when the product wraps.
std::optional<uint64_t> weight_bytes(const WeightSpec& weight);

}  // namespace legato::engine
