// Pinocchio's side of the race of kinematics, quantities of the whole body, and dynamics under contacts.
#include "model.hpp"
#include "worker.hpp"

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/frames-derivatives.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/pv.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace
{
using namespace pinocchio;
using Wide = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct State
{
  Eigen::VectorXd q, v, a, tau;
};

struct Robot
{
  // Before the model, which is made with these frames.
  FrameIndex raced = 0;
  std::vector<std::pair<FrameIndex, ContactType>> standing;
  // Frames of closed loops, two a loop.
  std::vector<FrameIndex> looped;
  Model model;
  Data data;
  std::vector<State> states;
  std::vector<RigidConstraintModel> contacts;
  std::vector<RigidConstraintData> held;
  std::vector<Wide> jacobians;
  // Pinocchio leaves columns alone that are zero for every state: no two functions share these.
  Wide jacobian, of_v[2], of_a[4], of_h[4];
  Eigen::Matrix<double, 6, 1> motion;

  explicit Robot(const std::string & path) : model(with_frames(path)), data(model)
  {
    const States read(path + ".pinocchio.states");
    if (read.nq != model.nq || read.nv != model.nv)
      throw std::runtime_error("sizes differ: " + path);
    const int nq = read.nq, nv = read.nv;
    for (const auto & row : read.rows)
    {
      const auto part = [&row](int from, int n) { return Eigen::Map<const Eigen::VectorXd>(&row[from], n).eval(); };
      states.push_back({part(0, nq), part(nq, nv), part(nq + nv, nv), part(nq + 2 * nv, nv)});
    }
    jacobian = Wide::Zero(6, nv);
    for (Wide * m : {of_v, of_a, of_h})
      for (int k = 0; k < (m == of_v ? 2 : 4); ++k)
        m[k] = jacobian;
    jacobians.assign(standing.size(), jacobian);
    for (const auto & [f, kind] : standing)
    {
      const Frame & frame = model.frames[f];
      contacts.emplace_back(kind, model, frame.parentJoint, frame.placement, LOCAL);
    }
    for (std::size_t k = 0; k + 1 < looped.size(); k += 2)
    {
      const Frame &a = model.frames[looped[k]], &b = model.frames[looped[k + 1]];
      contacts.emplace_back(CONTACT_3D, model, a.parentJoint, a.placement, b.parentJoint, b.placement, LOCAL);
    }
    for (const auto & contact : contacts)
      held.emplace_back(contact);
    initConstraintDynamics(model, data, contacts, held);
  }

  Model with_frames(const std::string & path)
  {
    Model model = read_model(path + ".model");
    std::ifstream file(path + ".frames");
    std::string use, name;
    std::size_t parent = 0;
    while (file >> use >> name >> parent)
    {
      Eigen::Matrix3d rotation;
      Eigen::Vector3d translation;
      for (int i = 0; i < 9; ++i)
        file >> rotation(i / 3, i % 3);
      for (int i = 0; i < 3; ++i)
        file >> translation(i);
      const FrameIndex added = model.addFrame(Frame(use + " " + name, parent, SE3(rotation, translation), OP_FRAME));
      if (use == "raced")
        raced = added;
      else if (use == "loop")
        looped.push_back(added);
      else
        standing.emplace_back(added, use == "plane" ? CONTACT_6D : CONTACT_3D);
    }
    if (raced == 0)
      throw std::runtime_error("no frames: " + path);
    return model;
  }

  // Rows of a contact: as many of the frame's Jacobian, and of the force.
  static Eigen::Index rows(ContactType kind)
  {
    return kind == CONTACT_6D ? 6 : 3;
  }
  Eigen::Index rows() const
  {
    Eigen::Index count = 0;
    for (const auto & [_, kind] : standing)
      count += rows(kind);
    return count;
  }
};

template<typename T>
struct Is
{
  using type = T;
};

// What the recursive algorithms need: they take contacts of one size, and share nothing with the others.
template<typename Contact>
struct Recursive
{
  Data data;
  std::vector<Contact> contacts;
  std::vector<typename Contact::ConstraintData> held;
  ProximalSettings settings;

  Recursive(const Robot & robot, const ProximalSettings & given) : data(robot.model), settings(given)
  {
    for (const auto & [f, _] : robot.standing)
    {
      const Frame & frame = robot.model.frames[f];
      contacts.emplace_back(robot.model, frame.parentJoint, frame.placement);
    }
    for (const auto & contact : contacts)
      held.emplace_back(contact);
    initPvSolver(robot.model, data, contacts);
  }
};

template<typename Derived>
void add(std::vector<double> & all, const Eigen::MatrixBase<Derived> & x)
{
  for (Eigen::Index c = 0; c < x.cols(); ++c)
    for (Eigen::Index r = 0; r < x.rows(); ++r)
      all.push_back(x(r, c));
}

void add(std::vector<double> & all, const SE3 & x)
{
  add(all, x.rotation());
  add(all, x.translation());
}

Jobs load(const std::string & path, std::size_t & count)
{
  const auto robot = std::make_shared<Robot>(path);
  count = robot->states.size();
  Jobs jobs;
  const auto job = [&](const std::string & name, auto run, auto result) {
    jobs[name] = {
      [robot, run] {
        for (const State & s : robot->states)
          used(&s), run(*robot, s), used(robot.get());
      },
      [robot, run, result](std::size_t i, std::vector<double> & all) {
        run(*robot, robot->states[i]);
        result(*robot, all);
      }};
  };
  using All = std::vector<double>;

  job(
    "forward_kinematics", [](Robot & r, const State & s) { forwardKinematics(r.model, r.data, s.q); },
    [](Robot & r, All & all) {
      for (JointIndex i = 1; i < r.data.oMi.size(); ++i)
        add(all, r.data.oMi[i]);
    });
  job(
    "frame_placement",
    [](Robot & r, const State & s) {
      forwardKinematics(r.model, r.data, s.q);
      updateFramePlacement(r.model, r.data, r.raced);
    },
    [](Robot & r, All & all) { add(all, r.data.oMf[r.raced]); });
  const std::pair<const char *, ReferenceFrame> axes[] = {
    {"local", LOCAL}, {"world", WORLD}, {"local_world_aligned", LOCAL_WORLD_ALIGNED}};
  for (const auto & [name, reference] : axes)
  {
    const ReferenceFrame in = reference;
    job(
      std::string("frame_jacobian_") + name,
      [in](Robot & r, const State & s) {
        // What is not on the path is left as it is.
        computeFrameJacobian(r.model, r.data, s.q, r.raced, in, r.jacobian);
      },
      [](Robot & r, All & all) { add(all, r.jacobian); });
  }
  // Of all contacts' frames: columns of the whole tree once.
  job(
    "contact_jacobian",
    [](Robot & r, const State & s) {
      computeJointJacobians(r.model, r.data, s.q);
      for (std::size_t k = 0; k < r.standing.size(); ++k)
        updateFramePlacement(r.model, r.data, r.standing[k].first),
          getFrameJacobian(r.model, r.data, r.standing[k].first, LOCAL, r.jacobians[k]);
      used(r.jacobians.data());
    },
    [](Robot & r, All & all) {
      Eigen::MatrixXd all_rows(r.rows(), r.model.nv);
      Eigen::Index row = 0;
      for (std::size_t k = 0; k < r.standing.size(); ++k)
      {
        const Eigen::Index count = Robot::rows(r.standing[k].second);
        all_rows.middleRows(row, count) = r.jacobians[k].topRows(count);
        row += count;
      }
      add(all, all_rows);
    });
  const auto motion = [&](const std::string & name, auto run) {
    job(
      name, [run](Robot & r, const State & s) { r.motion = run(r, s).toVector(); },
      [](Robot & r, All & all) { add(all, r.motion); });
  };
  motion("frame_velocity", [](Robot & r, const State & s) {
    forwardKinematics(r.model, r.data, s.q, s.v);
    return getFrameVelocity(r.model, r.data, r.raced, LOCAL);
  });
  motion("frame_acceleration", [](Robot & r, const State & s) {
    forwardKinematics(r.model, r.data, s.q, s.v, s.a);
    return getFrameAcceleration(r.model, r.data, r.raced, LOCAL);
  });
  motion("frame_classical_acceleration", [](Robot & r, const State & s) {
    forwardKinematics(r.model, r.data, s.q, s.v, s.a);
    return getFrameClassicalAcceleration(r.model, r.data, r.raced, LOCAL_WORLD_ALIGNED);
  });
  job(
    "frame_velocity_derivatives",
    [](Robot & r, const State & s) {
      computeForwardKinematicsDerivatives(r.model, r.data, s.q, s.v, s.a);
      getFrameVelocityDerivatives(r.model, r.data, r.raced, LOCAL, r.of_v[0], r.of_v[1]);
    },
    [](Robot & r, All & all) { add(all, r.of_v[0]), add(all, r.of_v[1]); });
  job(
    "frame_acceleration_derivatives",
    [](Robot & r, const State & s) {
      computeForwardKinematicsDerivatives(r.model, r.data, s.q, s.v, s.a);
      getFrameAccelerationDerivatives(r.model, r.data, r.raced, LOCAL, r.of_a[0], r.of_a[1], r.of_a[2], r.of_a[3]);
    },
    [](Robot & r, All & all) { add(all, r.of_a[1]), add(all, r.of_a[2]), add(all, r.of_a[3]); });

  job(
    "center_of_mass", [](Robot & r, const State & s) { centerOfMass(r.model, r.data, s.q, false); },
    [](Robot & r, All & all) { add(all, r.data.com[0]); });
  job(
    "center_of_mass_velocity", [](Robot & r, const State & s) { centerOfMass(r.model, r.data, s.q, s.v, false); },
    [](Robot & r, All & all) { add(all, r.data.vcom[0]); });
  job(
    "center_of_mass_jacobian", [](Robot & r, const State & s) { jacobianCenterOfMass(r.model, r.data, s.q, false); },
    [](Robot & r, All & all) { add(all, r.data.Jcom); });
  job(
    "centroidal_momentum", [](Robot & r, const State & s) { computeCentroidalMomentum(r.model, r.data, s.q, s.v); },
    [](Robot & r, All & all) { add(all, r.data.hg.toVector()); });
  job(
    "centroidal_momentum_matrix", [](Robot & r, const State & s) { computeCentroidalMap(r.model, r.data, s.q); },
    [](Robot & r, All & all) { add(all, r.data.Ag); });
  job(
    "centroidal_momentum_rate",
    [](Robot & r, const State & s) { computeCentroidalMomentumTimeVariation(r.model, r.data, s.q, s.v, s.a); },
    [](Robot & r, All & all) { add(all, r.data.dhg.toVector()); });
  job(
    "centroidal_derivatives",
    [](Robot & r, const State & s) {
      computeCentroidalDynamicsDerivatives(r.model, r.data, s.q, s.v, s.a, r.of_h[0], r.of_h[1], r.of_h[2], r.of_h[3]);
    },
    [](Robot & r, All & all) {
      for (const Wide & x : r.of_h)
        add(all, x);
    });
  job(
    "kinetic_energy", [](Robot & r, const State & s) { computeKineticEnergy(r.model, r.data, s.q, s.v); },
    [](Robot & r, All & all) { all.push_back(r.data.kinetic_energy); });
  job(
    "potential_energy", [](Robot & r, const State & s) { computePotentialEnergy(r.model, r.data, s.q); },
    [](Robot & r, All & all) { all.push_back(r.data.potential_energy); });
  job(
    "coriolis_matrix", [](Robot & r, const State & s) { computeCoriolisMatrix(r.model, r.data, s.q, s.v); },
    [](Robot & r, All & all) { add(all, r.data.C); });
  job(
    "regressor", [](Robot & r, const State & s) { computeJointTorqueRegressor(r.model, r.data, s.q, s.v, s.a); },
    [](Robot & r, All & all) { add(all, r.data.jointTorqueRegressor); });
  job(
    "kinetic_energy_regressor",
    [](Robot & r, const State & s) { computeKineticEnergyRegressor(r.model, r.data, s.q, s.v); },
    [](Robot & r, All & all) { add(all, r.data.kineticEnergyRegressor); });
  job(
    "potential_energy_regressor",
    [](Robot & r, const State & s) { computePotentialEnergyRegressor(r.model, r.data, s.q); },
    [](Robot & r, All & all) { add(all, r.data.potentialEnergyRegressor); });

  const auto forces = [](Robot & r, All & all) {
    for (std::size_t k = 0; k < r.held.size(); ++k)
      add(all, r.held[k].contact_force.toVector().head(Robot::rows(r.contacts[k].type)));
  };
  const auto dynamics = [](Robot & r, const State & s) {
    constraintDynamics(r.model, r.data, s.q, s.v, s.tau, r.contacts, r.held);
  };
  job("contact_dynamics", dynamics, [forces](Robot & r, All & all) { add(all, r.data.ddq), forces(r, all); });
  // By recursions, whose accelerations alone are compared: forces stand elsewhere, in another order.
  const auto recursive = [&](auto kind) {
    using By = Recursive<typename decltype(kind)::type>;
    // Exact, as long as no rows are redundant.
    const auto once = std::make_shared<By>(*robot, ProximalSettings(0, 0, 1));
    job(
      "contact_accelerations:pv",
      [once](Robot & r, const State & s) {
        pv(r.model, once->data, s.q, s.v, s.tau, once->contacts, once->held, once->settings);
      },
      [once](Robot &, All & all) { add(all, once->data.ddq); });
    // To residuals of 1e-9: results are compared to 1e-8.
    const auto proximal = std::make_shared<By>(*robot, ProximalSettings(1e-9, 3e-5, 100));
    job(
      "contact_accelerations:constrainedABA",
      [proximal](Robot & r, const State & s) {
        constrainedABA(r.model, proximal->data, s.q, s.v, s.tau, proximal->contacts, proximal->held, proximal->settings);
      },
      [proximal](Robot &, All & all) { add(all, proximal->data.ddq); });
  };
  const auto all_are = [&](ContactType kind) {
    const auto & all = robot->standing;
    return robot->looped.empty() && !all.empty()
           && std::all_of(all.begin(), all.end(), [kind](const auto & x) { return x.second == kind; });
  };
  if (all_are(CONTACT_3D))
    recursive(Is<PointAnchorConstraintModel>{});
  if (all_are(CONTACT_6D))
    recursive(Is<FrameAnchorConstraintModel>{});
  job(
    "contact_dynamics_derivatives",
    [dynamics](Robot & r, const State & s) {
      dynamics(r, s);
      computeConstraintDynamicsDerivatives(r.model, r.data, r.contacts, r.held);
    },
    [forces](Robot & r, All & all) {
      const Data & d = r.data;
      add(all, d.ddq), forces(r, all);
      for (const auto * x : {&d.ddq_dq, &d.ddq_dv, &d.ddq_dtau})
        add(all, *x);
      for (const auto * x : {&d.dlambda_dq, &d.dlambda_dv, &d.dlambda_dtau})
        add(all, *x);
    });
  return jobs;
}
} // namespace

int main(int argc, char ** argv)
{
  return argc == 2 ? serve(argv[1], load) : 2;
}
