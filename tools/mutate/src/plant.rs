//! Typical errors of typed formulas: a wrong sign, a lost term, swapped indices or arguments, a
//! reversed comparison.

use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Lit, parse_quote};

/// One planted error.
#[derive(Debug)]
pub struct Mutant {
    /// The value of `RBD_MUTANT` that switches it on.
    pub id: u32,
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:{}: {}", self.id, self.file, self.line, self.what)
    }
}

/// Plants errors in one file after the other. Their numbers are reproducible.
pub struct Planter<'a> {
    /// Planted errors, by number.
    pub planted: BTreeMap<u32, Mutant>,
    impossible: &'a BTreeSet<u32>,
    next: u32,
    file: String,
}

impl<'a> Planter<'a> {
    pub fn new(impossible: &'a BTreeSet<u32>) -> Self {
        Self { planted: BTreeMap::new(), impossible, next: 1, file: String::new() }
    }

    /// The file with its errors.
    pub fn plant(&mut self, name: &str, text: &str) -> String {
        self.file = name.into();
        let mut file = syn::parse_file(text).unwrap();
        self.visit_file_mut(&mut file);
        prettyplease::unparse(&file)
    }

    /// A number for an error here, unless it does not compile.
    fn add(&mut self, at: &impl syn::spanned::Spanned, what: String) -> Option<u32> {
        let id = self.next;
        self.next += 1;
        if self.impossible.contains(&id) {
            return None;
        }
        let (file, line) = (self.file.clone(), at.span().start().line);
        self.planted.insert(id, Mutant { id, file, line, what });
        Some(id)
    }

