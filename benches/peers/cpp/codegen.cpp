// Writes C for Pinocchio's functions of one robot: a tape by CppAD, printed by CppADCodeGen.
// Usage: codegen FOLDER/ROBOT writes FOLDER/ROBOT.FUNCTION.c. Of symmetric matrices it writes the upper triangle.
#include <pinocchio/codegen/cppadcg.hpp>

#include "model.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <iostream>
#include <sstream>
#include <vector>

namespace
{
using CG = CppAD::cg::CG<double>;
using AD = CppAD::AD<CG>;
using ModelAD = pinocchio::ModelTpl<AD>;
using DataAD = pinocchio::DataTpl<AD>;
using Vector = Eigen::Matrix<AD, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<AD, Eigen::Dynamic, Eigen::Dynamic>;

struct Results
{
  std::vector<AD> all;
  template<typename M>
  Results & full(const M & m)
  {
    for (Eigen::Index c = 0; c < m.cols(); ++c)
      for (Eigen::Index r = 0; r < m.rows(); ++r)
        all.push_back(m(r, c));
    return *this;
  }
  template<typename M>
  Results & upper(const M & m)
  {
    for (Eigen::Index c = 0; c < m.cols(); ++c)
      for (Eigen::Index r = 0; r <= c; ++r)
        all.push_back(m(r, c));
    return *this;
  }
};

template<typename Function>
void write(const std::string & path, const ModelAD & model, Function function)
{
  DataAD data(model);
  Vector x = Vector::Constant(model.nq + 2 * model.nv, AD(CG(0.5)));
  CppAD::Independent(x);
  Results results;
  const Vector q = x.head(model.nq), v = x.segment(model.nq, model.nv), u = x.tail(model.nv);
  function(model, data, q, v, u, results);
  Vector y(Eigen::Index(results.all.size()));
  for (std::size_t i = 0; i < results.all.size(); ++i)
    y[Eigen::Index(i)] = results.all[i];
  CppAD::ADFun<CG> tape(x, y);
  tape.optimize("no_compare_op");

  CppAD::cg::CodeHandler<double> handler;
  CppAD::vector<CG> inputs(std::size_t(x.size()));
  handler.makeVariables(inputs);
  CppAD::vector<CG> outputs = tape.Forward(0, inputs);
  CppAD::cg::LanguageC<double> language("double");
  CppAD::cg::LangCDefaultVariableNameGenerator<double> names;
  std::ostringstream code;
  handler.generateCode(code, language, outputs, names);
  std::ofstream file(path);
  file << "#include <math.h>\nconst int generated_size = " << y.size()
       << ";\nvoid generated(const double *restrict x, double *restrict y)\n{\n  double v["
       << names.getMaxTemporaryVariableID() + 1 << "];\n"
       << code.str() << "}\n";
}
} // namespace

int main(int argc, char ** argv)
{
  if (argc != 2)
    return 2;
  const std::string path = argv[1];
  const ModelAD model = read_model(path + ".model").cast<AD>();
  using pinocchio::Convention;
  write(path + ".rnea.c", model, [](auto & m, auto & d, auto & q, auto & v, auto & u, Results & out) {
    out.full(pinocchio::rnea(m, d, q, v, u));
  });
  write(path + ".aba.c", model, [](auto & m, auto & d, auto & q, auto & v, auto & u, Results & out) {
    out.full(pinocchio::aba(m, d, q, v, u, Convention::LOCAL));
  });
  write(path + ".crba.c", model, [](auto & m, auto & d, auto & q, auto &, auto &, Results & out) {
    d.M.setZero();
    out.upper(pinocchio::crba(m, d, q, Convention::LOCAL));
  });
  write(path + ".minv.c", model, [](auto & m, auto & d, auto & q, auto &, auto &, Results & out) {
    d.Minv.setZero();
    out.upper(pinocchio::computeMinverse(m, d, q));
  });
  write(path + ".rnea_derivatives.c", model, [](auto & m, auto & d, auto & q, auto & v, auto & u, Results & out) {
    d.dtau_dq.setZero(), d.dtau_dv.setZero(), d.M.setZero();
    pinocchio::computeRNEADerivatives(m, d, q, v, u);
    out.full(d.tau).full(d.dtau_dq).full(d.dtau_dv).upper(d.M);
  });
  write(path + ".aba_derivatives.c", model, [](auto & m, auto & d, auto & q, auto & v, auto & u, Results & out) {
    d.Minv.setZero();
    pinocchio::computeABADerivatives(m, d, q, v, u);
    out.full(d.ddq).full(d.ddq_dq).full(d.ddq_dv).upper(d.Minv);
  });
}
