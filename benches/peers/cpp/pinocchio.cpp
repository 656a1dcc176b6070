// Pinocchio's side of the race: its C++ library, compiled for this processor.
// A function with more than one way of computing it is there once a way, as FUNCTION:WAY.
#include "model.hpp"
#include "worker.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace
{
using namespace pinocchio;

// A value and its derivatives.
struct First
{
  Eigen::VectorXd value;
  Eigen::MatrixXd by_q, by_v, by_third;

  explicit First(int nv)
  : value(nv), by_q(nv, nv), by_v(nv, nv), by_third(Eigen::MatrixXd::Zero(nv, nv))
  {
  }
};

struct State
{
  Eigen::VectorXd q, v, a, tau;
  mutable First first; // where a batch leaves this state's results
};

struct Robot
{
  Model model;
  Data data;
  std::vector<State> states;

  explicit Robot(const std::string & path) : model(read_model(path + ".model")), data(model)
  {
    const States read(path + ".pinocchio.states");
    if (read.nq != model.nq || read.nv != model.nv)
      throw std::runtime_error("sizes differ: " + path);
    for (const auto & row : read.rows)
    {
      const auto part = [&row](int from, int n) { return Eigen::Map<const Eigen::VectorXd>(&row[from], n).eval(); };
      const int nq = read.nq, nv = read.nv;
      states.push_back({part(0, nq), part(nq, nv), part(nq + nv, nv), part(nq + 2 * nv, nv), First(nv)});
    }
    // Pinocchio fills what the tree makes nonzero.
    data.Minv.setZero(), data.M.setZero();
  }
};

template<typename Add>
void list(const First & x, Add add)
{
  add(x.value), add(x.by_q), add(x.by_v), add(x.by_third);
}

// Forward differences of f(q, v), by q in the tangent space: 2 nv + 1 values.
struct Differences
{
  static constexpr double STEP = 1e-8;
  Eigen::VectorXd step, moved_q, moved_v;

  explicit Differences(const Model & m) : step(Eigen::VectorXd::Zero(m.nv)), moved_q(m.nq), moved_v(m.nv) {}

  template<typename Function>
  void operator()(const Model & m, const State & s, Function f, First & out)
  {
    out.value = f(s.q, s.v);
    moved_v = s.v;
    for (int j = 0; j < m.nv; ++j)
    {
      step[j] = STEP;
      integrate(m, s.q, step, moved_q);
      step[j] = 0;
      out.by_q.col(j) = (f(moved_q, s.v) - out.value) / STEP;
      moved_v[j] += STEP;
      out.by_v.col(j) = (f(s.q, moved_v) - out.value) / STEP;
      moved_v[j] = s.v[j];
    }
  }
};

// `call` leaves its results in the data or the state; `results` lists what to compare.
template<typename Call, typename Results>
Job job(const std::shared_ptr<Robot> & robot, Call call, Results results)
{
  Robot & r = *robot;
  return {
    [robot, call, &r]() mutable {
      for (const State & s : r.states)
      {
        used(&s);
        call(r.model, r.data, s);
        used(&r.data);
      }
    },
    [robot, call, results, &r](std::size_t i, std::vector<double> & all) mutable {
      call(r.model, r.data, r.states[i]);
      // By columns, although some of its matrices are stored by rows.
      const auto append = [&all](const auto & m) {
        for (const auto & column : m.colwise())
          all.insert(all.end(), column.begin(), column.end());
      };
      results(r.data, r.states[i], append);
    }};
}

Jobs load(const std::string & path, std::size_t & count)
{
  const auto robot = std::make_shared<Robot>(path);
  count = robot->states.size();
  const auto make = [&robot](auto call, auto results) { return job(robot, call, results); };
  const auto tau = [](const Data & d, const State &, auto add) { add(d.tau); };
  const auto ddq = [](const Data & d, const State &, auto add) { add(d.ddq); };
  const auto mass = [](const Data & d, const State &, auto add) { add(d.M); };
  const auto inverse = [](const Data & d, const State &, auto add) { add(d.Minv); };
  Jobs jobs;
  jobs["rnea"] = make([](const Model & m, Data & d, const State & s) { rnea(m, d, s.q, s.v, s.a); }, tau);
  jobs["aba:world"] =
    make([](const Model & m, Data & d, const State & s) { aba(m, d, s.q, s.v, s.tau, Convention::WORLD); }, ddq);
  jobs["aba:local"] =
    make([](const Model & m, Data & d, const State & s) { aba(m, d, s.q, s.v, s.tau, Convention::LOCAL); }, ddq);
  jobs["aba:cholesky"] = make(
    [](const Model & m, Data & d, const State & s) {
      nonLinearEffects(m, d, s.q, s.v);
      crba(m, d, s.q, Convention::LOCAL);
      cholesky::decompose(m, d);
      d.ddq = s.tau - d.nle;
      cholesky::solve(m, d, d.ddq);
    },
    ddq);
  jobs["crba:world"] =
    make([](const Model & m, Data & d, const State & s) { crba(m, d, s.q, Convention::WORLD); }, mass);
  jobs["crba:local"] =
    make([](const Model & m, Data & d, const State & s) { crba(m, d, s.q, Convention::LOCAL); }, mass);
  jobs["minv:aba"] =
    make([](const Model & m, Data & d, const State & s) { computeMinverse(m, d, s.q); }, inverse);
  jobs["minv:cholesky"] = make(
    [](const Model & m, Data & d, const State & s) {
      crba(m, d, s.q, Convention::LOCAL);
      cholesky::decompose(m, d);
      cholesky::computeMinv(m, d, d.Minv);
    },
    inverse);
  jobs["rnea_derivatives"] = make(
    [](const Model & m, Data & d, const State & s) { computeRNEADerivatives(m, d, s.q, s.v, s.a); },
    [](const Data & d, const State &, auto add) { add(d.tau), add(d.dtau_dq), add(d.dtau_dv), add(d.M); });
  jobs["aba_derivatives"] = make(
    [](const Model & m, Data & d, const State & s) { computeABADerivatives(m, d, s.q, s.v, s.tau); },
    [](const Data & d, const State &, auto add) { add(d.ddq), add(d.ddq_dq), add(d.ddq_dv), add(d.Minv); });
  // Each state's results in a place of their own.
  jobs["aba_derivatives_batch"] = make(
    [](const Model & m, Data & d, const State & s) {
      First & x = s.first;
      computeABADerivatives(m, d, s.q, s.v, s.tau, x.by_q, x.by_v, x.by_third);
      x.value = d.ddq;
    },
    [](const Data &, const State & s, auto add) { list(s.first, add); });
  const auto out = std::make_shared<First>(robot->model.nv);
  jobs["rnea_differences"] = make(
    [out, steps = Differences(robot->model)](const Model & m, Data & d, const State & s) mutable {
      const auto f = [&](const auto & q, const auto & v) -> const auto & { return rnea(m, d, q, v, s.a); };
      steps(m, s, f, *out);
      out->by_third = crba(m, d, s.q, Convention::LOCAL);
    },
    [out](const Data &, const State &, auto add) { list(*out, add); });
  const std::pair<const char *, Convention> conventions[] = {
    {"aba_differences:world", Convention::WORLD}, {"aba_differences:local", Convention::LOCAL}};
  for (const auto & [name, convention] : conventions)
    jobs[name] = make(
      [out, steps = Differences(robot->model), way = convention](
        const Model & m, Data & d, const State & s) mutable {
        const auto f = [&](const auto & q, const auto & v) -> const auto & { return aba(m, d, q, v, s.tau, way); };
        steps(m, s, f, *out);
        out->by_third = computeMinverse(m, d, s.q);
      },
      [out](const Data &, const State &, auto add) { list(*out, add); });
  return jobs;
}
} // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? serve(argv[1], load) : 2;
}
