#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "import/arch_registry.h"
#include "import/hf/rope.h"
#include "import/weight_source.h"
#include "ir/graph.h"

namespace legato::importer {

struct AttentionShape {
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
};

struct NormSettings {
  bool layer_norm = false;  ///< LayerNorm; else RmsNorm
  bool bias = false;
  bool weight = true;
  double epsilon = 0;
};

/// A linear layer as a module of the model file: `name` is the node's, and the tensors' without
/// ".weight" and ".bias".
struct LinearModule {
  std::string name;
  int64_t out = 0;
  int64_t in = 0;
  bool bias = false;
};

/// How a decoder ends: its final norm and its output matrix.
struct DecoderEnd {
  std::string final_norm;  ///< module
  NormSettings norm;
  int64_t width = 0;
  int64_t vocab = 0;
  std::string embedding;         ///< tensor; the output matrix as well when tied
  std::string head = "lm_head";  ///< module of the output matrix when not tied
  bool tied = false;
  int64_t max_context = 0;
  std::string context_limit;  ///< see ArchModel
};

/// Writes the ops that all decoders share, named like the modules of the model file. Throws Error.
class DecoderBuilder {
 public:
  explicit DecoderBuilder(WeightSource& weights);

  ir::Graph& graph() { return graph_; }
  WeightSource& weights() { return weights_; }
  ir::ValueId input_ids() const { return input_ids_; }
  ir::ValueId positions() const { return positions_; }

  /// A matrix of the model file; the same tensor is one value however often it is asked for.
  ir::ValueId matrix(const std::string& tensor, int64_t rows, int64_t columns);
  /// A vector of the model file, as f32.
  ir::ValueId vector(const std::string& tensor, int64_t length);
  /// Whether a linear module has a bias: the weights say it where they tell biases, else
  /// `configured` does.
  bool biased(const std::string& module, bool configured) const;
  /// The bias of a linear module; kNone when it has none.
  ir::ValueId bias(const std::string& module, int64_t length, bool configured);
  /// A constant made from tensors of the model file; vectors are raised to f32.
  ir::ValueId constant(const std::string& name, ir::ConstantPtr data);

  ir::ValueId norm(const std::string& name, ir::ValueId x, int64_t width,
                   const NormSettings& settings);
  /// RmsNorm of every head by itself.
  ir::ValueId head_norm(const std::string& name, ir::ValueId x, int64_t head_dim, double epsilon);
  ir::ValueId linear(const LinearModule& module, ir::ValueId x,
                     const std::string& activation = "none");
  ir::ValueId linear(const std::string& name, ir::ValueId x, ir::ValueId weight, ir::ValueId bias,
                     const std::string& activation = "none");
  ir::ValueId add(const std::string& name, ir::ValueId a, ir::ValueId b);

  /// The table of cosines and sines that all layers share.
  ir::ValueId rope_table(const RopeSettings& rope);
  ir::ValueId rope(const std::string& name, ir::ValueId x, ir::ValueId table, int64_t head_dim,
                   int64_t rotary_dim);
  /// `scale` multiplies the scores; window 0 sees every earlier position.
  ir::ValueId attention(const std::string& name, const ir::ValueId (&qkv)[3],
                        const AttentionShape& shape, double scale, int64_t window);

  /// logits = norm(hidden) W^T of the rows that logits are asked for. Takes the graph: the last
  /// call.
  ArchModel finish(const Config& config, ir::ValueId hidden, const DecoderEnd& end);

 private:
  /// W [vocab, width]: the embedding when tied. A second, different matrix in the file of a tied
  /// model is refused, since its readers disagree on which counts.
  ir::ValueId output_matrix(const Config& config, const DecoderEnd& end);

  WeightSource& weights_;
  ir::Graph graph_;
  ir::ValueId input_ids_ = ir::kNone;
  ir::ValueId positions_ = ir::kNone;
  ir::ValueId logit_rows_ = ir::kNone;
  int64_t num_attention_layers_ = 0;
  std::map<std::string, ir::ValueId> constants_;
};

}  // namespace legato::importer
