// Uses an installed Legato: builds an engine of a model folder, opens two sequences on memory of
// its own, steps them together, and shows fork, truncate, save and restore.
//
//   generate MODEL_FOLDER ENGINE_FILE PROMPT

#include <legato/legato.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

/// Ends the program when something failed; errors are values.
template <typename T>
T check(legato::Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "error: %s (%s)\n", result.status().to_string().c_str(),
                 legato::code_name(result.status().code));
    std::exit(1);
  }
  return std::move(result).value();
}

void check(const legato::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "error: %s\n", status.to_string().c_str());
  std::exit(1);
}

/// Memory that the program brings: here simply counted.
class CountedMemory : public legato::MemorySource {
 public:
  void* allocate(size_t bytes) override {
    const size_t rounded = reserved_bytes(bytes);
    void* data = std::aligned_alloc(kAlignment, rounded);
    if (data == nullptr) return nullptr;
    for (size_t i = 0; i < rounded; ++i) static_cast<char*>(data)[i] = 0;
    held_ += rounded;
    return data;
  }
  void release(void* data, size_t bytes) override {
    held_ -= reserved_bytes(bytes);
    std::free(data);
  }
  size_t reserved_bytes(size_t bytes) const override {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  size_t held() const { return held_; }

 private:
  static constexpr size_t kAlignment = 4096;
  size_t held_ = 0;
};

void describe(const legato::Engine& engine) {
  const legato::EngineInfo& info = engine.info();
  std::printf("%s, %s, context %lld\n", info.architecture.c_str(), info.precision.c_str(),
              static_cast<long long>(info.max_context));
  for (const legato::TensorInfo& input : info.inputs) std::printf("input %s\n", input.name.c_str());
  for (const legato::TensorInfo& output : info.outputs) {
    std::printf("output %s\n", output.name.c_str());
  }
  const legato::KvBinding first = engine.kv_bindings().front();
  std::printf("cache: %lld layers, %lld tokens a block, keys of layer 0 at byte %llu of %llu\n",
              static_cast<long long>(info.kv_layers), static_cast<long long>(first.block_tokens),
              static_cast<unsigned long long>(first.offset),
              static_cast<unsigned long long>(first.block_bytes));
}

int32_t greedy(std::span<const float> logits) {
  size_t best = 0;
  for (size_t i = 1; i < logits.size(); ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return static_cast<int32_t>(best);
}

/// One greedy token for each sequence in one step; the logits of both come back in order.
void step_together(legato::Session& session, legato::Sequence& a, legato::Sequence& b,
                   int32_t& next_a, int32_t& next_b) {
  const legato::StepItem items[] = {{&a, {&next_a, 1}, legato::StepItem::Logits::kLast},
                                    {&b, {&next_b, 1}, legato::StepItem::Logits::kLast}};
  check(session.step(items));
  next_a = greedy(session.logits(0));
  next_b = greedy(session.logits(1));
}

/// All memory of engine and session comes from `memory` and is back in it at the end.
int tell(CountedMemory& memory, const std::string& engine_path, const std::string& prompt_text) {
  legato::LoadOptions load;
  load.memory = &memory;
  const legato::Engine engine = check(legato::Engine::load(engine_path, load));
  describe(engine);

  legato::SessionOptions options;
  options.max_sequences = 3;
  options.max_context = 256;
  options.memory = &memory;
  const legato::MemoryPlan plan = check(legato::plan_session(engine, options));
  legato::Session session = check(legato::Session::create(engine, options));
  std::printf(
      "plan: %llu bytes, memory held: %zu\n",
      static_cast<unsigned long long>(plan.weights_bytes + plan.kv_bytes + plan.workspace_bytes),
      memory.held());

  const legato::Tokenizer tokenizer = check(engine.tokenizer());
  const std::vector<int32_t> prompt = check(tokenizer.encode(prompt_text));
  legato::Sequence first = session.open_sequence();
  check(session.append(first, prompt));
  const int32_t start = greedy(session.logits());

  // A fork shares the prompt's blocks; both go on in the same steps and must agree.
  legato::Sequence second = check(first.fork());
  int32_t next_first = start;
  int32_t next_second = start;
  legato::Detokenizer text(tokenizer);
  text.prime(prompt);
  std::string story;
  for (int i = 0; i < 40; ++i) {
    story += text.push(next_first);
    step_together(session, first, second, next_first, next_second);
    if (next_first != next_second) {
      std::fprintf(stderr, "error: a fork went another way\n");
      return 1;
    }
  }
  story += text.finish();
  std::printf("%s%s\n", prompt_text.c_str(), story.c_str());

  // Back to the prompt, and out of a saved copy: the same tokens again.
  const std::string saved = check(first.save());
  check(second.truncate(static_cast<int64_t>(prompt.size()) - 1));
  check(session.append(second, std::span(prompt).last(1)));
  legato::Sequence restored =
      check(session.restore(std::as_bytes(std::span(saved.data(), saved.size()))));
  const bool same = greedy(session.logits()) == start && restored.length() == first.length();
  std::printf("truncated and restored: %s\n", same ? "same" : "different");
  if (!same) return 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: generate MODEL_FOLDER ENGINE_FILE PROMPT\n");
    return 2;
  }
  check(legato::build_engine(argv[1], argv[2]));

  CountedMemory memory;
  if (const int code = tell(memory, argv[2], argv[3]); code != 0) return code;
  std::printf("memory held at the end: %zu\n", memory.held());
  return memory.held() == 0 ? 0 : 1;
}
