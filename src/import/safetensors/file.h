#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.h"
#include "import/safetensors/header.h"
#include "ir/constant.h"

namespace legato::importer {

/// A mapped safetensors file whose header has been judged. Any thread may read.
class SafetensorsFile {
 public:
  /// Throws Error naming `shown`, the path as the user knows it.
  static std::shared_ptr<const SafetensorsFile> open(const std::filesystem::path& path,
                                                     const std::string& shown);

  const std::string& where() const { return where_; }
  const SafetensorsHeader& header() const { return header_; }
  /// Null when absent.
  const SafetensorsEntry* find(std::string_view name) const;
  std::span<const std::byte> bytes(const SafetensorsEntry& entry) const;

 private:
  MappedFile file_;
  std::string where_;
  SafetensorsHeader header_;
};

/// The tensor as a constant that keeps the file mapped. Refuses other dtypes than F32, F16 and BF16
/// by name.
ir::ConstantPtr tensor_constant(const std::shared_ptr<const SafetensorsFile>& file,
                                const std::string& name, const SafetensorsEntry& entry);

}  // namespace legato::importer
