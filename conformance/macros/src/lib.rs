//! The attribute that registers a conformance case.

mod contents;

use proc_macro::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Ident, ItemFn, LitStr, Meta, Token, parenthesized, parse_macro_input};

/// Registers a case: `#[conformance::test("ROW-001", "ROW-002", needs(gpus = 2, peer_access))]`.
///
/// The attribute replaces `#[test]`. It goes below `#[rstest]`, which passes each generated case to it. A case without
/// a row checks the harness itself. The names in `needs` are the setters of `conformance::Needs`. A case of a row of
/// `IPCMEM` needs `legacy_memory` and one of `IPCEVT` needs `interprocess_events`, unless it says `any_device`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Arguments { rows, needs } = parse_macro_input!(arguments as Arguments);
    let function = parse_macro_input!(item as ItemFn);
    let name = &function.sig.ident;
    let text = name.to_string();
    let summary = summary(&function);
    let implied = implied(&rows, &needs);
    let needs = implied.into_iter().chain(needs).map(|Need { name, value }| quote!(.#name(#value)));
    quote! {
        #function

        ::conformance::inventory::submit! {
            ::conformance::Registered {
                file: ::core::file!(),
                module: ::core::module_path!(),
                function: #text,
                summary: #summary,
                rows: &[#(#rows),*],
                needs: ::conformance::Needs::none()#(#needs)*,
                run: #name,
            }
        }
    }
    .into()
}

struct Arguments {
    rows: Vec<LitStr>,
    needs: Vec<Need>,
}

struct Need {
    name: Ident,
    value: Option<syn::Expr>,
}

/// The needs that the groups of the rows imply.
fn implied(rows: &[LitStr], needs: &[Need]) -> Vec<Need> {
    if needs.iter().any(|need| need.name == "any_device") {
        return Vec::new();
    }
    let groups = [("IPCMEM-", "legacy_memory"), ("IPCEVT-", "interprocess_events")];
    let row = |group: &str| rows.iter().find(|row| row.value().starts_with(group));
    let implied = groups.into_iter().filter_map(|(group, need)| Some((row(group)?, need)));
    implied.map(|(row, need)| Need { name: Ident::new(need, row.span()), value: None }).collect()
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut arguments = Self { rows: Vec::new(), needs: Vec::new() };
        while !input.is_empty() {
            if input.peek(LitStr) {
                arguments.rows.push(input.parse()?);
            } else {
                let word: Ident = input.parse()?;
                if word != "needs" {
                    return Err(syn::Error::new(word.span(), "expected a row id in quotes or `needs(…)`"));
                }
                let list;
                parenthesized!(list in input);
                arguments.needs.extend(Punctuated::<Need, Token![,]>::parse_terminated(&list)?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

impl Parse for Need {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self { name, value })
    }
}

/// Returns the first paragraph of the case's documentation. rstest keeps it only on the first case of a matrix.
fn summary(function: &ItemFn) -> String {
    let lines = function.attrs.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `check!` without a message: a comparison shows both of its sides, and a wrong count of words or bytes says who read them.
#[proc_macro]
pub fn check_shown(input: TokenStream) -> TokenStream {
    let condition = parse_macro_input!(input as Expr);
    let count = contents::count_of_wrong_words(&condition).or_else(|| contents::count_of_wrong_bytes(&condition));
    if let Some(count) = count {
        return count.into();
    }
    let stop = contents::stop(&condition);
    if let Some((left, right)) = multiple(&condition) {
        return quote!({
            let (left, right) = (#left, #right);
            let holds = left % right == 0;
            ::conformance::trace::check(stringify!(#condition), &left, "%", &right, holds);
            if !holds {
                return Err(#stop(format!(
                    "{} does not hold: {} and {}",
                    stringify!(#condition),
                    ::conformance::shown(&left),
                    ::conformance::shown(&right),
                )));
            }
        })
        .into();
    }
    if let Expr::Binary(comparison) = &condition
        && is_comparison(&comparison.op)
    {
        let (left, operator, right) = (&comparison.left, &comparison.op, &comparison.right);
        return quote!({
            let (left, right) = (&(#left), &(#right));
            let holds = *left #operator *right;
            ::conformance::trace::check(stringify!(#condition), left, stringify!(#operator), right, holds);
            if !holds {
                return Err(#stop(format!(
                    "{} does not hold: {} and {}",
                    stringify!(#condition),
                    ::conformance::shown(left),
                    ::conformance::shown(right),
                )));
            }
        })
        .into();
    }
    let traced = traced(&condition);
    quote!(if !(#traced) { return Err(#stop(concat!(stringify!(#condition), " does not hold"))); }).into()
}

/// `check!` with a message.
#[proc_macro]
pub fn check_told(input: TokenStream) -> TokenStream {
    let Told { condition, message } = parse_macro_input!(input as Told);
    let stop = contents::stop(&condition);
    let traced = traced(&condition);
    quote!(if !(#traced) { return Err(#stop(format!(#message))); }).into()
}

/// A condition, and the format arguments of its message.
struct Told {
    condition: Expr,
    message: proc_macro2::TokenStream,
}

impl Parse for Told {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let condition = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self { condition, message: input.parse()? })
    }
}

/// Returns the operands of `left % right == 0`.
fn multiple(condition: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Binary(comparison) = condition else { return None };
    let Expr::Lit(zero) = &*comparison.right else { return None };
    let is_zero = matches!(&zero.lit, syn::Lit::Int(number) if number.base10_digits() == "0");
    match &*comparison.left {
        Expr::Binary(both) if is_zero && matches!((comparison.op, both.op), (BinOp::Eq(_), BinOp::Rem(_))) => {
            Some((&both.left, &both.right))
        }
        _ => None,
    }
}

/// Expands a condition so that the trace of the run gets its comparisons.
fn traced(condition: &Expr) -> proc_macro2::TokenStream {
    if let Some((left, right)) = multiple(condition) {
        return quote!({
            let (left, right) = (#left, #right);
            let holds = left % right == 0;
            ::conformance::trace::check(stringify!(#condition), &left, "%", &right, holds);
            holds
        });
    }
    match condition {
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
            let (left, right) = (traced(&both.left), traced(&both.right));
            quote!((#left && #right))
        }
        Expr::MethodCall(call) if call.method == "is_multiple_of" && call.args.len() == 1 => {
            let (left, right) = (&call.receiver, &call.args[0]);
            quote!({
                let (left, right) = (#left, #right);
                let holds = left.is_multiple_of(right);
                ::conformance::trace::check(stringify!(#condition), &left, "%", &right, holds);
                holds
            })
        }
        Expr::MethodCall(call) if call.method == "is_power_of_two" => {
            let number = &call.receiver;
            quote!({
                let number = #number;
                let holds = number.is_power_of_two();
                ::conformance::trace::check(stringify!(#condition), &number, "is a power of", &2_u64, holds);
                holds
            })
        }
        Expr::Binary(comparison) if is_comparison(&comparison.op) => {
            let (left, operator, right) = (&comparison.left, &comparison.op, &comparison.right);
            quote!({
                let (left, right) = (&(#left), &(#right));
                let holds = *left #operator *right;
                ::conformance::trace::check(stringify!(#condition), left, stringify!(#operator), right, holds);
                holds
            })
        }
        Expr::Paren(inner) => traced(&inner.expr),
        // A condition that `check!` passed on.
        Expr::Group(inner) => traced(&inner.expr),
        _ => quote!(::conformance::trace::condition(stringify!(#condition), #condition)),
    }
}

const fn is_comparison(operator: &BinOp) -> bool {
    matches!(operator, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}
