// The side of the generated C: ROBOT.FUNCTION.FLAVOUR.so, asked for as FUNCTION:FLAVOUR.
#include "worker.hpp"

#include <dlfcn.h>

namespace
{
Jobs load(const std::string & path, std::size_t & count)
{
  const auto states = std::make_shared<States>(path + ".pinocchio.states");
  count = states->rows.size();
  Jobs jobs;
  for (const std::string function : {"rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"})
    for (const std::string flavour : {"gcc", "gcc_fast", "clang", "clang_fast"})
    {
      void * library = dlopen((path + "." + function + "." + flavour + ".so").c_str(), RTLD_NOW);
      if (!library)
        continue;
      using Function = void (*)(const double *, double *);
      const auto call = reinterpret_cast<Function>(dlsym(library, "generated"));
      const int size = *static_cast<const int *>(dlsym(library, "generated_size"));
      const auto out = std::make_shared<std::vector<double>>(std::size_t(size));
      // It reads q, v and then a or tau; each state is one such row.
      const bool forward = function.rfind("aba", 0) == 0;
      const auto rows = std::make_shared<std::vector<std::vector<double>>>(states->rows);
      if (forward)
        for (auto & row : *rows)
          row.erase(row.begin() + states->nq + states->nv, row.begin() + states->nq + 2 * states->nv);
      jobs[function + ":" + flavour] = {
        [rows, out, call] {
          for (const auto & row : *rows)
            call(row.data(), out->data()), used(out->data());
        },
        [rows, out, call](std::size_t i, std::vector<double> & all) {
          call((*rows)[i].data(), out->data());
          all.insert(all.end(), out->begin(), out->end());
        }};
    }
  return jobs;
}
} // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? serve(argv[1], load) : 2;
}
