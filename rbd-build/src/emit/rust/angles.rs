//! Sines and cosines of a kernel's angles: computed together, or derived from those that the caller has.

use super::body::Body;
use super::scalar_functions::ScalarFunction;
use rbd_ir::kernel::{Angle, Turned};
use std::fmt::Write;

impl Body<'_> {
    /// Writes names for all sines and cosines.
    pub(super) fn sines_and_cosines(&self, text: &mut String, angles: &[Angle]) {
        let list = |f: &dyn Fn(usize) -> String| (0..angles.len()).map(f).collect::<Vec<_>>().join(", ");
        let used = |used: bool| if used { "" } else { "_" };
        let sines = list(&|k| format!("{}s{k}", used(angles[k].sin.is_some())));
        let cosines = list(&|k| format!("{}c{k}", used(angles[k].cos.is_some())));
        let computed = list(&|k| self.operand(angles[k].of));
        if angles.iter().all(|angle| self.given(angle).is_none()) {
            let _ = writeln!(text, "let _ = self.angles;");
            let _ = writeln!(text, "let ([{sines}], [{cosines}]) = S::sin_cos_all([{computed}]);");
            return;
        }
        let _ = writeln!(
            text,
            "let ([{sines}], [{cosines}]) = match self.angles.given() {{\n\
             rt::None => S::sin_cos_all([{computed}]),\n\
             rt::Some((sin, cos)) => {{\n\
             let sin = &recast.matrix(sin).data.0[0];\n\
             let cos = &recast.matrix(cos).data.0[0];\n\
             {}}}\n}};",
            self.given_sines(angles)
        );
    }

    /// Statements that derive sines and cosines from those of the configuration.
    ///
    /// A mimic joint with a ratio other than ±1 has its own, which are computed.
    fn given_sines(&self, angles: &[Angle]) -> String {
        let given: Vec<Option<(String, String)>> = angles.iter().map(|angle| self.given(angle)).collect();
        let other: Vec<usize> = (0..angles.len()).filter(|&k| given[k].is_none()).collect();
        let list = |f: &dyn Fn(usize) -> String| other.iter().map(|&k| f(k)).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if !other.is_empty() {
            let _ = writeln!(
                text,
                "let ([{}], [{}]) = S::sin_cos_all([{}]);",
                list(&|k| format!("s{k}")),
                list(&|k| format!("c{k}")),
                list(&|k| self.operand(angles[k].of))
            );
        }
        let each = given.into_iter().enumerate();
        let each = each.map(|(k, given)| given.unwrap_or_else(|| (format!("s{k}"), format!("c{k}"))));
        let (sines, cosines): (Vec<String>, Vec<String>) = each.unzip();
        let _ = writeln!(text, "(\n[{}],\n[{}],\n)", sines.join(", "), cosines.join(", "));
        text
    }

    /// Sine and cosine of an angle, from those of the coordinate from which it differs by a sign and a
    /// constant.
    fn given(&self, angle: &Angle) -> Option<(String, String)> {
        let Turned { of, sign, offset } = angle.turned?;
        let coordinate = self.coordinate(of)?;
        let (s, c) = (format!("sin[{coordinate}]"), format!("cos[{coordinate}]"));
        let (sin, cos) = offset.sin_cos();
        let (own_sine, own_cosine) = (self.scaled(&s, sign, cos), self.scaled(&c, 1.0, cos));
        if offset == 0.0 {
            return Some((own_sine, own_cosine));
        }
        let fma = self.call(ScalarFunction::MulAdd, 1);
        let (sin, signed_sin) = (self.constant(sin), self.constant(sign * sin));
        Some((format!("{fma}({c}, {sin}, {own_sine})"), format!("{fma}(-{s}, {signed_sin}, {own_cosine})")))
    }

    /// Product `sign * factor * x`, with a `sign` of 1 or -1. A factor of 1 is left out.
    fn scaled(&self, x: &str, sign: f64, factor: f64) -> String {
        let minus = |negative| if negative { "-" } else { "" };
        if factor.abs() == 1.0 {
            return format!("{}{x}", minus(sign * factor < 0.0));
        }
        format!("{}{x} * {}", minus(sign < 0.0), self.constant(factor))
    }
}
