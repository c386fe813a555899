//! Common field parsing of sections and bones: counted values, axis orders, degrees of freedom.

use super::model::{AxisOrder, Dof};
use super::report::Report;
use super::scan::{Token, Tokens, decode};
use crate::text::{Rule, TextError};

/// Returns the error for a field with too few values. `names` describes them.
pub(super) fn too_few(field: Token<'_>, due: usize, names: &str, found: usize) -> TextError {
    let s = if due == 1 { "" } else { "s" };
    let names = if names.is_empty() {
        String::new()
    } else {
        format!(" ({names})")
    };
    field.error(
        Rule::TooFewValues,
        format!("{due} value{s}{names} after {}", field.shown()),
        if found == 0 {
            "none".to_owned()
        } else {
            found.to_string()
        },
    )
}

/// Reads three finite numbers on the field's line.
pub(super) fn triple(field: Token<'_>, tokens: &mut Tokens<'_>) -> Result<[f64; 3], TextError> {
    let mut values = [0.0; 3];
    for (found, value) in values.iter_mut().enumerate() {
        let token = tokens
            .next()
            .ok_or_else(|| too_few(field, 3, "x y z", found))?;
        *value = token.number(&format!("`{}`", decode(field.text).to_ascii_lowercase()))?;
    }
    Ok(values)
}

/// Reports words after a field's values, up to the next field of the line.
pub(super) fn excess(
    field: Token<'_>,
    tokens: &mut Tokens<'_>,
    known: impl Fn(&Token<'_>) -> bool,
    report: &mut Report,
) -> Result<(), TextError> {
    let mut first = None;
    let mut count = 0usize;
    while let Some(token) = tokens.peek().filter(|token| !known(token)) {
        tokens.next();
        first = first.or(Some(token));
        count += 1;
    }
    let Some(token) = first else {
        return Ok(());
    };
    let more = if count == 1 { "value" } else { "values" };
    let error = token.error(
        Rule::TooManyValues,
        format!("no more values after {}", field.shown()),
        format!("{count} more {more}, the first {}", token.shown()),
    );
    report.fault(error, "ignored")
}

/// Reads a permutation of x, y and z.
pub(super) fn axis_order(
    field: Token<'_>,
    token: Option<Token<'_>>,
) -> Result<AxisOrder, TextError> {
    let expected = "an order of axes such as XYZ";
    let Some(token) = token else {
        return Err(field.error(Rule::BadAxisOrder, expected, "none"));
    };
    let order = AxisOrder::ALL.iter().find(|order| token.is(order.name()));
    order
        .copied()
        .ok_or_else(|| token.error(Rule::BadAxisOrder, expected, token.shown()))
}

/// Reads degrees of freedom up to the end of the line or the next field.
pub(super) fn dofs(
    field: Token<'_>,
    tokens: &mut Tokens<'_>,
    known: impl Fn(&Token<'_>) -> bool,
    report: &mut Report,
) -> Result<Vec<Dof>, TextError> {
    let mut dofs = Vec::new();
    while let Some(token) = tokens.peek().filter(|token| !known(token)) {
        tokens.next();
        let Some(&dof) = Dof::ALL.iter().find(|dof| token.is(dof.name())) else {
            return Err(token.error(
                Rule::BadDof,
                "a degree of freedom: tx, ty, tz, rx, ry, rz or l",
                token.shown(),
            ));
        };
        if dofs.contains(&dof) {
            return Err(token.error(
                Rule::BadDof,
                "each degree of freedom once",
                format!("{} again", token.shown()),
            ));
        }
        dofs.push(dof);
    }
    if dofs.is_empty() {
        let error = too_few(field, 1, "at least", 0);
        report.fault(error, "ignored")?;
    }
    Ok(dofs)
}
