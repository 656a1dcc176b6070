//! The option `contacts`.

use super::unknown;
use rbd_build::ContactKind;
use syn::parse::ParseStream;
use syn::token::Brace;
use syn::{Ident, LitStr, Result, Token, braced, bracketed};

/// `["foot", ..]`, all points, or `{ "foot": point, "sole": plane, .. }`; the names as they are written go to `literals`.
pub fn parse(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<(String, ContactKind)>> {
    let inside;
    let with_kinds = body.peek(Brace);
    if with_kinds {
        braced!(inside in body);
    } else {
        bracketed!(inside in body);
    }
    let mut contacts: Vec<(String, ContactKind)> = Vec::new();
    while !inside.is_empty() {
        let name: LitStr = inside.parse()?;
        let mut kind = ContactKind::Point;
        if with_kinds && inside.peek(Token![:]) {
            inside.parse::<Token![:]>()?;
            let word: Ident = inside.parse()?;
            kind = match word.to_string().as_str() {
                "point" => ContactKind::Point,
                "plane" => ContactKind::Plane,
                _ => return Err(unknown("kind of contact", &word, &["point", "plane"])),
            };
        }
        if contacts.iter().any(|(known, _)| *known == name.value()) {
            return Err(syn::Error::new(name.span(), format!("contact `{}` is given twice", name.value())));
        }
        contacts.push((name.value(), kind));
        literals.push(name);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(contacts)
}
