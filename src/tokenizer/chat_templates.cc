#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/model_path.h"
#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/folder.h"

namespace legato::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTemplateBytes = 1 << 20;
constexpr size_t kMaxTemplates = 64;
/// Where versions of transformers write templates beside the default one, NAME.jinja.
constexpr std::array<const char*, 2> kFolders = {"additional_chat_templates", "chat_templates"};

/// `file` is relative to the folder.
Status read_template_file(const fs::path& folder, const fs::path& file, const std::string& name,
                          Json& templates) {
  LEGATO_ASSIGN_OR_RETURN(std::string text,
                          read_folder_file(folder, file.string(), kMaxTemplateBytes));
  if (!is_utf8(text))
    return fail(Code::kMalformed, (folder / file).string(), "the file is no UTF-8");
  templates[name] = std::move(text);
  return {};
}

/// tokenizer_config.json has one text, or a list of objects with `name` and `template`.
Status read_config_templates(const Json& config, const std::string& where, Json& templates) {
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) return {};
  if (found->is_string()) {
    templates["default"] = *found;
    return {};
  }
  if (!found->is_array() || found->size() > kMaxTemplates)
    return fail(
        Code::kMalformed, where,
        fmt::format("chat_template is {}, expected a text or a short list", describe(*found)));
  for (const Json& entry : *found) {
    Fields fields(entry, where, "chat_template");
    const std::string name = fields.required_text("name");
    std::string text = fields.required_text("template");
    if (!fields.status().ok()) return fields.status();
    templates[name] = std::move(text);
  }
  return {};
}

Status list_templates(const fs::path& folder, const fs::path& name, std::vector<fs::path>& files) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / name, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".jinja") continue;
    files.push_back(name / entry->path().filename());
    if (files.size() > kMaxTemplates)
      return fail(Code::kMalformed, (folder / name).string(),
                  fmt::format("there are more than {} templates", kMaxTemplates));
  }
  return {};
}

}  // namespace

Status read_chat_templates(const fs::path& folder, const Json& config, Definition& definition) {
  Json& templates = definition.config["chat_templates"];
  LEGATO_RETURN_IF_ERROR(
      read_config_templates(config, (folder / "tokenizer_config.json").string(), templates));
  std::vector<fs::path> files;
  for (const char* name : kFolders) LEGATO_RETURN_IF_ERROR(list_templates(folder, name, files));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    LEGATO_RETURN_IF_ERROR(read_template_file(folder, file, file.stem().string(), templates));
  constexpr const char* kSingle = "chat_template.jinja";
  if (model_folder_has(folder, kSingle))
    LEGATO_RETURN_IF_ERROR(read_template_file(folder, kSingle, "default", templates));
  return {};
}

}  // namespace legato::tokenizer
