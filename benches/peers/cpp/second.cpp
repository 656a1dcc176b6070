// Pinocchio's side of the race of second derivatives: all of them, and the first ones to compare with.
#include "model.hpp"
#include "worker.hpp"

#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

namespace
{
using namespace pinocchio;
using Tensor = Eigen::Tensor<double, 3>;

struct State
{
  Eigen::VectorXd q, v, a;
};

struct Robot
{
  Model model;
  Data data;
  std::vector<State> states;
  Tensor qq, vv, qv, aq;

  explicit Robot(const std::string & path) : model(read_model(path + ".model")), data(model)
  {
    const States read(path + ".pinocchio.states");
    if (read.nq != model.nq || read.nv != model.nv)
      throw std::runtime_error("sizes differ: " + path);
    const int nq = read.nq, nv = read.nv;
    for (const auto & row : read.rows)
    {
      const auto part = [&row](int from, int n) { return Eigen::Map<const Eigen::VectorXd>(&row[from], n).eval(); };
      states.push_back({part(0, nq), part(nq, nv), part(nq + nv, nv)});
    }
    // It fills what the tree makes nonzero, and so it is with ours.
    for (Tensor * tensor : {&qq, &vv, &qv, &aq})
      *tensor = Tensor(nv, nv, nv), tensor->setZero();
  }
};

Jobs load(const std::string & path, std::size_t & count)
{
  const auto robot = std::make_shared<Robot>(path);
  count = robot->states.size();
  Jobs jobs;
  const auto second = [robot](const State & s) {
    Robot & r = *robot;
    ComputeRNEASecondOrderDerivatives(r.model, r.data, s.q, s.v, s.a, r.qq, r.vv, r.qv, r.aq);
    used(r.qq.data());
  };
  const auto first = [robot](const State & s) {
    computeRNEADerivatives(robot->model, robot->data, s.q, s.v, s.a);
    used(&robot->data);
  };
  jobs["rnea_second_derivatives"] = {
    [robot, second] {
      for (const State & s : robot->states)
        used(&s), second(s);
    },
    [robot, second](std::size_t i, std::vector<double> & all) {
      second(robot->states[i]);
      for (const Tensor * tensor : {&robot->qq, &robot->qv, &robot->vv, &robot->aq})
        all.insert(all.end(), tensor->data(), tensor->data() + tensor->size());
    }};
  jobs["rnea_derivatives"] = {
    [robot, first] {
      for (const State & s : robot->states)
        used(&s), first(s);
    },
    [](std::size_t, std::vector<double> &) {}};
  return jobs;
}
} // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? serve(argv[1], load) : 2;
}
