//! Limit on degrees of freedom by loops over tables.

use super::{Error, Robot};
use crate::cost::CostModel;
use crate::functions::Function;
use crate::options::Shape;

impl Robot {
    /// Refuses functions whose loops the robot exceeds, unless the user asked for a straight line.
    ///
    /// A straight line for so many degrees of freedom takes too long to compile to be a default.
    /// Second derivatives are checked elsewhere.
    pub(super) fn check_rows(
        &self,
        rows: usize,
        costs: &CostModel,
        wanted: &[Function],
    ) -> Result<(), Error> {
        let Some(loops) = costs.tables.filter(|loops| rows > loops.most_rows) else { return Ok(()) };
        let is_loop = |function: &&Function| {
            let has_loops = function.has_loops() && (loops.know_vectors || !function.is_vector());
            let is_straight = matches!(self.shapes.of(**function), Some(Shape::Straight | Shape::Limbs));
            has_loops && !is_straight && !function.is_by_tables()
        };
        let Some(function) = wanted.iter().find(is_loop) else { return Ok(()) };
        let name = if self.shapes.of(*function).is_some() { "shape" } else { "functions" };
        let what = format!(
            "`{}` by loops is for robots of up to {} degrees of freedom, and this has {rows}; leave it out, or ask for the \
             shape `straight`",
            function.name(),
            loops.most_rows
        );
        Err(Error::Option { name, what })
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::CostModel;
    use crate::emit::{Rust, Target};
    use crate::functions::Function;
    use crate::{Robot, Shape};
    use rbd_runtime::loops::MOST_ROWS;

    #[test]
    fn robots_of_too_many_rows_for_loops_are_refused() {
        const COSTS: CostModel = <Rust<'static> as Target>::COSTS;
        let said = |robot: &Robot, rows: usize, of: Function| {
            robot.check_rows(rows, &COSTS, &[of]).map_err(|error| error.to_string())
        };
        let (default, crba) = (Robot::from_urdf("chain.urdf"), Function::Crba);
        assert_eq!(said(&default, MOST_ROWS, crba), Ok(()));
        assert_eq!(said(&default, MOST_ROWS + 1, Function::CenterOfMass), Ok(()));
        assert_eq!(said(&default.clone().shape(Shape::Straight), MOST_ROWS + 1, crba), Ok(()));
        for (robot, option) in [(default.clone().shape(Shape::Loops), "shape"), (default, "functions")] {
            let said = said(&robot, MOST_ROWS + 1, crba).unwrap_err();
            assert!(said.contains(option) && said.contains("up to 65534 degrees of freedom"), "{said}");
        }
    }
}
