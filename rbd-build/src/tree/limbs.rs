//! Limbs of equal shape, side by side as SIMD lanes of one limb.
//!
//! Two subtrees have the same shape if their joints have the same types and the same connections;
//! their numbers may differ. A body's children of one shape become one body, as many at a time as
//! there are lanes. If the end of one limb has the shape of another limb, the two may become one
//! too, though they hang on different bodies: a humanoid's forearms and legs.
//!
//! Numbers that are equal in all lanes fold back to one number in the graph. Before packing, each
//! frame is therefore turned over (by half turns, which keep axes along z) so that its numbers best
//! agree with the first limb's. Left and right limbs are mirror images with opposite signs.

use super::rounding::{compose, inverse, same};
use super::{Lane, Place, Tree, TreeBody, inertia_seen_from};
use nalgebra::{Matrix3, Vector3};
use rbd_runtime::JointKind;
use rbd_runtime::spatial::Placement;

/// Selects the limbs that become lanes of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The numbers of lanes that there may be, the largest first.
    pub lanes: &'static [usize],
    /// True if the ends of limbs may lie next to other limbs of their shape: forearms next to legs.
    pub across: bool,
}

/// Largest number of bodies of a robot whose limbs are searched.
///
/// The search is cubic in this number, and the straight line of a larger robot exceeds every
/// first-level cache.
const MOST_BODIES: usize = 250;

impl Tree {
    /// The tree with limbs packed; `None` if there are no such limbs, or too many bodies to search
    /// them.
    pub fn with_limbs(&self, packing: Packing) -> Option<Self> {
        if self.bodies.len() > MOST_BODIES {
            return None;
        }
        let mut limbs = Vec::new();
        self.find_limbs(None, packing.lanes, &mut limbs);
        if packing.across && !self.join_across(packing.lanes[0], &mut limbs) || limbs.is_empty() {
            return None;
        }
        let mut aligned = self.clone();
        // Joined limbs come last: their ends are turned to one another together with their limbs.
        for limb in limbs.iter().rev() {
            limb[1..].iter().for_each(|&other| aligned.align_to(limb[0], other));
        }
        Some(Self { bodies: aligned.packed(&limbs)?, ..self.clone() })
    }

    fn children(&self, parent: Option<usize>) -> Vec<usize> {
        (0..self.bodies.len()).filter(|&i| self.bodies[i].parent() == parent).collect()
    }

    /// Finds limbs of one shape on one body. Each is given by the first bodies of its future lanes.
    fn find_limbs(&self, parent: Option<usize>, sizes: &[usize], limbs: &mut Vec<Vec<usize>>) {
        let mut children = self.children(parent);
        while !children.is_empty() {
            let first = children.remove(0);
            let alike: Vec<usize> = children.iter().copied().filter(|&c| self.same_shape(first, c)).collect();
            let fitting = sizes.iter().find(|&&n| n <= 1 + alike.len() && self.can_be_lanes(first));
            let Some(&lanes) = fitting else {
                self.find_limbs(Some(first), sizes, limbs);
                continue;
            };
            let limb: Vec<usize> = std::iter::once(first).chain(alike.into_iter().take(lanes - 1)).collect();
            children.retain(|c| !limb.contains(c));
            limbs.push(limb);
        }
    }

    /// Joins the ends of some limbs to others, if both together have at most `most` lanes. Each
    /// limb takes part once.
    ///
    /// Joined limbs come first. Returns whether there are any.
    fn join_across(&self, most: usize, limbs: &mut Vec<Vec<usize>>) -> bool {
        let (mut joined, mut cut) = (Vec::new(), Vec::new());
        while let Some((a, b, ends)) = self.joint_limb(most, limbs) {
            // If all of the first limb lies next to the second, nothing is left of it.
            if ends != limbs[a] {
                cut.push(limbs[a].clone());
            }
            joined.push([&ends[..], &limbs[b]].concat());
            *limbs = (0..limbs.len()).filter(|k| ![a, b].contains(k)).map(|k| limbs[k].clone()).collect();
        }
        let any = !joined.is_empty();
        limbs.splice(0..0, joined.into_iter().chain(cut));
        any
    }

    /// Two limbs, the first of which ends in the shape of the second, and the start of that end.
    fn joint_limb(&self, most: usize, limbs: &[Vec<usize>]) -> Option<(usize, usize, Vec<usize>)> {
        let pairs = (0..limbs.len()).flat_map(|a| (0..limbs.len()).map(move |b| (a, b)));
        pairs
            .filter(|&(a, b)| a != b && limbs[a].len() + limbs[b].len() <= most)
            .find_map(|(a, b)| Some((a, b, self.end_of_shape(limbs[a].clone(), limbs[b][0])?)))
    }

