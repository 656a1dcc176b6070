//! The `rbd_robot!` macro: parses its input, calls `rbd-build`, and puts errors on the right tokens.
//! Use it through the crate `rbd`, which tells it where the runtime is.

mod input;

use input::Input;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use rbd_build::{Error, Module};
use std::path::Path;

/// `[path of rbd] "file.urdf"`, or `[path of rbd] pub struct Name { urdf: "file.urdf", .. }`.
#[proc_macro]
pub fn robot(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(tokens as Input);
    expand(&input).unwrap_or_else(|error| error).into()
}

/// The robot's code, or a `compile_error!`.
fn expand(input: &Input) -> Result<TokenStream, TokenStream> {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let robot = input.configure(rbd_build::Robot::from_urdf(input.urdf.value()).relative_to(root));
    let watch = watch(&robot.urdf_path());
    let fail = |span: Span, message: String| {
        let message = format!("rbd: {message}");
        // Watched even so: mending the file must build again.
        quote_spanned! { span => ::core::compile_error!(#message); #watch }
    };
    if let Some(said) = rbd_build::outside_crate(&robot.urdf_path()) {
        eprintln!("note: rbd_robot! {said}");
    }
    let generated = robot.trace().map_err(|error| match error {
        Error::Urdf(findings) => fail(input.urdf.span(), findings.to_string()),
        other => fail(input.name_span(), other.to_string()),
    })?;
    // A macro cannot warn on stable Rust; what it writes to stderr, cargo shows while it builds.
    if generated.warnings.iter().next().is_some() {
        eprintln!("{}", generated.warnings);
    }
    let Module { head, body } = generated.module();
    let parse = |text: &str| -> Result<TokenStream, TokenStream> {
        text.parse()
            .map_err(|e| fail(input.urdf.span(), format!("the generator wrote no Rust ({e}); please report")))
    };
    let (head, allow, body) = (parse(&head)?, parse(Module::ALLOW)?, parse(&body)?);
    let runtime = &input.runtime;
    Ok(quote! {
        #head
        #allow
        const _: () = { use #runtime::__private as rt; #body };
        #watch
    })
}

/// What makes cargo build again when the file changes.
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
