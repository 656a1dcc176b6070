//! Which way of writing a function is the cheapest: formulations, and how each body's inertia is written.
//!
//! Everything that is tried is traced and counted. Formulations are few and are all tried. How bodies are written
//! is searched body by body, for one function of each family; what is found serves the family.

use crate::function::{Formulation, Traced};
use crate::functions::Function;
use crate::graph::OperationCount;
use crate::products::Product;
use crate::tree::{BodyForm, Moment, Origin, Packing, Rewrite, Spin, Tree, Trees};
use rbd_runtime::Model;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The search for one robot's functions.
#[derive(Debug)]
pub struct Search<'m> {
    trees: Trees<'m>,
    found: RefCell<BTreeMap<Function, Rewrite>>,
}

/// How limbs are packed: fours and pairs, of which those may become fours that are alike in part, or fours alone.
const PACKINGS: [&[Packing]; 2] = [
    &[Packing { lanes: &[4, 2], across: false }, Packing { lanes: &[4, 2], across: true }],
    &[Packing { lanes: &[4], across: false }],
];

/// Operations beyond which limbs are not packed in pairs. A humanoid's derivatives of forward dynamics written so take
/// the compiler minutes, and are mostly a looped product anyway.
const OPERATIONS_IN_PAIRS: usize = 16_000;

/// Operations that fit the first-level instruction cache of 32 KiB: about five bytes each, fused.
const STRAIGHT_LINE_BUDGET: usize = 6000;

/// Nodes of graphs that the search for one family may trace. Every build pays for it: a macro that is not optimised
/// itself, as by default none is, traces some 200000 a second.
const NODES_TRACED: usize = 150_000;

const SHARES: [Option<Spin>; 4] = [Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ), None];
const MOMENTS: [Moment; 3] = [Moment::Euler, Moment::SecondMoments, Moment::Entries];

impl<'m> Search<'m> {
    /// Nothing is found yet. Numbers of a rotation nearer than `snap` to 0, 1 or -1 will be taken for them.
    pub fn new(model: &'m Model<f64>, snap: f64) -> Self {
        Self { trees: Trees::new(model, snap), found: RefCell::default() }
    }

    /// The cheapest way to a function that is found.
    pub fn cheapest(&self, function: Function) -> Traced {
        let found = function.spec().searched_as.iter().map(|f| self.best_rewrite(*f));
        let rewrites: Vec<Rewrite> = found.chain([self.uniform(SHARES[0], MOMENTS[0])]).collect();
        let mut tried: Vec<Traced> = Vec::new();
        for (k, rewrite) in rewrites.iter().enumerate() {
            if !rewrites[..k].contains(rewrite) {
                tried.extend(function.trace_all(&self.trees.get(rewrite)));
            }
        }
        let mut tried = with_best_stages(tried);
        tried.sort_by_key(Traced::cost);
        let mut winner = tried.remove(0);
        // Of each other formulation, its best.
        for t in tried {
            let seen = t.formulation == winner.formulation
                || winner.losers.iter().any(|(name, _)| *name == t.formulation);
            if !seen {
                winner.losers.push((t.formulation, t.count()));
            }
        }
        winner.limbs = self.with_limbs(&winner);
        if let Some(then) = &mut winner.then {
            then.limbs = self.with_limbs(then);
        }
        winner
    }

    /// The cheapest way of a stage with limbs as lanes, if it needs clearly fewer instructions than the straight line.
    fn with_limbs(&self, straight: &Traced) -> Option<Box<Traced>> {
        use Formulation as F;
        let function = straight.function;
        let packed_as = |packing: Packing| {
            let packed = self.trees.get(&straight.rewrite).with_limbs(packing)?;
            let formulations = match straight.formulation {
                stage @ (F::Stages | F::SecondStage) => vec![stage],
                // What mixes the degrees of freedom anew gains nothing from lanes.
                _ => {
                    let mut all = function.formulations(&packed);
                    all.retain(|f| !matches!(f, F::DenseProduct | F::Solve | F::Stages));
                    all
                }
            };
            let mut best = formulations
                .into_iter()
                .map(|f| function.trace_as(&packed, f))
                .min_by_key(Traced::own_cost)?;
            best.then = None;
            let pairs = packed.bodies.iter().any(|b| b.lanes.len() == 2);
            let compiles = !pairs || best.straight_line() <= OPERATIONS_IN_PAIRS;
            (compiles && best.own_cost() * 4 < straight.own_cost() * 3).then(|| Box::new(best))
        };
        let best_of = |packings: &[Packing]| {
            packings.iter().filter_map(|p| packed_as(*p)).min_by_key(|packed| packed.own_cost())
        };
        PACKINGS.into_iter().find_map(best_of)
    }

