//! The option `friction`.

use super::{Number, unknown};
use syn::parse::ParseStream;
use syn::{Ident, Result, Token, braced};

/// `{ smoothing: 0.01 }`.
pub fn parse(body: ParseStream) -> Result<f64> {
    let inside;
    braced!(inside in body);
    let key: Ident = inside.parse()?;
    if key != "smoothing" {
        return Err(unknown("part of friction", &key, &["smoothing"]));
    }
    inside.parse::<Token![:]>()?;
    let Number(smoothing) = inside.parse()?;
    inside.parse::<Option<Token![,]>>()?;
    if !inside.is_empty() {
        return Err(inside.error("friction has one number: `{ smoothing: 0.01 }`"));
    }
    Ok(smoothing)
}
