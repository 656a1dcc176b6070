//! Search for the cheapest plan of a function: strategies, and forms of each body's inertia.
//!
//! All candidates are traced and counted. Every strategy is tried.
//! Forms of bodies are searched body by body, for one function of each family, and serve the family.

mod all;
mod capabilities;
mod composed;
pub(crate) mod contact_rows;
pub mod cost;
pub mod measure;
mod memo;
pub mod plan;
pub(crate) mod progress;
pub(crate) mod row;
mod second_order;
pub(crate) mod shape;
pub(crate) mod stages;
pub mod step_zeros;
pub mod steps;
mod threads;
pub(crate) mod trace;

pub use capabilities::{Capabilities, Loops, SecondDerivatives, Solves, StepForms};

use crate::algorithms::strategy::Strategy;
use crate::search::cost::CostModel;
use crate::search::plan::{Plan, Rejected, Stage};
use crate::search::progress::Observer;
use crate::search::shape::Shape;
use crate::search::trace::{Candidate, TracedStage};
use crate::signatures::frames::FrameAt;
use crate::table::functions::Function;
use crate::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree, Trees};
use memo::Memo;
use rbd_ir::graph::Rules;
use rbd_runtime::Model;
use std::collections::HashMap;
use std::sync::Arc;

/// Search for the plans of one robot.
#[derive(Debug)]
pub struct Search<'m> {
    pub(crate) trees: Trees<'m>,
    pub(crate) costs: CostModel,
    loops: Option<Loops>,
    observer: Observer,
    found: Memo<Function, Rewrite>,
    plans: Memo<(Function, Option<Shape>), Plan>,
}

/// Operations of a straight line that rustc does not compile within minutes.
pub(crate) const TOO_LONG: usize = 100_000;
/// Length of a straight line for torques or accelerations above which loops win even at twice its cost.
///
/// Such a line exceeds every first-level cache and compiles in ten seconds, where loops take one.
const LONG_VECTOR: usize = 10_000;
/// Length of a straight line for matrices above which loops win even at twice its cost.
///
/// It is twice the length of a humanoid's derivatives (docs/benchmarks.md#operations).
const LONG: usize = 50_000;
/// Lower bound on operations above which a straight line for torques or accelerations is not traced.
const TOO_LONG_VECTOR: usize = 15_000;
const SHARES: [Option<Spin>; 4] = [Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ), None];
const MOMENTS: [Moment; 3] = [Moment::Euler, Moment::SecondMoments, Moment::Entries];

impl<'m> Search<'m> {
    /// Starts a search without results, for a target with these costs and loops over tables.
    pub fn new(model: &'m Model<f64>, costs: CostModel, loops: Option<Loops>) -> Self {
        let costs = CostModel { tables: costs.tables.filter(|_| loops.is_some()), ..costs };
        Self {
            trees: Trees::new(model),
            costs,
            loops,
            observer: Observer::default(),
            found: Memo::default(),
            plans: Memo::default(),
        }
    }

    /// A search of its own for the same robot and target, without loops over tables.
    fn without_loops(&self) -> Self {
        Self::new(self.trees.model(), self.costs, None)
    }

    /// Sets the observer of found plans.
    pub(crate) fn observed(mut self, observer: &Observer) -> Self {
        self.observer = observer.clone();
        self
    }

    /// Returns the cheapest plan found for a function, of a frame if `frame` is given.
    ///
    /// With `shape`, only plans of that shape compete.
    pub fn cheapest_of(&self, function: Function, frame: Option<FrameAt>, shape: Option<Shape>) -> Plan {
        if frame.is_some() {
            return self.look_for(function, frame, shape);
        }
        // Memoised, since other functions may be composed of this one.
        self.plans.get((function, shape), || self.look_for(function, None, shape))
    }

