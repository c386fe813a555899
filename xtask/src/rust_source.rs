//! Reads Rust sources as tokens: enough to tell items, attributes and comments apart.

use crate::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// Every source file below a folder, by its path in there.
pub(crate) fn read_sources(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder)?.to_string_lossy();
                let name = name.replace(std::path::MAIN_SEPARATOR, "/");
                sources.insert(name, std::fs::read_to_string(&path)?);
            }
        }
    }
    Ok(sources)
}

/// Whether tokens start with an attribute that makes an item part of tests only: `#[cfg(test)]`, `#[cfg(all(test, …))]`.
pub(crate) fn is_test_attribute(tokens: &[Token<'_>]) -> bool {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    if text(1) != "[" || text(2) != "cfg" {
        return false;
    }
    let end = tokens.iter().position(|token| token.text == "]");
    let attribute = &tokens[..end.unwrap_or(tokens.len())];
    let has = |name: &str| attribute.iter().any(|token| token.text == name);
    has("test") && !has("not") && !has("any")
}

/// Whether tokens start with `#[cfg(feature = "…")]` of a feature.
pub(crate) fn is_feature_attribute(tokens: &[Token<'_>], feature: &str) -> bool {
    let mut texts = tokens.iter().map(|token| token.text);
    let start = ["#", "[", "cfg", "(", "feature", "="];
    start.iter().all(|text| texts.next() == Some(text))
        && texts
            .next()
            .is_some_and(|text| text.trim_matches('"') == feature)
        && texts.next() == Some(")")
}

/// The end of an item that starts at an attribute: after its semicolon or its braces.
pub(crate) fn item_end(tokens: &[Token<'_>], start: usize) -> usize {
    let (mut depth, mut is_item) = (0usize, false);
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "fn" | "impl" | "mod" | "struct" | "enum" | "trait" | "type" | "use" => is_item = true,
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            ";" if depth == 0 => return index + 1,
            // A field or a variant.
            "," if depth == 0 && !is_item => return index + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// A word, a sign or a string of a source file.
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// The line it starts on, from 1.
    pub(crate) line: usize,
}

/// Splits a source into words, signs and strings, without comments, characters and lifetimes.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            let text = &rest[..length];
            found.push(Token { text, line });
            length
        } else if first == '\'' {
            character(rest)
        } else if word > 0 {
            let text = &rest[..word];
            found.push(Token { text, line });
            word
        } else {
            let length = if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let text = &rest[..length];
            found.push(Token { text, line });
            length
        };
        let (taken, after) = rest.split_at(length);
        line += taken.matches('\n').count();
        rest = after;
    }
    found
}

/// The length of a block comment, which can contain others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut index) = (0usize, 0);
    let bytes = text.as_bytes();
    while index < bytes.len() {
        match bytes.get(index..index + 2) {
            Some(b"/*") => (depth, index) = (depth + 1, index + 2),
            Some(b"*/") => (depth, index) = (depth - 1, index + 2),
            _ => index += 1,
        }
        if depth == 0 {
            return index;
        }
    }
    text.len()
}

/// The length of a string literal of any kind. `None` if there is none here.
fn string(text: &str) -> Option<usize> {
    let body = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - body.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        let content = raw[marks..].strip_prefix('"')?;
        let end = format!("\"{}", &raw[..marks]);
        let length = content
            .find(&end)
            .map_or(content.len(), |end_start| end_start + end.len());
        return Some(prefix + 1 + marks + 1 + length);
    }
    let content = body.strip_prefix('"')?;
    let mut is_escaped = false;
    for (index, c) in content.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(prefix + 1 + index + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of a character literal, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => {
            let close = characters.skip(1).find(|(_, c)| *c == '\'');
            close.map_or(text.len(), |(index, _)| index + 1)
        }
        Some(_) => match characters.next() {
            Some((index, '\'')) => index + 1,
            _ => 1,
        },
        None => 1,
    }
}
