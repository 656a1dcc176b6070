//! The table of functions of contacts: names, parameters, results, documentation, and the functions they
//! call.
//!
//! These rows have no plans. Each target computes them by code common to all robots.
//! That code calls functions of the whole robot and functions of the contacts' frames.
//! Names, signatures, documentation, result types, traits and refusals of all targets come from the rows.

use super::{Form, Function};
use crate::signatures::signature::{
    A, DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, Dim, Dims, Output, Param, Q, TAU, TAU_GIVEN, V,
};
use rbd_runtime::Model;

/// A parameter of a function of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactParam {
    /// Part of the state, as in other functions.
    State(Param),
    /// Forces of all contacts, row by row.
    Forces,
    /// Active contacts.
    Active,
    /// Coefficient of restitution: separation velocity over approach velocity.
    Restitution,
    /// Settings of the constraint solver.
    Settings,
    /// Axes of rows, in the form with axes.
    Axes,
}

impl ContactParam {
    /// Name in signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State(param) => param.name,
            Self::Forces => "forces",
            Self::Active => "active",
            Self::Restitution => "restitution",
            Self::Settings => "settings",
            Self::Axes => "axes",
        }
    }
}

/// Row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ContactSpec {
    /// Name of the function.
    pub name: &'static str,
    /// The function of `rbd_runtime::contact` that computes it.
    pub runtime: &'static str,
    /// Description, in Markdown.
    pub doc: &'static str,
    /// Equations.
    pub equation: Option<&'static str>,
    /// Further remarks, in Markdown.
    pub note: Option<&'static str>,
    /// Parameters, in order.
    pub params: &'static [ContactParam],
    /// Results, in order.
    pub outputs: &'static [Output],
    /// Struct of several results. A single result is returned directly.
    pub result: Option<&'static str>,
    /// Functions of the whole robot that it calls. It takes parameters at run time if one of them does.
    pub needs: &'static [Function],
    /// True if a form takes the axes of its rows. Other functions have axes in the settings, or no rows.
    pub has_axes: bool,
}

const fn output(name: &'static str, shape: Dims, unit: &'static str, doc: &'static str) -> Output {
    Output { name, shape, symmetric: false, unit, doc }
}

/// A vector with a number for each row.
const fn rows(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Vector(Dim::Nr), unit, doc)
}

/// A matrix with derivatives of each row.
const fn wide(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Matrix(Dim::Nr, Dim::Nv), unit, doc)
}

const fn tall(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Vector(Dim::Nv), unit, doc)
}

const fn square(name: &'static str, unit: &'static str, doc: &'static str) -> Output {
    output(name, Dims::Matrix(Dim::Nv, Dim::Nv), unit, doc)
}

const FORCES: Output = rows("forces", "N, N m", "forces of the world on the robot, row by row");
const RESIDUAL: Output = rows("residual", "m/s^2, rad/s^2", "how far each row is from holding");
const FORCES_DQ: Output = wide("forces_dq", "N/rad", "derivative of the forces in the tangent space of q");
const FORCES_DV: Output = wide("forces_dv", "N s/rad", "derivative of the forces by the velocity");
const FORCES_DTAU: Output = wide("forces_dtau", "1/m", "derivative of the forces by the torques");
/// Contacts change the derivative: it is not the inverse of the mass matrix.
const HELD_DDQ_DTAU: Output = Output { doc: "derivative of the accelerations by the torques", ..DDQ_DTAU };

const V_PLUS: Output = tall("v_plus", "rad/s", "joint velocities after the impact");
const IMPULSES: Output = rows("impulses", "N s, N m s", "impulses of the world on the robot, row by row");
const IMPACT_RESIDUAL: Output = rows("residual", "m/s, rad/s", "how far each row is from holding");
const V_PLUS_DQ: Output =
    square("v_plus_dq", "1/s", "derivative of the velocities after the impact in the tangent space of q");
const V_PLUS_DV: Output =
    square("v_plus_dv", "1", "derivative of the velocities after the impact by those before");
const V_PLUS_DRESTITUTION: Output =
    tall("v_plus_drestitution", "rad/s", "derivative of the velocities after the impact by the restitution");
const IMPULSES_DQ: Output =
    wide("impulses_dq", "N s/rad", "derivative of the impulses in the tangent space of q");
const IMPULSES_DV: Output =
    wide("impulses_dv", "kg/rad, kg m/rad", "derivative of the impulses by the velocities before");
const IMPULSES_DRESTITUTION: Output =
    rows("impulses_drestitution", "N s, N m s", "derivative of the impulses by the restitution");

