#include "cli/foreign_flags.h"

#include <gtest/gtest.h>

namespace legato::cli {
namespace {

OptionSet options_with(std::initializer_list<const char*> names) {
  OptionSet options;
  for (const char* name : names) options.add({.name = name, .value = "N"});
  return options;
}

TEST(ForeignFlags, AreHintedAtTheFlagThatTheCommandHas) {
  const OptionSet run = options_with({"MODEL", "--max-tokens", "--max-len", "--threads"});
  EXPECT_EQ(equivalent_hint("-t", run), "; did you mean --threads?");
  EXPECT_EQ(equivalent_hint("--ctx-size", run), "; did you mean --max-len?");
  EXPECT_EQ(equivalent_hint("--n-predict", run), "; did you mean --max-tokens?");
  EXPECT_EQ(equivalent_hint("-m", run), "; MODEL stands without a flag");
  const OptionSet bench = options_with({"--gen-len", "--batch", "--max-seqs"});
  EXPECT_EQ(equivalent_hint("-n", bench), "; did you mean --gen-len?");
  EXPECT_EQ(equivalent_hint("-npl", bench), "; did you mean --batch?");
  const OptionSet eval = options_with({"--window", "--max-len", "--max-windows"});
  EXPECT_EQ(equivalent_hint("-c", eval), "; did you mean --window?");
  EXPECT_EQ(equivalent_hint("--chunks", eval), "; did you mean --max-windows?");
}

TEST(ForeignFlags, WithoutAnEquivalentAreNotHinted) {
  OptionSet render = options_with({"--messages"});
  for (const char* flag : {"-t", "-c", "-n", "--n-predict", "-ngl", "", "-"})
    EXPECT_EQ(equivalent_hint(flag, render), "") << flag;
  render.add({.name = "--threads", .hidden = true});
  EXPECT_EQ(equivalent_hint("-t", render), "");
}

TEST(ForeignFlags, ClustersAreTheKnownOnes) {
  const OptionSet run = options_with({"--max-tokens", "--max-seqs"});
  for (const char* word : {"-np", "-ngl", "-fa", "-no-cnv", "-hf"})
    EXPECT_TRUE(is_foreign_cluster(word, run)) << word;
  for (const char* word : {"-n", "-n8", "-fx", "--parallel", "np"})
    EXPECT_FALSE(is_foreign_cluster(word, run)) << word;
}

}  // namespace
}  // namespace legato::cli
