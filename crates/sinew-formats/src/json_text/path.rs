//! Paths of values, found from their offsets by a walk over the text.

use super::reader::Reader;
use std::borrow::Cow;
use std::ops::Range;

/// One step of a path: a key of an object, or an index of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// An object or a list around a place.
enum Enclosing {
    /// The key of the current entry, if it was read, as it is in the text, without quotes.
    Object(Option<Range<usize>>),
    /// The index of the current entry.
    List(usize),
}

/// Returns a path such as `animations[0].name`.
pub(crate) fn path_of(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
        }
    }
    path
}

/// Returns the path of the value that follows this beginning of a text.
pub(super) fn path_before(text: &[u8]) -> String {
    let mut path = String::new();
    visit(text, &[text.len()], &mut |steps| path = path_of(steps));
    path
}

/// Calls `visit` with the path of the value at each of `offsets`, which increase.
pub(super) fn visit(text: &[u8], offsets: &[usize], visit: &mut dyn FnMut(&[Step])) {
    let mut containers = Vec::new();
    let mut position = 0;
    for &offset in offsets {
        while position < offset {
            let Some(byte) = text.get(position) else {
                break;
            };
            position += 1;
            match byte {
                b'{' => containers.push(Enclosing::Object(None)),
                b'[' => containers.push(Enclosing::List(0)),
                b'}' | b']' => {
                    containers.pop();
                }
                b',' => match containers.last_mut() {
                    Some(Enclosing::Object(key)) => *key = None,
                    Some(Enclosing::List(index)) => *index += 1,
                    None => {}
                },
                b'"' => {
                    let start = position;
                    position = end_of_string(text, start);
                    if let Some(Enclosing::Object(key @ None)) = containers.last_mut() {
                        *key = Some(start..position);
                    }
                    // The closing quote.
                    position += 1;
                }
                _ => {}
            }
        }
        visit(&steps(text, &containers));
    }
}

fn steps(text: &[u8], containers: &[Enclosing]) -> Vec<Step> {
    let step = |container: &Enclosing| match container {
        Enclosing::List(index) => Some(Step::Index(*index)),
        Enclosing::Object(key) => {
            let key = text.get(key.clone()?).unwrap_or_default();
            Some(Step::Key(unescaped(key)))
        }
    };
    containers.iter().filter_map(step).collect()
}

/// Returns the position of the quote that ends a string which starts at `start`, or the length of the text.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut position = start;
    while let Some(byte) = text.get(position) {
        match byte {
            b'"' => break,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    position.min(text.len())
}

/// Returns the text of a JSON string, given without quotes.
fn unescaped(key: &[u8]) -> String {
    let quoted = [b"\"", key, b"\""].concat();
    let text = Reader::new(&quoted).string().map(Cow::into_owned);
    text.unwrap_or_else(|_| String::from_utf8_lossy(key).into_owned())
}
