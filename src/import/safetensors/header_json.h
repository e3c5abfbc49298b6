#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "import/safetensors/header.h"

namespace legato::importer {

/// Reads the JSON of a header without building a document of it: anything that isn't of the
/// format's form ends the reading at once, so that a hostile text costs little. Shapes and offsets
/// are taken as they are. Throws Error.
void parse_header_json(std::string_view json, const std::string& where, SafetensorsHeader& header);

}  // namespace legato::importer
