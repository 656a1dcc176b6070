//! Transfer between the lanes of a body and those of its ancestors.
//!
//! A quadruped's legs are four lanes of one body, carried by a trunk of one lane. A humanoid's legs
//! may be lanes next to its forearms: some lanes are then carried by the upper arms, two lanes of
//! one body, and others by the pelvis. A body with as many lanes as one that it carries is of the
//! same limb, and carries it lane by lane.

use super::robot::SymbolicRobot;
use crate::algebra::Components;
use crate::tree::Place;
use rbd_ir::graph::Expr;

/// For each lane of a body, the lane of another body that carries it.
pub type Carrying = Vec<Option<usize>>;

impl<'g> SymbolicRobot<'g> {
    /// The bodies that carry the joint of body `i`, each once; none of a root.
    pub fn carriers(&self, i: usize) -> Vec<usize> {
        let mut carriers = Vec::new();
        for place in self.tree.bodies[i].lanes.iter().filter_map(|l| l.parent) {
            if !carriers.contains(&place.body) {
                carriers.push(place.body);
            }
        }
        carriers
    }

    /// Returns whether the world carries body `i`.
    pub fn is_root(&self, i: usize) -> bool {
        self.tree.bodies[i].lanes.iter().all(|l| l.parent.is_none())
    }

    /// Returns whether the world carries body `i` in any of its lanes.
    pub fn is_in_part_root(&self, i: usize) -> bool {
        self.tree.bodies[i].lanes.iter().any(|l| l.parent.is_none())
    }

    /// For each lane of body `i`, the lane of body `j` that carries it.
    pub fn carrying(&self, j: usize, i: usize) -> Carrying {
        let lanes = usize::from(self.bodies[i].lanes);
        (0..lanes).map(|lane| self.tree.carrying_lane(j, Place { body: i, lane })).collect()
    }

    /// `x` of body `j` in the lanes of body `i`: zero where it does not carry them.
    pub fn outward_lanes(&self, j: usize, i: usize, x: Expr<'g>) -> Expr<'g> {
        if self.bodies[i].lanes == self.bodies[j].lanes {
            x
        } else {
            self.rearranged(&self.carrying(j, i), x)
        }
    }

    /// Puts the given lanes of `x` side by side; zero for `None`.
    pub fn rearranged(&self, lanes: &[Option<usize>], x: Expr<'g>) -> Expr<'g> {
        let of_lane = |lane: &Option<usize>| lane.map_or(Expr::ZERO, |lane| x.lane(lane));
        self.graph.gather(&lanes.iter().map(of_lane).collect::<Vec<_>>())
    }

    /// Sums of `x`, in lanes carried by these, for the lanes of the body that carries them.
    pub fn add_up(&self, carrying: &[Option<usize>], lanes: u8, x: Expr<'g>) -> Expr<'g> {
        if lanes == 1 && carrying.iter().all(Option::is_some) {
            return x.horizontal_sum(carrying.len() as u8);
        }
        let on = |lane: usize| {
            let carried = carrying.iter().enumerate().filter(move |(_, on)| **on == Some(lane));
            carried.map(|(k, _)| x.lane(k)).sum()
        };
        self.graph.gather(&(0..usize::from(lanes)).map(on).collect::<Vec<_>>())
    }

    /// For a quantity of the world and each body: its value at the parent of body `i`'s joint.
    pub fn of_carrier<X: Components<'g>>(&self, i: usize, x: &[X], world: X) -> X {
        let parents = || self.tree.bodies[i].lanes.iter().map(|l| l.parent);
        match self.carriers(i)[..] {
            [] => return world,
            [j] if self.bodies[j].lanes == self.bodies[i].lanes => return x[j],
            _ => {}
        }
        X::by_components(|k| {
            let of_lane = |parent: Option<Place>| match parent {
                Some(p) => x[p.body].component(k).lane(p.lane),
                None => world.component(k),
            };
            self.graph.gather(&parents().map(of_lane).collect::<Vec<_>>())
        })
    }

    /// Passes a quantity of body `i` to the parents of its joint: each parent, with the map from a
    /// number of i's lanes to its own.
    pub fn to_carriers(
        &self,
        i: usize,
    ) -> impl Iterator<Item = (usize, impl Fn(Expr<'g>) -> Expr<'g> + Copy)> {
        self.carriers(i).into_iter().map(move |j| (j, move |x| self.to_carrier(i, j, x)))
    }

    /// Sum of `x` of body `i` over the lanes that the world carries.
    pub fn to_world(&self, i: usize, x: Expr<'g>) -> Expr<'g> {
        let on_world = |parent: Option<Place>| parent.is_none().then_some(0);
        let on: Carrying = self.tree.bodies[i].lanes.iter().map(|l| on_world(l.parent)).collect();
        self.add_up(&on, 1, x)
    }

    /// The body that the world carries, if that is one alone.
    pub fn only_root(&self) -> Option<usize> {
        let lanes = self.outward().flat_map(|i| self.tree.bodies[i].lanes.iter().map(move |l| (i, l)));
        let mut roots = lanes.filter(|(_, l)| l.parent.is_none()).map(|(i, _)| i);
        roots.next().filter(|&i| roots.next().is_none() && self.bodies[i].lanes == 1)
    }

    fn to_carrier(&self, i: usize, j: usize, x: Expr<'g>) -> Expr<'g> {
        if self.bodies[i].lanes == self.bodies[j].lanes {
            return x;
        }
        let lane_on = |place: Option<Place>| place.filter(|p| p.body == j).map(|p| p.lane);
        let on: Carrying = self.tree.bodies[i].lanes.iter().map(|l| lane_on(l.parent)).collect();
        self.add_up(&on, self.bodies[j].lanes, x)
    }
}
