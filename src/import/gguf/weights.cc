#include "import/gguf/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.h"
#include "base/status.h"
#include "import/gguf/tensor_names.h"
#include "import/gguf/tensor_type.h"
#include "ir/constant_finite.h"

namespace legato::importer {
namespace {

/// Old converters stored what is computed from the settings.
bool is_computed(std::string_view name) { return name.ends_with(".attn_rot_embd.weight"); }

/// For each row of Hugging Face's order, its row in the file: within a head, pair j is rows 2j and
/// 2j + 1 there, and j and j + half here.
std::vector<int64_t> separated_pairs(int64_t rows, int64_t heads) {
  const int64_t head_dim = rows / heads, half = head_dim / 2;
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(rows));
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t part = 0; part < 2; ++part)
      for (int64_t pair = 0; pair < half; ++pair)
        order.push_back(head * head_dim + 2 * pair + part);
  return order;
}

DType dtype_of(const GgufTensor& tensor, const std::string& what, const std::string& where) {
  const GgufTensorType* type = find_gguf_tensor_type(tensor.type);
  if (type == nullptr || !type->dtype.has_value())
    throw Error(Code::kUnsupported, where,
                fmt::format("{} has type {}, supported are {}", what,
                            gguf_tensor_type_name(tensor.type), supported_gguf_tensor_types()));
  if (is_quantised(*type->dtype) && tensor.shape.rank() != 2)
    throw Error(Code::kUnsupported, where,
                fmt::format("{} has type {} and shape {}; only matrices may be quantised", what,
                            type->name, tensor.shape.to_string()));
  return *type->dtype;
}

}  // namespace

GgufWeights::GgufWeights(std::shared_ptr<const GgufModelFile> file, PairedRows paired)
    : file_(std::move(file)), paired_(paired) {}

bool GgufWeights::has(const std::string& name) const {
  return file_->find(gguf_tensor_name(name)) != nullptr;
}

void GgufWeights::ignore(const std::string& name) { used_.insert(gguf_tensor_name(name)); }

ir::ConstantPtr GgufWeights::get(const std::string& name, const Shape& expected) {
  const std::string own = gguf_tensor_name(name);
  ir::ConstantPtr constant = get_own(own.empty() ? name : own, expected);
  const bool query = own.find(".attn_q.") != std::string::npos;
  const bool key = own.find(".attn_k.") != std::string::npos;
  const int64_t heads = query ? paired_.heads : key ? paired_.kv_heads : 0;
  if (heads == 0) return constant;
  return ir::gathered_rows(std::move(constant), separated_pairs(expected[0], heads));
}

ir::ConstantPtr GgufWeights::get_own(const std::string& gguf_name, const Shape& expected) {
  const std::string what = fmt::format("tensor \"{}\"", one_line(gguf_name));
  const GgufTensor* tensor = file_->find(gguf_name);
  if (tensor == nullptr)
    throw Error(Code::kNotFound, file_->where(),
                fmt::format("{} {} is missing", what, expected.to_string()));
  if (!(tensor->shape == expected))
    throw Error(Code::kMalformed, file_->where(),
                fmt::format("{}: expected shape {}, found {}", what, expected.to_string(),
                            tensor->shape.to_string()));
  const DType dtype = dtype_of(*tensor, what, file_->where());
  used_.insert(gguf_name);
  return ir::checked_finite(ir::constant_from_bytes(dtype, tensor->shape, tensor->bytes, file_),
                            file_->where(), what);
}

void GgufWeights::refuse_unused() const {
  for (const auto& [name, tensor] : file_->tensors())
    if (used_.count(name) == 0 && !is_computed(name))
      throw Error(Code::kUnsupported, file_->where(),
                  fmt::format("tensor \"{}\" has no place in a model of this architecture",
                              one_line(name)));
}

}  // namespace legato::importer
