#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace legato::cli {

/// The messages of a conversation, oldest first. One thread.
class ChatHistory {
 public:
  explicit ChatHistory(std::optional<std::string> system) : system_(std::move(system)) {}

  void add_user(std::string text) { messages_.push_back({"user", std::move(text)}); }
  void add_assistant(std::string text) { messages_.push_back({"assistant", std::move(text)}); }
  /// Takes back the last message.
  void pop() { messages_.pop_back(); }
  /// Forgets the oldest question and its answer, never the last question; false when there is
  /// nothing else to forget.
  bool drop_oldest_turn();
  void clear() { messages_.clear(); }
  size_t size() const { return messages_.size(); }
  /// As a chat template takes it.
  std::string to_json() const;

 private:
  struct Message {
    std::string role;
    std::string content;
  };

  std::optional<std::string> system_;
  std::vector<Message> messages_;
};

}  // namespace legato::cli
