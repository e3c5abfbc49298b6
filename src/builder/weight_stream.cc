#include "builder/weight_stream.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/status.h"
#include "tensor/quant_panel.h"

namespace legato::builder {
namespace {

constexpr size_t kChunkBytes = size_t{4} << 20;

class Stream {
 public:
  Stream(engine::EngineWriter& writer, const Progress& progress, uint64_t total)
      : writer_(writer), progress_(progress), total_(total) {}

  void add(const ir::Constant& constant, WeightLayout layout) {
    const int64_t rows = constant.rows();
    if (constant.row_bytes() == 0) return;
    const auto fitting = static_cast<int64_t>(kChunkBytes / constant.row_bytes());
    const int64_t unit = layout == WeightLayout::kRows32 ? kPanelRows : 1;
    const int64_t step = std::max(unit, fitting / unit * unit);
    for (int64_t first = 0; first < rows; first += step) {
      const int64_t count = std::min(step, rows - first);
      dense_.resize(static_cast<size_t>(count) * constant.row_bytes());
      constant.read_rows(first, count, dense_.data());
      if (layout == WeightLayout::kRows32) {
        pack(constant, count);
        write(packed_);
      } else {
        write(dense_);
      }
    }
  }

 private:
  void pack(const ir::Constant& constant, int64_t rows) {
    const DType dtype = constant.dtype();
    const int64_t columns = constant.row_elements();
    const size_t panel_size = panel_bytes(dtype, columns);
    packed_.resize(static_cast<size_t>(ceil_div(rows, kPanelRows)) * panel_size);
    std::byte* panel = packed_.data();
    for (int64_t first = 0; first < rows; first += kPanelRows, panel += panel_size) {
      const std::byte* from = dense_.data() + static_cast<size_t>(first) * constant.row_bytes();
      const int64_t count = std::min(kPanelRows, rows - first);
      if (is_quantised(dtype)) {
        pack_quant_panel(dtype, from, count, columns, panel);
      } else {
        pack_panel(from, count, columns, dtype_bytes(dtype), panel);
      }
    }
  }

  void write(const std::vector<std::byte>& bytes) {
    throw_if_failed(writer_.write_weight_bytes(bytes));
    done_ += bytes.size();
    if (progress_) progress_("write", done_, total_);
  }

  engine::EngineWriter& writer_;
  const Progress& progress_;
  uint64_t total_;
  uint64_t done_ = 0;
  std::vector<std::byte> dense_;
  std::vector<std::byte> packed_;
};

}  // namespace

void stream_weights(const Program& program, engine::EngineWriter& writer,
                    const Progress& progress) {
  uint64_t total = 0;
  for (const engine::WeightSpec& weight : program.spec.weights) total += weight.bytes;
  Stream stream(writer, progress, total);
  for (size_t i = 0; i < program.weights.size(); ++i)
    stream.add(*program.weights[i], program.spec.weights[i].layout);
}

}  // namespace legato::builder
