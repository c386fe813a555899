//! XML elements with their places, and typed attributes.

use super::XmlError;
use crate::{Warnings, escape};
use roxmltree::{Document, Node};
use sinew::animation::AnimationError;
use std::fmt;

/// An element.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    /// Number of preceding siblings with the same tag: of the element, its parent and its grandparent.
    indices: [usize; 3],
}

impl<'a> Element<'a> {
    pub(super) fn root(document: &'a Document<'a>) -> Self {
        Self {
            node: document.root_element(),
            indices: [0; 3],
        }
    }

    pub(super) fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Iterates over the child elements, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = Self> + use<'a> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let [parent, above, _] = self.indices;
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| {
            let tag = node.tag_name().name();
            // There are four known tags; the number of counted others is limited.
            let known = counts.iter_mut().find(|(name, _)| *name == tag);
            let index = match known {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => {
                    if counts.len() < 8 {
                        counts.push((tag, 0));
                    }
                    0
                }
            };
            Self {
                node,
                indices: [index, parent, above],
            }
        })
    }

    /// Returns the first child with a tag.
    pub(super) fn child(&self, tag: &str) -> Option<Self> {
        self.children().find(|child| child.tag() == tag)
    }

    /// Returns the text of an attribute.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// Reads an attribute as a finite number; `None` if it is absent or empty.
    pub(super) fn number(&self, name: &str) -> Result<Option<f32>, XmlError> {
        let Some(text) = self.text(name).filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        match text.trim().parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.invalid_at(name, "a number", escape::text(text))),
        }
    }

    /// Reads an attribute as a flag like Urho3D: `true`, `yes` and `1` are true, all else is false.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(is_true)
    }

    /// Warns of unknown attributes.
    pub(super) fn knows(&self, known: &[&str], warnings: &mut Warnings) {
        for attribute in self.node.attributes() {
            if !known.contains(&attribute.name()) {
                let name = escape::name(attribute.name());
                warnings.add(self.place(), name, "unknown; ignored");
            }
        }
    }

    /// Describes the place of the element.
    pub(super) fn place(&self) -> String {
        let mut place = String::new();
        let mut node = Some(self.node);
        for index in self.indices {
            let Some(element) = node else {
                break;
            };
            let tag = element.tag_name().name();
            node = element.parent_element();
            if node.is_none() && !place.is_empty() {
                break;
            }
            let mut step = match node {
                Some(_) => format!("{} {index}", escape::name(tag)),
                None => escape::name(tag),
            };
            if let Some(name) = element.attribute("name").filter(|name| !name.is_empty()) {
                step = format!("{step} {}", escape::text(name));
            }
            let comma = if place.is_empty() { "" } else { ", " };
            place = format!("{step}{comma}{place}");
        }
        place
    }

    /// Returns the line and column of its start.
    pub(super) fn position(&self) -> (usize, usize) {
        self.position_of(self.node.range().start)
    }

    fn position_of(&self, offset: usize) -> (usize, usize) {
        let position = self.node.document().text_pos_at(offset);
        (position.row as usize, position.col as usize)
    }

    pub(super) fn invalid(
        &self,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> XmlError {
        self.invalid_from(self.position(), self.place(), expected, found)
    }

    /// Returns an error about an attribute.
    pub(super) fn invalid_at(
        &self,
        name: &str,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> XmlError {
        let position = match self.node.attribute_node(name) {
            Some(attribute) => self.position_of(attribute.range().start),
            None => self.position(),
        };
        self.invalid_from(
            position,
            format!("{}, {name}", self.place()),
            expected,
            found,
        )
    }

    fn invalid_from(
        &self,
        (line, column): (usize, usize),
        path: String,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> XmlError {
        XmlError::Invalid {
            line,
            column,
            path,
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(super) fn unplayable(&self, source: AnimationError) -> XmlError {
        let (line, column) = self.position();
        XmlError::Animation {
            line,
            column,
            path: self.place(),
            source,
        }
    }
}

/// Returns whether a text is a true flag.
pub(super) fn is_true(text: &str) -> bool {
    let first = text.trim_start_matches([' ', '\t']).bytes().next();
    first.is_some_and(|byte| b"tTyY1".contains(&byte))
}
