#include "base/model_path.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"

namespace legato {
namespace {

namespace fs = std::filesystem;

class ModelPath : public testing::Test {
 protected:
  ModelPath() { write("secret", "s"); }

  void write(const fs::path& name, const std::string& text) const { root_.write(name, text); }
  void link(const fs::path& target, const fs::path& name) const { root_.link(target, name); }
  Status status_of(const fs::path& folder, std::string_view name) const {
    return resolve_in_model_folder(root_ / folder, name).status();
  }

  const TemporaryFolder root_;
};

TEST_F(ModelPath, LinksInsideTheFolderAreFollowed) {
  write("model/real.json", "{}");
  link("real.json", "model/a.json");
  link("model", "shortcut");
  EXPECT_EQ(*read_model_file(root_ / "model", "a.json", 10), "{}");
  EXPECT_EQ(*read_model_file(root_ / "shortcut", "a.json", 10), "{}");
}

TEST_F(ModelPath, LinksOutOfTheFolderAreRefusedByName) {
  link("../secret", "model/a.json");
  const Status status = status_of("model", "a.json");
  EXPECT_EQ(status.code, Code::kInvalidArgument);
  EXPECT_NE(status.message.find("outside the model's folder"), std::string::npos);
  EXPECT_EQ(status.where, (root_ / "model/a.json").string());
  link("..", "model/up");
  EXPECT_EQ(status_of("model", "up/secret").code, Code::kInvalidArgument);
}

TEST_F(ModelPath, HubSnapshotMayLinkIntoItsOwnBlobsOnly) {
  write("models--a--b/blobs/1", "x");
  write("models--c--d/blobs/2", "y");
  link("../../blobs/1", "models--a--b/snapshots/main/a.json");
  link("../../../models--c--d/blobs/2", "models--a--b/snapshots/main/b.json");
  EXPECT_EQ(*read_model_file(root_ / "models--a--b/snapshots/main", "a.json", 10), "x");
  EXPECT_EQ(status_of("models--a--b/snapshots/main", "b.json").code, Code::kInvalidArgument);
}

TEST_F(ModelPath, NamesThatClimbAreRefused) {
  write("model/a.json", "{}");
  for (const std::string& name :
       {std::string(), std::string("../secret"), std::string("/etc/hosts"),
        std::string("a/../../secret"), std::string("a.json\0x", 8)})
    EXPECT_EQ(status_of("model", name).code, Code::kMalformed) << name;
}

TEST_F(ModelPath, MissingFilesAndDanglingLinksAreNotFound) {
  link("nowhere", "model/a.json");
  EXPECT_TRUE(model_folder_has(root_ / "model", "a.json"));
  EXPECT_FALSE(model_folder_has(root_ / "model", "b.json"));
  EXPECT_EQ(status_of("model", "a.json").code, Code::kNotFound);
  EXPECT_EQ(status_of("model", "b.json").code, Code::kNotFound);
  EXPECT_EQ(status_of("none", "a.json").code, Code::kNotFound);
  fs::create_directory(root_ / "model/folder");
  EXPECT_EQ(status_of("model", "folder").code, Code::kInvalidArgument);
}

TEST_F(ModelPath, TooLargeAFileIsNamedAsTheFolderNamesIt) {
  write("model/real.json", "12345678901");
  link("real.json", "model/a.json");
  const auto text = read_model_file(root_ / "model", "a.json", 10);
  EXPECT_EQ(text.status().code, Code::kMalformed);
  EXPECT_EQ(text.status().where, (root_ / "model/a.json").string());
}

}  // namespace
}  // namespace legato
