#include "base/checked.h"
#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/rows/row_op.h"
#include "tensor/quant_panel.h"

namespace legato::kernels::cpu {
namespace {

// Inputs: ids, table, positions?, position_table?
constexpr size_t kTable = 1;
constexpr size_t kPositions = 2;
constexpr size_t kPositionTable = 3;

bool holds(const Operand& table, int64_t row) { return row >= 0 && row < table.shape[0]; }

/// Columns of a row of a table of either layout, times `scale`. Quantised tables take whole groups.
void read_columns(const RowKernels& kernels, const Operand& table, int64_t row, ColumnRange columns,
                  float scale, float* to) {
  const auto* data = table.as<const std::byte>();
  const bool panels = table.layout == WeightLayout::kRows32;
  if (!is_quantised(table.dtype)) {
    const int64_t at = layout_index(table.layout, table.columns(), row, columns.first);
    kernels.embed(*element_of(table.dtype),
                  data + at * static_cast<int64_t>(dtype_bytes(table.dtype)),
                  panels ? kPanelRows : 1, columns.count, scale, to);
    return;
  }
  if (panels) {
    const auto bytes = static_cast<int64_t>(panel_bytes(table.dtype, table.columns()));
    dequantize_panel_row(table.dtype, data + row / kPanelRows * bytes, row % kPanelRows, columns,
                         to);
  } else {
    const auto bytes = static_cast<int64_t>(*dtype_row_bytes(table.dtype, table.columns()));
    dequantize_row(table.dtype, data + row * bytes, columns, to);
  }
  for (int64_t i = 0; i < columns.count; ++i) to[i] *= scale;
}

class EmbeddingKernel final : public RowKernel {
 public:
  EmbeddingKernel(RowCount rows, double row_bytes, const Problem& problem,
                  const RowKernels& kernels)
      : RowKernel(std::move(rows), row_bytes, 0),
        scale_(static_cast<float>(problem.attributes.get_float("scale", 1.0))),
        position_offset_(problem.attributes.get_int("position_offset", 0)),
        kernels_(&kernels) {}

  void launch(const LaunchArgs& args, Stream& stream) const override {
    const Operand& ids = args.inputs[0];
    const Operand& table = args.inputs[kTable];
    const Operand& out = args.outputs[0];
    const bool positions = args.inputs.size() > kPositionTable &&
                           args.inputs[kPositions].present() &&
                           args.inputs[kPositionTable].present();
    for_rows(static_cast<TeamMember&>(stream), out.rows(), out.columns(), [&](int64_t row) {
      const int64_t id = index_at(ids, row);
      float* to = output_row(out, row);
      // There is no row outside the table: it reads as zeros, so that no id leads out of the
      // weights.
      if (holds(table, id)) {
        read_columns(*kernels_, table, id, {0, out.columns()}, scale_, to);
      } else {
        std::fill_n(to, out.columns(), 0.0f);
      }
      if (positions)
        add_position(args.inputs[kPositionTable],
                     index_at(args.inputs[kPositions], row) + position_offset_, out.columns(), to);
    });
  }

 private:
  void add_position(const Operand& table, int64_t position, int64_t columns, float* to) const {
    if (!holds(table, position)) return;
    for (int64_t begin = 0; begin < columns; begin += kBlockK) {
      const int64_t n = std::min(kBlockK, columns - begin);
      float row[kBlockK];
      read_columns(*kernels_, table, position, {begin, n}, 1, row);
      kernels_->add(to + begin, row, n, to + begin);
    }
  }

  float scale_;
  int64_t position_offset_;
  const RowKernels* kernels_;
};

class EmbeddingTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.embedding.rows"; }
  std::string_view op() const override { return "Embedding"; }
  Backend backend() const override { return Backend::kCpu; }
  bool reads_any_layout(const Problem&, size_t input) const override {
    return input == kTable || input == kPositionTable;
  }

  Status supports(const Problem& problem, const DeviceInfo&) const override {
    LEGATO_RETURN_IF_ERROR(check_float_output(problem));
    LEGATO_RETURN_IF_ERROR(check_index_input(problem, 0, "ids"));
    LEGATO_RETURN_IF_ERROR(check_weight(problem, kTable, "the table"));
    if (problem.has_input(kPositions) != problem.has_input(kPositionTable))
      return refuse(problem, "positions and their table come together");
    if (!problem.has_input(kPositions)) return {};
    LEGATO_RETURN_IF_ERROR(check_index_input(problem, kPositions, "positions"));
    LEGATO_RETURN_IF_ERROR(check_weight(problem, kPositionTable, "the position table"));
    if (!(problem.inputs[kPositionTable].shape[1] == problem.inputs[kTable].shape[1]))
      return refuse(problem, "table and position table differ in width");
    return {};
  }

  Result<std::unique_ptr<Kernel>> bind(const Problem& problem,
                                       const DeviceInfo& device) const override {
    const OperandSpec& table = problem.inputs[kTable];
    const auto width = static_cast<double>(table.shape[1].constant());
    const auto stored = dtype_row_bytes(table.dtype, table.shape[1].constant());
    const double row_bytes = static_cast<double>(*stored) + width * sizeof(float);
    return std::unique_ptr<Kernel>(
        std::make_unique<EmbeddingKernel>(*RowCount::of(SymShape{problem.inputs[0].shape[0], 1}),
                                          row_bytes, problem, row_kernels(device.cpu_level)));
  }
};

}  // namespace

void register_embedding(TacticRegistry& registry) {
  registry.add(std::make_unique<EmbeddingTactic>());
}

}  // namespace legato::kernels::cpu
