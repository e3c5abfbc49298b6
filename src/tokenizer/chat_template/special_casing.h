#pragma once

namespace legato::tokenizer::jinja {

/// UTF-8 of the upper or title case of `c` where that is more than one character, else nullptr.
const char* special_upper(char32_t c);
const char* special_title(char32_t c);

}  // namespace legato::tokenizer::jinja
