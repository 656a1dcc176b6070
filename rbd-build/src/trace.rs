//! Tracing functions: from a tree to graphs, and from these to plans.

use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::{Draft, loops};
use crate::frames::FrameAt;
use crate::functions::Function;
use crate::graph::{Graph, OperationCount, Rule, Rules};
use crate::passes::{Ir, schedule};
use crate::plan::{Plan, Stage, Version, Wire};
use crate::products::Product;
use crate::routines;
use crate::signature::{GRAVITY, INERTIA, Q, Sizes};
use crate::strategy::Strategy;
use crate::tree::{BodyForm, Moment, Origin, Rewrite, Tree};
use rbd_runtime::Model;

/// A stage of a function, traced and not yet in order: as much as it takes to tell what it costs.
#[derive(Clone, Debug)]
pub struct TracedStage {
    /// What it does.
    pub strategy: Strategy,
    /// The frames and inertias that it works with.
    pub rewrite: Rewrite,
    /// The arithmetic.
    pub ir: Ir,
    /// Where its arrays are.
    pub wires: Vec<Wire>,
}

/// A function traced in some way.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The function.
    pub function: Function,
    /// The frame that it is of, if it is of one.
    pub frame: Option<FrameAt>,
    /// The way.
    pub strategy: Strategy,
    /// Its stages, in order.
    pub stages: Vec<TracedStage>,
}

impl Function {
    /// Plans for this tree, one for each way in which the function can be computed.
    pub fn trace_all(self, tree: &Tree) -> Vec<Plan> {
        self.plans(tree, Rules::default())
    }

    /// The same of a function of a frame.
    pub fn trace_all_of(self, tree: &Tree, frame: FrameAt) -> Vec<Plan> {
        self.candidates(tree, Some(frame), Rules::default()).into_iter().map(Candidate::plan).collect()
    }

    /// The same, leaving out one of the rules: to see what it gains.
    pub fn trace_all_without(self, tree: &Tree, rule: Rule) -> Vec<Plan> {
        self.plans(tree, Rules::default().without(rule))
    }

    /// The plan of loops over tables, where the function and the robot have them.
    pub fn trace_loops(self, model: &Model<f64>) -> Option<Plan> {
        self.in_loops(model, false).map(Candidate::plan)
    }

    fn plans(self, tree: &Tree, rules: Rules) -> Vec<Plan> {
        self.candidates(tree, None, rules).into_iter().map(Candidate::plan).collect()
    }

    /// Traces the function in every way.
    pub(crate) fn candidates(self, tree: &Tree, frame: Option<FrameAt>, rules: Rules) -> Vec<Candidate> {
        let strategies = (self.spec().strategies)(tree);
        strategies.into_iter().map(|strategy| self.candidate(tree, frame, strategy, rules)).collect()
    }

    /// By loops over tables, where the function and the robot have them, and loops know friction if there may be some.
    pub(crate) fn in_loops(self, model: &Model<f64>, know_friction: bool) -> Option<Candidate> {
        if !model.run_time.is_none() || model.friction_smoothing.is_some() && !know_friction {
            // Tables are constants.
            return None;
        }
        let sizes = Sizes::from(model);
        let mut draft = Draft::new(sizes, self.spec().params, Strategy::LOOPS, 0);
        loops::draft(self, model, &mut draft)?;
        let Draft { arrays, wires, calls, products, .. } = draft;
        let ir = Ir { nodes: Graph::new().finish(), arrays, entries: Vec::new(), calls, products };
        let form = BodyForm { share: None, moment: Moment::Entries, origin: Origin::AtChild };
        let rewrite = Rewrite::uniform(model, false, form);
        let stage = TracedStage { strategy: Strategy::LOOPS, rewrite, ir, wires };
        Some(Candidate { function: self, frame: None, strategy: Strategy::LOOPS, stages: vec![stage] })
    }

    /// Traces it in one way.
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

    /// Traces one of its stages.
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
    /// As statements.
    pub fn version(self) -> Version {
        Version {
            strategy: self.strategy,
            rewrite: self.rewrite,
            straight_line: self.ir.count(),
            kernel: schedule(&self.ir),
            wires: self.wires,
        }
    }

    /// The arithmetic, loops included.
    pub fn count(&self) -> OperationCount {
        let calls = self.ir.calls.iter().map(routines::count_of);
        self.ir.products.iter().map(Product::count).chain(calls).fold(self.ir.count(), |a, b| a + b)
    }
}

impl Candidate {
    /// The stages as statements.
    pub fn plan(self) -> Plan {
        let stages = self.stages.into_iter().map(|stage| Stage { scalar: stage.version(), simd: None });
        Plan {
            function: self.function,
            frame: self.frame,
            strategy: self.strategy,
            stages: stages.collect(),
            parts: Vec::new(),
            rejected: Vec::new(),
            is_without_forces: false,
            is_outline: false,
        }
    }

    /// The arithmetic of all stages.
    pub fn count(&self) -> OperationCount {
        self.stages.iter().map(TracedStage::count).fold(OperationCount::default(), |a, b| a + b)
    }

    /// The graphs of the stages.
    pub fn graphs(&self) -> impl Iterator<Item = &Ir> {
        self.stages.iter().map(|stage| &stage.ir)
    }
}
