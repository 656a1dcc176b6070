//! Traces all components of a fused function into one graph.
//!
//! Terms that components share become one node: sines, changes of frame, composite inertias, velocities.
//! This needs equal terms, so all components use one tree with one form of each body.
//! The strategy of each component is chosen in view of the others.

use super::columns;
use super::{Component, FusedFunction};
use crate::algorithms::Draft;
use crate::algorithms::rnea::Gyroscopic;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::run_time::Given;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::search::Search;
use crate::search::cost::CostModel;
use crate::search::plan::Plan;
use crate::search::stages::Stage;
use crate::search::trace::TracedStage;
use crate::signatures::signature::{Q, Sizes};
use crate::table::functions::Function;
use crate::table::routines::draft as loops;
use crate::tree::{Rewrite, Tree};
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::Ir;
use rbd_runtime::{Model, ReferenceFrame};

/// A component with its strategy.
type Way<'a> = (&'a Component, Strategy);

/// Traces components of a fused function into one graph.
fn trace(whole: &FusedFunction, ways: &[Way<'_>], model: &Model<f64>, tree: &Tree) -> TracedStage {
    let graph = Graph::with(Rules::default());
    let sizes = Sizes { nq: tree.nq, nv: tree.nv, nb: tree.nb, np: tree.np, ..Sizes::default() };
    let strategy = ways[0].1;
    let mut draft = Draft::new(sizes, &[], strategy, 0);
    let taken = |param| ways.iter().any(|(component, _)| component.function.spec().params.contains(param));
    for param in whole.params.iter().filter(|param| taken(param)) {
        draft.input(*param);
    }
    if ways.iter().any(|(_, strategy)| strategy.algorithm == Algorithm::Idsva) {
        draft.gyroscopic = Gyroscopic::Coriolis;
    }
    draft.by_momentum = ways.iter().any(|(component, strategy)| {
        (component.function, strategy.algorithm) == (Function::CenterOfMassJacobian, Algorithm::Columns)
    });
    let q = draft.input(Q);
    let robot = SymbolicRobot::new(&graph, tree, q, Given::default());
    for (component, strategy) in ways {
        draft.begin(component.function.spec().params, component.frame, *strategy, &component.gives);
        match strategy.algorithm {
            Algorithm::Tables => {
                let solves = *strategy == Strategy::SOLVING_LOOPS;
                loops::draft(component.function, model, solves, &mut draft).expect("it was asked before");
            }
            Algorithm::Columns => columns::trace(component.function, &robot, &mut draft),
            _ => (component.function.spec().trace)(&robot, &mut draft),
        }
    }
    let Draft { arrays, wires, entries, calls, products, .. } = draft.without_what_is_not_asked_for();
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls, products }.simplified(Rules::default());
    TracedStage { strategy, rewrite: tree.rewrite.clone(), ir, wires }
}

impl Component {
    /// Strategies of the component in a single kernel.
    fn ways(&self, tree: &Tree) -> Vec<Strategy> {
        let all = (self.function.spec().strategies)(tree);
        if all.is_empty() {
            return all;
        }
        let in_one: Vec<Strategy> = all.into_iter().filter(|s| s.stages == 1).collect();
        if in_one.is_empty() { vec![Strategy::new(Algorithm::Idsva, ProductBy::Loops)] } else { in_one }
    }

    /// Strategies that pay only beside other components.
    fn ways_beside(&self, whole: &FusedFunction) -> Vec<Strategy> {
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
            whole.components.iter().any(|component| {
                component.function == *f && (component.frame.is_none() || component.frame == self.frame)
            })
        };
        if !needed.is_empty() && needed.iter().all(is_there) {
            all.push(Algorithm::Columns);
        }
        all.into_iter().map(|algorithm| Strategy::new(algorithm, ProductBy::None)).collect()
    }
}

/// A traced fused function: the graph for every scalar, and those with limbs as lanes.
struct Traced {
    strategies: Vec<Strategy>,
    scalar: TracedStage,
    limbs: Vec<TracedStage>,
}

