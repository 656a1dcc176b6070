//! The option `fused`.

use proc_macro2::Span;
use rbd_build::fused::{Entry, Fault, Fused, Quantity, reference_named};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::token::Paren;
use syn::{Ident, LitStr, Result, Token, braced, bracketed, parenthesized};

/// `{ Step: [ddq, tool: placement("tool0"), jacobian("tool0", local)], .. }`; the frames as they
/// are written go to `literals`.
pub fn parse(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<Fused>> {
    let inside;
    braced!(inside in body);
    let mut all = Vec::new();
    while !inside.is_empty() {
        let name: Ident = inside.call(Ident::parse_any)?;
        inside.parse::<Token![:]>()?;
        all.push(list(&name, &inside, literals)?);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(all)
}

/// An error at this place.
fn at(span: Span) -> impl Fn(Fault) -> syn::Error {
    move |fault| syn::Error::new(span, fault)
}

fn list(name: &Ident, body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Fused> {
    let mut fused = Fused::new(name.to_string()).map_err(at(name.span()))?;
    let inside;
    bracketed!(inside in body);
    while !inside.is_empty() {
        let first: Ident = inside.parse()?;
        if first == "fext" && !inside.peek(Token![:]) {
            fused = fused.under_forces();
        } else {
            let entry = entry(&first, &inside, literals)?;
            fused = fused.give(entry).map_err(at(first.span()))?;
        }
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    fused.check().map_err(at(name.span()))?;
    Ok(fused)
}

/// The rest of an entry after its first word: the quantity after a field's name, the frame, if any,
/// after a quantity.
fn entry(first: &Ident, inside: ParseStream, literals: &mut Vec<LitStr>) -> Result<Entry> {
    let is_field = inside.parse::<Option<Token![:]>>()?.is_some();
    let word = if is_field { inside.parse()? } else { first.clone() };
    let quantity = Quantity::named(&word.to_string()).map_err(at(word.span()))?;
    let entry = if inside.peek(Paren) {
        let of;
        parenthesized!(of in inside);
        let frame: LitStr = of.parse()?;
        of.parse::<Option<Token![,]>>()?;
        let reference: Option<Ident> = if of.is_empty() { None } else { Some(of.parse()?) };
        of.parse::<Option<Token![,]>>()?;
        if !of.is_empty() {
            return Err(of.error("nothing may follow the reference frame"));
        }
        let known = reference.as_ref().map(|r| reference_named(&r.to_string()).map_err(at(r.span())));
        let entry = Entry::of_frame(quantity, frame.value(), known.transpose()?);
        let entry = entry.map_err(at(reference.map_or(word.span(), |r| r.span())))?;
        literals.push(frame);
        entry
    } else {
        Entry::new(quantity).map_err(at(word.span()))?
    };
    if is_field { entry.called(first.to_string()).map_err(at(first.span())) } else { Ok(entry) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn parsed(text: &str) -> std::result::Result<Vec<Fused>, String> {
        let all = |body: ParseStream| parse(body, &mut Vec::new());
        all.parse_str(text).map_err(|e| e.to_string())
    }

    #[test]
    fn lists_are_those_of_the_command_line() {
        let all = parsed(
            "{ Step: [ddq, tool: placement(\"tool0\"), jacobian(\"tool0\", local_world_aligned),], Both: [fext, tau] }",
        );
        let lines =
            ["Step: ddq, tool: placement(tool0), jacobian(tool0, local_world_aligned)", "Both: fext, tau"];
        assert_eq!(all, Ok(lines.map(|line| line.parse::<Fused>().expect("right")).to_vec()));
    }

    #[test]
    fn faults_say_what_is_nearest() {
        for (text, said) in [
            ("{ Step: [ddx] }", "did you mean `ddq`?"),
            ("{ Step: [jacobian(\"tool0\", loca)] }", "did you mean `local`?"),
            ("{ Step: [jacobian(\"tool0\")] }", "depends on the reference frame"),
            ("{ Step: [jacobian] }", "`jacobian` is of a frame"),
            ("{ Step: [placement(\"tool0\", local)] }", "write no reference frame"),
            ("{ Step: [ddq(\"tool0\")] }", "of the whole robot"),
            ("{ Step: [ddq, ddq] }", "given twice"),
            ("{ Step: [] }", "gives nothing"),
            ("{ step: [ddq] }", "cannot be the name of a fused result"),
            ("{ Loop: [ddq] }", "cannot be the name of a fused result"),
            ("{ Step: [aba_derivatives] }", "ddq, ddq_dq, ddq_dv, ddq_dtau"),
            ("{ Step: [rnea_hessian] }", "loops over tables"),
            ("{ Step: [fext, com] }", "depends on `fext`"),
        ] {
            let fault = parsed(text).expect_err(text);
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }
}
