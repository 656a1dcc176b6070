//! The head of a kernel: sines and cosines of its angles, all at once, or made of those that the caller has.

use super::kernel::{Kernel, constant};
use crate::graph::{Id, Node, Nodes};
use std::collections::BTreeSet;
use std::fmt::Write;

/// An angle `sign q[coordinate] + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turned {
    coordinate: u32,
    sign: f64,
    offset: f64,
}

impl Turned {
    /// The node as such, if it is one.
    pub(super) fn of(nodes: &Nodes, angle: Id) -> Option<Self> {
        let (coordinate, sign, offset) = affine(nodes, angle)?;
        (sign.abs() == 1.0).then_some(Self { coordinate: coordinate?, sign, offset })
    }

    /// Its sine and cosine by those of the coordinate.
    fn sine_and_cosine(self) -> (String, String) {
        let (s, c) = (format!("sin[{}]", self.coordinate), format!("cos[{}]", self.coordinate));
        let (sin, cos) = self.offset.sin_cos();
        let (own_sine, own_cosine) = (scaled(&s, self.sign, cos), scaled(&c, 1.0, cos));
        if self.offset == 0.0 {
            return (own_sine, own_cosine);
        }
        let (sin, signed_sin) = (constant(sin), constant(self.sign * sin));
        (
            format!("S::mul_add({c}, {sin}, {own_sine})"),
            format!("S::mul_add(-{s}, {signed_sin}, {own_cosine})"),
        )
    }
}

/// `sign * factor * x` with a `sign` of 1 or -1; nothing is multiplied by 1.
fn scaled(x: &str, sign: f64, factor: f64) -> String {
    let minus = |negative| if negative { "-" } else { "" };
    if factor.abs() == 1.0 {
        return format!("{}{x}", minus(sign * factor < 0.0));
    }
    format!("{}{x} * {}", minus(sign < 0.0), constant(factor))
}

