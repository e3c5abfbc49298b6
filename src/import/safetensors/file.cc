#include "import/safetensors/file.h"

#include <fmt/format.h>

#include "base/status.h"
#include "ir/constant_finite.h"

namespace legato::importer {

std::shared_ptr<const SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path,
                                                             const std::string& shown) {
  auto opened = std::make_shared<SafetensorsFile>();
  opened->file_ = value_or_throw(MappedFile::open(path));
  opened->where_ = shown;
  opened->header_ = parse_safetensors_header(opened->file_.bytes(), shown);
  return opened;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = header_.tensors.find(name);
  return found == header_.tensors.end() ? nullptr : &found->second;
}

std::span<const std::byte> SafetensorsFile::bytes(const SafetensorsEntry& entry) const {
  return file_.bytes().subspan(header_.data_offset + entry.begin, entry.end - entry.begin);
}

ir::ConstantPtr tensor_constant(const std::shared_ptr<const SafetensorsFile>& file,
                                const std::string& name, const SafetensorsEntry& entry) {
  DType dtype = DType::kF32;
  if (entry.dtype == "F16") {
    dtype = DType::kF16;
  } else if (entry.dtype == "BF16") {
    dtype = DType::kBF16;
  } else if (entry.dtype != "F32") {
    throw Error(
        Code::kUnsupported, file->where(),
        fmt::format("tensor \"{}\" has dtype {}, expected F32, F16 or BF16", name, entry.dtype));
  }
  return ir::checked_finite(ir::constant_from_bytes(dtype, entry.shape, file->bytes(entry), file),
                            file->where(), fmt::format("tensor \"{}\"", name));
}

}  // namespace legato::importer
