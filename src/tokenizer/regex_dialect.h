#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace legato::tokenizer {

/// Rewrites a pattern of tokenizer.json, which is in Oniguruma's dialect, into one that PCRE2 (UTF,
/// UCP, multi-line, LF) reads the same way: \s, \w, \b, \h, \v, script names, (?m), {,n}, {n,m}+
/// differ. kUnsupported names a construct that cannot be carried over (nested or intersected
/// classes).
Result<std::string> to_pcre2_dialect(std::string_view pattern, const std::string& where);

}  // namespace legato::tokenizer
