//! Steps under controls of some joints (docs/step.md#controls-of-some-joints).
//!
//! They call the functions of steps with all torques, and take the columns of the controls.

use super::Writer;
use super::function::{Array, Heading, Step, joined};
use super::memory::Memory;
use super::step::StepFunction;
use crate::emit::c_family::documentation::shown;
use crate::emit::c_family::helpers::Written;
use crate::emit::c_family::text::{extent, wrapped};
use crate::names::interned;
use crate::signatures::signature::{Dim, Dims};
use rbd_runtime::Model;
use std::fmt::Write;

const COLUMNS: &str = "/* What a control has of derivatives by all torques. */";
/// Memory of the function that is called.
const INNER: &str = "inner";

/// The functions in the form of controls, which are the torques of these velocity coordinates.
pub fn definitions(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    controls: &[usize],
    functions: &[StepFunction],
) -> Written {
    let mut all = Written::default();
    if controls.is_empty() {
        return all;
    }
    let _ = writeln!(
        all,
        "#define {}_NU {} /* controls: coordinates of the actuated joints, in the order of the option */\n",
        gpu.prefix.to_uppercase(),
        controls.len()
    );
    functions.iter().for_each(|function| all.push(definition(gpu, model, controls, function)));
    all
}

/// A result by controls, of one by torques.
fn by_controls(array: Array, nu: usize) -> Array {
    let (name, of_controls) = (interned(&array.name.replace("tau", "u")), Dim::Fixed(nu));
    let shape = match (array.name.matches("tau").count(), array.shape) {
        (0, shape) => shape,
        (1, Dims::Matrix(rows, _)) => Dims::Matrix(rows, of_controls),
        (1, _) => Dims::Vector(of_controls),
        _ => Dims::Matrix(of_controls, of_controls),
    };
    Array { name, shape }
}

fn definition(gpu: &Writer<'_>, model: &Model<f64>, controls: &[usize], of: &StepFunction) -> Written {
    let (heading, nu, sizes) = (of.callee.heading(), controls.len(), of.sizes);
    let is_by_torques = |array: &&Array| array.name.contains("tau");
    let by_torques: Vec<Array> = heading.outputs.iter().filter(is_by_torques).copied().collect();
    // All torques, and results by them.
    let pieces = by_torques.iter().map(|array| (array.name, extent(array.shape, sizes)));
    let inner = of.callee.len_of("work", sizes);
    let memory = Memory { pieces: vec![("tau", model.nv)] }.and(pieces).and([(INNER, inner)]);

    let mut torques = gpu.text("for (unsigned k = 0; k < SIZE; k++) RBD_AT(tau, k) = 0;\n", model);
    for (k, control) in controls.iter().enumerate() {
        let _ = writeln!(torques, "RBD_AT(tau, {control}) = RBD_AT(u, {k});");
    }
    let mut steps = vec![Step::Parts(vec![torques.into()])];
    steps.extend(of.callee.calls(|name| if name == "work" { INNER } else { name }));
    if !by_torques.is_empty() {
        let text = columns(controls, &by_torques, |array| extent(array.shape, sizes) / model.nv);
        steps.push(Step::Alike { parts: nu.into(), doc: COLUMNS, text });
    }
    let steps: Vec<Step> = joined(steps).into_iter().map(|step| memory.in_step(gpu, step)).collect();

    let all = heading.outputs.iter().filter(|array| array.name != "work");
    let outputs: Vec<Array> = all.map(|array| by_controls(*array, nu)).chain(memory.array()).collect();
    let name = format!("actuated_{}", of.name);
    let params = heading.params.iter().map(|array| by_controls(*array, nu)).collect();
    let ending = &heading.name[format!("{}_{}", gpu.prefix, of.name).len()..];
    let new = Heading {
        name: format!("{}_{name}{ending}", gpu.prefix),
        given: heading.given.clone(),
        params,
        outputs,
    };
    let numbers: Vec<String> = controls.iter().map(usize::to_string).collect();
    let mut text = format!(
        "/* {} under controls u [{nu}], N m, N: the torques of the velocity coordinates\n * {}, in this order. Other \
         torques are zero.\n *",
        heading.name,
        numbers.join(", ")
    );
    for array in &by_torques {
        let own = by_controls(*array, nu);
        let _ =
            write!(text, "\n * gives {} {} in place of {}", own.name, shown(own.shape, sizes), array.name);
    }
    let definition = new.definition(gpu, sizes, &steps);
    text += &memory.documentation(gpu, &name);
    text = format!("{text} */\n{}{}", memory.defined(gpu, &name), definition.text);
    Written { text, ..definition }
}

/// Statements that take what belongs to a control out of results by all torques.
fn columns(controls: &[usize], by_torques: &[Array], rows: impl Fn(&Array) -> usize) -> String {
    let nu = controls.len();
    let numbers: Vec<String> = controls.iter().map(usize::to_string).collect();
    let table = format!("const unsigned controls[{nu}] = {{{}}};", numbers.join(", "));
    let mut text = wrapped(&table) + "\nconst unsigned coordinate = controls[part];\n";
    for array in by_torques {
        let (from, to, rows) = (array.name, by_controls(*array, nu).name, rows(array));
        let _ = match (from.matches("tau").count(), rows) {
            (1, 1) => writeln!(text, "RBD_AT({to}, part) = RBD_AT({from}, coordinate);"),
            (1, _) => writeln!(
                text,
                "for (unsigned r = 0; r < {rows}; r++) RBD_AT({to}, part * {rows} + r) = RBD_AT({from}, coordinate * {rows} + r);"
            ),
            _ => writeln!(
                text,
                "for (unsigned r = 0; r < {nu}; r++) RBD_AT({to}, part * {nu} + r) = RBD_AT({from}, coordinate * {rows} + controls[r]);"
            ),
        };
    }
    text
}
