#pragma once

#include <functional>
#include <span>

#include "ir/constant.h"

namespace legato::ir {

/// A rectangle of a matrix: rows [first_row, first_row + rows), columns [first_column,
/// first_column + columns).
struct Block {
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t first_column = 0;
  int64_t columns = 0;
};

/// A source of which any rectangle can be read at a cost in proportion to its size. Columns count
/// the elements of a row (all axes but the first). What transposed() reads through, so that a
/// matrix isn't read whole for a few of its columns.
class BlockConstant : public Constant {
 public:
  /// Copies the block densely, row by row.
  virtual void read_block(const Block& block, std::byte* out) const = 0;
  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    read_block({first, count, 0, row_elements()}, out);
  }

 protected:
  using Constant::Constant;
};

/// Identity of a source made from others: 0 when any part's is unknown.
uint64_t derived_identity(std::string_view kind, std::span<const ConstantPtr> sources,
                          std::span<const int64_t> numbers);

/// Bytes that sources hold at a time while they convert.
inline constexpr size_t kConstantChunkBytes = 256u << 10;

/// Rows that fit into one chunk; at least one.
int64_t rows_of_chunk(size_t row_bytes);

/// Reads rows [first, first + count) of `source` chunk by chunk; `take` gets the rows of each, one
/// after the other, and their number.
void read_in_chunks(const Constant& source, int64_t first, int64_t count,
                    const std::function<void(const std::byte* rows, int64_t num_rows)>& take);

}  // namespace legato::ir
