#include "base/json.h"

#include "base/file.h"
#include "base/json_builder.h"

namespace legato {

Result<Json> parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  return parse_bounded_json<Json>(text, where, limits);
}

Result<Json> read_json_file(const std::string& path, const JsonLimits& limits) {
  LEGATO_ASSIGN_OR_RETURN(const std::string text, read_file(path, limits.max_bytes));
  return parse_json(text, path, limits);
}

}  // namespace legato
