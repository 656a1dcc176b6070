//! Parameters at run time, as arrays of sets. States may share one set or have one each.

use super::Writer;
use crate::emit::c_family::parameters::{defaults, numbers};
use crate::signatures::signature::{GRAVITY, INERTIA};
use rbd_runtime::Model;
use std::fmt::Write;

/// Documentation of the parameters, and their default values.
pub fn declare(gpu: &Writer<'_>, model: &Model<f64>) -> String {
    let run_time = &model.run_time;
    if run_time.is_none() {
        return String::new();
    }
    let upper = gpu.prefix.to_uppercase();
    let mut text = String::from(
        "/* Functions whose names end in _with take what is given at run time, in `sets` sets: entry k of set j is\n \
         * [k * sets + j] of its array, and state i has set i % sets. With one set it is the same for all states; with n of\n \
         * them each state has its own. There must be one at least. A device function takes pointers to the first number of\n \
         * its set, whose entries are `sets` numbers apart: 1 for arrays of a thread's own. */\n",
    );
    numbers(&mut text, gpu.prefix, model);
    if !run_time.inertias.is_empty() {
        let _ = writeln!(
            text,
            "/* inertia[{}]: of each from entry 10 k on m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about the origin of its\n \
             * frame; kg, kg m, kg m^2. */",
            10 * run_time.inertias.len()
        );
    }
    if run_time.gravity {
        text += "/* gravity[3]: acceleration in the world; m/s^2. */\n";
    }
    text += "/* What the URDF and the options say, as initialisers of one set. */\n";
    let inertia = (!run_time.inertias.is_empty()).then_some(INERTIA);
    let names = inertia.into_iter().chain(run_time.gravity.then_some(GRAVITY)).map(|param| param.name);
    for (name, numbers) in names.zip(defaults(model)) {
        let numbers: Vec<String> = numbers.iter().map(|x| gpu.real.number(*x)).collect();
        let _ = writeln!(text, "#define {upper}_GIVEN_{} {{{}}}", name.to_uppercase(), numbers.join(", "));
    }
    text + "#define RBD_OF_SET(x, k) (x)[(size_t)(k) * sets]\n\n"
}
