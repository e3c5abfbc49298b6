#include "tokenizer/chat_template/ordered_json.h"

#include "base/json_builder.h"

namespace legato::tokenizer {

Result<OrderedJson> parse_ordered_json(std::string_view text, const std::string& where,
                                       const JsonLimits& limits) {
  return parse_bounded_json<OrderedJson>(text, where, limits);
}

}  // namespace legato::tokenizer
