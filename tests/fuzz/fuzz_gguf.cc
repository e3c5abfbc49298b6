// Feeds arbitrary bytes to the GGUF reader and, as far as they are accepted, to the importer and
// the tokenizer. Beside the absence of crashes it checks that messages have one line, that an
// accepted model verifies and that ids lie in the vocabulary.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "import/gguf/gguf_importer.h"
#include "import/gguf/tokenizer_metadata.h"

namespace {

using legato::importer::GgufModelFile;

void check_message(const legato::Status& status) {
  if (!status.ok() && status.message.find('\n') != std::string::npos) __builtin_trap();
}

void read_first_rows(const legato::ir::Graph& graph) {
  for (size_t id = 0; id < graph.num_values(); ++id) {
    const auto& constant = graph.value(static_cast<legato::ir::ValueId>(id)).constant;
    if (constant == nullptr || constant->rows() == 0) continue;
    std::vector<std::byte> row(constant->row_bytes());
    constant->read_rows(constant->rows() - 1, 1, row.data());
  }
}

void use_tokenizer(const GgufModelFile& file) {
  const auto tokenizer = legato::importer::read_gguf_tokenizer(file.metadata());
  check_message(tokenizer.status());
  if (!tokenizer.ok()) return;
  const auto ids =
      tokenizer->encode("Hello  caf\u00e9 <s> 123\n<|im_end|>", {.parse_special = true});
  check_message(ids.status());
  if (!ids.ok()) return;
  for (const int32_t id : *ids)
    if (id < 0 || id >= tokenizer->vocab_size()) __builtin_trap();
  tokenizer->decode(*ids, false);
  const std::string stored = tokenizer->serialize();
  const auto copy = legato::tokenizer::Tokenizer::deserialize(
      std::as_bytes(std::span(stored.data(), stored.size())), "copy");
  if (!copy.ok()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = [] {
    legato::set_log_sink([](const std::string&) {});
    return true;
  }();
  (void)quiet;
  const legato::Status status = legato::catch_error([&] {
    const auto file = GgufModelFile::from_bytes(std::as_bytes(std::span(data, size)), "fuzz");
    use_tokenizer(*file);
    const auto model = legato::importer::import_gguf(file);
    legato::ir::verify(model.graph);
    read_first_rows(model.graph);
  });
  check_message(status);
  return 0;
}
