//! C as a target of the builder.

use super::{Error, Robot};
use crate::cost::CostModel;
use crate::emit::c::{C, Real, is_header};
use crate::emit::c_family::names;
use crate::emit::c_family::spelling::{is_prefix, prefix};
use crate::emit::{Target, c};
use crate::findings::Findings;
use crate::frames::{ContactAt, FrameAt};
use crate::functions::Function;
use crate::fused::{Fused, FusedPlan};
use crate::options::Shape;
use crate::plan::Plan;
use crate::progress::Step;
use crate::search::{Search, TOO_LONG};
use rbd_runtime::Model;
use rbd_runtime::loops::second::MOST_ROWS;

/// Options of C as a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct COptions {
    /// `float` instead of `double`.
    pub float: bool,
    /// Also writes a file through which CasADi calls the functions.
    /// The Hessians of torques and accelerations then belong to the default functions.
    /// Exceptions are robots with planar, spherical or floating joints or with parameters at run time.
    pub casadi: bool,
}

/// A robot in C, before it is written to files.
#[derive(Clone, Debug)]
pub struct GeneratedC {
    /// The robot as read from the URDF.
    pub model: Model<f64>,
    /// Findings on the URDF, notes included.
    pub warnings: Findings,
    /// The plan of each function.
    pub functions: Vec<Plan>,
    /// The plan of each fused function.
    pub fused: Vec<FusedPlan>,
    contacts: Vec<ContactAt>,
    prefix: String,
    origin: String,
    options: COptions,
}

/// Capabilities of a target with the syntax of C.
pub(super) struct Writes {
    /// The target in messages, such as `in C`.
    pub written: &'static str,
    pub costs: CostModel,
    pub contacts: bool,
    /// Second derivatives as tensors.
    pub tensors: bool,
    /// Lower bound on operations, by [`CostModel::least`], from which a Hessian is too long for a straight
    /// line.
    pub longest_hessian: usize,
    /// Most values alive in a thread, for targets that cut functions into parts.
    pub most_alive: Option<usize>,
    /// Functions that others call are written as well.
    pub parts: bool,
    /// CasADi calls the functions. Its solvers need Hessians.
    pub for_casadi: bool,
}

/// Hessians that CasADi's adjoint functions call.
const HESSIANS: [Function; 2] = [Function::RneaHessian, Function::AbaHessian];

/// A robot read and planned for a target with the syntax of C.
pub(super) struct Spelled {
    pub prefix: String,
    pub model: Model<f64>,
    pub warnings: Findings,
    pub functions: Vec<Plan>,
    pub fused: Vec<FusedPlan>,
    pub contacts: Vec<ContactAt>,
    pub origin: String,
}

const WRITES: Writes = Writes {
    written: "in C",
    costs: C::COSTS,
    contacts: true,
    tensors: true,
    longest_hessian: TOO_LONG,
    most_alive: None,
    parts: true,
    for_casadi: false,
};

impl Robot {
    /// Reads the URDF and traces the functions for C.
    ///
    /// All names begin with [`Self::name`], by default the file's stem in lower case.
    ///
    /// # Errors
    /// All faults of the URDF, or a fault in an option.
    pub fn trace_c(&self, options: COptions) -> Result<GeneratedC, Error> {
        if options.float && options.casadi {
            let what = "CasADi computes in double; leave out `float`".into();
            return Err(Error::Option { name: "casadi", what });
        }
        let Spelled { prefix, model, warnings, functions, fused, contacts, origin } =
            self.spelled(&Writes { for_casadi: options.casadi, ..WRITES })?;
        if is_header(&prefix) {
            let what = format!(
                "`{prefix}.h` is a header of C's library, which this one would hide; choose another name"
            );
            return Err(Error::Option { name: "name", what });
        }
        let target = C { prefix: &prefix, real: real_of(options), origin: &origin };
        if let Some(what) = fused.iter().find_map(|plan| target.fault_of(&plan.call.fused)) {
            return Err(Error::Option { name: "fused", what });
        }
        Ok(GeneratedC { model, warnings, functions, fused, contacts, prefix, origin, options })
    }

