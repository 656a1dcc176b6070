//! The header around the functions: macros, sines, and the text of each plan.

use super::contacts::{self, Contacts};
use super::function::{Callee, Heading, Step, body};
use super::step::Steps;
use super::{Writer, fused, run_time, second_order, step, zeros};
use crate::emit::c_family::documentation::document;
use crate::emit::c_family::helpers::{Helper, Written};
use crate::emit::c_family::names::name;
use crate::emit::c_family::sines::one_sine;
use crate::emit::c_family::spelling::{Real, comment};
use crate::emit::c_family::text::{self, first_lines};
use crate::fused::FusedFunction;
use crate::search::plan::{Plan, Version};
use crate::search::steps::{self, Share, steps};
use crate::signatures::signature::{GRAVITY, INERTIA, Output, Param, Sizes};
use crate::table::routines::Dependency;
use rbd_runtime::Model;
use std::fmt::Write;

impl Writer<'_> {
    pub(super) fn text(&self, text: &str, model: &Model<f64>) -> String {
        // On every GPU an `int` has 32 bits, and longer integers are slower.
        text::of(&text.replace("WHOLE", "int"), self.prefix, self.real, model.nv)
    }

    /// Stages as text, in steps.
    pub(super) fn steps(&self, sizes: Sizes, stages: &[&Version]) -> Vec<Step> {
        self.steps_that_leave(sizes, &steps(stages, self.most_alive), &[])
    }

    /// Steps as text. Users may leave zeros of the results `left` alone.
    fn steps_that_leave(&self, sizes: Sizes, steps: &[steps::Step], left: &[Output]) -> Vec<Step> {
        let parts = |shares: &[Share]| shares.iter().map(|part| body(self, sizes, part, left)).collect();
        steps.iter().map(|step| Step::Parts(parts(&step.shares))).collect()
    }
}

/// The whole file.
pub fn header(
    gpu: &Writer<'_>,
    model: &Model<f64>,
    plans: &[Plan],
    all_fused: &[Plan<FusedFunction>],
    all_contacts: &Contacts<'_>,
    steps_of: Option<Steps<'_>>,
) -> String {
    let (guard, sizes) = (gpu.prefix.to_uppercase(), Sizes::from(model));
    let mut text = first_lines(gpu.origin);
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
         * Results must not overlap arguments; every entry of a result is written. With RBD_LEAVE_ZEROS entries of matrices that\n \
         * are zero in every state are left alone: fill results with zeros once. Nothing is allocated, nothing can fail.\n \
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
    text.push_str(&run_time::declare(gpu, model));
    let mut functions = Written::default();
    plans.iter().for_each(|plan| functions.push(definition(gpu, model, plan)));
    let mut under_contacts = Vec::new();
    if !all_contacts.at.is_empty() {
        let (text, made) = contacts::definitions(gpu, model, all_contacts);
        functions.push(text);
        under_contacts = made;
    }
    all_fused.iter().for_each(|plan| functions.push(fused::definition(gpu, model, plan)));
    if let Some(steps) = steps_of {
        functions.push(step::definition(gpu, model, steps, plans, &under_contacts));
    }
    if functions.helpers.contains(&Helper::Hypot) {
        text.push_str(include_str!("text/hypot.c"));
    }
    if functions.helpers.contains(&Helper::Sines) {
        let sines = one_sine(gpu.real) + include_str!("text/sines.c");
        text.push_str(&gpu.text(&sines, model));
    }
    text.push_str(&functions.text);
    text.push_str(include_str!("text/end.c"));
    text.push_str("#endif\n");
    text
}

/// A function: documentation, device function and kernels.
pub fn definition(gpu: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Written {
    let sizes = Sizes::from(model);
    let mut text = String::new();
    let made_of = plan.composition.as_ref().map(|of| second_order::made_of(of));
    document(&mut text, model, plan, made_of.as_deref());
    if made_of.is_some() {
        text += second_order::REMARK;
    }
    let heading = heading(gpu, model, plan);
    let steps = match &plan.composition {
        Some(of) => second_order::steps(gpu, model, of),
        None => {
            let stages: Vec<&Version> = plan.stages.iter().map(|stage| &stage.scalar).collect();
            let steps = steps(&stages, gpu.most_alive);
            // A caller may use a result of a frame for several frames.
            let left = if plan.frame.is_none() { zeros::left(&steps) } else { Vec::new() };
            gpu.steps_that_leave(sizes, &steps, &left)
        }
    };
    let Written { text: definition, helpers } = heading.definition(gpu, sizes, &steps);
    Written { text: text + &definition, helpers }
}

/// A function that is written, for steps that call it.
pub(super) fn callee(gpu: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Callee {
    let stages: Vec<&Version> = plan.stages.iter().map(|stage| &stage.scalar).collect();
    let parts = match &plan.composition {
        Some(of) => second_order::steps(gpu, model, of).iter().map(Step::parts).collect(),
        None => steps(&stages, gpu.most_alive).iter().map(|step| step.shares.len().into()).collect(),
    };
    heading(gpu, model, plan).callee(parts)
}

/// Name, parameters and results of a function.
pub(super) fn heading(gpu: &Writer<'_>, model: &Model<f64>, plan: &Plan) -> Heading {
    let (spec, name) = (plan.spec(), format!("{}_{}", gpu.prefix, name(model, plan)));
    let with_parameters = plan.function.takes_parameters(model);
    // First derivatives of a composition are results as well.
    let first = plan.composition.as_ref().and_then(|of| of.dependency(Dependency::First)).map(Plan::spec);
    let outputs = first.into_iter().chain([spec]).flat_map(|spec| spec.outputs);
    let outputs = outputs.map(|output| (*output).into()).collect();
    Heading {
        name: if with_parameters { format!("{name}_with") } else { name },
        given: if with_parameters { given(model) } else { Vec::new() },
        params: spec.params.iter().map(|param| (*param).into()).collect(),
        outputs,
    }
}

/// Parameters at run time. A function that takes one of them takes all.
pub(super) fn given(model: &Model<f64>) -> Vec<Param> {
    let run_time = &model.run_time;
    let inertia = (!run_time.inertias.is_empty()).then_some(INERTIA);
    inertia.into_iter().chain(run_time.gravity.then_some(GRAVITY)).collect()
}
