#include "tokenizer/tokenizer.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/definition.h"
#include "tokenizer/encoder.h"
#include "tokenizer/folder.h"
#include "tokenizer/metadata.h"
#include "tokenizer/serialization.h"
#include "tokenizer/tokenizer_parts.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxInputBytes = 64 << 20;
constexpr std::string_view kVisibleSpace = "\xE2\x96\x81";

Status check_size(size_t bytes, const std::string& where) {
  if (bytes <= kMaxInputBytes) return {};
  return fail(Code::kInvalidArgument, where,
              fmt::format("a text of {} bytes can't be encoded at once, at most {} can", bytes,
                          kMaxInputBytes));
}

}  // namespace

Result<Tokenizer> Tokenizer::wrap(Result<std::shared_ptr<const TokenizerParts>> parts) {
  if (!parts.ok()) return parts.status();
  return Tokenizer(std::move(parts).value());
}

Result<Tokenizer> Tokenizer::from_folder(const std::filesystem::path& folder) {
  LEGATO_ASSIGN_OR_RETURN(Definition definition, read_folder(folder));
  return wrap(TokenizerParts::assemble(std::move(definition), folder.string()));
}

Result<Tokenizer> Tokenizer::from_json(std::string_view tokenizer_json, const std::string& where) {
  LEGATO_ASSIGN_OR_RETURN(Definition definition, parse_definition(tokenizer_json, where));
  return wrap(TokenizerParts::assemble(std::move(definition), where));
}

Result<Tokenizer> Tokenizer::from_metadata(const TokenizerMetadata& metadata,
                                           const std::string& where) {
  LEGATO_ASSIGN_OR_RETURN(Definition definition, definition_from_metadata(metadata, where));
  return wrap(TokenizerParts::assemble(std::move(definition), where));
}

Result<Tokenizer> Tokenizer::deserialize(std::span<const std::byte> bytes,
                                         const std::string& where) {
  LEGATO_ASSIGN_OR_RETURN(Definition definition, tokenizer::deserialize(bytes, where));
  return wrap(TokenizerParts::assemble(std::move(definition), where));
}

std::string Tokenizer::serialize() const { return tokenizer::serialize(parts_->definition); }

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view text,
                                               const EncodeOptions& options) const {
  LEGATO_RETURN_IF_ERROR(check_size(text.size(), parts_->where));
  std::string repaired;
  if (!is_utf8(text)) {
    append_lossy(text, repaired);
    text = repaired;
  }
  std::vector<int32_t> ids;
  if (options.add_special) ids = parts_->prefix;
  LEGATO_RETURN_IF_ERROR(Encoder(*parts_, options.parse_special).encode(text, {}, ids));
  if (options.add_special) ids.insert(ids.end(), parts_->suffix.begin(), parts_->suffix.end());
  return ids;
}

Result<std::vector<int32_t>> Tokenizer::encode_segments(std::span<const Segment> segments) const {
  std::string text;
  std::string content;
  for (const Segment& segment : segments) {
    LEGATO_RETURN_IF_ERROR(check_size(text.size() + segment.text.size(), parts_->where));
    append_lossy(segment.text, text);
    content.resize(text.size(), segment.is_template ? '\0' : '\1');
  }
  std::vector<int32_t> ids;
  LEGATO_RETURN_IF_ERROR(Encoder(*parts_, true).encode(text, content, ids));
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  std::string out;
  DecodePipeline pipeline(parts_->decoders, out);
  for (const int32_t id : ids)
    if (parts_->is_written(id, skip_special)) pipeline.push(parts_->text(id));
  pipeline.finish();
  return out;
}

int32_t Tokenizer::vocab_size() const { return parts_->vocab_size; }

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const {
  if (const AddedToken* added = parts_->added.find(token)) return added->id;
  const int32_t id = parts_->vocabulary().find(token);
  if (id < 0) return std::nullopt;
  return id;
}

std::string Tokenizer::token_text(int32_t id) const { return std::string(parts_->text(id)); }

std::string Tokenizer::token_bytes(int32_t id) const {
  const std::string text = token_text(id);
  if (parts_->added.find(id) != nullptr) return text;
  std::string bytes;
  if (parts_->byte_level && append_as_bytes(text, bytes)) return bytes;
  unsigned value = 0;
  if (parts_->byte_fallback && text.size() == 6 && text.starts_with("<0x") && text[5] == '>' &&
      std::sscanf(text.c_str() + 3, "%2x", &value) == 1)
    return std::string(1, static_cast<char>(value));
  if (!parts_->metaspace) return text;
  for (size_t i = 0; i < text.size();) {
    const bool space = std::string_view(text).substr(i).starts_with(kVisibleSpace);
    bytes += space ? ' ' : text[i];
    i += space ? kVisibleSpace.size() : 1;
  }
  return bytes;
}

bool Tokenizer::is_special(int32_t id) const { return parts_->is_special(id); }

std::optional<std::string_view> Tokenizer::named_token(std::string_view name) const {
  const Json& named = parts_->definition.config.at("named_tokens");
  const auto found = named.find(std::string(name));
  if (found == named.end()) return std::nullopt;
  return std::string_view(found->get_ref<const std::string&>());
}

std::optional<int32_t> Tokenizer::named_id(std::string_view name) const {
  const auto text = named_token(name);
  return text ? token_to_id(*text) : std::nullopt;
}

namespace {

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> Tokenizer::named_token_names() const {
  return keys(parts_->definition.config.at("named_tokens"));
}

std::string_view Tokenizer::chat_template(std::string_view name) const {
  const Json& templates = parts_->definition.config.at("chat_templates");
  const auto found = templates.find(std::string(name));
  return found == templates.end() ? std::string_view()
                                  : std::string_view(found->get_ref<const std::string&>());
}

std::vector<std::string> Tokenizer::chat_template_names() const {
  return keys(parts_->definition.config.at("chat_templates"));
}

}  // namespace legato::tokenizer
