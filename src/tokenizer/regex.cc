#include "tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>
#include <time.h>

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "tokenizer/regex_dialect.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxPatternBytes = 8192;
// Compiled size up to which native code is worth its memory and compile time.
constexpr size_t kMaxJitBytes = 64 << 10;
constexpr uint32_t kMatchLimit = 10'000'000;
constexpr uint32_t kHeapLimitKib = 64 << 10;
// Positions tried by one call, so that the time can be looked at between calls: one at first, then
// more as long as a call is quick, since each position may take the whole match limit.
constexpr size_t kMaxStartsPerCall = 256;
constexpr double kQuickSeconds = 1e-3;
constexpr double kBaseSeconds = 0.4;
constexpr double kSecondsPerByte = 1e-6;

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

using CodePtr = std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>>;
using MatchDataPtr = std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>>;
using MatchContextPtr = std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>>;
using CompileContextPtr =
    std::unique_ptr<pcre2_compile_context, Deleter<pcre2_compile_context_free>>;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time that one search may take; other threads' load doesn't count.
class Deadline {
 public:
  explicit Deadline(size_t bytes)
      : seconds_(kBaseSeconds + kSecondsPerByte * static_cast<double>(bytes)) {}

  /// Looks at the clock for each call that moved little and now and then otherwise; most searches
  /// are over before the first look.
  bool passed(bool slow_call) {
    if (!slow_call && ++calls_ % 64 != 0) return false;
    const double now = thread_seconds();
    if (end_ == 0) end_ = now + seconds_;
    since_last_look_ = now - last_look_;
    last_look_ = now;
    return now > end_;
  }

  /// Whether little time went by between the last two looks.
  bool quick() const { return since_last_look_ < kQuickSeconds; }

 private:
  double seconds_;
  double end_ = 0;
  double last_look_ = 0;
  double since_last_look_ = 0;
  unsigned calls_ = 0;
};

std::string error_text(int code) {
  PCRE2_UCHAR buffer[160];
  const int length = pcre2_get_error_message(code, buffer, sizeof(buffer));
  return length < 0 ? fmt::format("error {}", code)
                    : std::string(reinterpret_cast<const char*>(buffer), length);
}

}  // namespace

struct Regex::Compiled {
  CodePtr code;
  std::string where;
  bool jit = false;
};

Regex::Regex(std::unique_ptr<Compiled> code) : code_(std::move(code)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern, const std::string& where) {
  if (pattern.size() > kMaxPatternBytes)
    return fail(
        Code::kMalformed, where,
        fmt::format("regex has {} bytes, expected at most {}", pattern.size(), kMaxPatternBytes));
  LEGATO_ASSIGN_OR_RETURN(const std::string translated, to_pcre2_dialect(pattern, where));
  const CompileContextPtr context(pcre2_compile_context_create(nullptr));
  if (!context) return fail(Code::kResourceExhausted, where, "out of memory for a regex");
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), 64);
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C |
                                PCRE2_USE_OFFSET_LIMIT | PCRE2_NO_START_OPTIMIZE;
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto result = std::make_unique<Compiled>();
  result->where = where;
  result->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                   translated.size(), kOptions, &error, &offset, context.get()));
  if (!result->code)
    return fail(Code::kMalformed, where,
                fmt::format("regex can't be compiled: {}", error_text(error)));
  size_t size = 0;
  pcre2_pattern_info(result->code.get(), PCRE2_INFO_SIZE, &size);
  result->jit =
      size <= kMaxJitBytes && pcre2_jit_compile(result->code.get(), PCRE2_JIT_COMPLETE) == 0;
  return Regex(std::move(result));
}

namespace {

/// One walk over one text.
class Search {
 public:
  Search(const pcre2_code* code, bool jit, std::string_view text)
      : code_(code),
        jit_(jit),
        text_(text),
        data_(pcre2_match_data_create_from_pattern(code, nullptr)),
        context_(pcre2_match_context_create(nullptr)),
        deadline_(text.size()) {
    if (!context_) return;
    pcre2_set_match_limit(context_.get(), kMatchLimit);
    pcre2_set_heap_limit(context_.get(), kHeapLimitKib);
  }

  bool ready() const { return data_ && context_; }

  /// The next match at or after `from`; PCRE2's code when there is none (PCRE2_ERROR_NOMATCH) or it
  /// failed.
  int next(size_t from, size_t& begin, size_t& end) {
    while (true) {
      const size_t limit = std::min(from + starts_ - 1, text_.size());
      const int code = match(from, limit);
      if (code >= 0) {
        const PCRE2_SIZE* vector = pcre2_get_ovector_pointer(data_.get());
        begin = vector[0];
        end = vector[1];
        if (begin < from || end < begin) return PCRE2_ERROR_INTERNAL;
        return deadline_.passed(end - from < 1) ? PCRE2_ERROR_MATCHLIMIT : 0;
      }
      if (code != PCRE2_ERROR_NOMATCH || limit >= text_.size()) return code;
      if (deadline_.passed(true)) return PCRE2_ERROR_MATCHLIMIT;
      starts_ = deadline_.quick() ? std::min(2 * starts_, kMaxStartsPerCall) : 1;
      from = limit + 1;
      while (from < text_.size() && is_continuation(text_[from])) ++from;
    }
  }

 private:
  int match(size_t from, size_t limit) {
    pcre2_set_offset_limit(context_.get(), limit);
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text_.data());
    if (jit_) {
      const int code = pcre2_match(code_, subject, text_.size(), from, PCRE2_NO_UTF_CHECK,
                                   data_.get(), context_.get());
      // The native stack is small; the interpreter keeps its state on the (limited) heap.
      if (code != PCRE2_ERROR_JIT_STACKLIMIT) return code;
    }
    return pcre2_match(code_, subject, text_.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                       data_.get(), context_.get());
  }

  const pcre2_code* code_;
  bool jit_;
  std::string_view text_;
  MatchDataPtr data_;
  MatchContextPtr context_;
  Deadline deadline_;
  size_t starts_ = 1;  ///< positions that the next call tries
};

}  // namespace

Status Regex::find_all(std::string_view text, std::vector<Match>& out) const {
  if (text.empty()) return {};
  Search search(code_->code.get(), code_->jit, text);
  if (!search.ready()) return fail(Code::kResourceExhausted, code_->where, "out of memory");
  size_t covered = 0;
  size_t from = 0;
  std::optional<size_t> last_end;
  while (from <= text.size()) {
    size_t begin = 0;
    size_t end = 0;
    const int code = search.next(from, begin, end);
    if (code == PCRE2_ERROR_NOMATCH) break;
    if (code < 0)
      return fail(
          Code::kResourceExhausted, code_->where,
          fmt::format("a regex gave up on {} bytes of text: {}", text.size(), error_text(code)));
    if (begin == end && last_end == end) {
      // An empty match right behind the last one is none: look again one character further.
      from = end >= text.size() ? end + 1 : end + utf8_length(text[end]);
      continue;
    }
    if (covered != begin) out.push_back({covered, begin, false});
    out.push_back({begin, end, true});
    covered = from = end;
    last_end = end;
  }
  if (covered != text.size()) out.push_back({covered, text.size(), false});
  return {};
}

}  // namespace legato::tokenizer
