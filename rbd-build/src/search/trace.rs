//! Tracing of functions: from a tree to graphs, and from graphs to plans.

use crate::algorithms::Draft;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::Strategy;
use crate::search::plan::{Plan, Stage, Version, Wire};
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{GRAVITY, INERTIA, Q, Sizes};
use crate::table::functions::Function;
use crate::table::routines;
use crate::table::routines::draft as loops;
use crate::tree::{BodyForm, Moment, Origin, Rewrite, Tree};
use rbd_ir::graph::{Graph, OperationCount, Rule, Rules};
use rbd_ir::passes::{Ir, schedule};
use rbd_ir::products::Product;
use rbd_runtime::Model;

/// A traced stage of a function, not yet scheduled. It suffices to estimate costs.
#[derive(Clone, Debug)]
pub struct TracedStage {
    /// Strategy of the computation.
    pub strategy: Strategy,
    /// Frames and forms of inertia.
    pub rewrite: Rewrite,
    /// Graph of operations.
    pub ir: Ir,
    /// Place of each array.
    pub wires: Vec<Wire>,
}

/// A function traced by one strategy.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The function.
    pub function: Function,
    /// The frame, for a function of a frame.
    pub frame: Option<FrameAt>,
    /// Strategy of the computation.
    pub strategy: Strategy,
    /// Stages, in order.
    pub stages: Vec<TracedStage>,
}

impl Function {
    /// Plans for a tree, one for each strategy of the function.
    pub fn trace_all(self, tree: &Tree) -> Vec<Plan> {
        self.plans(tree, Rules::default())
    }

    /// Plans of a function of a frame, one for each strategy.
    pub fn trace_all_of(self, tree: &Tree, frame: FrameAt) -> Vec<Plan> {
        self.candidates(tree, Some(frame), Rules::default()).into_iter().map(Candidate::plan).collect()
    }

    /// Plans traced without one of the simplification rules, to measure its gain.
    pub fn trace_all_without(self, tree: &Tree, rule: Rule) -> Vec<Plan> {
        self.plans(tree, Rules::default().without(rule))
    }

    /// Plan of loops over tables, if the function and the robot have them.
    pub fn trace_loops(self, model: &Model<f64>) -> Option<Plan> {
        self.in_loops(model, false, Strategy::LOOPS).map(Candidate::plan)
    }

    /// Plan of loops that solve for columns, if the function and the robot have them.
    pub fn trace_solving_loops(self, model: &Model<f64>) -> Option<Plan> {
        self.in_loops(model, false, Strategy::SOLVING_LOOPS).map(Candidate::plan)
    }

    fn plans(self, tree: &Tree, rules: Rules) -> Vec<Plan> {
        self.candidates(tree, None, rules).into_iter().map(Candidate::plan).collect()
    }

    /// Traces the function by every strategy.
    pub(crate) fn candidates(self, tree: &Tree, frame: Option<FrameAt>, rules: Rules) -> Vec<Candidate> {
        let strategies = (self.spec().strategies)(tree);
        strategies.into_iter().map(|strategy| self.candidate(tree, frame, strategy, rules)).collect()
    }

    /// Candidate by loops over tables, if the function and the robot have them.
    ///
    /// With joint friction, the target's loops must include it.
    pub(crate) fn in_loops(
        self,
        model: &Model<f64>,
        know_friction: bool,
        strategy: Strategy,
    ) -> Option<Candidate> {
        if !model.run_time.is_none() || model.friction_smoothing.is_some() && !know_friction {
            // Tables are constants.
            return None;
        }
        let sizes = Sizes::from(model);
        let mut draft = Draft::new(sizes, self.spec().params, strategy, 0);
        loops::draft(self, model, strategy == Strategy::SOLVING_LOOPS, &mut draft)?;
        let Draft { arrays, wires, calls, products, .. } = draft;
        let ir = Ir { nodes: Graph::new().finish(), arrays, entries: Vec::new(), calls, products };
        let form = BodyForm { share: None, moment: Moment::Entries, origin: Origin::AtChild };
        let rewrite = Rewrite::uniform(model, false, form);
        let stage = TracedStage { strategy, rewrite, ir, wires };
        Some(Candidate { function: self, frame: None, strategy, stages: vec![stage] })
    }

    /// Traces the function by one strategy.
    pub(crate) fn candidate(
        self,
        tree: &Tree,
        frame: Option<FrameAt>,
        strategy: Strategy,
        rules: Rules,
    ) -> Candidate {
        let stages =
            (0..strategy.stages).map(|stage| self.stage(tree, frame, strategy, stage, rules)).collect();
        Candidate { function: self, frame, strategy, stages }
    }

    /// Traces one stage.
    pub(crate) fn stage(
        self,
        tree: &Tree,
        frame: Option<FrameAt>,
        strategy: Strategy,
        stage: usize,
        rules: Rules,
    ) -> TracedStage {
        let graph = Graph::with(rules);
        let sizes = Sizes { nq: tree.nq, nv: tree.nv, nb: tree.nb, np: tree.np, ..Sizes::default() };
        let mut draft = Draft::new(sizes, self.spec().params, strategy, stage);
        draft.frame = frame;
        let q = draft.param(Q);
        let inertia = (tree.np > 0 && self.depends_on_inertia()).then(|| draft.given(INERTIA));
        let gravity = (tree.gravity_is_given && self.depends_on_gravity()).then(|| draft.given(GRAVITY));
        let given = Given { inertia, gravity };
        (self.spec().trace)(&SymbolicRobot::new(&graph, tree, q, given), &mut draft);
        let Draft { arrays, wires, entries, calls, products, .. } = draft;
        let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
        let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(rules);
        TracedStage { strategy: strategy.stage(stage), rewrite: tree.rewrite.clone(), ir, wires }
    }
}

impl TracedStage {
    /// Schedules the graph as statements.
    pub fn version(self) -> Version {
        Version {
            strategy: self.strategy,
            rewrite: self.rewrite,
            straight_line: self.ir.count(),
            kernel: schedule(&self.ir),
            wires: self.wires,
        }
    }

    /// Operations, loops included.
    pub fn count(&self) -> OperationCount {
        let calls = self.ir.calls.iter().map(routines::count_of);
        self.ir.products.iter().map(Product::count).chain(calls).fold(self.ir.count(), |a, b| a + b)
    }
}

impl Candidate {
    /// Schedules the stages as a plan.
    pub fn plan(self) -> Plan {
        let stages = self.stages.into_iter().map(|stage| Stage::of(stage.version()));
        Plan { frame: self.frame, ..Plan::new(self.function, self.strategy, stages.collect()) }
    }

    /// Operations of all stages.
    pub fn count(&self) -> OperationCount {
        self.stages.iter().map(TracedStage::count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// Graphs of the stages.
    pub fn graphs(&self) -> impl Iterator<Item = &Ir> {
        self.stages.iter().map(|stage| &stage.ir)
    }
}