const JACOBIAN: Output = wide("jacobian", "m/rad, 1", "velocities of the rows by v");
const DELASSUS: Output = Output {
    symmetric: true,
    ..output(
        "delassus",
        Dims::Matrix(Dim::Nr, Dim::Nr),
        "1/kg, 1/(kg m^2)",
        "accelerations of the rows by forces",
    )
};
const ERRORS: Output = rows("errors", "m, rad", "distances, row by row");
const PLACEMENTS: Output =
    output("placements", Dims::Placements(Dim::Nc), "1, m", "pose of each contact's frame in the world");

use ContactParam::{Active, Forces, Restitution, Settings, State};
use Function as F;

/// The table, in the order of documentation.
pub static CONTACT_FUNCTIONS: [ContactSpec; 9] = [
    ContactSpec {
        name: "contact_dynamics",
        runtime: "dynamics",
        doc: "Forward dynamics under contacts: accelerations, and forces at the active contacts.",
        equation: Some("M(q) ddq + C(q, v) v + g(q) = tau + J^T forces, J ddq + dJ/dt v + kd J v + kp e = 0"),
        note: Some(
            "J has the rows of the active contacts, in the axes of the settings, by default the contacts' own.",
        ),
        params: &[State(Q), State(V), State(TAU_GIVEN), Active, Settings],
        outputs: &[DDQ, FORCES, RESIDUAL],
        result: Some("ContactDynamics"),
        needs: &[F::Minv, F::Bias],
        has_axes: false,
    },
    ContactSpec {
        name: "contact_dynamics_derivatives",
        runtime: "derivatives",
        doc: "`contact_dynamics` with derivatives by q (in its tangent space), v and tau.",
        equation: None,
        note: None,
        params: &[State(Q), State(V), State(TAU_GIVEN), Active, Settings],
        outputs: &[DDQ, FORCES, RESIDUAL, DDQ_DQ, DDQ_DV, HELD_DDQ_DTAU, FORCES_DQ, FORCES_DV, FORCES_DTAU],
        result: Some("ContactDynamicsDerivatives"),
        needs: &[F::Minv, F::Bias, F::RneaDerivativesFext],
        has_axes: false,
    },
    ContactSpec {
        name: "contact_impulse",
        runtime: "impulse",
        doc: "Velocities after an impact at the active contacts, and impulses.",
        equation: Some("M(q) (v_plus - v) = J^T impulses, J v_plus = -restitution J v"),
        note: Some("Of the settings, `mu`, `iterations` and `axes` are used."),
        params: &[State(Q), State(V), Active, Restitution, Settings],
        outputs: &[V_PLUS, IMPULSES, IMPACT_RESIDUAL],
        result: Some("ContactImpulse"),
        needs: &[F::Minv],
        has_axes: false,
    },
    ContactSpec {
        name: "contact_impulse_derivatives",
        runtime: "impulse_derivatives",
        doc: "`contact_impulse` with derivatives by q (in its tangent space), v and the restitution.",
        equation: None,
        note: None,
        params: &[State(Q), State(V), Active, Restitution, Settings],
        outputs: &[
            V_PLUS,
            IMPULSES,
            IMPACT_RESIDUAL,
            V_PLUS_DQ,
            V_PLUS_DV,
            V_PLUS_DRESTITUTION,
            IMPULSES_DQ,
            IMPULSES_DV,
            IMPULSES_DRESTITUTION,
        ],
        result: Some("ContactImpulseDerivatives"),
        needs: &[F::Minv, F::RneaDerivativesFext],
        has_axes: false,
    },
    ContactSpec {
        name: "contact_inverse_dynamics",
        runtime: "inverse_dynamics",
        doc: "Inverse dynamics under contact forces.",
        equation: Some("tau = M(q) a + C(q, v) v + g(q) - J^T forces"),
        note: None,
        params: &[State(Q), State(V), State(A), Forces],
        outputs: &[TAU],
        result: None,
        needs: &[F::RneaFext],
        has_axes: true,
    },
    ContactSpec {
        name: "contact_jacobian",
        runtime: "jacobian",
        doc: "Jacobian J of the active contacts. Rows of the others are zero.",
        equation: None,
        note: None,
        params: &[State(Q), Active],
        outputs: &[JACOBIAN],
        result: None,
        needs: &[],
        has_axes: true,
    },
    ContactSpec {
        name: "delassus",
        runtime: "delassus",
        doc: "Delassus matrix of the active contacts. Rows and columns of the others are zero.",
        equation: Some("delassus = J M(q)^-1 J^T"),
        note: None,
        params: &[State(Q), Active],
        outputs: &[DELASSUS],
        result: None,
        needs: &[F::Minv],
        has_axes: true,
    },
    ContactSpec {
        name: "contact_errors",
        runtime: "errors",
        doc: "Distances of the active contacts from where they are to be, row by row.",
        equation: None,
        note: Some("Closed loops are to be closed, contacts with the world at their anchors."),
        params: &[State(Q), Active, Settings],
        outputs: &[ERRORS],
        result: None,
        needs: &[],
        has_axes: false,
    },
    ContactSpec {
        name: "contact_placements",
        runtime: "placements",
        doc: "Poses of the contacts' frames in the world: anchors, where contacts are made.",
        equation: None,
        note: Some("Those of closed loops are of their first frames."),
        params: &[State(Q)],
        outputs: &[PLACEMENTS],
        result: None,
        needs: &[],
        has_axes: false,
    },
];

