//! No generated function can panic or allocate, by its machine code.
//!
//! `tests/bare` is compiled without `std` for a machine without an operating system, as a user
//! would. The test follows every relocation from the functions' symbols. It finds everything that
//! can be called, and no panic is among it. The result does not depend on a choice of inputs.

use crate::bless::root;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SymbolIndex};
use rbd_build::{Base, ContactKind, Function, Integrator, Shape};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A section of an object file in the library; the compiler gives each function one.
type Place = (usize, SectionIndex);

/// Functions outside of the library that compiled code may call; in fact the library has them.
const OF_THE_PLATFORM: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];

struct Library<'data> {
    objects: Vec<object::File<'data>>,
    defined: HashMap<&'data str, Place>,
}

/// Reachable places, each with the place that it is first reached from.
struct Reached<'data> {
    from: HashMap<Place, Option<Place>>,
    /// Names that the library does not define.
    outside: BTreeMap<&'data str, Place>,
}

impl<'data> Library<'data> {
    fn new(bytes: &'data [u8]) -> Self {
        let archive = ArchiveFile::parse(bytes).unwrap();
        let members = archive.members().map(|m| m.unwrap().data(bytes).unwrap());
        // Metadata is a member too, and no object.
        let objects: Vec<_> = members.filter_map(|m| object::File::parse(m).ok()).collect();
        let mut defined = HashMap::new();
        for (k, object) in objects.iter().enumerate() {
            for symbol in object.symbols().filter(|s| s.is_global()) {
                if let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) {
                    defined.entry(name).or_insert((k, section));
                }
            }
        }
        Self { objects, defined }
    }

    /// Follows every relocation.
    fn reach(&self, from: &str) -> Reached<'data> {
        let start = self.defined[from];
        let mut reached = Reached { from: HashMap::from([(start, None)]), outside: BTreeMap::new() };
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            let (object, section) = place;
            let section = self.objects[object].section_by_index(section).unwrap();
            for (_, relocation) in section.relocations() {
                let next = match relocation.target() {
                    RelocationTarget::Symbol(symbol) => self.symbol(object, symbol),
                    RelocationTarget::Section(section) => Ok((object, section)),
                    other => panic!("a relocation to {other:?}"),
                };
                match next {
                    Ok(next) => {
                        reached.from.entry(next).or_insert_with(|| {
                            queue.push_back(next);
                            Some(place)
                        });
                    }
                    Err(name) => {
                        reached.outside.entry(name).or_insert(place);
                    }
                }
            }
        }
        reached
    }

    fn symbol(&self, object: usize, symbol: SymbolIndex) -> Result<Place, &'data str> {
        let symbol = self.objects[object].symbol_by_index(symbol).unwrap();
        match symbol.section_index() {
            Some(section) => Ok((object, section)),
            None => {
                let name = symbol.name().unwrap();
                self.defined.get(name).copied().ok_or(name)
            }
        }
    }

    /// The functions in a section, as Rust names them.
    fn names(&self, (object, section): Place) -> Vec<String> {
        let here = self.objects[object].symbols().filter(|s| s.section_index() == Some(section));
        here.filter_map(|s| s.name().ok().map(|n| format!("{:#}", rustc_demangle::demangle(n))))
            .filter(|n| !n.is_empty())
            .collect()
    }

    /// Call chain to a place.
    fn way(&self, reached: &Reached<'_>, place: Place) -> String {
        let way = std::iter::successors(Some(place), |p| reached.from[p]);
        way.map(|p| self.names(p).join(" = ")).collect::<Vec<_>>().join("\n  called by ")
    }

    /// Reachable places that must not be: panics, the allocator, unknown functions, large stack
    /// frames that are set up late.
    fn faults(&self, reached: &Reached<'_>) -> Vec<String> {
        let bad = |n: &String| {
            ["panic", "rust_begin_unwind", "__rust_", "alloc::"].iter().any(|bad| n.contains(bad))
        };
        let places = reached.from.keys().filter(|p| self.names(**p).iter().any(bad));
        let inside = places.map(|p| self.way(reached, *p));
        let outside = reached.outside.iter().filter(|(name, _)| !OF_THE_PLATFORM.contains(name));
        let outside = outside.map(|(name, from)| format!("{name}\n  called by {}", self.way(reached, *from)));
        inside.chain(outside).chain(self.large_frames(reached).1).collect()
    }
}

