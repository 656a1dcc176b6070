//! Second derivatives against stored values of Pinocchio's `ComputeRNEASecondOrderDerivatives`
//! (`tests/values/README.md` says how they are made): the reference and the loops of the runtime.

use rbd_build::options::{Base, ReadOptions};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::second::{Given, rnea_second_derivatives};
use rbd_runtime::reference::{self, Data};
use serde_json::Value;
use std::path::Path;

/// All numbers of nested lists, in order.
fn numbers(x: &Value, to: &mut Vec<f64>) {
    match x {
        Value::Array(list) => list.iter().for_each(|x| numbers(x, to)),
        x => to.push(x.as_f64().expect("a number")),
    }
}

fn list(x: &Value) -> Vec<f64> {
    let mut all = Vec::new();
    numbers(x, &mut all);
    all
}

/// The largest difference, relative to the largest entry.
fn error(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let largest = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    got.iter().zip(expected).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / largest
}

#[test]
fn as_pinocchio_has_them() {
    const NAMES: [&str; 4] = ["d2tau_dqdq", "d2tau_dqdv", "d2tau_dvdv", "d2tau_dqda"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/values/second_order");
    let mut seen = 0;
    for file in folder.read_dir().expect("stored values") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
        let stored: Value = serde_json::from_str(&text).expect("values");
        let base = if stored["base"] == "floating" { Base::Floating } else { Base::Fixed };
        // As Pinocchio reads it: 1.57079632679 stays as it is, although a right angle is only 5e-12
        // away.
        let options = ReadOptions { base, snap: Some(0.0), ..Default::default() };
        let urdf = root.join(stored["urdf"].as_str().expect("a path"));
        let model =
            rbd_build::urdf::read_file(urdf.to_str().expect("a path"), &options).expect("a robot").model;
        let (q, v, a) = (list(&stored["q"]), list(&stored["v"]), list(&stored["a"]));
        let n = model.nv;
        let of = reference::rnea_second_derivatives(&model, &mut Data::new(&model), &q, &v, &a, None);
        let owned = Owned::from_model(&model).expect("tables");
        let padded = owned.padded::<32>().expect("room");
        let tables = padded.tables();
        let mut loops = NAMES.map(|_| vec![0.0; n * n * n]);
        let given = Given { q: &q, v: &v, a: &a, mu: &[], fext: &[], turned: None };
        rnea_second_derivatives(&tables, given, loops.each_mut().map(|x| x.as_mut_slice()));
        let pages = [of.d2tau_dqdq, of.d2tau_dqdv, of.d2tau_dvdv, of.d2tau_dqda];
        for ((name, loops), pages) in NAMES.iter().zip(&loops).zip(&pages) {
            // Stored row after row.
            let stored = list(&stored[name]);
            let at = |x: usize| (x / n / n, x / n % n, x % n);
            let by_rows = |of: &dyn Fn(usize, usize, usize) -> f64| -> Vec<f64> {
                (0..n * n * n).map(at).map(|(k, i, j)| of(k, i, j)).collect()
            };
            let reference = by_rows(&|k, i, j| pages[k][(i, j)]);
            let loops = by_rows(&|k, i, j| loops[(k * n + j) * n + i]);
            assert!(
                error(&reference, &stored) < 1e-12,
                "{name}, reference: {:e}",
                error(&reference, &stored)
            );
            assert!(error(&loops, &stored) < 1e-12, "{name}, loops: {:e}", error(&loops, &stored));
        }
        seen += 1;
    }
    assert!(seen >= 4);
}
