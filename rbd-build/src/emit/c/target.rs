//! C as a target: options and capabilities.

use super::{Contacts, Files, Real, Steps, Writer, fused, is_header, tables};
use crate::emit::c_family::{names, spelling};
use crate::emit::error::Error;
use crate::emit::generated::Generated;
use crate::emit::{Asked, Capabilities, Loops, SecondDerivatives, Solves, StepForms, Target};
use crate::search::TOO_LONG;
use crate::search::cost::CostModel;
use crate::table::functions::Function;
use rbd_runtime::Model;
use rbd_runtime::loops::second::MOST_ROWS;

/// C99: a header and a source, which need nothing but a sine and a cosine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct C {
    /// `float` instead of `double`.
    pub float: bool,
    /// Also writes a file through which CasADi calls the functions.
    /// The Hessians of torques and accelerations then belong to the default functions.
    /// Exceptions are robots with parameters at run time.
    pub casadi: bool,
    /// Also writes a file with the discrete step as acados calls it, for robots with the option `step`.
    pub acados: bool,
}

/// Hessians that CasADi's adjoint functions call.
const HESSIANS: [Function; 2] = [Function::RneaHessian, Function::AbaHessian];

impl Target for C {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            place: "in C",
            contacts: true,
            closed_loops: true,
            parts_of_contacts: true,
            fused: true,
            step: Some(StepForms::All),
            actuated: true,
            parameters: true,
            loops: Some(Loops {
                most_rows: tables::MOST_ROWS,
                friction: true,
                vectors: false,
                tensors: true,
                solves: Solves::Never,
            }),
            second_derivatives: Some(SecondDerivatives {
                tensors: true,
                parameters: true,
                longest: TOO_LONG,
                calls_parts: true,
            }),
            ..Capabilities::straight_lines("in C")
        }
    }

    fn costs(&self) -> CostModel {
        Self::COSTS
    }

    fn default_functions(&self, model: &Model<f64>) -> Vec<Function> {
        let rows: usize = model.bodies.iter().map(|body| body.kind.nv()).sum();
        // With parameters at run time, Hessians are straight lines, which may be too long.
        let has_hessians = model.run_time.is_none() && rows <= MOST_ROWS;
        let hessians = self.casadi && has_hessians;
        let is_written = |f: &Function| !f.is_second_order() || hessians && HESSIANS.contains(f);
        Function::default_ones().filter(is_written).collect()
    }

    fn name_of(&self, stem: &str) -> String {
        spelling::prefix(stem)
    }

    fn check(&self, asked: &Asked<'_>) -> Result<(), Error> {
        if self.float && self.casadi {
            let what = "CasADi computes in double; leave out `float`".into();
            return Err(Error::Option { name: "casadi", what });
        }
        if self.float && self.acados {
            let what = "acados computes in double; leave out `float`".into();
            return Err(Error::Option { name: "acados", what });
        }
        if self.acados && !asked.step {
            let what = "acados calls the discrete step; give `step`, such as `semi_implicit`".into();
            return Err(Error::Option { name: "acados", what });
        }
        if self.acados && asked.actuated {
            let what = "acados' controls are all torques; leave out `actuated`, or `acados`".into();
            return Err(Error::Option { name: "actuated", what });
        }
        if self.acados && asked.model.nv == 0 {
            let what = "acados moves what has coordinates, and this robot has none; leave out `acados`";
            return Err(Error::Option { name: "acados", what: what.into() });
        }
        if is_header(asked.name) {
            let what = format!(
                "`{}.h` is a header of C's library, which this one would hide; choose another name",
                asked.name
            );
            return Err(Error::Option { name: "name", what });
        }
        names::check(asked, "in C", |fused| fused::fault(self.real(), fused))
    }

    fn files(&self, robot: &Generated) -> Vec<(String, String)> {
        let (prefix, origin) = (&robot.name, &robot.origin());
        let writer = Writer { prefix, real: self.real(), origin };
        let Generated { model, contacts, functions, fused, .. } = robot;
        let controls = robot.controls();
        let steps = robot.integrator().map(|integrator| Steps { integrator, controls: &controls });
        let rows = if contacts.is_empty() { Vec::new() } else { robot.contact_rows() };
        let of_contacts = Contacts { at: contacts, rows: &rows };
        let own = writer.robot_with(model, of_contacts, functions, fused, steps);
        let acados = self
            .acados
            .then(|| (format!("{prefix}_acados.c"), writer.acados(model, contacts, functions, &own)));
        let Files { header, source } = own;
        let mut files = vec![(format!("{prefix}.h"), header), (format!("{prefix}.c"), source)];
        if self.casadi {
            let text = writer.casadi(model, contacts, functions, robot.integrator());
            files.push((format!("{prefix}_casadi.c"), text));
        }
        files.extend(acados);
        files
    }
}

impl C {
    fn real(self) -> Real {
        Real::of(self.float)
    }
}
