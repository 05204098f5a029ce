#include "cli/team.hpp"

#ifdef STEPCAST_MPI
#include <mpi.h>

#include <cstdlib>
#include <numeric>
#endif

namespace stepcast::cli {

#ifdef STEPCAST_MPI

namespace {

bool started_by_mpirun() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(variable) != nullptr) return true;
  return false;
}

}  // namespace

Team::Team() {
  if (!started_by_mpirun()) return;
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) MPI_Init(nullptr, nullptr);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
}

Team::~Team() {
  if (!started_by_mpirun()) return;
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised == 0) MPI_Finalize();
}

std::vector<std::string> Team::all(const std::string& own) const {
  if (size_ == 1) return {own};
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(size_), begins(size_);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string joined(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
  MPI_Allgatherv(own.data(), length, MPI_CHAR, joined.data(), lengths.data(), begins.data(),
                 MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size_; ++i)
    texts.push_back(
        joined.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

void Team::abandon(int code) const {
  if (size_ > 1) MPI_Abort(MPI_COMM_WORLD, code);
}

#else

Team::Team() = default;
Team::~Team() = default;
std::vector<std::string> Team::all(const std::string& own) const { return {own}; }
void Team::abandon(int) const {}

#endif

}  // namespace stepcast::cli
