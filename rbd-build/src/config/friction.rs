//! The option for joint friction.

use super::{Error, Robot};
use crate::functions::Function;
use crate::options::Shape;

impl Robot {
    /// Includes the URDF's joint friction F, from `<dynamics friction="F"/>`, in the dynamics.
    ///
    /// The friction force is `F v / sqrt(v^2 + smoothing^2)`, with the smoothing in rad/s or m/s.
    /// It approaches Coulomb's friction for velocities well above the smoothing.
    /// Every function of velocities includes it, and so do first and second derivatives.
    #[must_use]
    pub fn friction(mut self, smoothing: f64) -> Self {
        self.read.friction = Some(smoothing);
        self
    }

    /// Checks the smoothing and that the requested functions can include friction.
    ///
    /// With `loops_know_it`, loops can include it.
    pub(super) fn check_friction(&self, loops_know_it: bool) -> Result<(), Error> {
        let Some(smoothing) = self.read.friction else { return Ok(()) };
        if !(smoothing.is_finite() && smoothing > 0.0) {
            let what = format!("the smoothing {smoothing} is no velocity above zero, rad/s or m/s");
            return Err(Error::Option { name: "friction", what });
        }
        if loops_know_it {
            return Ok(());
        }
        // Second derivatives by tables add friction after their loops.
        let is_loop = |(f, shape): &(&Function, &Shape)| **shape == Shape::Loops && !f.is_by_tables();
        let in_loops = self.shapes.of.iter().find(is_loop);
        in_loops.map_or(Ok(()), |(function, _)| {
            let what = format!(
                "loops know no joint friction, and `{}` is to be one; write `straight` or `limbs`, or nothing",
                function.name()
            );
            Err(Error::Option { name: "shape", what })
        })
    }
}
