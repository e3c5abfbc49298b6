// What llama.cpp's own programs don't print: the time of each decode step at many contexts, and the
// logits behind each token that greedy decoding chooses. Built by `setup` against the peer's
// library.
//
//   llama_driver steps MODEL.gguf THREADS COUNT DEPTH...      {"context": [...], "ms": [...]}
//   llama_driver greedy MODEL.gguf THREADS COUNT OUT ID...    COUNT ids; OUT: their logits as
//   float32

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "llama_driver: %s\n", message.c_str());
  std::exit(1);
}

/// A model with one sequence, by the library's own defaults but for threads and length.
class Peer {
 public:
  Peer(const std::string& path, int threads, int64_t length) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_backend_init();
    model_.reset(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
    if (!model_) fail(path + ": can't be loaded");
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<uint32_t>(length);
    params.n_threads = params.n_threads_batch = threads;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) fail(path + ": no context");
    vocab_ = llama_vocab_n_tokens(llama_model_get_vocab(model_.get()));
  }

  int vocab() const { return vocab_; }
  int64_t length() const { return length_; }

  /// Reads tokens behind those that are there, and gives the logits of the last one.
  const float* read(std::vector<llama_token> tokens) {
    constexpr size_t kBatch = 512;
    for (size_t done = 0; done < tokens.size(); done += kBatch) {
      const auto count = static_cast<int32_t>(std::min(kBatch, tokens.size() - done));
      if (llama_decode(context_.get(), llama_batch_get_one(tokens.data() + done, count)) != 0) {
        fail("llama_decode failed");
      }
    }
    if (tokens.empty()) return nullptr;
    length_ += static_cast<int64_t>(tokens.size());
    return llama_get_logits_ith(context_.get(), -1);
  }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
  int vocab_ = 0;
  int64_t length_ = 0;
};

void print_list(const char* key, const std::vector<double>& values, const char* end) {
  std::printf("\"%s\": [", key);
  for (size_t i = 0; i < values.size(); ++i) std::printf("%s%.6g", i == 0 ? "" : ", ", values[i]);
  std::printf("]%s", end);
}

/// COUNT steps from each depth on; depths must grow by at least COUNT.
void time_steps(const std::string& path, int threads, int64_t count, std::vector<int64_t> depths) {
  Peer peer(path, threads, depths.back() + count);
  uint32_t random = 1;
  auto token = [&] {
    random = random * 1664525 + 1013904223;
    return static_cast<llama_token>((random >> 8) % static_cast<uint32_t>(peer.vocab()));
  };
  std::vector<double> context, ms;
  for (const int64_t depth : depths) {
    if (depth < peer.length()) fail("depths must grow by at least the number of steps");
    std::vector<llama_token> filling(static_cast<size_t>(depth - peer.length()));
    std::generate(filling.begin(), filling.end(), token);
    peer.read(filling);
    for (int64_t i = 0; i < count; ++i) {
      context.push_back(static_cast<double>(peer.length()));
      const auto start = std::chrono::steady_clock::now();
      peer.read({token()});
      const auto taken = std::chrono::steady_clock::now() - start;
      ms.push_back(std::chrono::duration<double, std::milli>(taken).count());
    }
  }
  std::printf("{");
  print_list("context", context, ", ");
  print_list("ms", ms, "}\n");
}

void decode_greedily(Peer& peer, int64_t count, const std::string& out,
                     const std::vector<llama_token>& prompt) {
  std::ofstream file(out, std::ios::binary);
  const float* logits = peer.read(prompt);
  for (int64_t i = 0; i < count; ++i) {
    file.write(reinterpret_cast<const char*>(logits),
               static_cast<std::streamsize>(sizeof(float)) * peer.vocab());
    const auto best =
        static_cast<llama_token>(std::max_element(logits, logits + peer.vocab()) - logits);
    std::printf("%d%s", best, i + 1 < count ? " " : "\n");
    if (i + 1 < count) logits = peer.read({best});
  }
  if (!file.flush()) fail(out + ": can't be written");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) fail("see the head of its source for the arguments");
  const int threads = std::atoi(words[2].c_str());
  const int64_t count = std::atoll(words[3].c_str());
  std::vector<int64_t> numbers;
  for (size_t i = words[0] == "steps" ? 4 : 5; i < words.size(); ++i) {
    numbers.push_back(std::atoll(words[i].c_str()));
  }
  if (numbers.empty()) fail("no depths or ids");
  if (words[0] == "steps") {
    time_steps(words[1], threads, count, numbers);
  } else {
    Peer peer(words[1], threads, static_cast<int64_t>(numbers.size()) + count);
    decode_greedily(peer, count, words[4], {numbers.begin(), numbers.end()});
  }
}
