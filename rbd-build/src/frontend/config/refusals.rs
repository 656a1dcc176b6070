//! Refusals of what a target lacks, written from its [`Capabilities`].

use super::{Error, Robot};
use crate::emit::{Asked, Capabilities, Loops, SecondDerivatives, Target};
use crate::search::cost::CostModel;
use crate::search::shape::Shape;
use crate::table::functions::Function;
use rbd_runtime::loops::second::MOST_ROWS;

/// Option that is wrong, and what is wrong with it.
type Refusal = (&'static str, String);

impl Robot {
    /// Checks that the target has everything that is asked for.
    pub(super) fn check_target(&self, target: &dyn Target, asked: &Asked<'_>) -> Result<(), Error> {
        let (has, costs) = (target.capabilities(), target.costs());
        let rows = asked.model.bodies.iter().map(|body| body.kind.nv()).sum();
        let functions: Vec<Function> = asked.functions.iter().map(|(function, _)| *function).collect();
        self.missing(&has, asked)
            .or_else(|| self.missing_rows(rows, has.loops, &functions))
            .or_else(|| self.missing_loops(&has, asked, &functions))
            .or_else(|| self.missing_second_derivatives(&has, &costs, rows, asked))
            .map_or(Ok(()), |(name, what)| Err(Error::Option { name, what }))
    }

    /// A part of rbd that the target lacks as a whole.
    fn missing(&self, has: &Capabilities, asked: &Asked<'_>) -> Option<Refusal> {
        let run_time = &asked.model.run_time;
        let rows = [
            (has.contacts, !self.read.contacts.is_empty(), "contacts", "functions of contacts"),
            (
                has.closed_loops,
                !self.read.closed_loops.is_empty(),
                "closed_loops",
                "functions of closed loops",
            ),
            (has.step.is_some(), self.rust.step.is_some(), "step", "steps"),
            (has.actuated, !self.rust.actuated.is_empty(), "actuated", "controls of some joints"),
            (has.fused, !self.fused.is_empty(), "fused", "fused functions"),
            (has.parameters, run_time.gravity, "gravity", "parameters at run time"),
            (has.parameters, !run_time.inertias.is_empty(), "inertia", "parameters at run time"),
        ];
        let (.., option, what) = rows.into_iter().find(|(has_it, is_asked, ..)| *is_asked && !has_it)?;
        Some((option, format!("{what} are not written {} yet; leave out `{option}`", has.place)))
    }

    /// Loops for a robot with more degrees of freedom than they have room for.
    ///
    /// A user may ask for straight lines instead. For so large a robot they take too long to compile to be a
    /// default.
    fn missing_rows(&self, rows: usize, loops: Option<Loops>, functions: &[Function]) -> Option<Refusal> {
        let loops = loops.filter(|loops| rows > loops.most_rows)?;
        let is_loop = |function: &&Function| {
            let has_loops = function.has_loops() && (loops.vectors || !function.is_vector());
            let is_straight = matches!(self.shapes.of(**function), Some(Shape::Straight | Shape::Limbs));
            has_loops && !is_straight && !function.is_second_order()
        };
        let function = functions.iter().find(is_loop)?;
        let option = if self.shapes.of(*function).is_some() { "shape" } else { "functions" };
        let what = format!(
            "`{}` by loops is for robots of up to {} degrees of freedom, and this has {rows}; leave it out, or ask for the \
             shape `straight`",
            function.name(),
            loops.most_rows
        );
        Some((option, what))
    }

    /// Loops that are asked for, by name or for all functions.
    fn missing_loops(
        &self,
        has: &Capabilities,
        asked: &Asked<'_>,
        functions: &[Function],
    ) -> Option<Refusal> {
        let by_name = self.shapes.of.iter().filter(|(_, shape)| **shape == Shape::Loops).map(|(f, _)| *f);
        let for_all = functions.iter().copied().filter(|function| {
            has.loops.is_none() && function.has_loops() && self.shapes.of(*function) == Some(Shape::Loops)
        });
        let why = |function: Function| {
            let place = has.place;
            let Some(loops) = has.loops else { return Some(format!("loops are not written {place} yet")) };
            if !loops.vectors && function.is_vector() {
                return Some(format!("loops for torques or accelerations alone are not written {place} yet"));
            }
            if !loops.tensors && function.is_tensor() {
                return Some(format!("loops for tensors are not written {place} yet"));
            }
            // Compositions of second derivatives add friction after their loops.
            if self.read.friction.is_some() && !loops.friction && !function.is_second_order() {
                return Some(format!("loops know no joint friction {place}"));
            }
            let is_given = function.takes_parameters(asked.model);
            is_given.then(|| {
                "loops know constant inertia and gravity, and it takes parameters at run time".into()
            })
        };
        let (function, why) = by_name.chain(for_all).find_map(|f| Some((f, why(f)?)))?;
        let name = function.name();
        Some((
            "shape",
            format!("`{name}` is asked for in loops, but {why}; write `straight` or `limbs`, or nothing"),
        ))
    }

    /// Second derivatives that the target does not have of this robot.
    fn missing_second_derivatives(
        &self,
        has: &Capabilities,
        costs: &CostModel,
        rows: usize,
        asked: &Asked<'_>,
    ) -> Option<Refusal> {
        let (model, place) = (asked.model, has.place);
        let listed = || asked.functions.iter().map(|(f, _)| *f).filter(|f| f.is_second_order());
        let first = listed().next()?;
        let refused = |what: String| Some(("functions", what));
        let Some(SecondDerivatives { tensors, parameters, longest, .. }) = has.second_derivatives else {
            return refused(format!(
                "second derivatives are not written {place} yet; leave out `{}`",
                first.name()
            ));
        };
        if rows > MOST_ROWS {
            return refused(format!(
                "second derivatives are for robots of up to {MOST_ROWS} degrees of freedom; this has {rows}"
            ));
        }
        if let Some(tensor) = listed().find(|f| f.is_tensor() && !tensors) {
            let name = tensor.name();
            return refused(format!(
                "`{name}` gives tensors, which are not written {place} yet; `rnea_hessian` and `aba_hessian` are"
            ));
        }
        if !parameters && !model.run_time.is_none() {
            let name = first.name();
            return refused(format!(
                "`{name}` knows constant inertia and gravity {place}; leave it out, or the parameters at run time"
            ));
        }
        let parts = || listed().flat_map(|function| function.dependencies_without_loops()).copied();
        let is_long = |f: &Function| f.is_second_order() && costs.least(*f, model) > longest;
        let in_lines = |f: &Function| {
            matches!(self.shapes.within(*f, asked.functions), Some(Shape::Straight | Shape::Limbs))
        };
        let mut long = listed().chain(parts()).filter(is_long);
        let too_long = |f: Function| format!("`{}` of this robot is too long for a straight line", f.name());
        if has.loops.is_none() || !model.run_time.is_none() {
            let function = long.next()?;
            return refused(format!("{}; loops are not written {place} yet", too_long(function)));
        }
        let function = long.find(in_lines)?;
        Some(("shape", format!("{}; write `loops`, or nothing", too_long(function))))
    }
}

#[cfg(test)]
mod tests {
    use crate::emit::{Rust, Target};
    use crate::table::functions::Function;
    use crate::{Robot, Shape};
    use rbd_runtime::loops::MOST_ROWS;

    #[test]
    fn robots_of_too_many_rows_for_loops_are_refused() {
        let loops = Rust::default().capabilities().loops;
        let said = |robot: &Robot, rows: usize, of: Function| robot.missing_rows(rows, loops, &[of]);
        let (default, crba) = (Robot::from_urdf("chain.urdf"), Function::Crba);
        assert_eq!(said(&default, MOST_ROWS, crba), None);
        assert_eq!(said(&default, MOST_ROWS + 1, Function::CenterOfMass), None);
        assert_eq!(said(&default.clone().shape(Shape::Straight), MOST_ROWS + 1, crba), None);
        for (robot, option) in [(default.clone().shape(Shape::Loops), "shape"), (default, "functions")] {
            let said = said(&robot, MOST_ROWS + 1, crba).unwrap();
            assert_eq!(said.0, option);
            assert!(said.1.contains("up to 65534 degrees of freedom"), "{said:?}");
        }
    }
}