/// Places where a section's code sets up a stack frame of many pages, which it touches one by one.
/// x86-64 only.
fn probes(code: &[u8]) -> Vec<usize> {
    // mov r11, rsp; sub r11, size (of four bytes)
    const TO_R11: [u8; 6] = [0x49, 0x89, 0xe3, 0x49, 0x81, 0xeb];
    // sub rsp, 4096
    const A_PAGE: [u8; 7] = [0x48, 0x81, 0xec, 0x00, 0x10, 0x00, 0x00];
    let whole = TO_R11.len() + 4 + A_PAGE.len();
    let probe = |x: &[u8]| x.starts_with(&TO_R11) && x.ends_with(&A_PAGE);
    code.windows(whole).enumerate().filter(|(_, x)| probe(x)).map(|(at, _)| at).collect()
}

impl Library<'_> {
    /// Reachable frames of many pages: those at a function's start, and later ones. For later ones
    /// LLVM 22 does not check whether r11, its counter, is in use.
    fn large_frames(&self, reached: &Reached<'_>) -> (usize, Vec<String>) {
        // Instructions that save registers come before it.
        const START: usize = 48;
        let (mut first, mut late) = (0, Vec::new());
        for place in reached.from.keys() {
            let object = &self.objects[place.0];
            if object.architecture() == object::Architecture::X86_64 {
                let code = object.section_by_index(place.1).unwrap().data().unwrap();
                for at in probes(code) {
                    if at < START {
                        first += 1
                    } else {
                        late.push(format!(
                            "{}, whose frame is set up at byte {at}",
                            self.way(reached, *place)
                        ))
                    }
                }
            }
        }
        (first, late)
    }
}

