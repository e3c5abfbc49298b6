#include "tokenizer/chat_template/template_error.h"

#include "base/one_line.h"

namespace legato::tokenizer::jinja {

std::string quotable(std::string_view text, size_t max_bytes) { return one_line(text, max_bytes); }

}  // namespace legato::tokenizer::jinja
