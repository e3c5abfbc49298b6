#include "legato/text.h"

#include <fmt/format.h>

#include <utility>

#include "api/text_impl.h"
#include "base/status.h"
#include "import/gguf/gguf_importer.h"
#include "tokenizer/detokenizer.h"

namespace legato {
namespace {

Result<Tokenizer> wrap(Result<tokenizer::Tokenizer> inner, const std::string& where) {
  if (!inner.ok()) return inner.status();
  return Tokenizer(
      std::make_shared<const Tokenizer::Impl>(Tokenizer::Impl{std::move(inner).value(), where}));
}

}  // namespace

namespace api {

Result<Tokenizer> deserialize_tokenizer(std::span<const std::byte> bytes,
                                        const std::string& where) {
  return wrap(tokenizer::Tokenizer::deserialize(bytes, where), where);
}

}  // namespace api

inline namespace v1 {

Tokenizer::Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Tokenizer> Tokenizer::load(const std::string& model) {
  return wrap(importer::is_gguf(model) ? importer::gguf_tokenizer(model)
                                       : tokenizer::Tokenizer::from_folder(model),
              model);
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view text,
                                               const EncodeOptions& options) const {
  return impl_->tokenizer.encode(
      text, {.add_special = options.add_special, .parse_special = options.parse_special});
}

Result<std::string> Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  for (const int32_t id : ids) {
    if (id < 0 || id >= impl_->tokenizer.vocab_size()) {
      return fail(Code::kInvalidArgument, impl_->where,
                  fmt::format("token id {} is outside the vocabulary of {}", id,
                              impl_->tokenizer.vocab_size()));
    }
  }
  return impl_->tokenizer.decode(ids, skip_special);
}

int64_t Tokenizer::vocab_size() const { return impl_->tokenizer.vocab_size(); }
std::string Tokenizer::token_bytes(int32_t id) const { return impl_->tokenizer.token_bytes(id); }

struct Detokenizer::Impl {
  tokenizer::Detokenizer detokenizer;
};

Detokenizer::Detokenizer(const Tokenizer& tokenizer, std::vector<std::string> stop_strings,
                         bool skip_special)
    : impl_(std::make_unique<Impl>(Impl{tokenizer::Detokenizer(
          tokenizer.impl()->tokenizer,
          {.skip_special = skip_special, .stop = std::move(stop_strings)})})) {}
Detokenizer::Detokenizer(Detokenizer&&) noexcept = default;
Detokenizer& Detokenizer::operator=(Detokenizer&&) noexcept = default;
Detokenizer::~Detokenizer() = default;

void Detokenizer::prime(std::span<const int32_t> ids) { impl_->detokenizer.prime(ids); }
std::string Detokenizer::push(int32_t id) { return impl_->detokenizer.push(id); }
std::string Detokenizer::finish() { return impl_->detokenizer.finish(); }
bool Detokenizer::stopped() const { return impl_->detokenizer.stopped(); }

}  // namespace v1
}  // namespace legato