impl Search<'_> {
    /// True if a straight line of a component is worth tracing, and its loops over tables with their cost.
    fn shapes(&self, component: &Component) -> (bool, Option<(Strategy, usize)>) {
        let Some(loops) = self.in_loops(component.function) else { return (true, None) };
        let worth = self.is_worth_a_trace(component.function, &loops);
        (worth, Some((loops.strategy, self.costs.cost(loops.graphs()))))
    }

    /// Returns the cheapest plan found for a fused function.
    ///
    /// The search fixes the forms of bodies, then the strategies component by component, and last the choice
    /// of loops.
    pub fn fused(&self, whole: FusedFunction) -> Plan<FusedFunction> {
        let plain = self.trees.get(&self.plain());
        let shapes: Vec<(bool, Option<(Strategy, usize)>)> =
            whole.components.iter().map(|component| self.shapes(component)).collect();
        let ways = |k: usize| {
            let component: &Component = &whole.components[k];
            let own = match shapes[k] {
                (false, Some((loops, _))) => vec![loops],
                _ => component.ways(&plain),
            };
            own.into_iter().chain(component.ways_beside(&whole)).collect::<Vec<_>>()
        };
        let ways: Vec<Vec<Strategy>> = (0..whole.components.len()).map(ways).collect();
        let mut best = self.straight_fused(&whole, &ways);
        let mut least = self.cost_of_fused(&best);
        for (k, component) in whole.components.iter().enumerate() {
            let (true, Some((loops, in_loops))) = shapes[k] else { continue };
            let straight = CostModel::straight_line(&best.scalar.ir);
            let bar = self.bar(component.function, straight, least);
            if in_loops >= bar {
                continue;
            }
            let mut strategies = best.strategies.clone();
            strategies[k] = loops;
            let other = self.with_limbs_fused(&whole, strategies, &best.scalar.rewrite);
            let cost = self.cost_of_fused(&other);
            if cost < bar {
                (least, best) = (cost, other);
            }
        }
        let simd = best.limbs.into_iter().map(TracedStage::version).collect();
        let stages = vec![Stage { scalar: best.scalar.version(), simd }];
        let plan = Plan::new(whole, best.strategies, stages);
        debug_assert_eq!(plan.verify(), Ok(()));
        plan
    }

    fn cost_of_fused(&self, traced: &Traced) -> usize {
        let stages =
            if traced.limbs.is_empty() { std::slice::from_ref(&traced.scalar) } else { &traced.limbs };
        self.costs.cost_without_misses(stages.iter().map(|stage| &stage.ir))
    }

    fn traced(&self, whole: &FusedFunction, strategies: &[Strategy], rewrite: &Rewrite) -> TracedStage {
        let ways: Vec<Way<'_>> = whole.components.iter().zip(strategies.iter().copied()).collect();
        trace(whole, &ways, self.trees.model(), &self.trees.get(rewrite))
    }

    /// Cheapest choice among `ways`. Components that differ only in their frames share a strategy.
    fn straight_fused(&self, whole: &FusedFunction, ways: &[Vec<Strategy>]) -> Traced {
        let cost = |stage: &TracedStage| self.costs.cost([&stage.ir]);
        let mut strategies: Vec<Strategy> = ways.iter().map(|ways| ways[0]).collect();
        let mut best = self.traced(whole, &strategies, &self.plain());
        let mut least = cost(&best);
        for rewrite in self.rewrites(whole, &strategies) {
            let other = self.traced(whole, &strategies, &rewrite);
            if cost(&other) < least {
                (least, best) = (cost(&other), other);
            }
        }
        let class = |k: usize| {
            (whole.components[k].function, whole.components[k].frame.map(|at| at.reference), &ways[k])
        };
        let firsts: Vec<usize> = (0..ways.len()).filter(|&k| (0..k).all(|j| class(j) != class(k))).collect();
        // Two passes, since the gain of one component may depend on the strategy of a later one.
        let tries = || firsts.iter().flat_map(|&k| ways[k].iter().map(move |way| (k, *way)));
        for (first, way) in tries().chain(tries()) {
            if strategies[first] == way {
                continue;
            }
            let mut tried = strategies.clone();
            (first..ways.len()).filter(|&k| class(k) == class(first)).for_each(|k| tried[k] = way);
            let other = self.traced(whole, &tried, &best.rewrite);
            if cost(&other) < least {
                (least, best, strategies) = (cost(&other), other, tried);
            }
        }
        let limbs = self.fused_limbs(whole, &strategies, &best.rewrite, least);
        Traced { strategies, scalar: best, limbs }
    }

    fn with_limbs_fused(
        &self,
        whole: &FusedFunction,
        strategies: Vec<Strategy>,
        rewrite: &Rewrite,
    ) -> Traced {
        let scalar = self.traced(whole, &strategies, rewrite);
        let cost = self.costs.cost([&scalar.ir]);
        let limbs = self.fused_limbs(whole, &strategies, rewrite, cost);
        Traced { strategies, scalar, limbs }
    }

    /// Forms of bodies found for functions like the components, each once.
    fn rewrites(&self, whole: &FusedFunction, strategies: &[Strategy]) -> Vec<Rewrite> {
        let in_graph = whole.components.iter().zip(strategies).filter(|(_, s)| !s.is_loops());
        let components: Vec<&Component> = in_graph.map(|(component, _)| component).collect();
        let mut functions: Vec<Function> =
            components.iter().flat_map(|component| component.function.spec().searched_as).copied().collect();
        functions.sort_unstable();
        functions.dedup();
        let mut all: Vec<Rewrite> = functions.into_iter().map(|f| self.best_rewrite(f)).collect();
        if components.iter().any(|component| component.function.spec().searched_as.is_empty()) {
            all.push(Rewrite { realign: false, ..self.plain() });
        }
        all
    }

    /// Kernels with limbs as lanes and kernels for single bodies.
    ///
    /// Empty unless together they need clearly fewer instructions than the straight line.
    fn fused_limbs(
        &self,
        whole: &FusedFunction,
        strategies: &[Strategy],
        rewrite: &Rewrite,
        straight: usize,
    ) -> Vec<TracedStage> {
        let model = self.trees.model();
        let tree = self.trees.get(rewrite);
        let packed_as = |packing| {
            let packed = tree.with_limbs(packing)?;
            let (mut side_by_side, mut single): (Vec<Way<'_>>, Vec<Way<'_>>) = Default::default();
            for (component, strategy) in whole.components.iter().zip(strategies) {
                let ways = component.ways(&packed).into_iter().filter(|way| !way.mixes_limbs());
                let ways: Vec<Strategy> = ways.chain(component.ways_beside(whole)).collect();
                let of_frame = component.function.is_of_frame();
                match ways.iter().find(|way| *way == strategy).or(ways.first()) {
                    Some(way) if !strategy.is_loops() && !of_frame => side_by_side.push((component, *way)),
                    _ => single.push((component, *strategy)),
                }
            }
            let mut stages = Vec::new();
            if !side_by_side.is_empty() {
                stages.push(trace(whole, &side_by_side, model, &packed));
            }
            if !single.is_empty() {
                stages.push(trace(whole, &single, model, &tree));
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

impl FusedFunction {
    /// Plans for a tree in which every strategy of each component occurs at least once.
    pub fn trace_all(&self, model: &Model<f64>, tree: &Tree) -> Vec<Plan<FusedFunction>> {
        let ways: Vec<Vec<Strategy>> = self
            .components
            .iter()
            .map(|component| {
                let in_loops = |way: &Strategy| component.function.in_loops(model, false, *way).is_some();
                let loops = [Strategy::LOOPS, Strategy::SOLVING_LOOPS].into_iter().filter(in_loops);
                component.ways(tree).into_iter().chain(component.ways_beside(self)).chain(loops).collect()
            })
            .collect();
        let most = ways.iter().map(Vec::len).max().unwrap_or(0);
        let plan = |k: usize| {
            let strategies: Vec<Strategy> = ways.iter().map(|ways| ways[k % ways.len()]).collect();
            let together: Vec<Way<'_>> = self.components.iter().zip(strategies.iter().copied()).collect();
            let scalar = trace(self, &together, model, tree).version();
            Plan::new(self.clone(), strategies, vec![Stage::of(scalar)])
        };
        (0..most).map(plan).collect()
    }
}
