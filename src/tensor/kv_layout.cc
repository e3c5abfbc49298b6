#include "tensor/kv_layout.h"

#include <utility>

namespace legato {

KvLayout::KvLayout(std::vector<KvLayerSpec> layers, DType dtype)
    : layers_(std::move(layers)), dtype_(dtype) {
  for (const KvLayerSpec& spec : layers_) {
    layer_offsets_.push_back(block_bytes_);
    block_bytes_ += 2 * head_bytes(spec) * static_cast<size_t>(spec.kv_heads);
  }
}

}  // namespace legato
