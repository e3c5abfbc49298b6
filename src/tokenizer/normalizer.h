#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "tokenizer/tracked_text.h"

namespace legato::tokenizer {

/// One step that rewrites text before it is cut up. Immutable; any thread may call it.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// `text` is well-formed UTF-8 and stays so.
  virtual Status apply(TrackedText& text) const = 0;
};

using NormalizerPtr = std::unique_ptr<const Normalizer>;

/// Makes what tokenizer.json's `normalizer` describes. `place` names it in messages.
Result<NormalizerPtr> make_normalizer(const Json& json, const std::string& where,
                                      const std::string& place);

/// The families, one file each.
NormalizerPtr make_unicode_form(const std::string& type);
NormalizerPtr make_lowercase();
NormalizerPtr make_strip_accents();
NormalizerPtr make_nmt();
Result<NormalizerPtr> make_bert(const Json& json, const std::string& where,
                                const std::string& place);
Result<NormalizerPtr> make_strip(const Json& json, const std::string& where,
                                 const std::string& place);
Result<NormalizerPtr> make_prepend(const Json& json, const std::string& where,
                                   const std::string& place);
Result<NormalizerPtr> make_replace(const Json& json, const std::string& where,
                                   const std::string& place);
NormalizerPtr make_byte_characters();
Result<NormalizerPtr> make_precompiled(const Json& json, const std::string& where,
                                       const std::string& place);

}  // namespace legato::tokenizer
