#include "tokenizer/chat_template/budget.h"

#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

void Budget::fail_work() const {
  refuse_cost("takes more than {} steps, the most a template may use", limits_.max_work);
}

void Budget::fail_live() const {
  refuse_cost("holds more than {} bytes of values, the most a template may use",
              limits_.max_live_bytes);
}

void Budget::fail_string(size_t bytes) const {
  refuse_cost("builds a string of {} bytes, expected at most {}", bytes, limits_.max_string_bytes);
}

}  // namespace legato::tokenizer::jinja
