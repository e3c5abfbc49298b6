#include "cli/chat_history.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace legato::cli {

bool ChatHistory::drop_oldest_turn() {
  size_t next = 1;
  while (next < messages_.size() && messages_[next].role != "user") ++next;
  if (next >= messages_.size()) return false;
  messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(next));
  return true;
}

std::string ChatHistory::to_json() const {
  Json list = Json::array();
  if (system_) list.push_back({{"role", "system"}, {"content", *system_}});
  for (const Message& message : messages_) {
    list.push_back({{"role", message.role}, {"content", message.content}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace legato::cli