    /// Reads and traces for a target with the syntax of C.
    pub(super) fn spelled(&self, writes: &Writes) -> Result<Spelled, Error> {
        let Writes { written, costs, .. } = *writes;
        let prefix = match &self.name {
            None => prefix(&self.urdf.file_stem().unwrap_or_default().to_string_lossy()),
            Some(name) if is_prefix(name) => name.clone(),
            Some(name) => {
                let what = format!(
                    "`{name}` cannot begin names in C; write a letter of ASCII, then letters, digits and single `_`"
                );
                return Err(Error::Option { name: "name", what });
            }
        };
        self.check_functions()?;
        self.check_friction(costs.tables.is_some_and(|loops| loops.know_friction))?;
        if !writes.contacts {
            self.refuse_contacts(written)?;
        }
        let reading = self.judged()?;
        self.check_run_time(&reading.model)?;
        self.check_fused(&prefix, &reading)?;
        let rows = reading.model.bodies.iter().map(|body| body.kind.nv()).sum();
        self.check_rows(rows, &costs, &self.chosen())?;
        let search = Search::new(&reading.model, costs).observed(&self.observer);
        let has_loops = costs.tables.is_some() && search.has_hessian_by_constants();
        let mut wanted = self.wanted(&reading);
        if self.functions.is_none() {
            let hessians = writes.for_casadi && self.has_hessians_for_casadi(&reading.model, &search, writes);
            wanted.retain(|(f, _)| !f.is_by_tables() || hessians && HESSIANS.contains(f));
        }
        let is_tensor =
            |f: Function| f.is_by_tables() && f.spec().result.is_none_or(|r| !r.ends_with("Hessian"));
        if let Some((function, _)) = wanted.iter().find(|(f, _)| is_tensor(*f) && !writes.tensors) {
            let what = format!(
                "`{}` gives tensors, which are not written {written}; `rnea_hessian` and `aba_hessian` are",
                function.name()
            );
            return Err(Error::Option { name: "functions", what });
        }
        let second = wanted.iter().find(|(f, _)| f.is_by_tables());
        if let Some((function, _)) = second.filter(|_| !reading.model.run_time.is_none()) {
            let what = format!(
                "`{}` knows constant inertia and gravity; leave it out, or what is given at run time",
                function.name()
            );
            return Err(Error::Option { name: "functions", what });
        }
        let straight = Search::new(&reading.model, CostModel { tables: None, ..costs });
        let asked_for = wanted.clone();
        let tensors = asked_for.iter().map(|(f, _)| *f).filter(|f| is_tensor(*f));
        let tensors: Vec<Function> = tensors
            .filter(|f| has_loops && search.has_tensors_by_loops(self.shape_within(*f, &asked_for)))
            .collect();
        let made_of = |function: Function| match tensors.contains(&function) {
            true => function.parts(&reading.model),
            false => function.parts_without_loops(),
        };
        // A function's parts are written as well, since it calls them.
        for part in asked_for.iter().flat_map(|(f, _)| made_of(*f)) {
            if wanted.iter().all(|(f, _)| f != part) {
                wanted.push((*part, None));
            }
        }
        wanted.sort_by_key(|(f, _)| *f);
        let all = [&asked_for[..], &wanted].concat();
        self.check_loops(&all, &search, has_loops, writes)?;
        self.observer.tell(Step::Searching { functions: wanted.len() });
        let mut functions: Vec<Plan> = Vec::new();
        // Second derivatives of torques come first: those of accelerations are composed of them.
        let of_torques = |(f, _): &&(Function, _)| f.is_by_tables() && made_of(*f).is_empty();
        for &(function, frame) in
            wanted.iter().filter(of_torques).chain(wanted.iter().filter(|f| !of_torques(f)))
        {
            // First derivatives that are only parts become loops if loops are emitted anyway: their text is
            // then there.
            let beside_loops = || {
                let is_part = asked_for.iter().all(|(f, _)| *f != function);
                let are_there = functions.iter().any(|p| p.is_by_tables() && p.parts.is_empty());
                (is_part && (are_there || !tensors.is_empty())).then_some(Shape::Loops)
            };
            let made_of = made_of(function);
            functions.push(if made_of.is_empty() {
                let shape = self.shape_within(function, &wanted).or_else(beside_loops);
                if function.is_by_tables() && !has_loops {
                    straight.cheapest_of(function, frame, shape.filter(|shape| *shape != Shape::Loops))
                } else {
                    let plan = search.cheapest_of(function, frame, shape);
                    match writes.most_alive {
                        Some(most) => search.for_threads(plan, most),
                        None => plan,
                    }
                }
            } else {
                // Parts precede the function in the table, so their plans exist.
                let parts = functions.iter().filter(|p| made_of.contains(&p.function) && p.parts.is_empty());
                search.of_parts(function, parts.cloned().collect())
            });
            self.observer.tell(Step::Found { function });
        }
        functions.sort_by_key(|plan| plan.function);
        if !writes.parts {
            functions.retain(|plan| asked_for.iter().any(|(f, at)| (*f, *at) == (plan.function, plan.frame)));
        }
        let names: Vec<String> = functions.iter().map(|plan| names::name(&reading.model, plan)).collect();
        if let Some(method) = self.fused.iter().map(Fused::method).find(|method| names.contains(method)) {
            let what =
                format!("there is another function `{method}` {written}; call the result something else");
            return Err(Error::Option { name: "fused", what });
        }
        let fused = self.calls(&reading).into_iter().map(|call| search.fused(call)).collect();
        let urdf = self.urdf.file_name().unwrap_or_default().to_string_lossy();
        self.observer.tell(Step::Writing);
        Ok(Spelled {
            model: reading.model,
            warnings: reading.warnings,
            functions,
            fused,
            contacts: reading.contacts,
            prefix,
            origin: format!("rbd {} from {urdf}", env!("CARGO_PKG_VERSION")),
        })
    }

