//! What is around the kernels: macros, device functions, and what threads are started with.

use super::Gpu;
use crate::emit::c::body::{Body, Layout};
use crate::emit::c::header::document;
use crate::emit::c::interface::{extent, first_lines, length, wrapped};
use crate::emit::c::spell::{comment, names};
use crate::emit::c::{Real, frames, text};
use crate::functions::Spec;
use crate::plan::Plan;
use crate::signature::Sizes;
use crate::steps::{Part, Step, steps};
use rbd_runtime::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

impl Gpu<'_> {
    fn text(&self, text: &str, model: &Model<f64>) -> String {
        // Every GPU's `int` has 32 bits, and a longer one is slower.
        text::of(&text.replace("WHOLE", "int"), self.prefix, self.real, model.nv)
    }

    /// The arrays of a function's arguments and results, in this kind of memory.
    fn arrays(&self, spec: &Spec, memory: &str) -> String {
        let array = |name: &str, constant: &str| {
            format!("{memory} {constant}{} *RBD_RESTRICT {name}", self.real.name())
        };
        let arguments = spec.params.iter().map(|param| array(param.name, "const "));
        let results = spec.outputs.iter().map(|output| array(output.name, ""));
        arguments.chain(results).collect::<Vec<_>>().join(", ")
    }

    /// How many numbers each array has for a state.
    fn shown_sizes(&self, spec: &Spec, sizes: Sizes) -> String {
        let arguments = spec.params.iter().map(|param| (param.name, param.kind.shape()));
        let results = spec.outputs.iter().map(|output| (output.name, output.shape));
        let each = arguments.chain(results).map(|(name, shape)| format!("{name} {}", extent(shape, sizes)));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// The names of a function's arrays.
fn array_names(spec: &Spec) -> impl Iterator<Item = &'static str> {
    spec.params.iter().map(|param| param.name).chain(spec.outputs.iter().map(|output| output.name))
}

/// The whole file.
pub fn header(gpu: &Gpu<'_>, model: &Model<f64>, plans: &[Plan]) -> String {
    let (guard, prefix, sizes) = (gpu.prefix.to_uppercase(), gpu.prefix, Sizes::from(model));
    let mut text = first_lines(&gpu.c());
    let _ = write!(
        text,
        "/* Dynamics of {}: {} moving bodies, {} configuration and {} velocity coordinates.\n \
         *\n \
         * One text for CUDA C++, HIP, OpenCL C and C99. Kernels compute n states: entry k of state i is [k * n + i] of its\n \
         * array, and entry (r, c) of a matrix with R rows is entry R * c + r. Start a thread for each state, in blocks of at\n \
         * most RBD_BLOCK threads (128, if nothing else is defined), and where a kernel has parts as many rows of blocks:\n \
         * part is blockIdx.y, or get_global_id(1). Several kernels of a function are started one after the other, with the\n \
         * same arguments. In C a kernel is a function that computes all states in a loop.\n \
         *\n \
         * Device functions compute one state, whose entries are `stride` numbers apart: 1 for arrays of a thread's own.\n \
         * Results must not overlap arguments; every entry of a result is written. Nothing is allocated, nothing can fail.\n \
         * SI units, angles in rad; quaternions are x, y, z, w. Where a function's unit says rad and N m, they are m and\n \
         * N for joints that slide.\n */\n\
         #ifndef {guard}_CUH\n#define {guard}_CUH\n\n\
         #define {guard}_NQ {} /* configuration coordinates */\n\
         #define {guard}_NV {} /* velocity coordinates */\n\
         #define {guard}_NB {} /* moving bodies */\n\n",
        comment(&model.name),
        sizes.nb,
        sizes.nq,
        sizes.nv,
        sizes.nq,
        sizes.nv,
        sizes.nb
    );
    let fp64 = match gpu.real {
        Real::F64 => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
        Real::F32 => "",
    };
    text.push_str(&gpu.text(include_str!("text/prelude.c"), model).replace("FP64", fp64));
    let functions: String = plans.iter().map(|plan| definition(gpu, model, plan)).collect();
    if names(&functions, "RBD_HYPOT") {
        text.push_str(include_str!("text/hypot.c"));
    }
    if names(&functions, &format!("{prefix}_sin_cos")) {
        let sines = text::one_sine(gpu.real) + include_str!("text/sines.c");
        text.push_str(&gpu.text(&sines, model));
    }
    text.push_str(&functions);
    text.push_str(include_str!("text/end.c"));
    text.push_str("#endif\n");
    text
}

/// A function: what it is, on the device, and its kernels.
pub fn definition(gpu: &Gpu<'_>, model: &Model<f64>, plan: &Plan) -> String {
    let (spec, sizes, name) =
        (plan.spec(), Sizes::from(model), format!("{}_{}", gpu.prefix, frames::name(model, plan)));
    let steps = steps(plan, gpu.most_alive);
    let mut text = String::new();
    document(&mut text, model, plan);
    let _ = writeln!(text, "/* Numbers of a state: {}. */", gpu.shown_sizes(spec, sizes));
    if let [Step { parts }] = &steps[..]
        && let [part] = &parts[..]
    {
        text.push_str(&function(gpu, spec, sizes, &name, part));
        text.push_str(&kernel(gpu, spec, &name, &format!("{name}_kernel"), None));
        return text;
    }
    let numbered = |what: &str, k: usize| format!("{name}_{what}{}", k + 1);
    for (k, Step { parts }) in steps.iter().enumerate() {
        text.push_str(&part_of(gpu, spec, sizes, &numbered("step", k), parts));
    }
    text.push_str(&whole(gpu, spec, &name, &steps));
    for (k, Step { parts }) in steps.iter().enumerate() {
        text.push_str(&kernel(gpu, spec, &numbered("step", k), &numbered("kernel", k), Some(parts.len())));
    }
    let _ = writeln!(text, "#define {}_KERNELS {}\n", name.to_uppercase(), steps.len());
    text
}

