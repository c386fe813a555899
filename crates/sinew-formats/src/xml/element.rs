//! Elements with their places, and attributes as what they should be.

use super::XmlError;
use crate::{Warnings, escape};
use roxmltree::{Document, Node};
use sinew::animation::AnimationError;
use std::fmt;

/// An element.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    /// How many siblings of its kind come before it, before its parent, and before the parent of that.
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

    /// The elements in it, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = Self> + use<'a> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let [parent, above, _] = self.indices;
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| {
            let tag = node.tag_name().name();
            // There are four kinds; what else there may be is not counted for long.
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

    /// The first element of that kind in it.
    pub(super) fn child(&self, tag: &str) -> Option<Self> {
        self.children().find(|child| child.tag() == tag)
    }

    /// An attribute as it stands there.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// An attribute as a finite number; `None` where it is absent or empty.
    pub(super) fn number(&self, name: &str) -> Result<Option<f32>, XmlError> {
        let Some(text) = self.text(name).filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        match text.trim().parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.invalid_at(name, "a number", escape::text(text))),
        }
    }

    /// An attribute as a flag, as Urho3D reads it: `true`, `yes` and `1` are, all else is not.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(is_true)
    }

    /// Warns of attributes that are not known.
    pub(super) fn knows(&self, known: &[&str], warnings: &mut Warnings) {
        for attribute in self.node.attributes() {
            if !known.contains(&attribute.name()) {
                let name = escape::name(attribute.name());
                warnings.add(self.place(), name, "not known; ignored");
            }
        }
    }

    /// Where it is, in words.
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

    /// The line and column where it begins.
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

    /// What is wrong with an attribute.
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

/// Whether a text is a flag that is set.
pub(super) fn is_true(text: &str) -> bool {
    let first = text.trim_start_matches([' ', '\t']).bytes().next();
    first.is_some_and(|byte| b"tTyY1".contains(&byte))
}
