//! Spelling of numbers, prefixes and comments, whatever a URDF calls things.

/// The type of all numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// `double`.
    F64,
    /// `float`.
    F32,
}

impl Real {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "double",
            Self::F32 => "float",
        }
    }

    /// A finite number as a literal of this type; in parentheses where a minus sign could meet another.
    pub fn number(self, x: f64) -> String {
        let text = match self {
            Self::F64 => format!("{x:?}"),
            Self::F32 => match x as f32 {
                // As in Rust, what a type cannot hold is infinite. A sum, as no literal is.
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

    /// A number of a table, where a limit that is not there is the largest number that there is.
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

/// What a robot's items begin with, of a file's stem: `UR5 robot.v2` gives `ur5_robot_v2`. It is a prefix whatever the
/// input.
pub fn prefix(stem: &str) -> String {
    let mut out = String::new();
    for c in stem.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => out.push(c),
            // Two of them in a row are reserved in C++, and CasADi refuses them.
            _ if out.ends_with('_') || out.is_empty() => {}
            _ => out.push('_'),
        }
    }
    let out = out.trim_end_matches('_');
    if out.starts_with(|c: char| c.is_ascii_alphabetic()) { out.into() } else { format!("robot{out}") }
}

/// Whether this can be what a robot's items begin with.
pub fn is_prefix(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && !name.ends_with('_')
}

/// For a comment: what could end it, or change how it reads, is replaced.
pub fn comment(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._-".contains(c);
    let shown: String = text.chars().take(60).map(|c| if plain(c) { c } else { '_' }).collect();
    if text.chars().count() > 60 { shown + ".." } else { shown }
}

/// Whether a text has this identifier.
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
