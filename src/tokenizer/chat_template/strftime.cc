#include "tokenizer/chat_template/strftime.h"

#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

/// A number with two digits, or as few as it needs after %-.
std::string digits(int value, bool is_short, int width = 2) {
  return is_short ? fmt::format("{}", value) : fmt::format("{:0{}d}", value, width);
}

std::string directive(const std::tm& now, char letter, bool is_short) {
  const std::string day = kDays[static_cast<unsigned>(now.tm_wday) % 7];
  const std::string month = kMonths[static_cast<unsigned>(now.tm_mon) % 12];
  const int hour12 = now.tm_hour % 12 == 0 ? 12 : now.tm_hour % 12;
  switch (letter) {
    case 'Y':
      return fmt::format("{}", now.tm_year + 1900);
    case 'y':
      return digits((now.tm_year + 1900) % 100, is_short);
    case 'm':
      return digits(now.tm_mon + 1, is_short);
    case 'd':
      return digits(now.tm_mday, is_short);
    case 'e':
      return is_short ? digits(now.tm_mday, true) : fmt::format("{:2d}", now.tm_mday);
    case 'H':
      return digits(now.tm_hour, is_short);
    case 'I':
      return digits(hour12, is_short);
    case 'M':
      return digits(now.tm_min, is_short);
    case 'S':
      return digits(now.tm_sec, is_short);
    case 'j':
      return digits(now.tm_yday + 1, is_short, 3);
    case 'w':
      return fmt::format("{}", now.tm_wday);
    case 'u':
      return fmt::format("{}", now.tm_wday == 0 ? 7 : now.tm_wday);
    case 'A':
      return day;
    case 'a':
      return day.substr(0, 3);
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.substr(0, 3);
    case 'p':
      return now.tm_hour < 12 ? "AM" : "PM";
    case 'F':
      return directive(now, 'Y', false) + "-" + directive(now, 'm', false) + "-" +
             directive(now, 'd', false);
    case 'T':
      return directive(now, 'R', false) + ":" + directive(now, 'S', false);
    case 'R':
      return directive(now, 'H', false) + ":" + directive(now, 'M', false);
    case 'D':
      return directive(now, 'm', false) + "/" + directive(now, 'd', false) + "/" +
             directive(now, 'y', false);
    case '%':
      return "%";
    default:
      refuse_unsupported("strftime_now directive '%{}' is not supported",
                         quotable(std::string(1, letter)));
  }
}

}  // namespace

Text format_time(Context& context, const Text& format) {
  const std::tm now = context.now();
  const std::string& bytes = format.bytes();
  Text out;
  for (size_t at = 0; at < bytes.size();) {
    const size_t mark = std::min(bytes.find('%', at), bytes.size());
    out.append_slice(format, at, mark);
    if (mark == bytes.size()) break;
    context.budget.work();
    context.budget.require_string(out.size());
    const bool is_short = mark + 1 < bytes.size() && bytes[mark + 1] == '-';
    const size_t letter = mark + (is_short ? 2 : 1);
    if (letter >= bytes.size()) refuse("the format of strftime_now ends with '%'");
    out.append(directive(now, bytes[letter], is_short), format.is_template_at(mark));
    at = letter + 1;
  }
  return out;
}

}  // namespace legato::tokenizer::jinja