    fn look_for(&self, function: Function, frame: Option<FrameAt>, shape: Option<Shape>) -> Plan {
        if function.is_second_order() {
            return self.second_order(function, shape);
        }
        let loops = match shape {
            Some(Shape::Straight | Shape::Limbs) => None,
            Some(Shape::Loops) | None => self.in_loops(function),
        };
        let Some(loops) = loops else { return self.straight(function, frame, shape) };
        // Tracing a straight line that is too long takes minutes and changes nothing.
        // A straight line with looped products would be too long as well.
        if shape == Some(Shape::Loops) || !self.is_worth_a_trace(function, &loops) {
            return loops.plan();
        }
        let cost = self.costs.cost(loops.graphs());
        let straight = self.straight(function, frame, shape);
        let other = self.costs.cost_of(&straight);
        let (mut plan, rejected) = if cost < self.bar(function, straight.straight_line(), other) {
            let (strategy, count) = (straight.strategy, straight.count());
            (Plan { rejected: straight.rejected, ..loops.plan() }, Rejected { strategy, count, cost: other })
        } else {
            let rejected = Rejected { strategy: loops.strategy, count: loops.count(), cost };
            (straight, rejected)
        };
        plan.rejected.insert(0, rejected);
        plan
    }

    /// Cost below which loops replace a straight line.
    pub(crate) fn bar(&self, function: Function, straight_line: usize, cost: usize) -> usize {
        let long = if function.is_vector() { LONG_VECTOR } else { LONG };
        if straight_line > long { 2 * cost } else { cost }
    }

    /// True if a straight line may cost less than loops.
    pub(crate) fn is_worth_a_trace(&self, function: Function, loops: &Candidate) -> bool {
        let calls = loops.graphs().flat_map(|ir| &ir.calls);
        let over_tables: usize = calls.map(|call| self.costs.over_tables(call)).sum();
        let too_long = if function.is_vector() { TOO_LONG_VECTOR } else { TOO_LONG };
        self.costs.least(function, self.trees.model()) <= too_long.min(self.costs.hopeless * over_tables)
    }

    /// Cheapest candidate by loops over tables, if the target and the robot have them.
    pub(crate) fn in_loops(&self, function: Function) -> Option<Candidate> {
        let loops = self.loops.filter(|loops| loops.vectors || !function.is_vector())?;
        let way = |way| function.in_loops(self.trees.model(), loops.friction, way);
        let products = || way(Strategy::LOOPS);
        let solves = || way(Strategy::SOLVING_LOOPS);
        match loops.solves {
            Solves::Never => products(),
            Solves::Always => solves().or_else(products),
            Solves::IfCheaper => {
                let both = products().into_iter().chain(solves());
                both.min_by_key(|candidate| self.costs.cost(candidate.graphs()))
            }
        }
    }

    /// Cheapest straight line. Limbs are SIMD lanes if that pays and the shape allows it.
    fn straight(&self, function: Function, frame: Option<FrameAt>, shape: Option<Shape>) -> Plan {
        self.straight_ways(function, frame, shape, |_| true).expect("there is a way to every function")
    }

    /// Cheapest straight line among the strategies accepted by `of`. `None` if there is none.
    fn straight_ways(
        &self,
        function: Function,
        frame: Option<FrameAt>,
        shape: Option<Shape>,
        of: impl Fn(&Strategy) -> bool,
    ) -> Option<Plan> {
        let found = function.spec().searched_as.iter().map(|f| self.best_rewrite(*f));
        let uniform = self.uniform(SHARES[0], MOMENTS[0]);
        // Frames as in the URDF: quantities given in those frames need no rotation.
        let as_given = Rewrite { realign: false, ..uniform.clone() };
        let as_given = function.spec().searched_as.is_empty().then_some(as_given);
        let rewrites: Vec<Rewrite> = found.chain([uniform]).chain(as_given).collect();
        let mut tried: Vec<Candidate> = Vec::new();
        for (k, rewrite) in rewrites.iter().enumerate() {
            if !rewrites[..k].contains(rewrite) {
                tried.extend(function.candidates(&self.trees.get(rewrite), frame, Rules::default()));
            }
        }
        tried.retain(|candidate| of(&candidate.strategy));
        let mut tried = self.with_best_stages(tried);
        tried.sort_by_cached_key(|candidate| self.costs.cost(candidate.graphs()));
        if tried.is_empty() {
            return None;
        }
        let winner = tried.remove(0);
        let rejected = self.rejected(winner.strategy, &tried);
        let stages = winner.stages.into_iter().enumerate();
        let stages = stages.map(|(k, scalar)| Stage {
            simd: self
                .with_limbs((function, frame), winner.strategy, (k, &scalar), shape)
                .map(TracedStage::version)
                .into_iter()
                .collect(),
            scalar: scalar.version(),
        });
        let (strategy, stages) = (winner.strategy, stages.collect());
        let plan = Plan { frame, rejected, ..Plan::new(function, strategy, stages) };
        debug_assert_eq!(plan.verify(), Ok(()));
        Some(plan)
    }

