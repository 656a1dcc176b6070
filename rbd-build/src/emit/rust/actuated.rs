//! Steps under controls of some joints: methods, and the trait, whose functions the runtime has.

use super::function::doc_lines;
use super::types::{ident, number};
use crate::names::nearest::nearest;
use proc_macro2::TokenStream;
use quote::quote;
use rbd_runtime::Model;

/// Velocity coordinates of these joints, in this order.
///
/// # Errors
/// A name that no joint with coordinates has, or a joint that is named twice.
pub(crate) fn coordinates(model: &Model<f64>, joints: &[String]) -> Result<Vec<usize>, String> {
    let mut all = Vec::new();
    for (k, name) in joints.iter().enumerate() {
        if joints[..k].contains(name) {
            return Err(format!("`{name}` is given twice"));
        }
        let Some(body) = model.bodies.iter().find(|body| body.joint == *name) else {
            let help = nearest(name, model.bodies.iter().map(|body| body.joint.as_str()));
            let help = help.map_or("name joints that move".into(), |near| format!("did you mean `{near}`?"));
            return Err(format!("there is no moving joint `{name}`; {help}"));
        };
        if let Some(mimic) = &body.mimic {
            let leader = &model.bodies[mimic.joint].joint;
            return Err(format!("`{name}` follows `{leader}` and has no torque of its own; name `{leader}`"));
        }
        all.extend(body.idx_v..body.idx_v + body.nv());
    }
    Ok(all)
}

/// Velocity coordinates of these joints, whose names were judged with the other options.
pub(crate) fn controls(model: &Model<f64>, joints: &[String]) -> Vec<usize> {
    coordinates(model, joints).expect("names are judged with the other options")
}

/// Methods of a robot with the option `actuated`, and its implementation of the trait.
///
/// `coordinates` are the velocity coordinates of the controls.
pub fn items(coordinates: &[usize], type_name: &str, model: &Model<f64>) -> TokenStream {
    if coordinates.is_empty() {
        return TokenStream::new();
    }
    let (robot, [nq, nv, nu]) = (ident(type_name), [model.nq, model.nv, coordinates.len()].map(number));
    let coordinates = coordinates.iter().copied().map(number);
    let docs = |lines: &[&str]| doc_lines(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
    let count = docs(&["Number of controls: coordinates of the actuated joints."]);
    let torques =
        docs(&["The torques `S^T u` of all coordinates: those of the controls, and zero elsewhere."]);
    let columns = docs(&["The columns of the controls, of a derivative by all torques."]);
    let step = docs(&[
        "The state after a time `dt` (s) under the controls `u`, which are constant meanwhile.",
        "",
        "[`Self::step`] with the torques `S^T u`.",
    ]);
    let derivatives = docs(&[
        "[`Self::actuated_step`] with derivatives in the tangent spaces of the old and the new state.",
        "",
        "`A = [dq_dq dq_dv; dv_dq dv_dv]`, blocks NV x NV, and `B = [dq_du; dv_du]`, blocks NV x NU.",
    ]);
    let hessian = docs(&[
        "[`Self::step_hessian`] with the controls in place of the torques: value, gradient and Hessian by the state and the controls.",
    ]);
    let takes = quote! {
        q: &rt::SVector<T, #nq>, v: &rt::SVector<T, #nv>, u: &rt::SVector<T, #nu>, dt: T
    };
    let of_trait = quote!(<Self as rt::ActuatedSteps<#nq, #nv, #nu>>);
    quote! {
        #[doc = " # Step under controls"]
        impl #robot {
            #count
            pub const NU: usize = #nu;
            #torques
            #[must_use]
            pub fn torques<T: rt::Scalar>(u: &rt::SVector<T, #nu>) -> rt::SVector<T, #nv> {
                #of_trait::torques(u)
            }
            #columns
            #[must_use]
            pub fn of_controls<T: rt::Scalar, const ROWS: usize>(
                by_torques: &rt::SMatrix<T, ROWS, #nv>
            ) -> rt::SMatrix<T, ROWS, #nu> {
                #of_trait::of_controls(by_torques)
            }
            #step
            #[must_use]
            pub fn actuated_step<T: rt::Scalar>(#takes) -> rt::Step<T, #nq, #nv> {
                #of_trait::actuated_step(q, v, u, dt)
            }
            #derivatives
            #[must_use]
            pub fn actuated_step_derivatives<T: rt::Scalar>(
                #takes
            ) -> rt::ActuatedStepDerivatives<T, #nq, #nv, #nu> {
                #of_trait::actuated_step_derivatives(q, v, u, dt)
            }
            #hessian
            #[must_use]
            pub fn actuated_step_hessian<T: rt::Scalar>(
                #takes, lambda_q: &rt::SVector<T, #nv>, lambda_v: &rt::SVector<T, #nv>
            ) -> rt::ActuatedStepHessian<T, #nv, #nu> {
                #of_trait::actuated_step_hessian(q, v, u, dt, lambda_q, lambda_v)
            }
        }
        impl rt::ActuatedSteps<#nq, #nv, #nu> for #robot {
            const ACTUATED: [usize; #nu] = [#(#coordinates),*];
        }
    }
}
