//! Traces all parts of a fused function into one graph.
//!
//! Terms that parts share become one node: sines, changes of frame, composite inertias, velocities.
//! This needs equal terms, so all parts use one tree with one form of each body.
//! The strategy of each part is chosen in view of the others.

use super::columns;
use super::{Call, FusedPlan, Part};
use crate::algorithms::Draft;
use crate::algorithms::rnea::Gyroscopic;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::search::Search;
use crate::search::cost::CostModel;
use crate::search::stages::Stage;
use crate::search::trace::TracedStage;
use crate::signatures::signature::{Q, Sizes};
use crate::table::functions::Function;
use crate::table::routines::draft as loops;
use crate::tree::{Rewrite, Tree};
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::Ir;
use rbd_runtime::{Model, ReferenceFrame};

/// A part with its strategy.
type Way<'a> = (&'a Part, Strategy);

/// Traces parts of a call into one graph.
fn trace(call: &Call, ways: &[Way<'_>], model: &Model<f64>, tree: &Tree) -> TracedStage {
    let graph = Graph::with(Rules::default());
    let sizes = Sizes { nq: tree.nq, nv: tree.nv, nb: tree.nb, np: tree.np, ..Sizes::default() };
    let strategy = ways[0].1;
    let mut draft = Draft::new(sizes, &[], strategy, 0);
    let taken = |param| ways.iter().any(|(part, _)| part.function.spec().params.contains(param));
    for param in call.params.iter().filter(|param| taken(param)) {
        draft.input(*param);
    }
    if ways.iter().any(|(_, strategy)| strategy.algorithm == Algorithm::Idsva) {
        draft.gyroscopic = Gyroscopic::Coriolis;
    }
    draft.by_momentum = ways.iter().any(|(part, strategy)| {
        (part.function, strategy.algorithm) == (Function::CenterOfMassJacobian, Algorithm::Columns)
    });
    let q = draft.input(Q);
    let robot = SymbolicRobot::new(&graph, tree, q, Given::default());
    for (part, strategy) in ways {
        draft.begin(part.function.spec().params, part.frame, *strategy, &part.gives);
        match strategy.algorithm {
            Algorithm::Tables => {
                loops::draft(part.function, model, &mut draft).expect("it was asked before");
            }
            Algorithm::Columns => columns::trace(part.function, &robot, &mut draft),
            _ => (part.function.spec().trace)(&robot, &mut draft),
        }
    }
    let Draft { arrays, wires, entries, calls, products, .. } = draft.without_what_is_not_asked_for();
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(Rules::default());
    TracedStage { strategy, rewrite: tree.rewrite.clone(), ir, wires }
}

impl Part {
    /// Strategies of the part in a single kernel.
    fn ways(&self, tree: &Tree) -> Vec<Strategy> {
        let all = (self.function.spec().strategies)(tree);
        if all.is_empty() {
            return all;
        }
        let in_one: Vec<Strategy> = all.into_iter().filter(|s| s.stages == 1).collect();
        if in_one.is_empty() { vec![Strategy::new(Algorithm::Idsva, ProductBy::Loops)] } else { in_one }
    }

    /// Strategies that pay only beside other parts of the call.
    fn ways_beside(&self, call: &Call) -> Vec<Strategy> {
        use Function as F;
        let mut all = Vec::new();
        let reference = self.frame.map(|at| at.reference);
        let point = match self.function {
            F::FrameBiasAcceleration => reference == Some(ReferenceFrame::LocalWorldAligned),
            F::FrameClassicalAcceleration => reference != Some(ReferenceFrame::World),
            _ => false,
        };
        if point {
            all.push(Algorithm::NewtonEuler);
        }
        let moves =
            [F::FrameVelocity, F::FrameAcceleration, F::FrameClassicalAcceleration, F::FrameBiasAcceleration];
        if moves.contains(&self.function) {
            all.push(Algorithm::Spatial);
        }
        let needed = columns::needed(self.function);
        let is_there = |f: &F| {
            call.parts
                .iter()
                .any(|part| part.function == *f && (part.frame.is_none() || part.frame == self.frame))
        };
        if !needed.is_empty() && needed.iter().all(is_there) {
            all.push(Algorithm::Columns);
        }
        all.into_iter().map(|algorithm| Strategy::new(algorithm, ProductBy::None)).collect()
    }
}

/// A traced call: the graph for every scalar, and those with limbs as lanes.
struct Traced {
    strategies: Vec<Strategy>,
    scalar: TracedStage,
    limbs: Vec<TracedStage>,
}

impl Search<'_> {
    /// True if a straight line of a part is worth tracing, and the cost of its loops over tables.
    fn shapes(&self, part: &Part) -> (bool, Option<usize>) {
        let Some(loops) = self.in_loops(part.function) else { return (true, None) };
        (self.is_worth_a_trace(part.function, &loops), Some(self.costs.cost(loops.graphs())))
    }

    /// Returns the cheapest plan found for a fused function.
    ///
    /// The search fixes the forms of bodies, then the strategies part by part, and last the choice of loops.
    pub fn fused(&self, call: Call) -> FusedPlan {
        let plain = self.trees.get(&self.plain());
        let shapes: Vec<(bool, Option<usize>)> = call.parts.iter().map(|part| self.shapes(part)).collect();
        let ways = |k: usize| {
            let part: &Part = &call.parts[k];
            let (straight, _) = shapes[k];
            let own = if straight { part.ways(&plain) } else { vec![Strategy::LOOPS] };
            own.into_iter().chain(part.ways_beside(&call)).collect::<Vec<_>>()
        };
        let ways: Vec<Vec<Strategy>> = (0..call.parts.len()).map(ways).collect();
        let mut best = self.straight_fused(&call, &ways);
        let mut least = self.cost_of_fused(&best);
        for (k, part) in call.parts.iter().enumerate() {
            let (true, Some(in_loops)) = shapes[k] else { continue };
            let straight = CostModel::straight_line(&best.scalar.ir);
            let bar = self.bar(part.function, straight, least);
            if in_loops >= bar {
                continue;
            }
            let mut strategies = best.strategies.clone();
            strategies[k] = Strategy::LOOPS;
            let other = self.with_limbs_fused(&call, strategies, &best.scalar.rewrite);
            let cost = self.cost_of_fused(&other);
            if cost < bar {
                (least, best) = (cost, other);
            }
        }
        let simd = best.limbs.into_iter().map(TracedStage::version).collect();
        let stages = vec![Stage { scalar: best.scalar.version(), simd }];
        let plan = FusedPlan { strategies: best.strategies, stages, call };
        debug_assert_eq!(plan.verify(), Ok(()));
        plan
    }

    fn cost_of_fused(&self, traced: &Traced) -> usize {
        let stages =
            if traced.limbs.is_empty() { std::slice::from_ref(&traced.scalar) } else { &traced.limbs };
        self.costs.cost_without_misses(stages.iter().map(|stage| &stage.ir))
    }

    fn traced(&self, call: &Call, strategies: &[Strategy], rewrite: &Rewrite) -> TracedStage {
        let ways: Vec<Way<'_>> = call.parts.iter().zip(strategies.iter().copied()).collect();
        trace(call, &ways, self.trees.model(), &self.trees.get(rewrite))
    }

    /// Cheapest choice among `ways`. Parts that differ only in their frames share a strategy.
    fn straight_fused(&self, call: &Call, ways: &[Vec<Strategy>]) -> Traced {
        let cost = |stage: &TracedStage| self.costs.cost([&stage.ir]);
        let mut strategies: Vec<Strategy> = ways.iter().map(|ways| ways[0]).collect();
        let mut best = self.traced(call, &strategies, &self.plain());
        let mut least = cost(&best);
        for rewrite in self.rewrites(call, &strategies) {
            let other = self.traced(call, &strategies, &rewrite);
            if cost(&other) < least {
                (least, best) = (cost(&other), other);
            }
        }
        let class = |k: usize| (call.parts[k].function, call.parts[k].frame.map(|at| at.reference), &ways[k]);
        let firsts: Vec<usize> = (0..ways.len()).filter(|&k| (0..k).all(|j| class(j) != class(k))).collect();
        // Two passes, since the gain of one part may depend on the strategy of a later one.
        let tries = || firsts.iter().flat_map(|&k| ways[k].iter().map(move |way| (k, *way)));
        for (first, way) in tries().chain(tries()) {
            if strategies[first] == way {
                continue;
            }
            let mut tried = strategies.clone();
            (first..ways.len()).filter(|&k| class(k) == class(first)).for_each(|k| tried[k] = way);
            let other = self.traced(call, &tried, &best.rewrite);
            if cost(&other) < least {
                (least, best, strategies) = (cost(&other), other, tried);
            }
        }
        let limbs = self.fused_limbs(call, &strategies, &best.rewrite, least);
        Traced { strategies, scalar: best, limbs }
    }

    fn with_limbs_fused(&self, call: &Call, strategies: Vec<Strategy>, rewrite: &Rewrite) -> Traced {
        let scalar = self.traced(call, &strategies, rewrite);
        let cost = self.costs.cost([&scalar.ir]);
        let limbs = self.fused_limbs(call, &strategies, rewrite, cost);
        Traced { strategies, scalar, limbs }
    }

    /// Forms of bodies found for functions like the parts, each once.
    fn rewrites(&self, call: &Call, strategies: &[Strategy]) -> Vec<Rewrite> {
        let in_graph = call.parts.iter().zip(strategies).filter(|(_, s)| **s != Strategy::LOOPS);
        let parts: Vec<&Part> = in_graph.map(|(part, _)| part).collect();
        let mut functions: Vec<Function> =
            parts.iter().flat_map(|part| part.function.spec().searched_as).copied().collect();
        functions.sort_unstable();
        functions.dedup();
        let mut all: Vec<Rewrite> = functions.into_iter().map(|f| self.best_rewrite(f)).collect();
        if parts.iter().any(|part| part.function.spec().searched_as.is_empty()) {
            all.push(Rewrite { realign: false, ..self.plain() });
        }
        all
    }

    /// Kernels with limbs as lanes and kernels for single bodies.
    ///
    /// Empty unless together they need clearly fewer instructions than the straight line.
    fn fused_limbs(
        &self,
        call: &Call,
        strategies: &[Strategy],
        rewrite: &Rewrite,
        straight: usize,
    ) -> Vec<TracedStage> {
        let model = self.trees.model();
        let tree = self.trees.get(rewrite);
        let packed_as = |packing| {
            let packed = tree.with_limbs(packing)?;
            let (mut side_by_side, mut single): (Vec<Way<'_>>, Vec<Way<'_>>) = Default::default();
            for (part, strategy) in call.parts.iter().zip(strategies) {
                let ways = part.ways(&packed).into_iter().filter(|way| !way.mixes_limbs());
                let ways: Vec<Strategy> = ways.chain(part.ways_beside(call)).collect();
                let of_frame = part.function.is_of_frame();
                match ways.iter().find(|way| *way == strategy).or(ways.first()) {
                    Some(way) if *strategy != Strategy::LOOPS && !of_frame => side_by_side.push((part, *way)),
                    _ => single.push((part, *strategy)),
                }
            }
            let mut stages = Vec::new();
            if !side_by_side.is_empty() {
                stages.push(trace(call, &side_by_side, model, &packed));
            }
            if !single.is_empty() {
                stages.push(trace(call, &single, model, &tree));
            }
            let cost = self.costs.cost(stages.iter().map(|stage| &stage.ir));
            let pairs = packed.bodies.iter().any(|b| b.lanes.len() == 2);
            let lines = stages.iter().map(|s| CostModel::straight_line(&s.ir)).sum::<usize>();
            let compiles = !pairs || lines <= self.costs.operations_in_pairs;
            let pays = !side_by_side.is_empty() && cost * 4 < straight * self.costs.packed_quarters;
            (compiles && pays).then_some((cost, stages))
        };
        let best_of =
            |packings: &[_]| packings.iter().filter_map(|p| packed_as(*p)).min_by_key(|(cost, _)| *cost);
        let found = self.costs.packings.iter().find_map(|packings| best_of(packings));
        found.map(|(_, stages)| stages).unwrap_or_default()
    }
}

impl Call {
    /// Plans for a tree in which every strategy of each part occurs at least once.
    pub fn trace_all(&self, model: &Model<f64>, tree: &Tree) -> Vec<FusedPlan> {
        let ways: Vec<Vec<Strategy>> = self
            .parts
            .iter()
            .map(|part| {
                let loops = part.function.in_loops(model, false).map(|_| Strategy::LOOPS);
                part.ways(tree).into_iter().chain(part.ways_beside(self)).chain(loops).collect()
            })
            .collect();
        let most = ways.iter().map(Vec::len).max().unwrap_or(0);
        let plan = |k: usize| {
            let strategies: Vec<Strategy> = ways.iter().map(|ways| ways[k % ways.len()]).collect();
            let together: Vec<Way<'_>> = self.parts.iter().zip(strategies.iter().copied()).collect();
            let scalar = trace(self, &together, model, tree).version();
            FusedPlan { call: self.clone(), strategies, stages: vec![Stage::of(scalar)] }
        };
        (0..most).map(plan).collect()
    }
}
