// A Pinocchio model from the plain text that race.py writes.
//
// The wheel's URDF parser is compiled for any processor. A program compiled for this one aligns Eigen's matrices
// differently, so the two must not hand models to each other.
#pragma once

#include <pinocchio/multibody.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

inline pinocchio::Model read_model(const std::string & path)
{
  using namespace pinocchio;
  std::ifstream file(path);
  std::size_t count = 0;
  file >> count;
  Model model;
  for (std::size_t i = 1; i <= count; ++i)
  {
    std::string kind;
    std::size_t parent = 0;
    file >> kind >> parent;
    const auto numbers = [&file](auto & m) {
      for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c)
          file >> m(r, c);
    };
    Eigen::Matrix3d rotation, inertia;
    Eigen::Vector3d translation, axis, lever;
    double mass = 0;
    numbers(rotation), numbers(translation), numbers(axis);
    file >> mass;
    numbers(lever), numbers(inertia);
    if (!file)
      throw std::runtime_error("cannot read " + path);
    const JointModel joint = kind == "JointModelFreeFlyer" ? JointModel(JointModelFreeFlyer())
                             : kind == "JointModelRX"      ? JointModel(JointModelRX())
                             : kind == "JointModelRY"      ? JointModel(JointModelRY())
                             : kind == "JointModelRZ"      ? JointModel(JointModelRZ())
                             : kind == "JointModelRevoluteUnaligned"
                               ? JointModel(JointModelRevoluteUnaligned(axis))
                               : throw std::runtime_error("no such joint here: " + kind);
    model.addJoint(parent, joint, SE3(rotation, translation), "joint" + std::to_string(i));
    model.appendBodyToJoint(i, Inertia(mass, lever, Symmetric3(inertia)), SE3::Identity());
  }
  model.gravity.linear() << 0, 0, -9.81;
  return model;
}
