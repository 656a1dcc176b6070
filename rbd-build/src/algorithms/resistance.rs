//! Joint resistance: viscous damping, and smoothed Coulomb friction (docs/math.md#joint-friction).

use super::robot::SymbolicBody;
use rbd_ir::graph::Expr;

impl<'g> SymbolicBody<'g> {
    /// The torque that it takes to move at this velocity: `d v + F v / sqrt(v^2 + smoothing^2)`.
    pub fn resistance(&self, v: Expr<'g>) -> Expr<'g> {
        let sliding = self.sliding(v).map_or(Expr::ZERO, |(friction, share, _)| friction * share);
        self.damping * v + sliding
    }

    /// Derivative of the resistance by the velocity.
    /// It is `d + F (1 - s^2) / sqrt(v^2 + smoothing^2)`, where `s` is the share of F above.
    pub fn resistance_slope(&self, v: Expr<'g>) -> Expr<'g> {
        let sliding = self.sliding(v).map_or(Expr::ZERO, |(friction, share, reciprocal)| {
            friction * ((Expr::ONE - share.square()) * reciprocal)
        });
        self.damping + sliding
    }

    /// Second derivative of the resistance by the velocity: `-3 F s (1 - s^2) / (v^2 + smoothing^2)`.
    pub fn resistance_curvature(&self, v: Expr<'g>) -> Expr<'g> {
        self.sliding(v).map_or(Expr::ZERO, |(friction, share, reciprocal)| {
            let slope = (Expr::ONE - share.square()) * reciprocal.square();
            Expr::constant(-3.0) * friction * share * slope
        })
    }

    /// Returns whether there is any resistance.
    pub fn resists(&self) -> bool {
        !self.damping.is_zero() || !self.friction.0.is_zero()
    }

    /// The friction torque, its smoothed sign, and the reciprocal of the smoothed speed.
    fn sliding(&self, v: Expr<'g>) -> Option<(Expr<'g>, Expr<'g>, Expr<'g>)> {
        let (friction, smoothing) = self.friction;
        if friction.is_zero() || v.is_zero() {
            return (!friction.is_zero()).then(|| (friction, Expr::ZERO, smoothing.recip()));
        }
        let reciprocal = v.hypot(smoothing).recip();
        Some((friction, v * reciprocal, reciprocal))
    }
}
