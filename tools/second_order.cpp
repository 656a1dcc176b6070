// Second-order derivatives of inverse dynamics by Pinocchio, which has them in C++ only.
// Usage: second_order FILE.urdf fixed|floating < "q... v... a..." in the library's own order.
// Prints d2tau/dqdq, d2tau/dvdv, d2tau/dqdv, d2tau/dadq, each as nv^3 numbers [i][j][k], last index fastest.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <cstdio>
#include <iostream>
#include <string>

static void read(Eigen::VectorXd & x)
{
  for (Eigen::Index i = 0; i < x.size(); ++i)
    std::cin >> x[i];
}

int main(int argc, char ** argv)
{
  if (argc != 3)
    return 2;
  pinocchio::Model model;
  if (std::string(argv[2]) == "floating")
    pinocchio::urdf::buildModel(argv[1], pinocchio::JointModelFreeFlyer(), model);
  else
    pinocchio::urdf::buildModel(argv[1], model);
  model.gravity.linear() << 0, 0, -9.81;
  model.armature.setZero();
  pinocchio::Data data(model);
  Eigen::VectorXd q(model.nq), v(model.nv), a(model.nv);
  read(q), read(v), read(a);
  const Eigen::Index n = model.nv;
  Eigen::Tensor<double, 3> qq(n, n, n), vv(n, n, n), qv(n, n, n), aq(n, n, n);
  qq.setZero(), vv.setZero(), qv.setZero(), aq.setZero();
  pinocchio::ComputeRNEASecondOrderDerivatives(model, data, q, v, a, qq, vv, qv, aq);
  for (const auto * tensor : {&qq, &vv, &qv, &aq})
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index k = 0; k < n; ++k)
          std::printf("%.17g\n", (*tensor)(i, j, k));
  return std::cin ? 0 : 1;
}