/// Writes the robots' code for `tests/bare`, and gives the folder.
fn generate(target_dir: &Path) -> PathBuf {
    let folder = target_dir.join("robots");
    std::fs::create_dir_all(&folder).unwrap();
    // By default only the first integrator steps a robot of several joints: the others add nothing but time.
    let chain = folder.join("chain.urdf");
    std::fs::write(&chain, urdf_of_chain(70)).unwrap();
    let small = |urdf| if all() { urdf } else { "robots/double_pendulum.urdf" };
    for (stem, urdf, base) in [
        ("double_pendulum", "robots/double_pendulum.urdf", Base::Fixed),
        ("iiwa14", "robots/iiwa14.urdf", Base::Fixed),
        // Afloat, it takes the compiler minutes.
        ("hyq", "robots/hyq.urdf", if cfg!(feature = "all-robots") { Base::Floating } else { Base::Fixed }),
        ("gripper", "rbd-build/tests/good/gripper.urdf", Base::Fixed),
        ("four_bar", "rbd-build/tests/good/four_bar.urdf", Base::Fixed),
        ("looped", "robots/double_pendulum.urdf", Base::Fixed),
        ("long", chain.to_str().unwrap(), Base::Fixed),
        ("touching", "robots/double_pendulum.urdf", Base::Fixed),
        ("euler", "tests/step/joints.urdf", Base::Fixed),
        ("runge", small("tests/step/joints.urdf"), Base::Fixed),
        ("damped", small("robots/panda.urdf"), Base::Fixed),
        ("driven", "robots/double_pendulum.urdf", Base::Fixed),
    ] {
        let mut robot = rbd_build::Robot::from_urdf(urdf).relative_to(root()).base(base);
        if stem != "gripper" {
            robot = robot.functions(Function::dynamics());
        }
        if stem == "four_bar" {
            let hessian = Function::from_name("rnea_hessian").unwrap();
            robot = robot
                .functions(Function::dynamics().chain([hessian]))
                .contact("crank", ContactKind::Plane)
                .closed_loop("bar", ["rod_end", "rocker_end"], ContactKind::Point)
                .closed_loop("weld", ["rocker_end", "rod_end"], ContactKind::Plane);
        }
        if stem == "touching" {
            robot = robot.name("Touching").functions([Function::Crba]).contacts(["link1", "link2"]);
            robot = robot.step(Integrator::Rk4);
        }
        if stem == "looped" {
            let vectors = ["rnea", "rnea_fext", "bias", "gravity", "aba", "aba_fext", "crba"];
            let functions = vectors.map(|name| Function::from_name(name).unwrap());
            robot = robot.name("Looped").functions(functions).shape(Shape::Loops);
        }
        if stem == "long" {
            robot = robot.name("Long").functions([Function::Minv, Function::AbaDerivatives]);
        }
        if let Some((name, integrator)) = match stem {
            "euler" => Some(("Euler", Integrator::SemiImplicit)),
            "runge" => Some(("Runge", Integrator::Rk4)),
            "damped" => Some(("Damped", Integrator::ImplicitDamping)),
            "driven" => Some(("Driven", Integrator::ImplicitDamping)),
            _ => None,
        } {
            robot = robot.name(name).functions([Function::Aba]).step(integrator);
        }
        if stem == "damped" {
            let motors: &[&str] = if all() { &["panda_joint7", "panda_joint2"] } else { &["joint2"] };
            robot = robot.damping(true).actuated(motors.iter().copied());
        }
        if stem == "driven" {
            robot = robot
                .functions([Function::RneaHessian])
                .damping(true)
                .actuated(["joint2"])
                .contacts(["link2"])
                .gravity_at_run_time(true);
        }
        let source = robot.runtime_path("::rbd_runtime::__private").trace().unwrap().source();
        let file = folder.join(stem).with_extension("rs");
        // Compiled again where it is another.
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&source) {
            std::fs::write(file, source).unwrap();
        }
    }
    folder
}

/// A robot whose columns loops solve for: links in a row, with axes in turn.
fn urdf_of_chain(links: usize) -> String {
    let link = |k: usize| {
        let (parent, axis) = (k.checked_sub(1).map_or("base".into(), |k| format!("link{k}")), k % 3);
        let axis = ["1 0 0", "0 1 0", "0 0 1"][axis];
        format!(
            "<link name='link{k}'><inertial><origin xyz='0.1 0.02 0.03'/><mass value='1.5'/>\
             <inertia ixx='0.02' iyy='0.03' izz='0.04' ixy='0.001' ixz='0.002' iyz='0.003'/></inertial></link>\
             <joint name='joint{k}' type='continuous'><parent link='{parent}'/><child link='link{k}'/>\
             <origin xyz='0.2 0.05 0.1'/><axis xyz='{axis}'/></joint>"
        )
    };
    format!("<robot name='chain'><link name='base'/>{}</robot>", (0..links).map(link).collect::<String>())
}

/// Whether all robots and scalars are compiled, and not those alone that have code of their own kind.
fn all() -> bool {
    std::env::var_os("RBD_ALL_SEEDS").is_some()
}

