//! Setters of options from text on the command line.

use super::super::Robot;
use crate::fused::Fused;
use crate::search::shape::Shape;
use crate::table::functions::Function;
use rbd_runtime::{ContactKind, Integrator};

type Outcome = Result<Robot, String>;

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// A joint and a number.
fn of_joint(text: &str) -> Result<(&str, f64), String> {
    // The last `=` separates: a joint's name may contain one.
    let (joint, value) = text.rsplit_once('=').ok_or("expected a joint and a number, as in elbow=0.5")?;
    Ok((joint, number(value)?))
}

fn twice(joint: &str) -> String {
    format!("gives joint `{joint}` twice")
}

pub fn gravity(robot: Robot, text: &str) -> Outcome {
    let numbers = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    let n = numbers.len();
    let gravity =
        numbers.try_into().map_err(|_| format!("expected three numbers, as in 0,0,-9.81; here are {n}"))?;
    Ok(robot.gravity(gravity))
}

pub fn lock(robot: Robot, text: &str) -> Outcome {
    let (joint, position) = of_joint(text)?;
    if robot.read.lock.contains_key(joint) { Err(twice(joint)) } else { Ok(robot.lock(joint, position)) }
}

pub fn armature(robot: Robot, text: &str) -> Outcome {
    let (joint, inertia) = of_joint(text)?;
    if robot.read.armature.contains_key(joint) {
        Err(twice(joint))
    } else {
        Ok(robot.armature(joint, inertia))
    }
}

pub fn allow(robot: Robot, text: &str) -> Outcome {
    Ok(robot.allow(text.trim()))
}

/// Functions of a name, which is a function's or a family's.
///
/// # Errors
/// A message with the nearest names, if there is none.
pub fn functions_named(text: &str) -> Result<Vec<Function>, String> {
    let name = text.trim();
    Function::named(name).ok_or_else(|| format!("there is no such function: {}", Function::unknown(name)))
}

/// Adds functions to those named before. Families may overlap.
pub fn functions(mut robot: Robot, text: &str) -> Outcome {
    let listed = robot.functions.get_or_insert_default();
    let new = functions_named(text)?;
    listed.extend(new.into_iter().filter(|function| !listed.contains(function)).collect::<Vec<_>>());
    Ok(robot)
}

pub fn frames(robot: Robot, text: &str) -> Outcome {
    Ok(robot.frames([text.trim()]))
}

pub fn contacts(robot: Robot, text: &str) -> Outcome {
    match text.trim().rsplit_once('=') {
        None => Ok(robot.contact(text.trim(), ContactKind::Point)),
        Some((name, "point")) => Ok(robot.contact(name, ContactKind::Point)),
        Some((name, "plane")) => Ok(robot.contact(name, ContactKind::Plane)),
        Some((_, kind)) => Err(format!("a contact is a `point` or a `plane`, and no `{kind}`")),
    }
}

pub fn closed_loops(robot: Robot, text: &str) -> Outcome {
    let expected =
        || format!("expected a name and two frames, as in bar=rod:pivot or bar=rod:pivot:6, not `{text}`");
    let (name, frames) = text.split_once('=').ok_or_else(expected)?;
    let (frames, kind) = match frames.split(':').map(str::trim).collect::<Vec<_>>()[..] {
        [a, b] | [a, b, "3"] => ([a, b], ContactKind::Point),
        [a, b, "6"] => ([a, b], ContactKind::Plane),
        _ => return Err(expected()),
    };
    Ok(robot.closed_loop(name.trim(), frames.map(str::to_owned), kind))
}

pub fn inertia(robot: Robot, text: &str) -> Outcome {
    match text.trim() {
        "all" => Ok(robot.all_inertia_at_run_time()),
        link => Ok(robot.inertia_at_run_time([link])),
    }
}

pub fn loads(robot: Robot, text: &str) -> Outcome {
    Ok(robot.loads([text.trim()]))
}

pub fn fused(robot: Robot, text: &str) -> Outcome {
    Ok(robot.fused(text.parse::<Fused>().map_err(|fault| fault.to_string())?))
}

pub fn friction(robot: Robot, text: &str) -> Outcome {
    Ok(robot.friction(number(text)?))
}

pub fn snap(robot: Robot, text: &str) -> Outcome {
    Ok(robot.snap(number(text)?))
}

pub fn shape(robot: Robot, text: &str) -> Outcome {
    let (of, name) = match text.split_once('=') {
        Some((of, name)) => (Some(of.trim()), name.trim()),
        None => (None, text.trim()),
    };
    let of = of.map(|of| Function::from_name(of).ok_or_else(|| format!("there is no function `{of}`")));
    let shape = Shape::from_name(name).ok_or_else(|| {
        format!("there is no shape `{name}`; there are {}", Shape::ALL.map(Shape::name).join(", "))
    });
    Ok(match of.transpose()? {
        Some(function) if robot.shapes.of.contains_key(&function) => {
            return Err(format!("gives the shape of `{}` twice", function.name()));
        }
        Some(function) => robot.shape_of(function, shape?),
        None => robot.shape(shape?),
    })
}

pub fn step(robot: Robot, text: &str) -> Outcome {
    let integrator = match text.trim() {
        "semi_implicit" => Integrator::SemiImplicit,
        "explicit" => Integrator::Explicit,
        "rk4" => Integrator::Rk4,
        "implicit_damping" => Integrator::ImplicitDamping,
        other => {
            return Err(format!(
                "there is no integrator `{other}`; there are semi_implicit, explicit, rk4, implicit_damping"
            ));
        }
    };
    Ok(robot.step(integrator))
}
