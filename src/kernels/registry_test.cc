#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/op.h"
#include "kernels/tactic.h"

namespace legato::kernels {
namespace {

TEST(TacticRegistry, EveryOpHasAReference) {
  for (const ir::OpSchema* schema : ir::ops().all())
    EXPECT_EQ(reference_tactics().for_op(schema->name, Backend::kCpu).size(), 1u) << schema->name;
  EXPECT_EQ(reference_tactics().all().size(), ir::ops().all().size());
}

TEST(TacticRegistry, NamesAreUniqueAndReferencesComeLast) {
  std::set<std::string_view> names;
  bool in_references = false;
  for (const auto& tactic : tactics().all()) {
    EXPECT_TRUE(names.insert(tactic->name()).second) << tactic->name();
    const bool is_reference = tactic->name().substr(0, 4) == "ref.";
    EXPECT_TRUE(is_reference || !in_references) << tactic->name();
    in_references = in_references || is_reference;
    EXPECT_EQ(tactics().find(tactic->name()), tactic.get());
  }
}

TEST(TacticRegistry, ChoiceNamesEachRefusal) {
  Problem problem;
  problem.op = "Rope";
  problem.attributes = {{"head_dim", int64_t{4}}, {"rotary_dim", int64_t{3}}};
  EXPECT_THAT(reference_tactics().choose(problem, {}).status().to_string(),
              testing::HasSubstr("ref.rope: rotary_dim does not fit head_dim"));
  problem.op = "Nope";
  EXPECT_EQ(tactics().choose(problem, {}).status().code, Code::kUnsupported);
}

}  // namespace
}  // namespace legato::kernels
