//! The options `contacts` and `closed_loops`.

use super::unknown;
use quote::ToTokens;
use rbd_build::ContactKind;
use syn::parse::ParseStream;
use syn::token::Brace;
use syn::{Ident, LitInt, LitStr, Result, Token, braced, bracketed};

/// `["foot", ..]`, all points, or `{ "foot": point, "sole": plane, .. }`; the names as they are
/// written go to `literals`.
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

/// A closed loop's name, its two frames, and its type.
pub type ClosedLoop = (String, [String; 2], ContactKind);

/// `{ "bar": { frames: ["a", "b"], rows: 3 }, .. }`; all names as they are written go to `literals`.
pub fn closed_loops(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<ClosedLoop>> {
    let inside;
    braced!(inside in body);
    let mut loops: Vec<ClosedLoop> = Vec::new();
    while !inside.is_empty() {
        let name: LitStr = inside.parse()?;
        inside.parse::<Token![:]>()?;
        let (frames, kind) = closed_loop(&inside, &name, literals)?;
        if loops.iter().any(|(known, ..)| *known == name.value()) {
            let what = format!("closed loop `{}` is given twice", name.value());
            return Err(syn::Error::new(name.span(), what));
        }
        loops.push((name.value(), frames, kind));
        literals.push(name);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(loops)
}

/// `{ frames: ["a", "b"], rows: 3 }`.
fn closed_loop(
    body: ParseStream,
    name: &LitStr,
    literals: &mut Vec<LitStr>,
) -> Result<([String; 2], ContactKind)> {
    let inside;
    braced!(inside in body);
    let (mut frames, mut kind) = (None, None);
    while !inside.is_empty() {
        let key: Ident = inside.parse()?;
        inside.parse::<Token![:]>()?;
        match key.to_string().as_str() {
            "frames" => {
                let pair;
                let bracket = bracketed!(pair in inside);
                let names = pair.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,])?;
                let names: Vec<LitStr> = names.into_iter().collect();
                literals.extend(names.iter().cloned());
                let names: Vec<String> = names.iter().map(LitStr::value).collect();
                let two = names.try_into().map_err(|names: Vec<String>| {
                    let what =
                        format!("a closed loop has two frames that coincide; here are {}", names.len());
                    syn::Error::new(bracket.span.join(), what)
                })?;
                frames = Some(two);
            }
            "rows" => {
                let rows: LitInt = inside.parse()?;
                kind = Some(match rows.to_token_stream().to_string().as_str() {
                    "3" => ContactKind::Point,
                    "6" => ContactKind::Plane,
                    _ => {
                        let what =
                            "`rows` is 3, where the frames' origins coincide, or 6, where the frames do";
                        return Err(syn::Error::new(rows.span(), what));
                    }
                });
            }
            _ => return Err(unknown("part of a closed loop", &key, &["frames", "rows"])),
        }
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    let (Some(frames), Some(kind)) = (frames, kind) else {
        let what = format!("write `\"{}\": {{ frames: [\"a\", \"b\"], rows: 3 }}`, or 6", name.value());
        return Err(syn::Error::new(name.span(), what));
    };
    Ok((frames, kind))
}
