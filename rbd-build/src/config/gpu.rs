//! GPUs as a target of the builder.

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

/// Options of GPUs as a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// `float` instead of `double`.
    pub float: bool,
}

/// A robot for GPUs, before it is written to a file.
#[derive(Clone, Debug)]
pub struct GeneratedGpu {
    /// The robot as read from the URDF.
    pub model: Model<f64>,
    /// Findings on the URDF, notes included.
    pub warnings: Findings,
    /// The plan of each function.
    pub functions: Vec<Plan>,
    /// The plan of each fused function.
    pub fused: Vec<FusedPlan>,
    prefix: String,
    origin: String,
    options: GpuOptions,
}

impl Robot {
    /// Reads the URDF and traces the functions for one header of CUDA C++, HIP, OpenCL C and C.
    ///
    /// All names begin with [`Self::name`], by default the file's stem in lower case.
    ///
    /// # Errors
    /// All faults of the URDF, or a fault in an option.
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

/// Operations of a Hessian above which its values fit no thread's registers, in any number of parts.
///
/// Quadrupeds have about 8000 and fit. Humanoids have more than 20000 and do not (docs/gpu.md#registers).
const LONGEST_HESSIAN: usize = 12_000;

/// Costs for the chosen scalar. A `double` takes two registers, so the budget is halved.
fn costs(options: GpuOptions) -> CostModel {
    let of_float = Gpu::COSTS;
    let straight_line_budget = of_float.straight_line_budget / if options.float { 1 } else { 2 };
    CostModel { straight_line_budget, ..of_float }
}

impl GeneratedGpu {
    /// Beginning of all names, and the file's stem.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Name and text of the file.
    pub fn file(&self) -> (String, String) {
        let real = if self.options.float { Real::F32 } else { Real::F64 };
        let (prefix, origin, most_alive) = (&self.prefix, &self.origin, most_alive(real));
        let target = Gpu { prefix, real, origin, most_alive };
        (format!("{}.cuh", self.prefix), target.robot_with(&self.model, &self.functions, &self.fused))
    }
}
