#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/model_source.h"
#include "cli/process_memory.h"
#include "cli/session_flags.h"
#include "cli/units.h"
#include "legato/session.h"

namespace legato::cli {
namespace {

class Plan : public Command {
 public:
  std::string name() const override { return "plan"; }
  std::string summary() const override { return "tell how much memory a run will take"; }
  std::string examples() const override {
    return "  legato plan tiny.engine --max-seqs 8 --max-len 2048\n"
           "      weights, cache, workspace and the process itself, before anything is loaded\n"
           "  legato plan models/tiny-tales --precision bf16 --json\n"
           "      the same for a model that has not been built\n"
           "  legato plan --random-weights llama-3.2-1b --precision fp16\n"
           "      and for a shape of which only the name is at hand\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file");
    options.text("--random-weights", "SHAPE", &shape_, "a known shape or a config.json instead");
    session_.declare(options);
    options.flag("--json", &json_, "print one JSON object");
  }

  int run(Console& console) override {
    if (model_.has_value() == shape_.has_value()) {
      throw UsageError("give MODEL or --random-weights");
    }
    const MemoryPlan plan = make_plan();
    release_free_memory();
    const uint64_t process = resident_bytes();
    const uint64_t total = plan.weights_bytes + plan.kv_bytes + plan.workspace_bytes + process;
    if (json_) {
      console.print_json({{"weights_bytes", plan.weights_bytes},
                          {"kv_bytes_per_token", plan.kv_bytes_per_token},
                          {"kv_bytes", plan.kv_bytes},
                          {"workspace_bytes", plan.workspace_bytes},
                          {"process_bytes", process},
                          {"total_bytes", total},
                          {"max_tokens", plan.max_tokens},
                          {"max_len", plan.max_context}});
    } else {
      console.print(fmt::format(
          "weights    {:>12}\ncache      {:>12}  {} of {}\nworkspace  {:>12}\nprocess    "
          "{:>12}\ntotal      {:>12}\n",
          format_bytes(plan.weights_bytes), format_bytes(plan.kv_bytes),
          counted(plan.max_tokens, "token"), format_bytes(plan.kv_bytes_per_token),
          format_bytes(plan.workspace_bytes), format_bytes(process), format_bytes(total)));
    }
    return 0;
  }

 private:
  /// Leaves in memory what a run holds beside weights, cache and workspace: the engine's step list
  /// and the tokenizer.
  MemoryPlan make_plan() {
    if (shape_) return plan_unbuilt(*shape_);
    const std::filesystem::path path = resolve_source(*model_);
    if (source_kind(path) == SourceKind::kModel) {
      check_model(path);
      Result<Tokenizer> tokenizer = Tokenizer::load(path.string());
      if (tokenizer.ok()) tokenizer_ = std::move(tokenizer).value();
      return plan_unbuilt(path.string());
    }
    if (session_.precision().given())
      throw UsageError("--precision: an engine has its precision already");
    engine_ = value_or_throw(Engine::open(path.string()));
    return value_or_throw(plan_session(
        *engine_, session_.session_options(engine_->info(), 1, engine_->info().max_context)));
  }

  MemoryPlan plan_unbuilt(const std::string& source) const {
    BuildOptions build;
    session_.precision().apply(build);
    return value_or_throw(plan_source(source, build, session_.unresolved_options()));
  }

  std::optional<std::string> model_, shape_;
  SessionFlags session_;
  std::optional<Engine> engine_;
  std::optional<Tokenizer> tokenizer_;
  bool json_ = false;
};

}  // namespace

void register_plan(CommandRegistry& registry) { registry.add(std::make_unique<Plan>()); }

}  // namespace legato::cli
