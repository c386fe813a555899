//! Attribute paths: the name of a variant track is the address of its attribute.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The address of an attribute: `[path/to/node/]@[Component[#Index]]/Attribute[/sub]`.
///
/// ```
/// use sinew::control::AttributePath;
/// let path = AttributePath::parse("Some Node/@CollisionShape#3/Size")?;
/// assert_eq!(path.nodes().collect::<Vec<_>>(), ["Some Node"]);
/// assert_eq!((path.component, path.component_index), ("CollisionShape", 3));
/// assert_eq!((path.attribute, path.sub), ("Size", None));
/// # Ok::<(), sinew::control::PathError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributePath<'a> {
    /// The names of nodes down to the addressed one, separated by slashes; empty for the node of the controller.
    pub node: &'a str,
    /// The type of a component of the node; empty for the node itself.
    pub component: &'a str,
    /// The index among the components of that type, from 0.
    pub component_index: usize,
    /// The attribute. Compare it with [`str::eq_ignore_ascii_case`].
    pub attribute: &'a str,
    /// The rest: the name of a variable, or the number of a morph.
    pub sub: Option<&'a str>,
}

/// An error of an attribute path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is empty.
    #[error("the path is empty")]
    Empty,
    /// There is no `@` at the beginning or after a slash.
    #[error("the path has no '@'; expected [path/to/node/]@[Component]/Attribute")]
    NoComponent,
    /// No slash or no attribute follows the `@`.
    #[error("the path names no attribute; expected [path/to/node/]@[Component]/Attribute")]
    NoAttribute,
    /// A name is empty: two adjacent slashes, or one at the beginning.
    #[error("the path has an empty name before a slash")]
    EmptyName,
    /// The text after `#` is not a number.
    #[error("{found:?} is not a component index")]
    ComponentIndex {
        /// The text found.
        found: String,
    },
    /// There is no such node.
    #[error("there is no node {node:?}")]
    NoSuchNode {
        /// The path of the node.
        node: String,
    },
    /// The node has no such component.
    #[error("the node has no component {component}#{index}")]
    NoSuchComponent {
        /// The type of the component.
        component: String,
        /// Its index.
        index: usize,
    },
    /// The node or component has no such attribute.
    #[error("there is no attribute {attribute:?}")]
    NoSuchAttribute {
        /// The name of the attribute, including the rest.
        attribute: String,
    },
}

impl<'a> AttributePath<'a> {
    /// Parses a path.
    ///
    /// # Errors
    /// If the syntax is invalid.
    pub fn parse(path: &'a str) -> Result<Self, PathError> {
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        let (node, rest) = match path.strip_prefix('@') {
            Some(rest) => ("", rest),
            None => {
                let (node, rest) = path.split_once("/@").ok_or(PathError::NoComponent)?;
                if node.split('/').any(str::is_empty) {
                    return Err(PathError::EmptyName);
                }
                (node, rest)
            }
        };
        let (component, attribute) = rest.split_once('/').ok_or(PathError::NoAttribute)?;
        let (component, component_index) = match component.split_once('#') {
            Some((component, index)) if !component.is_empty() => {
                let found = index.parse();
                let number = found.map_err(|_| PathError::ComponentIndex {
                    found: index.into(),
                })?;
                (component, number)
            }
            _ => (component, 0),
        };
        let (attribute, sub) = match attribute.split_once('/') {
            Some((attribute, sub)) => (attribute, Some(sub)),
            None => (attribute, None),
        };
        if attribute.is_empty() {
            return Err(PathError::NoAttribute);
        }
        Ok(Self {
            node,
            component,
            component_index,
            attribute,
            sub,
        })
    }

    /// Returns the names of the nodes, starting with the controller's child.
    pub fn nodes(&self) -> impl Iterator<Item = &'a str> {
        self.node.split('/').filter(|name| !name.is_empty())
    }

    /// Returns the error for a node that does not exist.
    pub fn no_such_node(&self) -> PathError {
        PathError::NoSuchNode {
            node: self.node.into(),
        }
    }

    /// Returns the error for a component that does not exist.
    pub fn no_such_component(&self) -> PathError {
        PathError::NoSuchComponent {
            component: self.component.into(),
            index: self.component_index,
        }
    }

    /// Returns the error for an attribute that does not exist.
    pub fn no_such_attribute(&self) -> PathError {
        let sub: Vec<&str> = self.sub.into_iter().collect();
        PathError::NoSuchAttribute {
            attribute: [&[self.attribute], sub.as_slice()].concat().join("/"),
        }
    }
}

impl fmt::Display for AttributePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.node.is_empty() {
            write!(f, "{}/", self.node)?;
        }
        write!(f, "@{}", self.component)?;
        if self.component_index > 0 {
            write!(f, "#{}", self.component_index)?;
        }
        write!(f, "/{}", self.attribute)?;
        self.sub.map_or(Ok(()), |sub| write!(f, "/{sub}"))
    }
}
