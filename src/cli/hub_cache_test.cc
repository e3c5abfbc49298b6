#include "cli/hub_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/status.h"
#include "tests/support/temporary_folder.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

class HubCacheTest : public ::testing::Test {
 protected:
  HubCacheTest() {
    ::setenv("HF_HUB_CACHE", folder_.path().c_str(), 1);
    ::setenv("HF_HOME", "/nonexistent", 1);
  }
  ~HubCacheTest() override {
    ::unsetenv("HF_HUB_CACHE");
    ::unsetenv("HF_HOME");
  }

  fs::path add_snapshot(const char* revision) const {
    const fs::path snapshot = repository() / "snapshots" / revision;
    fs::create_directories(snapshot);
    return snapshot;
  }
  fs::path repository() const { return folder_.path() / "models--owner--name"; }

  TemporaryFolder folder_;
};

TEST_F(HubCacheTest, TheFolderIsTheFirstVariableThatIsSet) {
  EXPECT_EQ(hub_folder(), folder_.path());
  ::unsetenv("HF_HUB_CACHE");
  EXPECT_EQ(hub_folder(), "/nonexistent/hub");
}

TEST_F(HubCacheTest, OnlyNamesAreLookedUp) {
  EXPECT_EQ(hub_repository("owner/name"), repository());
  EXPECT_EQ(hub_repository("name"), folder_.path() / "models--name");
  for (const char* source : {"/a/b", "./a", "../a", "a/b/c", "a/", "/a", "", "a/..", "a b/c"}) {
    EXPECT_FALSE(hub_repository(source)) << source;
  }
}

TEST_F(HubCacheTest, RefsMainDecidesAmongSnapshots) {
  const fs::path first = add_snapshot("aaa");
  EXPECT_EQ(hub_snapshot(repository()), first);
  const fs::path second = add_snapshot("bbb");
  EXPECT_THROW((void)hub_snapshot(repository()), Error);
  fs::create_directories(repository() / "refs");
  std::ofstream(repository() / "refs" / "main") << "bbb\n";
  EXPECT_EQ(hub_snapshot(repository()), second);
}

TEST_F(HubCacheTest, ASnapshotIsCalledByItsRepository) {
  EXPECT_EQ(model_name(add_snapshot("aaa")), "owner--name");
  EXPECT_EQ(model_name("/nonexistent/tiny"), "tiny");
  EXPECT_TRUE(is_hub_repository(repository()));
  EXPECT_FALSE(is_hub_repository(folder_.path()));
}

}  // namespace
}  // namespace legato::cli
