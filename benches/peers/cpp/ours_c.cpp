// The side of our own C: ROBOT.ours.FLAVOUR.so, asked for as FUNCTION:FLAVOUR. A flavour is a compiler, or a compiler and a shape.
#include "worker.hpp"

#include <dlfcn.h>
#include <tuple>

namespace
{
Jobs load(const std::string & path, std::size_t & count)
{
  const auto states = std::make_shared<States>(path + ".states");
  count = states->rows.size();
  const std::size_t n = std::size_t(states->nv), matrix = n * n;
  const std::string robot = path.substr(path.rfind('/') + 1);
  Jobs jobs;
  std::vector<std::string> flavours;
  for (const std::string shape : {"", ".straight", ".limbs", ".loops"})
    for (const std::string compiler : {"gcc", "clang"})
      flavours.push_back(compiler + shape);
  for (const std::string & flavour : flavours)
  {
    void * library = dlopen((path + ".ours." + flavour + ".so").c_str(), RTLD_NOW);
    if (!library)
      continue;
    // Results are one array, or a struct of arrays one after the other.
    const auto add = [&](const std::string & function, std::size_t size, auto call) {
      const auto out = std::make_shared<std::vector<double>>(size);
      jobs[function + ":" + flavour] = {
        [states, out, call] {
          for (const auto & row : states->rows)
            call(row.data(), out->data()), used(out->data());
        },
        [states, out, call](std::size_t i, std::vector<double> & all) {
          call(states->rows[i].data(), out->data());
          all.insert(all.end(), out->begin(), out->end());
        }};
    };
    const auto symbol = [&](const std::string & function) { return dlsym(library, (robot + "_" + function).c_str()); };
    const int v = states->nq, a = v + states->nv, tau = a + states->nv;
    for (const auto & [function, third, size] :
         {std::tuple<std::string, int, std::size_t>{"rnea", a, n}, {"aba", tau, n},
          {"rnea_derivatives", a, n + 3 * matrix}, {"aba_derivatives", tau, n + 3 * matrix}})
    {
      using Function = void (*)(const double *, const double *, const double *, double *);
      const auto f = reinterpret_cast<Function>(symbol(function));
      add(function, size, [f, v, third = third](const double * x, double * y) { f(x, x + v, x + third, y); });
    }
    for (const std::string function : {"crba", "minv"})
    {
      const auto f = reinterpret_cast<void (*)(const double *, double *)>(symbol(function));
      add(function, matrix, [f](const double * x, double * y) { f(x, y); });
    }
  }
  return jobs;
}
} // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? serve(argv[1], load) : 2;
}