    /// The requested shape of a function, or of one that it is a part of.
    fn shape_within(&self, function: Function, wanted: &[(Function, Option<FrameAt>)]) -> Option<Shape> {
        let makes = |of: &&Function| of.parts_without_loops().contains(&function);
        let asked = |f: Function| self.shapes.of.get(&f).copied();
        let of_whole = || wanted.iter().map(|(f, _)| f).filter(makes).find_map(|f| asked(*f));
        asked(function).or_else(of_whole).or(self.shapes.of_all)
    }

    /// True if Hessians that nobody listed can be written and CasADi can use them. CasADi differentiates by
    /// coordinates.
    fn has_hessians_for_casadi(&self, model: &Model<f64>, search: &Search<'_>, writes: &Writes) -> bool {
        let is_too_long = || HESSIANS.iter().any(|f| search.is_longer_than(*f, writes.longest_hessian));
        let loops_allowed = || !matches!(self.shapes.of_all, Some(Shape::Straight | Shape::Limbs));
        C::has_derivatives_for_casadi(model)
            && model.run_time.is_none()
            && (!is_too_long() || search.has_hessian_by_constants() && loops_allowed())
    }

    /// Checks that the target has the loops requested by name and those that second derivatives need.
    fn check_loops(
        &self,
        wanted: &[(Function, Option<FrameAt>)],
        search: &Search<'_>,
        has_loops: bool,
        Writes { written, longest_hessian, .. }: &Writes,
    ) -> Result<(), Error> {
        let no_loops = if search.costs.tables.is_none() {
            format!("loops are not written {written} yet")
        } else {
            format!(
                "loops that are written {written} know at most {MOST_ROWS} degrees of freedom, and no parameters at run time"
            )
        };
        for (function, _) in wanted {
            let by_name = self.shapes.of.get(function) == Some(&Shape::Loops);
            let has_none =
                search.costs.tables.is_some_and(|loops| !loops.know_vectors && function.is_vector());
            if by_name && has_none {
                let what = format!(
                    "`{}` is asked for in loops, but no loops for torques or accelerations alone are written {written} yet; \
                     write `straight` or `limbs`, or nothing",
                    function.name()
                );
                return Err(Error::Option { name: "shape", what });
            }
            let is_asked = match search.costs.tables {
                None => self.shapes.of(*function) == Some(Shape::Loops),
                Some(_) => function.is_by_tables() && by_name,
            };
            if is_asked && !has_loops {
                let what = format!(
                    "`{}` is asked for in loops, but {no_loops}; write `straight` or `limbs`, or nothing",
                    function.name()
                );
                return Err(Error::Option { name: "shape", what });
            }
            if !function.is_by_tables() || !search.is_longer_than(*function, *longest_hessian) {
                continue;
            }
            let what = format!("`{}` of this robot is too long for a straight line", function.name());
            if !has_loops {
                return Err(Error::Option { name: "functions", what: format!("{what}; {no_loops}") });
            }
            if matches!(self.shape_within(*function, wanted), Some(Shape::Straight | Shape::Limbs)) {
                return Err(Error::Option {
                    name: "shape",
                    what: format!("{what}; write `loops`, or nothing"),
                });
            }
        }
        Ok(())
    }
}

fn real_of(options: COptions) -> Real {
    if options.float { Real::F32 } else { Real::F64 }
}

impl GeneratedC {
    /// Beginning of all names, and the files' stem.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    fn target(&self) -> C<'_> {
        C { prefix: &self.prefix, real: real_of(self.options), origin: &self.origin }
    }

    /// Names and texts of the files: header, source and, with the option `casadi`, CasADi's file.
    pub fn files(&self) -> Vec<(String, String)> {
        let target = self.target();
        let c::Files { header, source } =
            target.robot_with(&self.model, &self.contacts, &self.functions, &self.fused);
        let prefix = &self.prefix;
        let mut files = vec![(format!("{prefix}.h"), header), (format!("{prefix}.c"), source)];
        if self.options.casadi {
            files.push((format!("{prefix}_casadi.c"), target.casadi(&self.model, &self.functions)));
        }
        files
    }
}