    /// All bodies written alike.
    fn uniform(&self, share: Option<Spin>, moment: Moment) -> Rewrite {
        let form = BodyForm { share, moment, origin: Origin::AtChild };
        Rewrite::uniform(self.trees.model(), self.trees.snap(), true, form)
    }

    /// How bodies are best written for a function in its first formulation.
    fn best_rewrite(&self, function: Function) -> Rewrite {
        if let Some(known) = self.found.borrow().get(&function) {
            return known.clone();
        }
        let found = self.descend(function);
        self.found.borrow_mut().insert(function, found.clone());
        found
    }

    /// Starts from bodies all written alike, and goes through them from the leaves as long as that gains.
    fn descend(&self, function: Function) -> Rewrite {
        let model = self.trees.model();
        let mut spent = 0;
        let mut cost = |rewrite: &Rewrite| {
            let tree: Rc<Tree> = self.trees.get(rewrite);
            let traced = function.trace_as(&tree, function.formulations(&tree)[0]);
            spent += traced.nodes.len();
            (traced.cost(), spent <= NODES_TRACED)
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

/// Of the ways in two stages one is left, of the cheapest of each: they need not write bodies alike.
fn with_best_stages(mut tried: Vec<Traced>) -> Vec<Traced> {
    let seconds = tried.iter_mut().filter_map(|t| t.then.take());
    let Some(then) = seconds.min_by_key(|t| t.own_cost()) else { return tried };
    let (firsts, mut rest): (Vec<_>, Vec<_>) =
        tried.into_iter().partition(|t| t.formulation == Formulation::Stages);
    let first = firsts.into_iter().min_by_key(Traced::own_cost);
    rest.extend(first.map(|first| Traced { then: Some(then), ..first }));
    rest
}

/// The forms that differ from this one in one respect.
fn variants(form: BodyForm, moments: &'static [Moment]) -> impl Iterator<Item = BodyForm> {
    let shares = SHARES.into_iter().map(move |share| BodyForm { share, ..form });
    let moments = moments.iter().map(move |&moment| BodyForm { moment, ..form });
    let origins = [Origin::AtChild, Origin::AtParent].map(|origin| BodyForm { origin, ..form });
    shares.chain(moments).chain(origins).filter(move |f| *f != form)
}

/// Bodies by the place that they have in limbs of one shape: what is best for one is taken to be for all. Each class
/// begins with its first body; classes are in the order of these.
fn classes(model: &Model<f64>) -> Vec<Vec<usize>> {
    let bodies = &model.bodies;
    let mut shapes = vec![String::new(); bodies.len()];
    for i in (0..bodies.len()).rev() {
        let mut children: Vec<&str> = (i + 1..bodies.len())
            .filter(|&c| bodies[c].parent == Some(i))
            .map(|c| shapes[c].as_str())
            .collect();
        children.sort_unstable();
        shapes[i] = format!("{:?}({})", bodies[i].kind, children.join(" "));
    }
    let mut places: Vec<String> = Vec::new();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let above = body.parent.map_or("", |p| places[p].as_str());
        places.push(format!("{above}/{}", shapes[i]));
        match classes.iter_mut().find(|c| places[c[0]] == places[i]) {
            Some(class) => class.push(i),
            None => classes.push(vec![i]),
        }
    }
    classes
}

impl Traced {
    /// What it costs to run, in operations, all stages together.
    fn cost(&self) -> usize {
        Self::cost_of(self.stages())
    }

    /// What this stage costs to run, in operations.
    fn own_cost(&self) -> usize {
        Self::cost_of([self].into_iter())
    }

    /// Straight-line code past the first-level instruction cache runs 2.3 times slower (measured).
    fn cost_of<'t>(stages: impl Iterator<Item = &'t Self>) -> usize {
        let (mut straight, mut products) = (0, 0);
        for stage in stages {
            straight += stage.straight_line();
            products += stage.products.iter().map(Product::cost).sum::<usize>();
        }
        let beyond = straight.saturating_sub(STRAIGHT_LINE_BUDGET);
        straight + beyond * 13 / 10 + products
    }

    /// Operations of this stage before its loops, and moves between lanes.
    fn straight_line(&self) -> usize {
        let count = OperationCount::of(&self.nodes, self.values());
        count.total() + count.moves
    }
}
