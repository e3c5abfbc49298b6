#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/model_info.h"
#include "device/buffer.h"
#include "device/cpu/cpu_level.h"
#include "tensor/attributes.h"
#include "tensor/dim.h"
#include "tensor/dtype.h"
#include "tensor/kv_layout.h"
#include "tensor/weight_layout.h"

/// What an engine file says, as plain data: the meeting point of the compiling and the serving
/// half.
namespace legato::engine {

/// A matrix or vector of the weights section.
struct WeightSpec {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  WeightLayout layout = WeightLayout::kPlain;
  uint64_t offset = 0;  ///< from the start of the weights section, a multiple of 64
  uint64_t bytes = 0;
  bool operator==(const WeightSpec& other) const = default;
};

/// Where the data of a value lives while a step runs.
enum class Storage : uint8_t { kInput, kWeight, kSlot, kOutput };

struct ValueSpec {
  std::string name;
  DType dtype = DType::kF32;
  SymShape shape;
  Storage storage = Storage::kSlot;
  int32_t index = 0;  ///< of the input, weight, slot or output
  bool operator==(const ValueSpec& other) const = default;
};

/// An operand of a step: a value, or a run of its columns. value < 0: absent.
struct OperandRef {
  int32_t value = -1;
  int64_t first_column = 0;
  int64_t columns = -1;  ///< -1: all of them
  bool operator==(const OperandRef& other) const = default;
};

/// One kernel launch of a step.
struct StepSpec {
  std::string name;
  std::string op;
  std::string tactic;
  Attributes attributes;
  std::vector<OperandRef> inputs;
  std::vector<OperandRef> outputs;
  bool operator==(const StepSpec& other) const = default;
};

/// A reusable run of the workspace, as large as the largest value that ever lives in it. Values
/// whose lifetimes don't meet share one.
struct SlotSpec {
  std::vector<Dim> bytes;  ///< the size is the largest of these
  bool operator==(const SlotSpec& other) const = default;
};

struct KvSpec {
  std::vector<KvLayerSpec> layers;
  DType default_dtype = DType::kF32;
  bool operator==(const KvSpec& other) const = default;
};

/// Bounds of a named dimension: what the engine was built for.
struct ProfileDim {
  std::string symbol;
  int64_t min = 1, opt = 1, max = 1;
  bool operator==(const ProfileDim& other) const = default;
};

/// Everything but the bytes of the weights.
struct EngineSpec {
  Backend backend = Backend::kCpu;
  CpuLevel required_level = CpuLevel::kSse2;  ///< an instruction set that the machine must have
  std::string precision;  ///< of the weights: "fp32", "fp16", "bf16", "w8", "q4_0" ...
  ModelInfo model;
  KvSpec kv;
  std::vector<ProfileDim> profile;
  std::vector<WeightSpec> weights;
  uint64_t weights_bytes = 0;  ///< of the section
  std::vector<SlotSpec> slots;
  std::vector<ValueSpec> values;
  std::vector<int32_t> inputs;   ///< values, in the order of Storage::kInput indices
  std::vector<int32_t> outputs;  ///< values, in the order of Storage::kOutput indices
  std::vector<StepSpec> steps;
  std::string build_options;  ///< canonical text of the options that shaped the engine
  bool operator==(const EngineSpec& other) const = default;
};

}  // namespace legato::engine
