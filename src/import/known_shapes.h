#pragma once

#include <string>
#include <string_view>

namespace legato::importer {

/// The config.json text of a published model's shape; empty when the name is unknown. Fields that
/// don't shape the graph are left out.
std::string_view known_shape(std::string_view name);
/// Sorted and joined by commas.
std::string known_shape_names();

}  // namespace legato::importer
