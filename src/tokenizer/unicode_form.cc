#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "tokenizer/normalizer.h"

namespace legato::tokenizer {
namespace {

uint8_t combining_class(utf8proc_int32_t c) {
  return static_cast<uint8_t>(utf8proc_get_property(c)->combining_class);
}

/// NFC, NFD, NFKC or NFKD. utf8proc decomposes and composes; the canonical ordering is done here in
/// O(n log n), for a text may be a megabyte of combining marks.
class UnicodeForm : public Normalizer {
 public:
  UnicodeForm(bool compatible, bool compose)
      : decompose_options_(static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE |
                                                          (compatible ? UTF8PROC_COMPAT : 0))),
        compose_(compose) {}

  Status apply(TrackedText& text) const override {
    const std::string& bytes = text.bytes;
    if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0; })) return {};
    TextRewriter out(text);
    std::vector<utf8proc_int32_t> scratch;
    // ASCII never joins what stands before it: each run of other characters is normalized together
    // with the ASCII character in front, and all else is copied.
    for (size_t begin = 0; begin < bytes.size();) {
      size_t ascii_end = begin;
      while (ascii_end < bytes.size() && bytes[ascii_end] >= 0) ++ascii_end;
      if (ascii_end == bytes.size()) {
        out.copy(begin, ascii_end);
        break;
      }
      const size_t run = ascii_end > begin ? ascii_end - 1 : ascii_end;
      size_t run_end = ascii_end;
      while (run_end < bytes.size() && bytes[run_end] < 0) ++run_end;
      out.copy(begin, run);
      out.put(normalize(std::string_view(bytes).substr(run, run_end - run), scratch), run, run_end);
      begin = run_end;
    }
    return out.finish(text);
  }

 private:
  std::string normalize(std::string_view run, std::vector<utf8proc_int32_t>& scratch) const {
    scratch.clear();
    for (size_t position = 0; position < run.size();) {
      const auto c = static_cast<utf8proc_int32_t>(next_code_point(run, position));
      utf8proc_int32_t parts[32];
      int boundary = 0;
      const auto count =
          utf8proc_decompose_char(c, parts, std::size(parts), decompose_options_, &boundary);
      if (count > 0 && count <= static_cast<utf8proc_ssize_t>(std::size(parts)))
        scratch.insert(scratch.end(), parts, parts + count);
      else
        scratch.push_back(c);
    }
    order(scratch);
    auto length = static_cast<utf8proc_ssize_t>(scratch.size());
    if (compose_)
      length = utf8proc_normalize_utf32(
          scratch.data(), length,
          static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    std::string out;
    for (utf8proc_ssize_t i = 0; i < length; ++i)
      append_utf8(static_cast<char32_t>(scratch[i]), out);
    return out;
  }

  /// Sorts each run of combining characters by class, equal classes in their order.
  static void order(std::vector<utf8proc_int32_t>& characters) {
    for (auto begin = characters.begin(); begin != characters.end();) {
      if (combining_class(*begin) == 0) {
        ++begin;
        continue;
      }
      auto end = begin;
      while (end != characters.end() && combining_class(*end) != 0) ++end;
      std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
        return combining_class(a) < combining_class(b);
      });
      begin = end;
    }
  }

  utf8proc_option_t decompose_options_;
  bool compose_;
};

}  // namespace

NormalizerPtr make_unicode_form(const std::string& type) {
  return std::make_unique<UnicodeForm>(type.find('K') != std::string::npos, type.back() == 'C');
}

}  // namespace legato::tokenizer