    /// `old` by `new`, where the error is on.
    fn choose(&mut self, old: &Expr, new: Expr, what: String, current: Expr) -> Expr {
        match self.add(old, what) {
            Some(id) => parse_quote!((if crate::mutant(#id) { #new } else { #current })),
            None => current,
        }
    }
}

fn text(x: &impl ToTokens) -> String {
    let text = x.to_token_stream().to_string();
    if text.chars().count() > 70 { text.chars().take(67).chain("...".chars()).collect() } else { text }
}

impl VisitMut for Planter<'_> {
    fn visit_item_const_mut(&mut self, _: &mut syn::ItemConst) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_item_static_mut(&mut self, _: &mut syn::ItemStatic) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_item_fn_mut(&mut self, f: &mut syn::ItemFn) {
        if f.sig.constness.is_none() {
            visit_mut::visit_item_fn_mut(self, f);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, f: &mut syn::ImplItemFn) {
        if f.sig.constness.is_none() {
            visit_mut::visit_impl_item_fn_mut(self, f);
        }
    }

    fn visit_item_mod_mut(&mut self, m: &mut syn::ItemMod) {
        if m.ident != "tests" {
            visit_mut::visit_item_mod_mut(self, m);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let old = e.clone();
        visit_mut::visit_expr_mut(self, e);
        match (&old, &*e) {
            (Expr::Binary(before), Expr::Binary(b)) => *e = self.binary(&old, before, b),
            (Expr::Unary(_), Expr::Unary(u)) if matches!(u.op, syn::UnOp::Neg(_)) => {
                let inside = &u.expr;
                if matches!(**inside, Expr::Lit(_)) {
                    return;
                }
                if let Some(id) = self.add(&old, format!("`{}` without its sign", text(&old))) {
                    *e = parse_quote!((match #inside { x => if crate::mutant(#id) { x } else { -x } }));
                }
            }
            (Expr::Index(before), Expr::Index(i)) => {
                if let Some(index) = self.index(&before.index, &i.index) {
                    let Expr::Index(i) = e else { unreachable!() };
                    *i.index = index;
                }
            }
            (Expr::If(before), Expr::If(_)) if !contains_let(&before.cond) => {
                let Some(id) = self.add(&before.cond, format!("`if {}` turned round", text(&before.cond)))
                else {
                    return;
                };
                let Expr::If(i) = e else { unreachable!() };
                let cond = &i.cond;
                *i.cond = parse_quote!((crate::mutant(#id) != (#cond)));
            }
            (Expr::Call(before), Expr::Call(c)) if c.args.len() == 2 => {
                let (x, y) = (&before.args[0], &before.args[1]);
                let function = &c.func;
                let closures = c.args.iter().any(|a| matches!(a, Expr::Closure(_)));
                if text(x) == text(y) || closures || text(&**function).starts_with(char::is_uppercase) {
                    return;
                }
                if let Some(id) = self.add(&old, format!("`{}` with its arguments swapped", text(&old))) {
                    let (x, y) = (&c.args[0], &c.args[1]);
                    *e = parse_quote!((match (#x, #y) {
                        (x, y) => if crate::mutant(#id) { #function(y, x) } else { #function(x, y) }
                    }));
                }
            }
            _ => {}
        }
    }
}

fn contains_let(e: &Expr) -> bool {
    quote!(#e).into_iter().any(|t| t.to_string() == "let")
}

impl Planter<'_> {
    fn binary(&mut self, old: &Expr, before: &syn::ExprBinary, b: &syn::ExprBinary) -> Expr {
        let (l, r, op) = (&b.left, &b.right, &b.op);
        let swapped: Option<BinOp> = match op {
            BinOp::Add(_) => Some(parse_quote!(-)),
            BinOp::Sub(_) => Some(parse_quote!(+)),
            BinOp::AddAssign(_) => Some(parse_quote!(-=)),
            BinOp::SubAssign(_) => Some(parse_quote!(+=)),
            BinOp::Lt(_) => Some(parse_quote!(<=)),
            BinOp::Le(_) => Some(parse_quote!(<)),
            BinOp::Gt(_) => Some(parse_quote!(>=)),
            BinOp::Ge(_) => Some(parse_quote!(>)),
            BinOp::Eq(_) => Some(parse_quote!(!=)),
            BinOp::Ne(_) => Some(parse_quote!(==)),
            BinOp::And(_) => Some(parse_quote!(||)),
            BinOp::Or(_) => Some(parse_quote!(&&)),
            _ => None,
        };
        let mut current = Expr::Binary(b.clone());
        if contains_let(old) {
            return current;
        }
        let shown = text(old);
        match op {
            BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
                current = self.choose(
                    old,
                    parse_quote!({ #l #swapped #r }),
                    format!("`{shown}` with the other sign"),
                    parse_quote!({ #current }),
                );
                self.choose(old, parse_quote!({}), format!("`{shown}` left out"), parse_quote!({ #current }))
            }
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) => {
                // Operands are evaluated once, however many errors there are.
                let mut inside: Expr = parse_quote!(l #op r);
                let before_count = self.planted.len();
                if let Some(swapped) = swapped {
                    let what = format!("`{shown}` with the other sign");
                    inside = self.choose(old, parse_quote!(l #swapped r), what, inside);
                }
                let one = |e: &Expr| matches!(e, Expr::Lit(l) if matches!(l.lit, Lit::Int(_)));
                if !one(&before.right) {
                    let what = format!("`{shown}` without its second operand");
                    inside = self.choose(old, parse_quote!(l), what, inside);
                }
                if !one(&before.left) {
                    let what = format!("`{shown}` without its first operand");
                    inside = self.choose(old, parse_quote!(r), what, inside);
                }
                if self.planted.len() == before_count {
                    return current;
                }
                parse_quote!((match (#l, #r) { (l, r) => #inside }))
            }
            _ => match swapped {
                Some(swapped) => {
                    let new = parse_quote!((#l) #swapped (#r));
                    self.choose(
                        old,
                        new,
                        format!("`{shown}` with `{}`", text(&swapped)),
                        parse_quote!((#l) #op (#r)),
                    )
                }
                None => current,
            },
        }
    }

    /// Rows for columns, or the next of three components.
    fn index(&mut self, before: &Expr, index: &Expr) -> Option<Expr> {
        match before {
            Expr::Tuple(t) if t.elems.len() == 2 && text(&t.elems[0]) != text(&t.elems[1]) => {
                let (i, j) = (&t.elems[0], &t.elems[1]);
                let id = self.add(before, format!("index `{}` transposed", text(before)))?;
                Some(parse_quote!(if crate::mutant(#id) { (#j, #i) } else { #index }))
            }
            Expr::Lit(l) => {
                let Lit::Int(n) = &l.lit else { return None };
                let n: usize = n.base10_parse().ok()?;
                let next = if n < 2 { n + 1 } else { 0 };
                let id = self.add(before, format!("index {n} as {next}"))?;
                Some(parse_quote!(if crate::mutant(#id) { #next } else { #index }))
            }
            _ => None,
        }
    }
}