/// Compiles `tests/bare` and gives the library's path.
fn compile() -> PathBuf {
    let target_dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no_std");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(root())
        .args(["rustc", "--quiet", "--lib", "--package", "rbd-test-bare", "--release"])
        .args(["--crate-type", "staticlib", "--target-dir"])
        .arg(&target_dir)
        .env("RBD_BARE", generate(&target_dir))
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("RUSTFLAGS", "")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    let mut folder = target_dir.clone();
    // Another machine's code can be checked as well as this one's.
    if let Some(target) = std::env::var_os("RBD_TARGET") {
        cargo.arg("--target").arg(&target);
        folder.push(target);
    }
    // Symbol names that contain function and robot.
    cargo.args(["--", "--cfg", "bare", "-C", "symbol-mangling-version=v0"]);
    if all() {
        cargo.args(["--cfg", "bare_all"]);
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("release/librbd_test_bare.a")
}

#[test]
fn no_function_can_panic_or_allocate() {
    let bytes = std::fs::read(compile()).unwrap();
    let library = Library::new(&bytes);
    let entries = [
        ("double_pendulum_f64", 12),
        ("double_pendulum_f32", 12),
        ("double_pendulum_f64x4", 12),
        ("gripper_f64", 12),
        ("gripper_at_f64", 3),
        ("gripper_kinematics_f64", 10),
        ("looped_f64", 6),
        ("long_f64", 2),
        ("hyq_f64", 12),
        ("iiwa14_f64", 12),
        ("iiwa14_f32", 12),
    ];
    for &(entry, functions) in if all() { &entries[..] } else { &entries[..8] } {
        let reached = library.reach(entry);
        let faults = library.faults(&reached);
        assert!(faults.is_empty(), "{entry} reaches\n{}", faults.join("\n\n"));
        let kernels: Vec<String> = reached
            .from
            .keys()
            .flat_map(|p| library.names(*p))
            .filter(|n| n.contains("as_compiled"))
            .collect();
        assert!(kernels.len() >= functions, "{entry} has lost its functions: {kernels:?}");
    }
    // So are contacts, around kernels of frames and matrices.
    let entries = [
        "four_bar_contacts_f64",
        "four_bar_hessian_f64",
        "touching_f64",
        "four_bar_contacts_f32",
        "touching_f32",
    ];
    for entry in if all() { &entries[..] } else { &entries[..3] } {
        let reached = library.reach(entry);
        let faults = library.faults(&reached);
        assert!(faults.is_empty(), "{entry} reaches\n{}", faults.join("\n\n"));
        assert!(reached.from.len() > 8, "{entry} has lost its functions");
    }
    // Steps are the runtime's, around kernels of forward dynamics.
    let entries =
        ["euler_steps_f64", "runge_steps_f64", "damped_steps_f64", "damped_controls_f64", "driven_steps_f64"];
    for entry in entries {
        let reached = library.reach(entry);
        let faults = library.faults(&reached);
        assert!(faults.is_empty(), "{entry} reaches\n{}", faults.join("\n\n"));
        assert!(reached.from.len() > 2, "{entry} has lost its functions");
    }
    // Second derivatives are loops of the runtime, without kernels of their own.
    let reached = library.reach("gripper_second_f64");
    let faults = library.faults(&reached);
    assert!(faults.is_empty(), "second derivatives reach\n{}", faults.join("\n\n"));
    assert!(reached.from.len() > 8, "they have lost their functions");
    let (first, _) = library.large_frames(&reached);
    assert!(first > 0 || !cfg!(target_arch = "x86_64"), "no large frame is seen");
    // An existing panic is found.
    let faults = library.faults(&library.reach("panics_beyond_three"));
    assert!(faults.iter().any(|f| f.contains("panic_bounds_check")), "{faults:?}");
}

#[test]
fn the_set_up_of_a_large_frame_is_seen() {
    // After 100 bytes of nop: mov r11, rsp; sub r11, 0xa000; sub rsp, 4096; mov qword ptr [rsp], 0;
    // cmp rsp, r11; jne.
    let mut code = vec![0x90; 100];
    code.extend([0x49, 0x89, 0xe3, 0x49, 0x81, 0xeb, 0x00, 0xa0, 0x00, 0x00]);
    code.extend([0x48, 0x81, 0xec, 0x00, 0x10, 0x00, 0x00, 0x48, 0xc7, 0x04, 0x24, 0, 0, 0, 0]);
    code.extend([0x4c, 0x39, 0xdc, 0x75, 0xec]);
    assert_eq!(probes(&code), [100]);
}