    /// Start of the end of a limb, given by its first bodies, that has the shape of the limb at
    /// `other`.
    fn end_of_shape(&self, first: Vec<usize>, other: usize) -> Option<Vec<usize>> {
        if self.same_shape(first[0], other) {
            return Some(first);
        }
        self.next_on(&first).into_iter().find_map(|next| self.end_of_shape(next, other))
    }

    /// Children of these bodies with one shape, lane by lane.
    fn next_on(&self, lanes: &[usize]) -> Vec<Vec<usize>> {
        let children: Vec<Vec<usize>> = lanes.iter().map(|&i| self.children(Some(i))).collect();
        (0..children[0].len()).map(|k| children.iter().map(|c| c[k]).collect()).collect()
    }

    /// The bodies with these limbs as lanes, parents first; `None` if they would carry one another
    /// in a circle.
    fn packed(&self, limbs: &[Vec<usize>]) -> Option<Vec<TreeBody>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut limbs: Vec<Vec<usize>> = limbs.iter().rev().cloned().collect();
        while let Some(limb) = limbs.pop() {
            // The ends of some limbs are in lanes with others already.
            if !groups.iter().any(|g| g.contains(&limb[0])) {
                limbs.extend(self.next_on(&limb));
                groups.push(limb);
            }
        }
        let alone = |i: &usize| !groups.iter().any(|g| g.contains(i));
        let mut waiting: Vec<Vec<usize>> = (0..self.bodies.len()).filter(alone).map(|i| vec![i]).collect();
        waiting.extend(groups);
        waiting.sort_by_key(|g| g[0]);
        let (mut out, mut places) = (Vec::new(), vec![None; self.bodies.len()]);
        while !waiting.is_empty() {
            let place_of = |i: usize| self.bodies[i].parent().map(|p| places[p]);
            let ready = |g: &Vec<usize>| g.iter().all(|&i| place_of(i) != Some(None));
            let group = waiting.remove(waiting.iter().position(ready)?);
            let lane = |&i: &usize| Lane { parent: place_of(i).flatten(), ..self.bodies[i].lanes[0].clone() };
            let mut lanes: Vec<Lane> = group.iter().map(lane).collect();
            agree(&mut lanes);
            let TreeBody { kind, moment, .. } = self.bodies[group[0]];
            group.iter().enumerate().for_each(|(lane, &i)| places[i] = Some(Place { body: out.len(), lane }));
            out.push(TreeBody { kind, lanes, moment });
        }
        Some(out)
    }

    fn same_shape(&self, a: usize, b: usize) -> bool {
        let (children_a, children_b) = (self.children(Some(a)), self.children(Some(b)));
        self.bodies[a].kind.nv() == self.bodies[b].kind.nv()
            && (self.bodies[a].kind == JointKind::Prismatic) == (self.bodies[b].kind == JointKind::Prismatic)
            && self.can_be_lanes(a)
            && self.can_be_lanes(b)
            && children_a.len() == children_b.len()
            && children_a.iter().zip(&children_b).all(|(&a, &b)| self.same_shape(a, b))
    }

    /// Returns whether a joint has one coordinate that no other joint shares.
    fn can_be_lanes(&self, i: usize) -> bool {
        self.bodies[i].kind.nv() == 1 && self.owns_coordinates(i)
    }

    /// Turns the frames of the limb at `b` over so that they best agree with those of the limb at
    /// `a`: least cost over all choices, by dynamic programming from the tips.
    fn align_to(&mut self, a: usize, b: usize) {
        let choice = self.best_half_turns(a, b);
        let (_, best) = (0..4)
            .map(|h| (choice_cost(&choice, h) + self.placement_cost(a, b, 0, h), h))
            .fold((f64::INFINITY, 0), |best, (cost, h)| if cost < best.0 { (cost, h) } else { best });
        self.apply_half_turns(&choice, best);
    }

    fn best_half_turns(&self, a: usize, b: usize) -> Choice {
        let children: Vec<(usize, Choice)> = self
            .children(Some(a))
            .into_iter()
            .zip(self.children(Some(b)))
            .map(|(a, b)| (a, self.best_half_turns(a, b)))
            .collect();
        let mut options = [(0.0, Vec::new()), (0.0, Vec::new()), (0.0, Vec::new()), (0.0, Vec::new())];
        for (h, (cost, next)) in options.iter_mut().enumerate() {
            *cost = self.inertia_cost(a, b, h);
            for (child_a, child) in &children {
                let best = (0..4)
                    .map(|k| (self.placement_cost(*child_a, child.body, h, k) + child.options[k].0, k))
                    .fold((f64::INFINITY, 0), |best, one| if one.0 < best.0 { one } else { best });
                *cost += best.0;
                next.push(best.1);
            }
        }
        Choice { body: b, options, children: children.into_iter().map(|(_, c)| c).collect() }
    }

    fn apply_half_turns(&mut self, choice: &Choice, h: usize) {
        for (child, &k) in choice.children.iter().zip(&choice.options[h].1) {
            self.apply_half_turns(child, k);
        }
        let turn = half_turn(h);
        // z is turned over: the joint turns the other way.
        let sign = turn.rotation[(2, 2)];
        let prismatic = self.bodies[choice.body].kind == JointKind::Prismatic;
        let children = self.children(Some(choice.body));
        self.change_frame(choice.body, &turn, &children);
        let lane = &mut self.bodies[choice.body].lanes[0];
        lane.multiplier *= sign;
        lane.offset *= sign;
        if !prismatic {
            // The half turn about z that normal form puts into the angle.
            self.absorb_turn(choice.body, &children);
        }
    }

    /// Misfit of the placement of `b` to that of `a`, with its parent's frame turned by `h` and its
    /// own by `k`.
    fn placement_cost(&self, a: usize, b: usize, h: usize, k: usize) -> f64 {
        let (a, b) = (&self.bodies[a].lanes[0].placement, &self.bodies[b].lanes[0].placement);
        let turned = compose(&compose(&inverse(&half_turn(h)), b), &half_turn(k));
        let rotation = a.rotation.iter().zip(turned.rotation.iter());
        let translation = a.translation.iter().zip(turned.translation.iter());
        // Columns of the first limb's rotation and of the turned one count only up to a turn about
        // z. Half turns about z are among the choices, so entries can be compared directly.
        rotation.chain(translation).map(|(x, y)| misfit(*x, *y, 4.0)).sum()
    }

    fn inertia_cost(&self, a: usize, b: usize, h: usize) -> f64 {
        let a = &self.bodies[a].lanes[0].inertia;
        let b = inertia_seen_from(&self.bodies[b].lanes[0].inertia, &half_turn(h));
        let h = a.h.iter().zip(b.h.iter());
        let j = a.j.iter().zip(b.j.iter());
        h.chain(j).map(|(x, y)| misfit(*x, *y, 1.0)).sum()
    }
}

