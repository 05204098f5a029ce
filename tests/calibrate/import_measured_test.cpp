#include "calibrate/import_measured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "common/files.hpp"
#include "sim/cost/profile_json.hpp"

namespace stepcast::calibrate {
namespace {

namespace fs = std::filesystem;

const std::string gemm_header =
    "m,n,k,dtype,layout,measured_us,tflops,median_us_all_stacks,min_us_all_stacks,"
    "max_us_all_stacks,n_stacks,kernel,source\n";
const std::string collective_header = "gpu,nodes,op,ranks,bytes,dtype,time_us,algo_note,source\n";

ImportPlan plan() {
  ImportPlan plan;
  plan.profile.name = "test";
  plan.profile.device.name = "GPU";
  plan.profile.device.multiprocessors = 108;
  plan.profile.device.peak[DataType::bf16] = FlopsPerSecond{312e12};
  plan.profile.device.memory_bandwidth = BytesPerSecond{2e12};
  plan.gemm_memory_bandwidth = BytesPerSecond{2e12};
  plan.gemm_file = "gemm.csv";
  plan.gemm_types = {{"bfloat16", DataType::bf16}};
  plan.collectives_file = "collectives.csv";
  plan.collective_gpus = {"GPU"};
  return plan;
}

std::vector<GemmPoint> gemms(const std::string& rows) {
  CsvTable table("gemm.csv", gemm_header + rows);
  return gemm_points(table, plan());
}

TEST(GemmPoints, TakesTheMedianOverStacksWhereThereIsOne) {
  const auto found = gemms(
      "128,512,1024,bfloat16,TN_fwd(y=x*W^T),7.9,1,8.1,7.5,9.0,4,k,s\n"
      "256,512,1024,bfloat16,TN_fwd(y=x*W^T),9.9,1,,,,1,k,s\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].time, Seconds{8.1e-6});
  EXPECT_EQ(found[0].low, Seconds{7.5e-6});
  EXPECT_EQ(found[0].high, Seconds{9.0e-6});
  EXPECT_EQ(found[1].time, Seconds{9.9e-6});
  EXPECT_EQ(found[1].low, Seconds{9.9e-6});
}

TEST(GemmPoints, LeavesOutOtherLayoutsAndTypes) {
  EXPECT_TRUE(gemms("128,512,1024,bfloat16,NN_dgrad,7.9,1,,,,1,k,s\n"
                    "128,512,1024,bf16,unspecified,7.9,1,,,,1,k,s\n"
                    "128,512,1024,nvfp4,TN_fwd(y=x*W^T),7.9,1,,,,1,k,s\n")
                  .empty());
}

TEST(GemmPoints, MergesAShapeThatIsListedTwice) {
  const auto found = gemms(
      "128,512,1024,bfloat16,TN_fwd(y=x*W^T),8,1,,,,1,k,s\n"
      "128,512,1024,bfloat16,TN_fwd(y=x*W^T),10,1,,,,1,k,s\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].time, Seconds{9e-6});
  EXPECT_EQ(found[0].low, Seconds{8e-6});
  EXPECT_EQ(found[0].high, Seconds{10e-6});
}

TEST(GemmPoints, NeedsItsColumns) {
  CsvTable table("gemm.csv", "m,n,k,dtype,layout,time\n");
  EXPECT_TRUE(gemm_points(table, plan()).empty());
  ASSERT_EQ(table.problems().size(), 4U);
  EXPECT_EQ(to_string(table.problems()[0]), "gemm.csv: line 1: column measured_us is missing");
}

std::map<std::tuple<CollectiveOp, std::int64_t, double>, double> collectives(
    const std::string& rows, std::int64_t domain = 8) {
  CsvTable table("collectives.csv", collective_header + rows);
  ImportPlan p = plan();
  p.nvlink_domain = domain;
  std::map<std::tuple<CollectiveOp, std::int64_t, double>, double> result;
  for (const CollectivePoint& point : collective_points(table, p))
    result[{point.op, point.ranks, point.size.value()}] = point.time.value();
  return result;
}

constexpr auto reduce = CollectiveOp::all_reduce;

TEST(CollectivePoints, TakesTheMedianOfRepeatedSizes) {
  const auto found = collectives(
      "GPU,1,all_reduce,8,1024,half,10,NCCL default,aiconfigurator:a\n"
      "GPU,1,all_reduce,8,1024,half,14,NCCL default,aiconfigurator:b\n"
      "GPU,1,alltoall,8,1024,half,20,NCCL default,aiconfigurator:a\n");
  EXPECT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at({reduce, 8, 1024}), 12e-6);
  EXPECT_EQ(found.at({CollectiveOp::all_to_all, 8, 1024}), 20e-6);
}

TEST(CollectivePoints, UsesOtherSourcesBeyondTheSystematicSweepOnly) {
  const auto found = collectives(
      "GPU,1,all_reduce,8,1024,half,10,NCCL default,aiconfigurator:a\n"
      "GPU,1,all_reduce,8,512,float,99,default,log\n"
      "GPU,1,all_reduce,8,4096,float,40,default,log\n"
      "GPU,1,all_reduce,4,512,float,7,default,log\n");
  EXPECT_EQ(found.size(), 3U);
  EXPECT_EQ(found.at({reduce, 8, 4096}), 40e-6);
  EXPECT_EQ(found.at({reduce, 4, 512}), 7e-6);
}

TEST(CollectivePoints, LeavesOutWhatIsNotNcclsOwnChoiceInOneDomain) {
  EXPECT_TRUE(collectives("Other,1,all_reduce,8,512,half,9,default,log\n"
                          "GPU,2,all_reduce,16,512,half,9,default,log\n"
                          "GPU,1,all_reduce,8,512,int8,9,default,log\n"
                          "GPU,1,all_reduce,8,512,half,9,NVLS disabled -> Ring,log\n"
                          "GPU,1,all_reduce,8,512,half,9,TensorRT-LLM custom,log\n"
                          "GPU,1,all_reduce,8,512,half,9,few repeats: noisy,log\n"
                          "GPU,1,all_reduce,8,512,half,,default,log\n")
                  .empty());
}

TEST(CollectivePoints, ReachesAcrossTraysOfOneNvlinkDomain) {
  const std::string rows =
      "GPU,18,all_reduce,72,512,half,9,default,log\n"
      "GPU,36,all_reduce,144,512,half,9,default,log\n";
  EXPECT_TRUE(collectives(rows, 8).empty());
  EXPECT_EQ(collectives(rows, 72).size(), 1U);
}

// A folder with two dozen products and a few collectives.
class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() / ("stepcast_import_test-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    std::string rows = gemm_header;
    for (const int n : {1024, 2048, 4096})
      for (const int m : {128, 256, 512, 1024}) {
        const double us = 5.0 + 2.0 * m * n * 1024.0 / 200e6;
        rows += std::to_string(m) + "," + std::to_string(n) + ",1024,bfloat16,TN_fwd(y=x*W^T)," +
                std::to_string(us) + ",1,,,,1,k,s\n";
      }
    write("gemm.csv", rows);
    write("collectives.csv",
          collective_header + "GPU,1,all_reduce,8,1024,half,10,NCCL default,aiconfigurator:a\n");
  }
  ~Folder() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(path_ / name, text);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(ImportMeasured, MakesTheSameProfileFromTheSameFolder) {
  const Folder folder;
  const Profile profile = import_measured(folder.path(), plan());
  EXPECT_EQ(profile.gemm.size(), 12U);
  EXPECT_EQ(profile.gemm_fit.at(DataType::bf16).site.points, 12);
  EXPECT_EQ(profile.collectives.size(), 1U);
  EXPECT_EQ(profile_text(import_measured(folder.path(), plan())), profile_text(profile));
}

TEST(ImportMeasured, RescalesTimesToAnotherMemoryBandwidth) {
  const Folder folder;
  ImportPlan half = plan();
  half.profile.device.memory_bandwidth = BytesPerSecond{1e12};
  const Profile slow = import_measured(folder.path(), half);
  const Profile fast = import_measured(folder.path(), plan());
  for (std::size_t i = 0; i < slow.gemm.size(); ++i) {
    EXPECT_GE(slow.gemm[i].time.value(), fast.gemm[i].time.value() * 0.99999);
    EXPECT_LE(slow.gemm[i].time.value(), fast.gemm[i].time.value() * 2.00001);
  }
}

TEST(ImportMeasured, ReportsTheProblemsOfAllFiles) {
  const Folder folder;
  folder.write("gemm.csv", gemm_header + "128,512,x,bfloat16,TN_fwd,7.9,1,,,,1,k,s\n");
  fs::remove(folder.path() / "collectives.csv");
  const std::string gemm = (folder.path() / "gemm.csv").string();
  const std::string collectives_file = (folder.path() / "collectives.csv").string();
  try {
    (void)import_measured(folder.path(), plan());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              gemm + ": line 2, column k: must be a whole number >= 1, found \"x\"\n" +
                  collectives_file + ": no such file, expected in a folder of measurements");
  }
}

TEST(ImportMeasured, MakesTheHostProfileWithoutAnyFile) {
  EXPECT_EQ(profile_text(import_measured("nowhere", "cpu")), profile_text(load_profile("cpu")));
}

const fs::path measured = fs::path(STEPCAST_SOURCE_DIR) / "../shared/data/measured";

// The shipped tables are those that the import reads today.
TEST(ImportMeasured, ReadsTheTablesOfShippedProfiles) {
  if (!fs::exists(measured)) GTEST_SKIP() << "no measured data beside the repository";
  for (const std::string name : {"a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm", "gb200"}) {
    const ImportPlan p = load_import_plan(name);
    const Profile shipped = load_profile(name);
    CsvTable gemm(measured / p.gemm_file);
    std::map<std::pair<DataType, GemmShape>, double> times;
    for (const GemmPoint& point : gemm_points(gemm, p))
      times[{point.type, point.shape}] = point.time.value();
    EXPECT_TRUE(gemm.problems().empty());
    ASSERT_EQ(times.size(), shipped.gemm.size()) << name;
    for (const GemmPoint& point : shipped.gemm)
      EXPECT_EQ(times.at({point.type, point.shape}), point.time.value()) << name;
    CsvTable collectives_table(measured / p.collectives_file);
    EXPECT_EQ(collective_points(collectives_table, p).size(), shipped.collectives.size()) << name;
  }
}

}  // namespace
}  // namespace stepcast::calibrate