/// Functions of the contacts' frames that describe the motion of rows.
const OF_FRAMES: [Function; 6] = [
    F::FramePlacement,
    F::FrameJacobian,
    F::FrameVelocity,
    F::FrameBiasAcceleration,
    F::FrameVelocityDerivatives,
    F::FrameAccelerationDerivatives,
];

impl ContactSpec {
    /// True for a large result, which users may want written in place.
    pub fn is_large(&self) -> bool {
        self.result.is_some() && self.outputs.iter().any(|o| matches!(o.shape, Dims::Matrix(..)))
    }

    /// True if its only result is a Jacobian, of which a form that writes in place leaves zeros alone.
    pub fn leaves_zeros(&self) -> bool {
        let is_jacobian = |o: &Output| o.shape == Dims::Matrix(Dim::Nr, Dim::Nv);
        self.result.is_none() && self.outputs.iter().all(is_jacobian)
    }

    /// True if a form has another that writes its result in place. In the world's axes zeros are other
    /// entries.
    pub fn has_place(&self, form: Form) -> bool {
        self.is_large() || self.leaves_zeros() && !form.axes
    }

    /// True if it takes the robot's parameters at run time.
    pub fn takes_parameters(&self, model: &Model<f64>) -> bool {
        self.needs.iter().any(|function| function.takes_parameters(model))
    }

    /// Parameters of a form, without parameters at run time.
    pub fn params_of(&self, form: Form) -> impl Iterator<Item = ContactParam> {
        self.params.iter().copied().chain(form.axes.then_some(ContactParam::Axes))
    }

    /// The plain form, and the form with axes if there is one.
    pub fn axes_forms(&self) -> impl Iterator<Item = Form> + use<> {
        let with_axes = Form { axes: true, ..Form::default() };
        std::iter::once(Form::default()).chain(self.has_axes.then_some(with_axes))
    }

    /// Documentation common to all forms, in paragraphs of Markdown.
    pub fn paragraphs(&self) -> impl Iterator<Item = String> + use<> {
        let (equation, note) = (self.equation.map(|equation| format!("`{equation}`")), self.note);
        std::iter::once(self.doc.into()).chain(equation).chain(note.map(String::from))
    }

    /// Documentation of one of [`Self::axes_forms`], in paragraphs of Markdown.
    pub fn docs(&self, form: Form) -> Vec<String> {
        if form.axes {
            return vec![format!("`{}` with rows in these axes.", self.name)];
        }
        let own = self.has_axes.then(|| "Rows are in the contacts' own axes.".to_owned());
        self.paragraphs().chain(own).collect()
    }
}

/// All functions of contacts, in their plain forms and those with axes.
pub fn contact_functions() -> impl Iterator<Item = (&'static ContactSpec, Form)> {
    CONTACT_FUNCTIONS.iter().flat_map(|spec| spec.axes_forms().map(move |form| (spec, form)))
}

impl Function {
    /// True if functions of contacts call it.
    pub fn is_for_contacts(self) -> bool {
        OF_FRAMES.contains(&self) || CONTACT_FUNCTIONS.iter().any(|spec| spec.needs.contains(&self))
    }

    /// Functions of the whole robot that functions of contacts call.
    pub fn needed_by_contacts() -> impl Iterator<Item = Self> {
        super::FUNCTIONS
            .iter()
            .map(|spec| spec.function)
            .filter(|function| CONTACT_FUNCTIONS.iter().any(|spec| spec.needs.contains(function)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several results have a struct, and axes are in the settings or an argument, never both.
    #[test]
    fn rows_are_whole() {
        for spec in &CONTACT_FUNCTIONS {
            assert_eq!(spec.result.is_none(), spec.outputs.len() == 1, "{}", spec.name);
            assert_eq!(spec.params[0], State(Q), "{}", spec.name);
            assert!(!spec.has_axes || !spec.params.contains(&Settings), "{}: settings have axes", spec.name);
        }
    }

    /// docs/contacts.md lists each function with its parameters.
    #[test]
    fn functions_are_in_the_documents() {
        let page = include_str!("../../../../docs/contacts.md");
        for (spec, form) in contact_functions() {
            let name = form.name(spec.name);
            let params: Vec<_> = spec.params_of(form).map(ContactParam::name).collect();
            let call = match form.axes {
                true => format!("`{name}(.., axes)`"),
                false => format!("`{name}({})`", params.join(", ")),
            };
            assert!(page.contains(&call), "{call}");
        }
    }
}