/// For each half turn of a body's frame: the cost of its limb, and the matching half turns of its
/// children.
struct Choice {
    body: usize,
    options: [(f64, Vec<usize>); 4],
    children: Vec<Choice>,
}

fn choice_cost(choice: &Choice, h: usize) -> f64 {
    choice.options[h].0
}

/// No turn, or half a turn about x, y or z.
fn half_turn(h: usize) -> Placement<f64> {
    let signs = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]][h];
    Placement {
        rotation: Matrix3::from_diagonal(&Vector3::from_column_slice(&signs)),
        translation: Vector3::zeros(),
    }
}

/// Cost of two numbers in one place: zero if they are equal, more if a zero or one is lost. It only
/// decides between half turns, so the comparison may be generous.
fn misfit(x: f64, y: f64, lost: f64) -> f64 {
    let free = |x: f64| x == 0.0 || x.abs() == 1.0;
    if (x - y).abs() <= 1e-9 * x.abs().max(y.abs()) {
        0.0
    } else if free(x) || free(y) {
        lost
    } else {
        0.5
    }
}

/// Replaces numbers that differ by rounding only by those of the first lane.
fn agree(lanes: &mut [Lane]) {
    let (first, others) = lanes.split_at_mut(1);
    let first = &first[0];
    let take = |x: &mut f64, from: f64, scale: f64| {
        if same(*x, from, scale) {
            *x = from;
        }
    };
    for lane in others {
        let Lane { placement, inertia, terms, .. } = lane;
        let pairs = |a: &mut [f64], b: &[f64], scales: &[f64]| {
            a.iter_mut().zip(b).zip(scales).for_each(|((x, from), scale)| take(x, *from, *scale));
        };
        // The scale is that of the number that changes: another limb's may be far larger.
        let length = placement.translation.amax();
        pairs(placement.rotation.as_mut_slice(), first.placement.rotation.as_slice(), &[1.0; 9]);
        pairs(placement.translation.as_mut_slice(), first.placement.translation.as_slice(), &[length; 3]);
        pairs(inertia.h.as_mut_slice(), first.inertia.h.as_slice(), terms.h.as_slice());
        pairs(inertia.j.as_mut_slice(), first.inertia.j.as_slice(), terms.j.as_slice());
        take(&mut inertia.mass, first.inertia.mass, terms.mass);
    }
}
