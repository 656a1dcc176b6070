//! Options that are Rust text and enter the generated file unchanged.

use super::{Error, Robot};
use crate::naming::upper_camel_case;
use syn::parse::Parser;
use syn::{Attribute, Visibility};

impl Robot {
    pub(super) fn type_name(&self) -> Result<String, Error> {
        match &self.name {
            None => {
                let stem = self.urdf.file_stem().unwrap_or_default();
                Ok(upper_camel_case(&stem.to_string_lossy()))
            }
            Some(name) => name_fault(name).map_or_else(
                || Ok(name.clone()),
                |fault| Err(Error::Option { name: "name", what: format!("`{name}` {fault}") }),
            ),
        }
    }

    /// Checks visibility, attributes and runtime path: they enter the generated file unchanged.
    pub(super) fn check_rust(&self) -> Result<(), Error> {
        let fault = |name, what: String| Err(Error::Option { name, what });
        let (visibility, attributes, runtime) = (&self.visibility, &self.attributes, &self.runtime);
        if is_commented(visibility) || syn::parse_str::<Visibility>(visibility).is_err() {
            let what = format!("`{visibility}` is not a visibility; write `pub`, `pub(crate)` or nothing");
            return fault("visibility", what);
        }
        if let Err(e) = Attribute::parse_outer.parse_str(attributes) {
            let example = "write them as before a struct: `#[derive(PartialOrd)]`, `#[doc = \"My arm.\"]`";
            return fault("attributes", format!("`{attributes}` are no attributes ({e}); {example}"));
        }
        let path = syn::Path::parse_mod_style.parse_str(runtime).ok().filter(|_| !is_commented(runtime));
        let is_relative =
            |path: &syn::Path| path.segments.iter().any(|s| s.ident == "self" || s.ident == "super");
        if path.is_none_or(|path| is_relative(&path)) {
            let what = format!(
                "`{runtime}` is no path that means the same in every module; write `::rbd::__private`, or \
                 `crate::..` for a module of your own that re-exports it"
            );
            return fault("runtime_path", what);
        }
        Ok(())
    }
}

/// Reason why a name is not allowed for a type, if there is one.
fn name_fault(name: &str) -> Option<&'static str> {
    match syn::parse_str::<syn::Ident>(name) {
        _ if name.starts_with("r#") => Some("is a raw identifier; choose a name that is no keyword"),
        // The parser ignores comments, so the identifier may differ from the text.
        Ok(identifier) if identifier == name => match name {
            "gen" => Some("is a keyword since Rust's edition 2024; choose another name"),
            "rt" => Some("is what generated code calls its runtime; choose another name"),
            _ => None,
        },
        _ => Some(
            "is not a name for a Rust type; write a letter, then letters, digits and `_`, and no keyword",
        ),
    }
}

/// True if a text contains a comment, which would hide the rest of its line.
fn is_commented(rust: &str) -> bool {
    rust.contains("//") || rust.contains("/*")
}
