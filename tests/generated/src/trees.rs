//! The random robots that the build script generates code for, and the options that it does so
//! with. Also a part of the build script.

use crate::urdf::{Joint, Link, Urdf};
use rbd_build::{Base, Function};
use rbd_runtime::random::{Options, Random, random_model};
use rbd_runtime::spatial::Placement;
use rbd_runtime::{JointKind, Model};
use std::path::Path;

/// A URDF and its options.
#[derive(Clone, Debug)]
pub struct Tree {
    /// File stem, and name of the module.
    pub stem: String,
    /// Name of the type.
    pub name: String,
    /// The robot.
    pub urdf: Urdf,
    /// The functions; empty means all.
    pub functions: Vec<Function>,
    /// Type of the base.
    pub base: Base,
    /// Rotor inertia by joint.
    pub armature: Vec<(String, f64)>,
    /// Whether damping enters.
    pub damping: bool,
    /// Locked joints.
    pub lock: Vec<(String, f64)>,
    /// Gravity, where it is not the usual one.
    pub gravity: Option<[f64; 3]>,
}

impl Tree {
    /// A tree without options.
    pub fn new(stem: &str, urdf: Urdf) -> Self {
        Self {
            stem: stem.into(),
            name: stem.split('_').map(capitalised).collect(),
            urdf,
            functions: Vec::new(),
            base: Base::Fixed,
            armature: Vec::new(),
            damping: false,
            lock: Vec::new(),
            gravity: None,
        }
    }

    /// The builder for it, once its URDF is in this folder.
    pub fn robot(&self, folder: &Path) -> rbd_build::Robot {
        let path = folder.join(&self.stem).with_extension("urdf");
        let mut robot =
            rbd_build::Robot::from_urdf(path).name(&self.name).base(self.base).damping(self.damping);
        for (joint, inertia) in &self.armature {
            robot = robot.armature(joint, *inertia);
        }
        for (joint, position) in &self.lock {
            robot = robot.lock(joint, *position);
        }
        if let Some(gravity) = self.gravity {
            robot = robot.gravity(gravity);
        }
        if !self.functions.is_empty() {
            robot = robot.functions(self.functions.iter().copied());
        }
        robot
    }

    /// The builder for compiled code: dynamics, unless the tree says otherwise. Kinematics are
    /// interpreted, and second derivatives are compiled for the recorded files of `tests/golden`.
    pub fn compiled_robot(&self, folder: &Path) -> rbd_build::Robot {
        let robot = self.robot(folder);
        if self.functions.is_empty() { robot.functions(Function::dynamics()) } else { robot }
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Seeds of the trees with everything: of the random ones, some that are small enough to compile quickly and
/// together have every joint kind, on fixed and floating bases.
pub const SEEDS: [u64; 8] = [9, 18, 28, 10, 34, 42, 21, 73];

/// Returns whether the tree or variant of this stem is compiled.
///
/// Compiled are three trees that together have every joint type, on a fixed and a floating base,
/// and no variant. The others are interpreted; the feature `all-robots` compiles them too.
pub fn compiled(stem: &str) -> bool {
    cfg!(feature = "all-robots") || ["tree_0", "tree_1", "tree_2"].contains(&stem)
}

/// Trees of every joint type with mimic joints, armature, damping, fixed joints and odd names, on
/// fixed and floating bases, every third with a locked joint.
pub fn trees() -> Vec<Tree> {
    SEEDS.iter().enumerate().map(|(number, seed)| tree(number, *seed)).collect()
}

fn model(seed: u64) -> Model<f64> {
    random_model(seed, &Options::everything(3 + (seed % 4) as usize, seed % 2 == 1))
}

fn tree(number: usize, seed: u64) -> Tree {
    let r = &mut Random::new(seed);
    let model = model(seed);
    let floating = model.bodies[0].joint == "root_joint";
    let mut urdf = Urdf::of(&model);
    add_fixed_link(&mut urdf, r);
    let mut tree = Tree { base: if floating { Base::Floating } else { Base::Fixed }, ..Tree::new("", urdf) };
    tree.stem = format!("tree_{number}");
    tree.name = format!("Tree{number}");
    tree.damping = true;
    rename(&mut tree.urdf);
    let joints = &tree.urdf.joints;
    if number.is_multiple_of(3) {
        let led = |j: &Joint| joints.iter().any(|k| k.mimic.as_ref().is_some_and(|m| m.0 == j.name));
        let may = joints.iter().rev().find(|j| is_simple(j) && j.mimic.is_none() && !led(j));
        tree.lock = may.map(|j| (j.name.clone(), 0.7)).into_iter().collect();
    }
    // The files do not contain armature.
    let locked = |name: &String| tree.lock.iter().any(|(n, _)| n == name);
    let moving = joints.iter().filter(|j| is_simple(j) && !locked(&j.name));
    tree.armature = moving.map(|j| (j.name.clone(), r.uniform(0.01, 0.2))).collect();
    tree
}

fn is_simple(joint: &Joint) -> bool {
    use JointKind::{Continuous, Prismatic, Revolute};
    matches!(joint.kind, Some(Revolute | Continuous | Prismatic))
}

/// A body on a fixed joint, somewhere.
fn add_fixed_link(urdf: &mut Urdf, r: &mut Random) {
    let parent = urdf.links[r.below(urdf.links.len())].name.clone();
    urdf.links.push(Link { name: "tool".into(), inertia: Some(r.inertia()) });
    urdf.joints.push(Joint {
        name: "flange".into(),
        kind: None,
        parent,
        child: "tool".into(),
        origin: Placement { rotation: r.rotation(), translation: r.vector3(0.3) },
        axis: nalgebra::Vector3::zeros(),
        mimic: None,
        damping: 0.0,
    });
}

/// Odd names: none is a Rust identifier, and most end something in Rust.
const ODD: [&str; 10] =
    ["fn", "a \"quoted\" name", "*/ /*", "back\\slash", "{}", "über-gelenk", "🤖", "a.b/c:d", "'", "#[x]"];

/// Gives every link and joint an odd name of its own.
pub fn rename(urdf: &mut Urdf) {
    let odd = |kind: &str, i: usize| match i / ODD.len() {
        0 => format!("{}{}", &kind[..i % 2], ODD[i % ODD.len()]),
        n => format!("{} {n}", ODD[i % ODD.len()]),
    };
    let links: Vec<(String, String)> =
        urdf.links.iter().enumerate().map(|(i, l)| (l.name.clone(), odd("link", i))).collect();
    let joints: Vec<(String, String)> =
        urdf.joints.iter().enumerate().map(|(i, j)| (j.name.clone(), odd("joint", i))).collect();
    let new = |names: &[(String, String)], old: &String| {
        names.iter().find(|(o, _)| o == old).expect("a known name").1.clone()
    };
    for link in &mut urdf.links {
        link.name = new(&links, &link.name);
    }
    for joint in &mut urdf.joints {
        joint.name = new(&joints, &joint.name);
        joint.parent = new(&links, &joint.parent);
        joint.child = new(&links, &joint.child);
        if let Some((leader, ..)) = &mut joint.mimic {
            *leader = new(&joints, leader);
        }
    }
}
