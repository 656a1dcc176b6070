//! Kernels kept on disk: searched once, noticed if they are spoilt, and the same code.

use rbd_build::Step;
use rbd_jit::{Base, Cache, Id, Loaded, Options, Robot};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is gone with this.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn builder() -> Robot {
    let urdf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots/hyq.urdf");
    let fused = "Step: ddq, m, com".parse().unwrap();
    let functions = [Id::Rnea, Id::Aba, Id::Minv, Id::AbaDerivatives, Id::AbaHessian];
    Robot::from_urdf(urdf).base(Base::Floating).functions(functions).contacts(["lf_foot"]).fused(fused)
}

/// The robot, and how often it was searched.
fn load(builder: Robot, folder: &Folder) -> (Loaded, usize) {
    let searched = Arc::new(AtomicUsize::new(0));
    let counted = searched.clone();
    let builder = builder.observed(move |step| {
        if matches!(step, Step::Searching { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let options = Options { cache: Cache::in_folder(&folder.0), check: false, ..Options::default() };
    (builder.load_with(options).unwrap(), searched.load(Ordering::Relaxed))
}

/// Bits of every function's results at a state.
fn results(robot: &Loaded) -> Vec<(&'static str, Vec<u64>)> {
    let sample = robot.sample(7).unwrap();
    let of = |function: &rbd_jit::Function| {
        let inputs = sample.arguments(function);
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let mut results: Vec<Vec<f64>> =
            function.outputs().iter().map(|output| vec![f64::NAN; output.length]).collect();
        let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        function.call(&mut robot.workspace(), &inputs, &mut outputs).unwrap();
        (function.name(), results.iter().flatten().map(|x| x.to_bits()).collect())
    };
    robot.functions().iter().map(of).collect()
}

#[test]
fn a_robot_is_searched_once() {
    let folder = Folder(std::env::temp_dir().join(format!("rbd-jit-cache-{}", std::process::id())));
    let (first, searched) = load(builder(), &folder);
    assert_eq!(searched, 1);
    let (second, searched) = load(builder(), &folder);
    assert_eq!(searched, 0);
    let expected = results(&first);
    assert!(expected.iter().any(|(name, _)| *name == "step"));
    assert_eq!(results(&second), expected);
    assert_eq!(first.contacts(), second.contacts());

    // Other options, another file.
    assert_eq!(load(builder().gravity([0.0, 0.0, -1.62]), &folder).1, 1);
    assert_eq!(load(builder(), &folder).1, 0);

    // A spoilt file is written anew.
    let files = || std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let whole: Vec<(PathBuf, Vec<u8>)> =
        files().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    for place in [0, 1000, 50_000] {
        for (path, bytes) in &whole {
            let mut spoilt = bytes.clone();
            spoilt[place.min(bytes.len() - 1)] ^= 4;
            std::fs::write(path, spoilt).unwrap();
        }
        let (robot, searched) = load(builder(), &folder);
        assert_eq!(searched, 1);
        assert_eq!(results(&robot), expected);
        assert_eq!(load(builder(), &folder).1, 0);
    }
}
