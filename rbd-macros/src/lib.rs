//! The `rbd_robot!` macro: parses its input, calls `rbd-build`, and puts errors on the right tokens.
//! Use it through the crate `rbd`, which tells it where the runtime is.

mod input;

use input::Input;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use rbd_build::{Cache, Error, Module};
use std::path::Path;

/// `[path of rbd] "file.urdf"`, or `[path of rbd] pub struct Name { urdf: "file.urdf", .. }`.
#[proc_macro]
pub fn robot(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(tokens as Input);
    expand(&input).unwrap_or_else(Into::into)
}

/// The robot's code, or a `compile_error!`.
fn expand(input: &Input) -> Result<proc_macro::TokenStream, TokenStream> {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let robot = input.configure(rbd_build::Robot::from_urdf(input.urdf.value()).relative_to(&root));
    // A macro runs inside the compiler, whose arguments cargo wrote.
    let arguments: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    let watch = watch(&robot.urdf_path());
    let fail = |span: Span, message: String| {
        let message = format!("rbd: {message}");
        // Watched even so: mending the file must build again.
        quote_spanned! { span => ::core::compile_error!(#message); #watch }
    };
    if let Some(said) = rbd_build::outside_crate(&robot.urdf_path()) {
        eprintln!("note: rbd_robot! {said}");
    }
    let is_outline = makes_no_code(&arguments);
    let written = if is_outline { robot.outline() } else { robot.module(&cache(&arguments, &root)) };
    let written = written.map_err(|error| match &error {
        Error::Urdf(findings) => {
            // One report, on the first token that an error is about.
            let first = findings.errors().next();
            fail(first.map_or(input.urdf.span(), |f| input.span_of(f)), findings.to_string())
        }
        Error::Option { name, .. } => {
            fail(input.option_span(name).unwrap_or(input.name_span()), error.to_string())
        }
        other => fail(input.name_span(), other.to_string()),
    })?;
    // A macro cannot warn on stable Rust, but cargo shows its stderr during the build.
    let warnings = written.warnings.brief();
    if !warnings.is_empty() {
        eprintln!("{warnings}");
    }
    let text = &written.text;
    let bytes = text.head.len() + text.body.len() + text.kernels.len();
    if let Some(said) = (!is_outline).then(|| written.said_of_time(bytes)).flatten() {
        eprintln!("note: rbd_robot! {said}");
    }
    let Module { head, body, kernels_head, kernels } = written.text;
    // By the compiler's own lexer. `proc_macro2` would first read the text with its own, which
    // takes seconds for a large robot if macros are not optimised; by default they are not.
    let parse = |text: &str| -> Result<proc_macro::TokenStream, TokenStream> {
        text.parse()
            .map_err(|e| fail(input.urdf.span(), format!("the generator wrote no Rust ({e}); please report")))
    };
    let runtime = &input.runtime;
    let in_braces = |text: &str| -> Result<proc_macro::TokenStream, TokenStream> {
        let mut inside = proc_macro::TokenStream::from(quote! { use #runtime::__private as rt; });
        inside.extend(parse(text)?);
        Ok(inside)
    };
    let group =
        |inside| proc_macro::TokenTree::from(proc_macro::Group::new(proc_macro::Delimiter::Brace, inside));
    let mut inside = in_braces(&body)?;
    inside.extend(parse(&kernels_head)?);
    inside.extend([group(in_braces(&kernels)?)]);
    let mut out = with_runtime(parse(&head)?, &quote! { #runtime::__private }.into());
    out.extend(parse(Module::ALLOW)?);
    out.extend(proc_macro::TokenStream::from(quote! { const _: () = }));
    out.extend([group(inside), proc_macro::Punct::new(';', proc_macro::Spacing::Alone).into()]);
    out.extend(proc_macro::TokenStream::from(watch));
    Ok(out)
}

/// Head of a module, which names the runtime's path.
fn with_runtime(head: proc_macro::TokenStream, runtime: &proc_macro::TokenStream) -> proc_macro::TokenStream {
    use proc_macro::{Group, TokenTree};
    let mut out = proc_macro::TokenStream::new();
    for token in head {
        match token {
            TokenTree::Ident(name) if name.to_string() == Module::RUNTIME => out.extend(runtime.clone()),
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), with_runtime(group.stream(), runtime));
                inside.set_span(group.span());
                out.extend([TokenTree::Group(inside)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// In the target folder that the compiler writes to, or else in the crate's.
fn cache(arguments: &[String], root: &str) -> Cache {
    let out_dir = arguments.windows(2).find(|pair| pair[0] == "--out-dir").map(|pair| pair[1].as_str());
    Cache::near(out_dir.into_iter().chain([root]))
}

/// Returns whether the compiler is asked for metadata alone, as by `cargo check` and
/// `cargo clippy`.
///
/// Functions are then checked and discarded, so an outline suffices, and a save does not wait for
/// megabytes of text to be checked. Unclear cases, such as arguments in a file, return false. So
/// does Miri, which runs the functions of the metadata.
fn makes_no_code(arguments: &[String]) -> bool {
    let after = arguments.windows(2).filter(|pair| pair[0] == "--emit").map(|pair| pair[1].as_str());
    let emitted: Vec<&str> =
        arguments.iter().filter_map(|argument| argument.strip_prefix("--emit=")).chain(after).collect();
    let runs_metadata =
        |argument: &String| argument.contains("miri") || argument.contains("always-encode-mir");
    !emitted.is_empty()
        && emitted.iter().flat_map(|kinds| kinds.split(',')).all(|kind| {
            let kind = kind.split_once('=').map_or(kind, |(kind, _)| kind);
            matches!(kind, "metadata" | "dep-info")
        })
        && !arguments.iter().any(runs_metadata)
}

/// Makes cargo build again when the file changes.
fn watch(path: &Path) -> TokenStream {
    match path.to_str() {
        Some(path) if path_exists(path) => {
            quote! { const _: &[::core::primitive::u8] = ::core::include_bytes!(#path); }
        }
        _ => TokenStream::new(),
    }
}

fn path_exists(path: &str) -> bool {
    Path::new(path).is_file()
}

#[cfg(test)]
mod tests {
    use super::makes_no_code;

    #[test]
    fn only_metadata_is_no_code() {
        let asked = |line: &str| makes_no_code(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(asked("rustc --crate-name a src/lib.rs --emit=dep-info,metadata -C debuginfo=2"));
        assert!(asked("rustc src/lib.rs --emit dep-info,metadata"));
        assert!(asked("rustc src/lib.rs --emit=dep-info=x.d,metadata=x.rmeta"));
        assert!(!asked("rustc src/lib.rs --emit=dep-info,metadata,link"));
        assert!(!asked("rustc src/lib.rs --emit=metadata --emit=asm"));
        assert!(!asked("rustc src/lib.rs"));
        assert!(!asked("rustc @arguments"));
        assert!(!asked("rustc src/lib.rs --emit=dep-info,metadata --cfg=miri"));
        assert!(!asked("rustc src/lib.rs --emit=dep-info,metadata -Zalways-encode-mir"));
    }
}