    /// Plan with signatures only. Nothing is traced.
    pub fn outline(&self, function: Function, frame: Option<FrameAt>) -> Plan {
        let tree = self.trees.get(&self.uniform(SHARES[0], MOMENTS[0]));
        let strategy = (function.spec().strategies)(&tree)[0];
        Plan { frame, ..Plan::outline(function, strategy) }
    }

    /// The best candidate of each strategy but the winner's. `sorted` is in order of cost.
    fn rejected(&self, winner: Strategy, sorted: &[Candidate]) -> Vec<Rejected> {
        let mut rejected: Vec<Rejected> = Vec::new();
        for candidate in sorted {
            let strategy = candidate.strategy;
            if strategy != winner && rejected.iter().all(|r| r.strategy != strategy) {
                let cost = self.costs.cost(candidate.graphs());
                rejected.push(Rejected { strategy, count: candidate.count(), cost });
            }
        }
        rejected
    }

    /// Merges candidates with several stages into one, from the cheapest version of each stage.
    ///
    /// Stages are independent: each may have its own forms of bodies.
    fn with_best_stages(&self, tried: Vec<Candidate>) -> Vec<Candidate> {
        let (staged, mut all): (Vec<_>, Vec<_>) = tried.into_iter().partition(|c| c.stages.len() > 1);
        let best = staged.into_iter().reduce(|mut best, other| {
            for (best, other) in best.stages.iter_mut().zip(other.stages) {
                if self.costs.cost([&other.ir]) < self.costs.cost([&best.ir]) {
                    *best = other;
                }
            }
            best
        });
        all.extend(best);
        all
    }

    /// Cheapest version of a stage with limbs as lanes, if it needs clearly fewer instructions than
    /// `straight`, and the shape allows it. Who asks for limbs gets code that takes long to compile, too.
    fn with_limbs(
        &self,
        (function, frame): (Function, Option<FrameAt>),
        strategy: Strategy,
        (stage, straight): (usize, &TracedStage),
        shape: Option<Shape>,
    ) -> Option<TracedStage> {
        if shape == Some(Shape::Straight) {
            return None;
        }
        let is_asked_for = shape == Some(Shape::Limbs);
        let cost = |stage: &TracedStage| self.costs.cost([&stage.ir]);
        let packed_as = |packing: Packing| {
            let packed = self.trees.get(&straight.rewrite).with_limbs(packing)?;
            let strategies = match strategy.stages {
                1 => (function.spec().strategies)(&packed),
                // Other stages fix the inputs and outputs, so the strategy is given.
                _ => vec![strategy],
            };
            let best = strategies
                .into_iter()
                .filter(|s| s.stages == strategy.stages && !s.mixes_limbs())
                .map(|s| function.stage(&packed, frame, s, stage, Rules::default()))
                .min_by_key(cost)?;
            let pairs = packed.bodies.iter().any(|b| b.lanes.len() == 2);
            let compiles = is_asked_for
                || !pairs
                || CostModel::straight_line(&best.ir) <= self.costs.operations_in_pairs;
            let pays = cost(&best) * 4 < cost(straight) * self.costs.packed_quarters;
            (compiles && pays).then_some(best)
        };
        let best_of = |packings: &[Packing]| packings.iter().filter_map(|p| packed_as(*p)).min_by_key(cost);
        self.costs.packings.iter().find_map(|packings| best_of(packings))
    }

