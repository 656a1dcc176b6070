//! Legal Rust names from whatever a file is called.

/// `ur5_robot` becomes `Ur5Robot`: a capital at the start and after whatever is not a letter or digit.
/// The result is a legal type name, whatever the input.
pub fn upper_camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut capital = true;
    for c in name.chars() {
        if !unicode_ident::is_xid_continue(c) || c == '_' {
            capital = true;
        } else if capital {
            out.extend(c.to_uppercase());
            capital = false;
        } else {
            out.push(c);
        }
    }
    if !out.chars().next().is_some_and(unicode_ident::is_xid_start) {
        out.insert_str(0, "Robot");
    }
    // The one keyword that starts with a capital.
    if out == "Self" {
        out.push('_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::upper_camel_case;

    #[test]
    fn any_file_name_gives_a_legal_type_name() {
        for (name, expected) in [
            ("iiwa14", "Iiwa14"),
            ("ur5_robot", "Ur5Robot"),
            ("my robot.v2", "MyRobotV2"),
            ("7dof-arm", "Robot7dofArm"),
            ("self", "Self_"),
            ("", "Robot"),
            ("--", "Robot"),
            ("élan", "Élan"),
            ("a\"; compile_error!(\"x", "ACompileErrorX"),
            ("ßs", "SSs"),
        ] {
            assert_eq!(upper_camel_case(name), expected);
        }
    }
}
