#pragma once

#include "tokenizer/chat_template/context.h"
#include "tokenizer/chat_template/ordered_json.h"

namespace legato::tokenizer::jinja {

/// A value of the request as the template sees it; all of it is content. `name` says which, for
/// messages.
Value from_json(Context& context, const OrderedJson& json, const char* name);

}  // namespace legato::tokenizer::jinja
