//! Rust as a target. Generated code needs only `rbd_runtime::__private`.
//!
//! Kernels are text, since they may have hundreds of thousands of statements. `interface` writes the rest.

mod actuated;
mod angles;
mod batches;
mod body;
mod contacts;
mod docs;
mod families;
mod fills;
mod frames;
mod function;
mod fused;
mod interface;
mod layout;
mod left_out;
mod loops;
mod manifold;
mod parts;
mod registers;
mod run_time;
mod scalar_functions;
mod static_model;
mod step;
mod structures;
mod tables;
mod target;
mod types;

pub(crate) use actuated::{controls, coordinates};
use contacts::own_types;
pub(super) use fused::described;
pub use interface::Module;

use crate::search::cost::{CostModel, LoopCosts};
use crate::tree::Packing;
use rbd_runtime::Integrator;

/// Files of the runtime that are written from the tables of functions: paths in its `src`, and texts.
pub fn runtime_files() -> [(&'static str, String); 3] {
    [
        ("functions.rs", families::runtime_text()),
        ("contact/functions.rs", contacts::runtime_text()),
        ("batch/methods.rs", batches::runtime_text()),
    ]
}

/// Rust that calls `rbd-runtime`. Its options are Rust text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rust {
    /// Visibility of the robot's type, such as `pub(crate)`; may be empty.
    pub visibility: String,
    /// Attributes of the robot's type, doc comments included.
    pub attributes: String,
    /// Path of the module that generated code finds the runtime in.
    pub runtime_path: String,
    /// Integrator of the functions of steps, if there are any.
    pub step: Option<Integrator>,
    /// Joints whose torques are the controls of steps, by name. Without any, there are no controls.
    pub actuated: Vec<String>,
    /// True if kernels become machine code while the program runs, without rustc.
    pub at_run_time: bool,
}

/// Costs of loops over tables, measured with AVX-512 on two processors (docs/shapes.md#published-arms).
pub(super) const LOOPS: LoopCosts = LoopCosts {
    per_call: 600,
    per_register: 1000,
    per_row: 42,
    derivatives: [1990, 30],
    forward: [837, 20],
    // Baxter has 19 joints, two of them mimic.
    // Its loops take 3090 ns, and a straight line of 7079 operations takes 1227 ns.
    merged: 2,
    above: 22,
    below: 29,
    per_store: 12,
    torques: [900, 450, 110],
    accelerations: [1000, 450, 270],
    // Chains and trees of 30 to 200 links, with AVX2.
    per_solved: [10, 60],
    hessian_tenths: 15,
    // An arm's tensors take as long as a straight line for one state (docs/shapes.md#batches).
    per_pair: 200,
};

/// Costs of loops over tables that are compiled for no robot. Tensors of an arm take 1.25 times as long as by
/// the machine code of a straight line, and four times in batches, where that has states side by side.
const LOOPS_AT_RUN_TIME: LoopCosts = LoopCosts { per_pair: 400, ..LOOPS };

impl Rust {
    /// Costs where kernels become machine code at run time.
    pub const COSTS_AT_RUN_TIME: CostModel = CostModel { tables: Some(LOOPS_AT_RUN_TIME), ..Self::COSTS };

    /// Costs on a current processor, with registers of two or four `f64`.
    pub const COSTS: CostModel = CostModel {
        // Fused operations take about five bytes each, and the cache has 32 KiB.
        straight_line_budget: 6000,
        // Beyond the cache, code runs 2.3 times slower (measured).
        beyond_budget: 13,
        stages_share_cache: true,
        // A full register block computes sixteen products at once.
        // Its beginning and end cost about fifty operations (measured).
        looped_at_once: 16,
        block: (12, 4),
        per_block: 50,
        // A pivot is a division, four dependent products, and the combination of the panel's columns
        // (docs/shapes.md).
        per_pivot: 150,
        // Limbs in fours and pairs, with or without fours of equal ends on unlike limbs. Else fours alone.
        packings: &[
            &[Packing { lanes: &[4, 2], across: false }, Packing { lanes: &[4, 2], across: true }],
            &[Packing { lanes: &[4], across: false }],
        ],
        packed_quarters: 3,
        // A humanoid's derivatives of forward dynamics in pairs take rustc minutes.
        // Most of their cost is a looped product anyway.
        operations_in_pairs: 16_000,
        tables: Some(LOOPS),
        longest_hessian: 6000,
        longest_tensors: 20_000,
        hopeless: 2,
        // An unoptimised macro, the default, traces some 200000 nodes a second.
        nodes_traced: 150_000,
    };
}