/// The head of a device function.
fn head(gpu: &Gpu<'_>, spec: &Spec, name: &str, more: &str) -> String {
    let arrays = gpu.arrays(spec, "RBD_SPACE");
    format!(
        "RBD_PERHAPS_UNUSED\n{}\n",
        wrapped(&format!("static void {name}({more}unsigned stride, {arrays})"))
    )
}

/// What computes a part: sines and cosines, and then its kernels.
fn body(gpu: &Gpu<'_>, sizes: Sizes, part: &Part) -> String {
    let c = gpu.c();
    let (mut coordinates, mut blocks) = (BTreeSet::new(), String::new());
    for version in part {
        let body = Body::new(&c, Layout::Strided, false, version);
        coordinates.extend(body.coordinates());
        let _ = write!(blocks, "{{\n{}}}\n", indented(&body.text(), 1));
    }
    angles(gpu, sizes, &coordinates) + &blocks
}

/// What no body reads.
fn unused(spec: &Spec, bodies: &[String]) -> String {
    let arrays = array_names(spec).map(|array| (array, array));
    let all = arrays.chain([("stride", "RBD_AT")]);
    let unused = all.filter(|(_, read_as)| !bodies.iter().any(|body| names(body, read_as)));
    unused.map(|(name, _)| format!("    (void){name};\n")).collect()
}

/// What computes all of it.
fn function(gpu: &Gpu<'_>, spec: &'static Spec, sizes: Sizes, name: &str, part: &Part) -> String {
    let body = body(gpu, sizes, part);
    let (head, unused) = (head(gpu, spec, name, ""), unused(spec, std::slice::from_ref(&body)));
    format!("{head}{{\n{unused}{}}}\n\n", indented(&body, 1))
}

/// What computes the part that is asked for.
fn part_of(gpu: &Gpu<'_>, spec: &'static Spec, sizes: Sizes, name: &str, parts: &[Part]) -> String {
    let bodies: Vec<String> = parts.iter().map(|part| body(gpu, sizes, part)).collect();
    let (head, unused) = (head(gpu, spec, name, "unsigned part, "), unused(spec, &bodies));
    let mut text = format!("{head}{{\n{unused}    switch (part) {{\n");
    for (k, body) in bodies.iter().enumerate() {
        let _ = write!(text, "    case {k}: {{\n{}        break;\n    }}\n", indented(body, 2));
    }
    text + "    default: break;\n    }\n}\n\n"
}

/// So many steps to the right.
fn indented(text: &str, depth: usize) -> String {
    text.lines().map(|line| format!("{:1$}{line}\n", "", 4 * depth)).collect()
}

/// Sines and cosines of coordinates.
fn angles(gpu: &Gpu<'_>, sizes: Sizes, coordinates: &BTreeSet<u32>) -> String {
    let mut text = String::new();
    if !coordinates.is_empty() {
        let _ = writeln!(text, "{} sin_q[{1}], cos_q[{1}];", gpu.real.name(), length(sizes.nq));
    }
    for k in coordinates {
        let _ = writeln!(text, "sin_q[{k}] = RBD_AT(q, {k});");
        let _ = writeln!(text, "{}_sin_cos(1, sin_q + {k}, sin_q + {k}, cos_q + {k});", gpu.prefix);
    }
    text
}

/// All steps in one thread.
fn whole(gpu: &Gpu<'_>, spec: &Spec, name: &str, steps: &[Step]) -> String {
    let arrays: Vec<&str> = array_names(spec).collect();
    let mut text = format!("{}{{\n", head(gpu, spec, name, ""));
    for (k, Step { parts }) in steps.iter().enumerate() {
        let call = wrapped(&format!("        {name}_step{}(part, stride, {});", k + 1, arrays.join(", ")));
        let _ = writeln!(
            text,
            "    RBD_NOT_UNROLLED\n    for (unsigned part = 0; part < {}; part++) {{\n{call}\n    }}",
            parts.len()
        );
    }
    text + "}\n\n"
}

/// What threads are started with: it calls the function, or the function of a step with the part.
fn kernel(gpu: &Gpu<'_>, spec: &Spec, calls: &str, name: &str, parts: Option<usize>) -> String {
    let arrays = gpu.arrays(spec, "RBD_GLOBAL");
    let at_state: Vec<String> = array_names(spec).map(|array| format!("{array} + i")).collect();
    let at_state = at_state.join(", ");
    let head = wrapped(&format!("RBD_KERNEL {name}(unsigned n, {arrays})"));
    let call = match parts {
        None => wrapped(&format!("        {calls}(n, {at_state});")),
        Some(parts) => format!(
            "        RBD_EACH_PART(part, {parts}) {{\n{}\n        }}",
            wrapped(&format!("            {calls}(part, n, {at_state});"))
        ),
    };
    let mut text = format!("{head}\n{{\n    RBD_EACH_STATE(i, n) {{\n{call}\n    }}\n}}\n");
    if let Some(parts) = parts {
        let _ = writeln!(text, "#define {}_PARTS {parts}", name.to_uppercase());
    }
    text + "\n"
}
