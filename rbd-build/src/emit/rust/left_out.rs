//! Stand-ins for items that options would generate. Their use is an error in which `left_out` names the
//! option.

use crate::search::plan::Plan;
use crate::table::functions::{FUNCTIONS, Spec, contact_functions};
use std::fmt::Write;

use super::fused::RUNTIME;

/// Requested features of a robot.
pub struct Asked<'a> {
    /// Plans of its functions.
    pub plans: &'a [Plan],
    /// True if it has functions of frames.
    pub frames: bool,
    /// True if it has contacts.
    pub contacts: bool,
}

impl Asked<'_> {
    /// Stand-ins for the types of frames and of contacts, beside the robot's.
    ///
    /// A glob import brings them in, so that a user's type of that name takes precedence.
    pub fn types(&self, type_name: &str, visibility: &str) -> String {
        let mut aliases = String::new();
        for (is_there, name) in [(self.frames, "Frame"), (self.contacts, "Contact")] {
            if !is_there {
                let _ = writeln!(
                    aliases,
                    "pub type {type_name}{name} = <() as {RUNTIME}::Option{name}s>::{name};"
                );
            }
        }
        if aliases.is_empty() {
            return aliases;
        }
        let module = format!("left_out_of_{type_name}");
        format!(
            "#[doc(hidden)]\n#[allow(dead_code, unreachable_pub, nonstandard_style)]\nmod {module} {{\n{aliases}}}\n\
             #[doc(hidden)]\n#[allow(unused_imports, unreachable_pub)]\n{visibility} use {module}::*;\n"
        )
    }

    /// Stand-ins for functions, one macro for each option.
    pub fn functions(&self, type_name: &str) -> String {
        let is_left_out = |spec: &&Spec| {
            let is_there = self.plans.iter().any(|plan| plan.function == spec.function);
            !is_there && !spec.function.is_by_parameters()
        };
        let (mut of_functions, mut of_frames) = (String::new(), String::new());
        for spec in FUNCTIONS.iter().filter(is_left_out) {
            let is_of_frame = spec.function.is_of_frame();
            let more = usize::from(is_of_frame) + usize::from(spec.function.has_reference());
            let to = if is_of_frame && !self.frames { &mut of_frames } else { &mut of_functions };
            let _ = write!(to, " {} {}", spec.name, spec.params.len() + more);
        }
        let of_contacts = contact_functions().filter(|_| !self.contacts);
        let of_contacts: String = of_contacts
            .map(|(spec, form)| format!(" {} {}", form.name(spec.name), spec.params_of(form).count()))
            .collect();
        let each = [("Functions", of_functions), ("Frames", of_frames), ("Contacts", of_contacts)];
        let text = |(option, names): &(&str, String)| match names.is_empty() {
            true => String::new(),
            false => format!("rt::left_out! {{ {type_name} Option{option}{names} }}\n"),
        };
        each.iter().map(text).collect()
    }
}
