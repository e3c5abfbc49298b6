#include "tokenizer/byte_alphabet.h"

#include <array>

#include "base/utf8.h"

namespace legato::tokenizer {
namespace {

constexpr int kAlphabetEnd = 0x100 + 68;

struct Alphabet {
  std::array<std::string, 256> characters;
  /// Byte of each code point, -1 for those outside.
  std::array<int16_t, kAlphabetEnd> bytes;

  Alphabet() {
    bytes.fill(-1);
    char32_t spare = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t c = printable ? static_cast<char32_t>(byte) : spare++;
      append_utf8(c, characters[byte]);
      bytes[c] = static_cast<int16_t>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

std::string_view character_of_byte(uint8_t byte) { return alphabet().characters[byte]; }

void append_as_characters(std::string_view bytes, std::string& out) {
  const Alphabet& table = alphabet();
  for (const char byte : bytes) out += table.characters[static_cast<uint8_t>(byte)];
}

bool append_as_bytes(std::string_view characters, std::string& out) {
  const Alphabet& table = alphabet();
  const size_t before = out.size();
  for (size_t position = 0; position < characters.size();) {
    const char32_t c = next_code_point(characters, position);
    if (c >= kAlphabetEnd || table.bytes[c] < 0) {
      out.resize(before);
      return false;
    }
    out += static_cast<char>(table.bytes[c]);
  }
  return true;
}

}  // namespace legato::tokenizer
