#pragma once

#include <vector>

#include "engine/schema.h"
#include "ir/constant.h"

namespace legato::builder {

/// A compiled graph: all that the engine file says, and where the data of its weights comes from.
struct Program {
  engine::EngineSpec spec;
  std::vector<ir::ConstantPtr> weights;  ///< one for each of spec.weights
};

}  // namespace legato::builder
