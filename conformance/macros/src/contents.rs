//! Checks of what memory contains. If one fails, the case reports a corruption, and not merely a wrong result.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprMethodCall, Lit};

/// The methods of a role that count the words which differ from a pattern, how each reads, and what finds the first wrong
/// byte.
const COUNTS: [(&str, &str, &str); 3] = [
    ("mismatches", "with a kernel", "first_wrong_byte"),
    ("mismatches_by_copy", "with a copy", "first_wrong_byte"),
    ("mismatches_by_host", "with the CPU", "first_wrong_byte_by_host"),
];

/// The other methods of a role that return what memory contains.
const READS: [&str; 2] = ["read", "other_bytes"];

/// Returns the function that makes the stop of a condition: another one if the condition reads memory.
pub(crate) fn stop(condition: &Expr) -> TokenStream {
    let mut reads = Reads(false);
    reads.visit_expr(condition);
    if reads.0 { quote!(::conformance::Stop::corrupted) } else { quote!(::conformance::Stop::failed) }
}

/// Whether an expression reads memory.
struct Reads(bool);

impl Visit<'_> for Reads {
    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        self.0 |= READS.iter().chain(COUNTS.iter().map(|(name, ..)| name)).any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }
}

/// Returns the call and its three arguments if a condition is `role.call(one, two, three)? == 0`.
fn zero(condition: &Expr) -> Option<(&ExprMethodCall, [&Expr; 3])> {
    let Expr::Binary(comparison) = condition else { return None };
    let (Expr::Try(count), Expr::Lit(zero)) = (&*comparison.left, &*comparison.right) else { return None };
    let is_zero = matches!(&zero.lit, Lit::Int(number) if number.base10_digits() == "0");
    let Expr::MethodCall(call) = &*count.expr else { return None };
    let arguments: Vec<_> = call.args.iter().collect();
    let arguments: [&Expr; 3] = arguments.try_into().ok()?;
    (is_zero && matches!(comparison.op, BinOp::Eq(_))).then_some((call, arguments))
}

/// Expands `role.other_bytes(pointer, size, value)? == 0`. The message says who read how many wrong bytes of how many.
pub(crate) fn count_of_wrong_bytes(condition: &Expr) -> Option<TokenStream> {
    let (call, [pointer, size, value]) = zero(condition).filter(|(call, _)| call.method == "other_bytes")?;
    let role = &call.receiver;
    Some(quote!({
        let (role, pointer, size, value) = (&#role, #pointer, #size, #value);
        let wrong: u64 = role.other_bytes(pointer, size, value)?;
        ::conformance::trace::check(stringify!(#condition), &wrong, "==", &0_u64, wrong == 0);
        if wrong != 0 {
            let (name, plural) = (role.name(), if wrong == 1 { "" } else { "s" });
            return Err(::conformance::Stop::corrupted(format!(
                "{name} read {wrong} wrong byte{plural} of {size} with a copy (expected {value:#04x})"
            )));
        }
    }))
}

/// Expands `role.mismatches(pointer, size, seed)? == 0`. The message says who read how many wrong words of how many, and
/// the first wrong byte.
pub(crate) fn count_of_wrong_words(condition: &Expr) -> Option<TokenStream> {
    let (call, [pointer, size, seed]) = zero(condition)?;
    let (name, how, finds) = COUNTS.iter().find(|(name, ..)| call.method == name)?;
    let role = &call.receiver;
    let (method, first) = (quote::format_ident!("{name}"), quote::format_ident!("{finds}"));
    Some(quote!({
        let (role, pointer, size, seed) = (&#role, #pointer, #size, #seed);
        let wrong: u64 = role.#method(pointer, size, seed)?;
        ::conformance::trace::check(stringify!(#condition), &wrong, "==", &0_u64, wrong == 0);
        if wrong != 0 {
            let (name, words, plural) = (role.name(), size / 4, if wrong == 1 { "" } else { "s" });
            // The process may have lost the memory meanwhile, and the failure stays the same.
            let place = match role.#first(pointer, size, seed) {
                Ok(Some(byte)) => format!("; the first wrong byte is at {byte}"),
                Ok(None) => "; a copy shows no wrong byte".to_owned(),
                Err(_) => String::new(),
            };
            let message = format!("{name} read {wrong} wrong word{plural} of {words} {}{place}", #how);
            return Err(::conformance::Stop::corrupted(message));
        }
    }))
}
