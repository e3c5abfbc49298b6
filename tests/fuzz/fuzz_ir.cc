// Feeds arbitrary text to the parser of the graph's text form. What it accepts has to verify and to
// print as text that reads back as itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "ir/graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace legato;
  std::optional<ir::Graph> graph;
  const Status refusal = catch_error([&] {
    graph = ir::parse({reinterpret_cast<const char*>(data), size});
  });
  if (!refusal.ok()) return 0;
  const Status status = catch_error([&] {
    const std::string text = ir::print(*graph);
    if (ir::print(ir::parse(text)) != text)
      throw Error(Code::kInternal, "", "the text does not read back as itself:\n" + text);
    if (!graph->outputs().empty()) verify(*graph);
  });
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.to_string().c_str());
    std::abort();
  }
  return 0;
}
