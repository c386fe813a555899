//! Rejects input that would cost the parser too much time or memory, by a scan of the bytes.
//!
//! `roxmltree` allocates as many nodes as there are `<` and as many attributes as there are `=`, compares each
//! attribute of an element with the previous ones, and lets each element that declares a namespace inherit a list of
//! all others.

use super::XmlError;
use super::error::check_size;
use crate::limits::{
    MAX_XML_ATTRIBUTES, MAX_XML_ELEMENT_ATTRIBUTES, MAX_XML_NAMESPACES, MAX_XML_NODES,
};

/// Fails if parsing would take too much.
pub(super) fn check(text: &str) -> Result<(), XmlError> {
    let count = |wanted: u8| text.bytes().filter(|byte| *byte == wanted).count();
    check_size("there are too many elements", count(b'<'), MAX_XML_NODES)?;
    let attributes = count(b'=');
    check_size(
        "there are too many attributes",
        attributes,
        MAX_XML_ATTRIBUTES,
    )?;
    let namespaces = text.matches("xmlns").count();
    check_size(
        "there are too many namespaces",
        namespaces,
        MAX_XML_NAMESPACES,
    )?;
    let most = text.split('<').map(attributes_of).max().unwrap_or(0);
    check_size(
        "an element has too many attributes",
        most,
        MAX_XML_ELEMENT_ATTRIBUTES,
    )
}

/// Returns the maximum number of attributes between one `<` and the next.
fn attributes_of(tag: &str) -> usize {
    // Comments may have lines of `=`.
    if tag.starts_with(['!', '?']) {
        return 0;
    }
    tag.split('=')
        .skip(1)
        .filter(|value| value.trim_ascii_start().starts_with(['"', '\'']))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_take_too_much_is_refused() {
        for (text, expected) in [
            ("<".repeat(MAX_XML_NODES + 1), "there are too many elements"),
            (
                "=".repeat(MAX_XML_ATTRIBUTES + 1),
                "there are too many attributes",
            ),
            (
                format!("<a {}/>", "xmlns:b='c' ".repeat(17)),
                "there are too many namespaces: 17, at most 16 are allowed",
            ),
            (
                format!("<b/><a {}/><b/>", "b = 'c' ".repeat(65)),
                "an element has too many attributes: 65, at most 64 are allowed",
            ),
        ] {
            let error = check(&text).expect_err("it is too much").to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn comments_and_texts_are_no_attributes() {
        let ruler = "=".repeat(100);
        let text =
            format!("<?xml version=\"1\"?><!-- {ruler} =\"\" -->\n<a b=\"{ruler}\">{ruler}</a>");
        check(&text).expect("it has one attribute");
    }
}
