//! Spelling of numbers, prefixes and comments, safe for any names in a URDF.

/// Type of all numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// `double`.
    F64,
    /// `float`.
    F32,
}

impl Real {
    /// `float` or `double`.
    pub fn of(float: bool) -> Self {
        if float { Self::F32 } else { Self::F64 }
    }

    /// Name in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "double",
            Self::F32 => "float",
        }
    }

    /// Literal of a finite number. It is in parentheses if a minus sign could meet another.
    pub fn number(self, x: f64) -> String {
        let text = match self {
            Self::F64 => format!("{x:?}"),
            Self::F32 => match x as f32 {
                // Overflow becomes infinity, as in Rust. C has no literal for it, hence the sum.
                large if large.is_infinite() => "(FLT_MAX + FLT_MAX)".into(),
                x => format!("{x:?}f"),
            },
        };
        if x.is_sign_negative() {
            format!("({}{text})", if text.starts_with('-') { "" } else { "-" })
        } else {
            text
        }
    }

    /// Literal of a limit. A missing limit is the largest finite number.
    pub fn limit(self, x: f64) -> String {
        let largest = match self {
            Self::F64 => "DBL_MAX",
            Self::F32 => "FLT_MAX",
        };
        match x {
            f64::INFINITY => largest.into(),
            f64::NEG_INFINITY => format!("-{largest}"),
            x => self.number(x),
        }
    }
}

/// Prefix of a robot's items, from a file's stem: `UR5 robot.v2` gives `ur5_robot_v2`.
///
/// The result is a valid prefix for any input.
pub fn prefix(stem: &str) -> String {
    let mut out = String::new();
    for c in stem.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => out.push(c),
            // Two underscores in a row are reserved in C++, and CasADi refuses them.
            _ if out.ends_with('_') || out.is_empty() => {}
            _ => out.push('_'),
        }
    }
    let out = out.trim_end_matches('_');
    if out.starts_with(|c: char| c.is_ascii_alphabetic()) { out.into() } else { format!("robot{out}") }
}

/// True if a name can be the prefix of a robot's items.
pub fn is_prefix(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && !name.ends_with('_')
}

/// Text made safe for a comment: characters that could end or alter the comment are replaced.
pub fn comment(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._-".contains(c);
    let shown: String = text.chars().take(60).map(|c| if plain(c) { c } else { '_' }).collect();
    if text.chars().count() > 60 { shown + ".." } else { shown }
}

/// True if a text contains an identifier as a whole word.
pub fn names(text: &str, identifier: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(identifier)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + identifier.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_file_name_gives_a_prefix() {
        for (stem, expected) in [
            ("iiwa14", "iiwa14"),
            ("UR5 robot.v2", "ur5_robot_v2"),
            ("7dof--arm", "robot7dof_arm"),
            ("__int", "int"),
            ("a\"; }\nint main(void) {", "a_int_main_void"),
            ("\u{e9}lan", "lan"),
            ("", "robot"),
            ("*/", "robot"),
        ] {
            assert_eq!(prefix(stem), expected);
            assert!(is_prefix(&prefix(stem)));
        }
        for wrong in ["", "_arm", "7dof", "a b", "a__b", "arm_", "\u{e9}", "a\n"] {
            assert!(!is_prefix(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn comments_end_where_they_should() {
        assert_eq!(comment("*/ int x; /*\n\\"), "__ int x_ ____");
        assert_eq!(comment(&"n".repeat(100)).len(), 62);
    }

    #[test]
    fn numbers_are_literals_of_their_type() {
        assert_eq!(Real::F64.number(0.1), "0.1");
        assert_eq!(Real::F64.number(-2.0), "(-2.0)");
        assert_eq!(Real::F64.number(1e300), "1e300");
        assert_eq!(Real::F32.number(0.1), "0.1f");
        assert_eq!(Real::F32.number(1.0 / 3.0), "0.33333334f");
        assert_eq!(Real::F32.number(-1e300), "(-(FLT_MAX + FLT_MAX))");
        assert_eq!(Real::F32.limit(f64::NEG_INFINITY), "-FLT_MAX");
    }

    #[test]
    fn identifiers_are_found_whole() {
        assert!(names("x = q[0];", "q") && !names("x = sin_q[0] + q1;", "q"));
    }
}
