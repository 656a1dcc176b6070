//! Between the lanes of a body and those of the bodies that carry it.
//!
//! A quadruped's legs are four lanes of one, carried by a trunk of one lane. A humanoid's legs may be lanes beside its
//! forearms: then some lanes are carried by the upper arms, two lanes of one, and others by the pelvis. Bodies that have
//! as many lanes as one that they carry are of the same limb, and carry it lane by lane.

use super::robot::SymbolicRobot;
use crate::algebra::Components;
use crate::graph::Expr;
use crate::tree::Place;

/// For each lane of a body, the lane of another that carries it.
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

    /// Whether it is the world that carries body `i`.
    pub fn is_root(&self, i: usize) -> bool {
        self.tree.bodies[i].lanes.iter().all(|l| l.parent.is_none())
    }

    /// Whether the world carries body `i` in any of its lanes.
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

    /// These lanes of `x`, zero where there is none.
    pub fn rearranged(&self, lanes: &[Option<usize>], x: Expr<'g>) -> Expr<'g> {
        let of_lane = |lane: &Option<usize>| lane.map_or(Expr::ZERO, |lane| x.lane(lane));
        self.graph.gather(&lanes.iter().map(of_lane).collect::<Vec<_>>())
    }

    /// What `x` in lanes that are carried so gives to those of the body that carries them: to each the sum of what it
    /// carries.
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

    /// Of a quantity that the world and each body has, what body `i` finds where its joint is carried.
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

    /// What body `i` gives to those that carry its joint: each, and what takes a number of i's lanes to its own.
    pub fn to_carriers(
        &self,
        i: usize,
    ) -> impl Iterator<Item = (usize, impl Fn(Expr<'g>) -> Expr<'g> + Copy)> {
        self.carriers(i).into_iter().map(move |j| (j, move |x| self.to_carrier(i, j, x)))
    }

    /// What `x` of body `i` gives to the world: the sum of the lanes that the world carries.
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
