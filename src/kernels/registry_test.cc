#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

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

TEST(TacticRegistry, TacticsOfOneOpDifferInPriority) {
  std::set<std::tuple<std::string_view, Backend, int>> places;
  for (const auto& tactic : tactics().all())
    EXPECT_TRUE(
        places.insert(std::make_tuple(tactic->op(), tactic->backend(), tactic->priority())).second)
        << tactic->name();
}

/// Supports everything, binds nothing.
class NamedTactic final : public Tactic {
 public:
  NamedTactic(std::string_view name, int priority) : name_(name), priority_(priority) {}
  std::string_view name() const override { return name_; }
  std::string_view op() const override { return "Rope"; }
  Backend backend() const override { return Backend::kCpu; }
  int priority() const override { return priority_; }
  Status supports(const Problem&, const DeviceInfo&) const override { return {}; }
  Result<std::unique_ptr<Kernel>> bind(const Problem&, const DeviceInfo&) const override {
    return fail(Code::kUnsupported, std::string(name_), "binds nothing");
  }

 private:
  std::string_view name_;
  int priority_;
};

TEST(TacticRegistry, PriorityAndNotTheOrderOfRegistrationDecides) {
  TacticRegistry registry;
  registry.add(std::make_unique<NamedTactic>("plain", kReferencePriority));
  registry.add(std::make_unique<NamedTactic>("fast", 0));
  registry.add(std::make_unique<NamedTactic>("faster", 1));
  registry.add(std::make_unique<NamedTactic>("slow", -1));
  Problem problem;
  problem.op = "Rope";
  const Result<const Tactic*> chosen = registry.choose(problem, {});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ((*chosen)->name(), "faster");
  std::vector<std::string_view> order;
  for (const Tactic* tactic : registry.for_op("Rope", Backend::kCpu))
    order.push_back(tactic->name());
  EXPECT_THAT(order, testing::ElementsAre("faster", "fast", "slow", "plain"));
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
