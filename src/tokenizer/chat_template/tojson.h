#pragma once

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// json.dumps(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False).
Value tojson(Context& context, const Value& input, const Arguments& arguments);

}  // namespace legato::tokenizer::jinja
