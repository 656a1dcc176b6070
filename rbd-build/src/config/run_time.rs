//! Checks of options against parameters at run time.

use super::{Error, Robot};
use crate::options::Shape;
use rbd_runtime::Model;

impl Robot {
    /// Checks that the requested functions support the model's parameters at run time.
    pub(super) fn check_run_time(&self, model: &Model<f64>) -> Result<(), Error> {
        if model.run_time.is_none() {
            let by_parameters = self.chosen().into_iter().find(|f| f.is_by_parameters());
            return by_parameters.map_or(Ok(()), |function| {
                let what = format!(
                    "`{}` is a derivative by what is given at run time, and nothing is; write `inertia: {{ runtime: \
                     [\"link\"] }}` or `gravity: runtime`",
                    function.name()
                );
                Err(Error::Option { name: "functions", what })
            });
        }
        let in_loops = self.shapes.of.iter().find(|(f, s)| **s == Shape::Loops && f.takes_parameters(model));
        in_loops.map_or(Ok(()), |(function, _)| {
            let what = format!(
                "loops know constant inertia and gravity, and `{}` takes what is given at run time; write `straight` or \
                 `limbs`, or nothing",
                function.name()
            );
            Err(Error::Option { name: "shape", what })
        })
    }
}
