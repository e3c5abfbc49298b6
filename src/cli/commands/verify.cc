#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status.h"
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/golden_file.h"
#include "cli/likelihood.h"
#include "cli/model_source.h"
#include "cli/session_flags.h"

namespace legato::cli {
namespace {

/// Infinity has no form in JSON.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

class Verify : public Command {
 public:
  std::string name() const override { return "verify"; }
  std::string summary() const override { return "compare an engine with golden values"; }
  std::string examples() const override {
    return "  legato build models/tiny-tales -o fp32.engine --precision fp32\n"
           "  legato verify fp32.engine --golden tests/data/golden/tiny-tales/verify.safetensors\n"
           "      logits within the precision's error bound and equal greedy tokens: exit code 0\n";
  }

  void declare(OptionSet& options) override {
    options.text("MODEL", "", &model_, "an engine, a model folder or a GGUF file").required = true;
    options.text("--golden", "FILE", &golden_,
                 "safetensors: P.input_ids, P.last_logits, P.greedy_ids ... of each prompt P");
    options.number("--rtol", "R", &rtol_, {0.0, 1.0},
                   "largest difference, as a share of the largest golden value; default by the "
                   "engine's types");
    session_.declare(options);
    options.flag("--json", &json_, "print one JSON object");
    options.unsupported("--test-data", "DIR", "it belongs to ONNX models");
  }

  int run(Console& console) override {
    if (!golden_) throw UsageError("--golden is missing");
    const std::vector<GoldenCase> cases = read_golden_file(*golden_);
    const Engine engine = load_model(*model_, session_, console);
    const SessionOptions options = options_for(engine, cases);
    for (const GoldenCase& golden : cases) check_case(golden, engine, options.max_context);
    Session session = open_session(engine, options);
    std::vector<CaseResult> results;
    for (const GoldenCase& golden : cases) {
      results.push_back(verify_case(session, golden, rtol_));
    }
    report(console, cases, results);
    const bool ok =
        std::all_of(results.begin(), results.end(), [](const CaseResult& r) { return r.ok; });
    return ok ? 0 : 1;
  }

 private:
  /// Names file and tensor of a case that this engine can't be asked.
  void check_case(const GoldenCase& golden, const Engine& engine, int64_t max_context) const {
    const auto refuse = [&](const char* tensor, const std::string& message) {
      throw Error(Code::kInvalidArgument, *golden_,
                  fmt::format("{}.{}: {}", golden.name, tensor, message));
    };
    const int64_t vocab = engine.info().vocab_size;
    for (const auto& [tensor, ids] :
         {std::pair("input_ids", &golden.input_ids), std::pair("greedy_ids", &golden.greedy_ids)}) {
      for (const int32_t id : *ids) {
        if (id >= vocab) refuse(tensor, fmt::format("id {}, expected 0 to {}", id, vocab - 1));
      }
    }
    const auto logits = static_cast<int64_t>(golden.last_logits.size());
    if (logits != vocab) {
      refuse("last_logits", fmt::format("has {} logits, the engine {}", logits, vocab));
    }
    const size_t length = golden.input_ids.size();
    if (static_cast<int64_t>(length) > max_context) {
      refuse("input_ids", fmt::format("has {} ids, the context holds {}", length, max_context));
    }
  }

  SessionOptions options_for(const Engine& engine, const std::vector<GoldenCase>& cases) const {
    size_t longest = 1;
    bool all_logits = false;
    for (const GoldenCase& golden : cases) {
      longest = std::max(longest, golden.input_ids.size() + golden.greedy_ids.size());
      all_logits = all_logits || !golden.all_logits.empty();
    }
    SessionOptions options =
        session_.session_options(engine.info(), 1, static_cast<int64_t>(longest));
    if (all_logits) {
      options.max_logit_rows = scoring_step_tokens(engine.info(), options.max_context);
    }
    return options;
  }

  void report(Console& console, const std::vector<GoldenCase>& cases,
              const std::vector<CaseResult>& results) const {
    CaseResult all{.ok = true};
    Json list = Json::array();
    std::string text;
    for (size_t i = 0; i < cases.size(); ++i) {
      const CaseResult& one = results[i];
      all.max_abs = std::max(all.max_abs, one.max_abs);
      all.max_rel = std::max(all.max_rel, one.max_rel);
      all.greedy_equal = all.greedy_equal && one.greedy_equal;
      all.ok = all.ok && one.ok;
      list.push_back({{"name", cases[i].name},
                      {"max_abs", number(one.max_abs)},
                      {"max_rel", number(one.max_rel)},
                      {"rtol", one.rtol},
                      {"greedy_equal", one.greedy_equal},
                      {"ok", one.ok}});
      text += fmt::format(
          "{:<4} {:<16} max difference {:.3g} ({:.2g} of the largest logit, at most "
          "{:.2g}), greedy tokens {}\n",
          one.ok ? "ok" : "FAIL", cases[i].name, one.max_abs, one.max_rel, one.rtol,
          one.greedy_equal ? "equal" : "differ");
    }
    const auto passed =
        std::count_if(results.begin(), results.end(), [](const CaseResult& one) { return one.ok; });
    text += fmt::format("{}: {} of {} {} within the bound\n", all.ok ? "ok" : "FAIL", passed,
                        counted(results.size(), "case"), results.size() == 1 ? "is" : "are");
    if (json_) {
      console.print_json({{"ok", all.ok},
                          {"max_abs", number(all.max_abs)},
                          {"max_rel", number(all.max_rel)},
                          {"greedy_equal", all.greedy_equal},
                          {"cases", list}});
    } else {
      console.print(text);
    }
  }

  std::optional<std::string> model_, golden_;
  std::optional<double> rtol_;
  bool json_ = false;
  SessionFlags session_;
};

}  // namespace

void register_verify(CommandRegistry& registry) { registry.add(std::make_unique<Verify>()); }

}  // namespace legato::cli
