#pragma once

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// datetime.now().strftime(format) in the C locale, with the clock of the context.
Text format_time(Context& context, const Text& format);

}  // namespace legato::tokenizer::jinja