/// The input of the configuration that a node is a multiple of, the multiple, and what is added.
fn affine(nodes: &Nodes, id: Id) -> Option<(Option<u32>, f64, f64)> {
    let sum = |a, b, sign: f64| {
        let ((p, m, c), (q, n, d)) = (affine(nodes, a)?, affine(nodes, b)?);
        (p.is_none() || q.is_none()).then_some((p.or(q), m + sign * n, c + sign * d))
    };
    match nodes.node(id) {
        Node::Const(bits) => Some((None, 0.0, f64::from_bits(bits))),
        Node::Input { array: 0, index } => Some((Some(index), 1.0, 0.0)),
        Node::Add(a, b) => sum(a, b, 1.0),
        Node::Sub(a, b) => sum(a, b, -1.0),
        Node::Mul(a, b) => {
            let ((p, m, c), (q, n, d)) = (affine(nodes, a)?, affine(nodes, b)?);
            match (p, q) {
                (_, None) => Some((p, m * d, c * d)),
                (None, _) => Some((q, n * c, d * c)),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Kernel<'_> {
    /// Names for all sines and cosines.
    pub(super) fn sines_and_cosines(&self, text: &mut String) {
        let angles = self.angles();
        if angles.is_empty() {
            let _ = writeln!(text, "let _ = self.angles;");
            return;
        }
        let used: BTreeSet<Node> =
            self.live_nodes().filter(|n| matches!(n, Node::Sin(_) | Node::Cos(_))).collect();
        let list = |f: &dyn Fn(usize) -> String| (0..angles.len()).map(f).collect::<Vec<_>>().join(", ");
        let name = |node: Node, text: String| if used.contains(&node) { text } else { format!("_{text}") };
        let sines = list(&|k| name(Node::Sin(angles[k]), format!("s{k}")));
        let cosines = list(&|k| name(Node::Cos(angles[k]), format!("c{k}")));
        let computed = list(&|k| self.operand(angles[k]));
        if angles.iter().all(|a| Turned::of(self.nodes(), *a).is_none()) {
            let _ = writeln!(text, "let _ = self.angles;");
            let _ = writeln!(text, "let ([{sines}], [{cosines}]) = S::sin_cos_all([{computed}]);");
            return;
        }
        let _ = writeln!(
            text,
            "let ([{sines}], [{cosines}]) = match self.angles.given() {{\n\
             rt::None => S::sin_cos_all([{computed}]),\n\
             rt::Some((sin, cos)) => {{\n\
             let (sin, cos) = (&recast.matrix(sin).data.0[0], &recast.matrix(cos).data.0[0]);\n\
             {}}}\n}};",
            self.given_sines()
        );
    }

    /// Sines and cosines by those of the configuration; of a joint that follows another by some ratio they are taken.
    fn given_sines(&self) -> String {
        let angles = self.angles();
        let turned: Vec<Option<Turned>> = angles.iter().map(|a| Turned::of(self.nodes(), *a)).collect();
        let other: Vec<usize> = (0..angles.len()).filter(|&k| turned[k].is_none()).collect();
        let list = |f: &dyn Fn(usize) -> String| other.iter().map(|&k| f(k)).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if !other.is_empty() {
            let _ = writeln!(
                text,
                "let ([{}], [{}]) = S::sin_cos_all([{}]);",
                list(&|k| format!("s{k}")),
                list(&|k| format!("c{k}")),
                list(&|k| self.operand(angles[k]))
            );
        }
        let given =
            |k: usize| turned[k].map_or_else(|| (format!("s{k}"), format!("c{k}")), Turned::sine_and_cosine);
        let (sines, cosines): (Vec<String>, Vec<String>) = (0..angles.len()).map(given).unzip();
        let _ = writeln!(text, "([{}], [{}])", sines.join(", "), cosines.join(", "));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Expr, Graph};

    /// What the angle of a sine is found to be.
    fn found(angle: impl Fn(Expr<'_>) -> Expr<'_>) -> Option<Turned> {
        let graph = Graph::new();
        let (sine, _) = angle(graph.input(0, 3)).sin_cos();
        let crate::graph::Value::Node { id, .. } = sine.value() else { return None };
        let nodes = graph.finish();
        let Node::Sin(angle) = nodes.node(id) else { return None };
        Turned::of(&nodes, angle)
    }

    #[test]
    fn joints_angles_are_a_coordinate_and_a_constant() {
        let constant = Expr::constant;
        let of = |sign, offset| Some(Turned { coordinate: 3, sign, offset });
        assert_eq!(found(|q| q), of(1.0, 0.0));
        assert_eq!(found(|q| q + constant(0.3)), of(1.0, 0.3));
        // Signs are pulled out of nodes: of one of the two it is the negative that is meant.
        let minus = [found(|q| constant(0.3) - q), found(|q| -q + constant(0.3))];
        assert!(minus.iter().all(|m| *m == of(-1.0, 0.3) || *m == of(1.0, -0.3)), "{minus:?}");
        assert_eq!(found(|q| q * constant(2.0) + constant(0.3)), None);
        assert_eq!(found(|q| q * q), None);
    }

    #[test]
    fn nothing_is_multiplied_by_one() {
        let of = |sign, offset| Turned { coordinate: 3, sign, offset }.sine_and_cosine();
        let text = |sine: &str, cosine: &str| (sine.to_string(), cosine.to_string());
        assert_eq!(of(1.0, 0.0), text("sin[3]", "cos[3]"));
        assert_eq!(of(-1.0, 0.0), text("-sin[3]", "cos[3]"));
        let (near, turned) = (of(-1.0, 1e-9), of(1.0, std::f64::consts::PI));
        let small = "S::mul_add(-sin[3], k(-1e-9), cos[3])";
        assert_eq!(near, text("S::mul_add(cos[3], k(1e-9), -sin[3])", small));
        assert!(turned.0.ends_with(", -sin[3])") && turned.1.ends_with(", -cos[3])"), "{turned:?}");
        assert!(of(-1.0, 0.5).0.contains(", -sin[3] * k(0.8"), "{:?}", of(-1.0, 0.5));
    }
}