    /// Start of the search: the default form for all bodies.
    pub(crate) fn plain(&self) -> Rewrite {
        self.uniform(SHARES[0], MOMENTS[0])
    }

    /// One form for all bodies.
    fn uniform(&self, share: Option<Spin>, moment: Moment) -> Rewrite {
        let form = BodyForm { share, moment, origin: Origin::AtChild };
        Rewrite::uniform(self.trees.model(), true, form)
    }

    /// Best forms of bodies for a function, by its first strategy.
    pub(crate) fn best_rewrite(&self, function: Function) -> Rewrite {
        self.found.get(function, || self.descend(function))
    }

    /// Coordinate descent from uniform forms, over bodies from the leaves, while the cost decreases.
    fn descend(&self, function: Function) -> Rewrite {
        let model = self.trees.model();
        let mut spent = 0;
        let mut cost = |rewrite: &Rewrite| {
            let tree: Arc<Tree> = self.trees.get(rewrite);
            let strategy = (function.spec().strategies)(&tree)[0];
            let traced = function.candidate(&tree, None, strategy, Rules::default());
            spent += traced.graphs().map(|ir| ir.nodes.len()).sum::<usize>();
            (self.costs.cost(traced.graphs()), spent <= self.costs.nodes_traced)
        };
        let moments = if function == Function::Rnea { &MOMENTS[..] } else { &MOMENTS[..1] };
        let mut best = self.uniform(SHARES[0], moments[0]);
        let (mut least, _) = cost(&best);
        let mut improve = |best: &mut Rewrite, candidate: Rewrite| -> Option<bool> {
            let (cost, within_budget) = cost(&candidate);
            let better = cost < least;
            if better {
                (least, *best) = (cost, candidate);
            }
            within_budget.then_some(better)
        };
        for (share, moment) in SHARES.into_iter().flat_map(|s| moments.iter().map(move |m| (s, *m))).skip(1) {
            if improve(&mut best, self.uniform(share, moment)).is_none() {
                return best;
            }
        }
        loop {
            let mut gained = false;
            for class in classes(model).iter().rev() {
                for form in variants(best.bodies[class[0]], moments) {
                    let mut candidate = best.clone();
                    class.iter().for_each(|&i| candidate.bodies[i] = form);
                    match improve(&mut best, candidate) {
                        None => return best,
                        Some(better) => gained |= better,
                    }
                }
            }
            if !gained {
                return best;
            }
        }
    }
}

/// Forms that differ from `form` in one property.
fn variants(form: BodyForm, moments: &'static [Moment]) -> impl Iterator<Item = BodyForm> {
    let shares = SHARES.into_iter().map(move |share| BodyForm { share, ..form });
    let moments = moments.iter().map(move |&moment| BodyForm { moment, ..form });
    let origins = [Origin::AtChild, Origin::AtParent].map(|origin| BodyForm { origin, ..form });
    shares.chain(moments).chain(origins).filter(move |f| *f != form)
}

/// Classes of bodies with equal places in limbs of equal shape. One form serves a class.
///
/// A class begins with its first body, and classes are in the order of their first bodies.
fn classes(model: &Model<f64>) -> Vec<Vec<usize>> {
    let bodies = &model.bodies;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    let (mut shapes, mut known) = (vec![0; bodies.len()], HashMap::new());
    for (i, body) in bodies.iter().enumerate().rev() {
        let mut of = std::mem::take(&mut children[i]);
        of.sort_unstable();
        let next = known.len();
        shapes[i] = *known.entry((body.kind, of)).or_insert(next);
        if let Some(parent) = body.parent {
            children[parent].push(shapes[i]);
        }
    }
    // A place is the parent's class together with the shape of the subtree.
    let (mut places, mut known) = (Vec::with_capacity(bodies.len()), HashMap::new());
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let above: Option<usize> = body.parent.map(|p| places[p]);
        let class = *known.entry((above, shapes[i])).or_insert(classes.len());
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(i);
        places.push(class);
    }
    classes
}

#[cfg(test)]
mod tests;
