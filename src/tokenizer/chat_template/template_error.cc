#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

std::string quotable(std::string_view text, size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  size_t size = cut ? max_bytes : text.size();
  while (cut && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  std::string line(text.substr(0, size));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  if (cut) line += "...";
  return line;
}

}  // namespace legato::tokenizer::jinja
