//! Joint friction: the option, judged.

use super::{Error, Robot};
use crate::functions::Function;
use crate::options::Shape;

impl Robot {
    /// Lets the URDF's joint friction F, of `<dynamics friction="F"/>`, enter the dynamics as
    /// `F v / sqrt(v^2 + smoothing^2)`: Coulomb's, but for velocities of about the smoothing's, rad/s or m/s. It is in every
    /// function of velocities and in its derivatives, second ones included.
    #[must_use]
    pub fn friction(mut self, smoothing: f64) -> Self {
        self.read.friction = Some(smoothing);
        self
    }

    /// Whether all that is asked for can be had with friction, where loops may know it.
    pub(super) fn check_friction(&self, loops_know_it: bool) -> Result<(), Error> {
        let Some(smoothing) = self.read.friction else { return Ok(()) };
        if !(smoothing.is_finite() && smoothing > 0.0) {
            let what = format!("the smoothing {smoothing} is no velocity above zero, rad/s or m/s");
            return Err(Error::Option { name: "friction", what });
        }
        if loops_know_it {
            return Ok(());
        }
        // To second derivatives by tables friction is added afterwards.
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
