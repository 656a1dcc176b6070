//! The same robot for GPUs.

use super::c::{Spelled, Writes};
use super::{Error, Robot};
use crate::cost::CostModel;
use crate::emit::Target as _;
use crate::emit::c_family::spelling::Real;
use crate::emit::gpu::{self, Gpu, most_alive};
use crate::findings::Findings;
use crate::fused::FusedPlan;
use crate::plan::Plan;
use rbd_runtime::Model;

/// How text for GPUs is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// `float` instead of `double`.
    pub float: bool,
}

/// A robot for GPUs, before it is written to a file.
#[derive(Clone, Debug)]
pub struct GeneratedGpu {
    /// The robot as it was read.
    pub model: Model<f64>,
    /// What was odd about the URDF, notes included.
    pub warnings: Findings,
    /// How each function is computed.
    pub functions: Vec<Plan>,
    /// How each fused function is computed.
    pub fused: Vec<FusedPlan>,
    prefix: String,
    origin: String,
    options: GpuOptions,
}

impl Robot {
    /// Reads the URDF and traces the functions, to be written as one header for CUDA C++, HIP, OpenCL C and C. What all names
    /// begin with is [`Self::name`], by default the file's stem in lower case.
    ///
    /// # Errors
    /// Everything that is wrong with the URDF, or with an option.
    pub fn trace_gpu(&self, options: GpuOptions) -> Result<GeneratedGpu, Error> {
        if let Some(what) = self.fused.iter().find_map(gpu::fault) {
            return Err(Error::Option { name: "fused", what });
        }
        let real = if options.float { Real::F32 } else { Real::F64 };
        let writes = Writes {
            written: "for GPUs",
            costs: costs(options),
            contacts: false,
            tensors: false,
            longest_hessian: LONGEST_HESSIAN,
            most_alive: Some(most_alive(real)),
            parts: false,
            for_casadi: false,
        };
        let Spelled { prefix, model, warnings, functions, fused, origin, .. } = self.spelled(&writes)?;
        Ok(GeneratedGpu { model, warnings, functions, fused, prefix, origin, options })
    }
}

/// Between quadrupeds, some 8000, and humanoids, more than 20000: what a thread of these would have to keep fits no registers, in
/// whatever parts (docs/gpu.md#registers).
const LONGEST_HESSIAN: usize = 12_000;

/// A `double` takes two registers.
fn costs(options: GpuOptions) -> CostModel {
    let of_float = Gpu::COSTS;
    let straight_line_budget = of_float.straight_line_budget / if options.float { 1 } else { 2 };
    CostModel { straight_line_budget, ..of_float }
}

impl GeneratedGpu {
    /// What all names begin with, and the file's stem.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The file's name and what is in it.
    pub fn file(&self) -> (String, String) {
        let real = if self.options.float { Real::F32 } else { Real::F64 };
        let (prefix, origin, most_alive) = (&self.prefix, &self.origin, most_alive(real));
        let target = Gpu { prefix, real, origin, most_alive };
        (format!("{}.cuh", self.prefix), target.robot_with(&self.model, &self.functions, &self.fused))
    }
}
