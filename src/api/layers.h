#pragma once

#include <string>
#include <vector>

#include "engine/schema.h"
#include "legato/types.h"
#include "tensor/attributes.h"

namespace legato::api {

/// "name=value name=[a, b]", sorted by name; long lists are shortened.
std::string format_attributes(const Attributes& attributes);

/// The steps of an engine without their costs.
std::vector<EngineLayer> describe_steps(const engine::EngineSpec& spec);

}  // namespace legato::api
