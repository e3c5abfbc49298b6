#include "base/checked.h"
#include "kernels/cpu/level/levels.h"
#include "kernels/cpu/rows/row_op.h"

namespace legato::kernels::cpu {
namespace {

// Inputs: ids, table, positions?, position_table?
constexpr size_t kTable = 1;
constexpr size_t kPositions = 2;
constexpr size_t kPositionTable = 3;

/// One row of a table of either layout. There is none outside the table: it reads as zeros, so that
/// no id can lead out of the weights.
struct TableRow {
  const std::byte* data = nullptr;
  int64_t stride = 1;

  TableRow(const Operand& table, int64_t row) {
    if (row < 0 || row >= table.shape[0]) return;
    stride = table.layout == WeightLayout::kRows32 ? kPanelRows : 1;
    data = table.as<const std::byte>() + layout_index(table.layout, table.columns(), row, 0) *
                                             static_cast<int64_t>(dtype_bytes(table.dtype));
  }
};

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
      const TableRow source(table, index_at(ids, row));
      float* to = output_row(out, row);
      if (source.data == nullptr) {
        std::fill_n(to, out.columns(), 0.0f);
      } else {
        kernels_->embed(*element_of(table.dtype), source.data, source.stride, out.columns(), scale_,
                        to);
      }
      if (positions)
        add_position(args.inputs[kPositionTable],
                     index_at(args.inputs[kPositions], row) + position_offset_, out.columns(), to);
    });
  }

 private:
  void add_position(const Operand& table, int64_t position, int64_t columns, float* to) const {
    const TableRow source(table, position);
    if (source.data == nullptr) return;
    const auto element = static_cast<int64_t>(dtype_bytes(table.dtype)) * source.stride;
    for (int64_t begin = 0; begin < columns; begin += kBlockK) {
      const int64_t n = std::min(kBlockK, columns - begin);
      float row[kBlockK];
      kernels_->embed(*element_of(table.dtype), source.data + begin * element, source.stride, n, 1,
                      row);
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
    const double row_bytes = width * static_cast<double>(dtype_bytes(table.dtype) + sizeof(float));
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
