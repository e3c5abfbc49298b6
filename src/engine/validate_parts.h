#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/status.h"
#include "engine/schema.h"

/// The parts of validate_spec(), one a file.
namespace legato::engine {

/// What the parts need to know of their surroundings.
struct ValidateScope {
  const EngineSpec& spec;
  const std::string& where;
  DimBindings least;     ///< every symbol at the least that the profile allows
  DimBindings greatest;  ///< and at the greatest

  template <typename... Args>
  Status refuse(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(Code::kMalformed, where, fmt::format(format, std::forward<Args>(args)...));
  }
};

Status validate_model(const ValidateScope& scope);
Status validate_weights(const ValidateScope& scope);
Status validate_values(const ValidateScope& scope);
Status validate_steps(const ValidateScope& scope);

}  // namespace legato::engine
