#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tensor/kv_layout.h"
#include "tensor/weight_layout.h"

namespace legato {
namespace {

TEST(WeightLayout, PanelsHoldEveryElementWhereTheIndexSays) {
  const int64_t rows = 70, columns = 100;
  std::vector<uint16_t> plain(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<uint16_t>(i * 7 + 1);
  std::vector<uint16_t> packed(*layout_bytes(WeightLayout::kRows32, DType::kF16, rows, columns) / 2,
                               0xffff);
  for (int64_t row = 0; row < rows; row += kPanelRows)
    pack_panel(reinterpret_cast<const std::byte*>(&plain[static_cast<size_t>(row * columns)]),
               std::min(kPanelRows, rows - row), columns, 2,
               reinterpret_cast<std::byte*>(&packed[static_cast<size_t>(row * columns)]));
  std::set<int64_t> used;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t index = layout_index(WeightLayout::kRows32, columns, row, column);
      used.insert(index);
      ASSERT_EQ(packed[static_cast<size_t>(index)],
                plain[static_cast<size_t>(row * columns + column)]);
    }
  }
  for (size_t i = 0; i < packed.size(); ++i) {
    const bool holds_an_element = used.count(static_cast<int64_t>(i)) != 0;
    ASSERT_TRUE(holds_an_element || packed[i] == 0) << i;
  }
}

TEST(KvLayout, HeadsOfAllLayersTileTheBlock) {
  const KvLayout layout({{2, 24, 0, 0}, {4, 16, 32, 4}}, DType::kF16);
  EXPECT_EQ(layout.block_bytes(), 2u * 32 * 2 * (2 * 24 + 4 * 16));
  std::vector<int> used(layout.block_bytes(), 0);
  for (int layer = 0; layer < 2; ++layer) {
    const auto& spec = layout.layers()[static_cast<size_t>(layer)];
    const size_t bytes = static_cast<size_t>(spec.head_dim) * 32 * 2;
    for (int head = 0; head < spec.kv_heads; ++head)
      for (const size_t offset : {layout.key_offset(layer, head), layout.value_offset(layer, head)})
        for (size_t i = 0; i < bytes; ++i) used[offset + i] += 1;
  }
  EXPECT_EQ(std::set<int>(used.begin(), used.end()), std::set<int>{1});
}

}  // namespace
}  // namespace legato
