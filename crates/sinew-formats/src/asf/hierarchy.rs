//! The section `:hierarchy`: parents and children, and the depth-first order of the bones.

use super::bone::BoneDraft;
use super::model::AsfBone;
use super::report::Report;
use super::scan::{Token, Tokens, decode};
use crate::escape;
use crate::limits::{MAX_JOINT_DEPTH, MAX_JOINTS};
use crate::text::{Rule, TextError};
use std::collections::HashMap;

/// Maximum number of names in a hierarchy: each bone as a child, as a parent, and as many again.
const MAX_NAMES: usize = 4 * MAX_JOINTS;

/// Parser of hierarchy lines; names are resolved after the whole file is read.
#[derive(Default)]
pub(super) struct AsfHierarchyReader<'a> {
    line: usize,
    begun: bool,
    ended: bool,
    /// All names, and the start of each line.
    names: Vec<Token<'a>>,
    starts: Vec<usize>,
}

impl<'a> AsfHierarchyReader<'a> {
    pub(super) fn start(&mut self, line: usize) {
        self.line = line;
    }

    /// Parses the tokens of one line.
    pub(super) fn tokens(
        &mut self,
        tokens: Tokens<'a>,
        report: &mut Report,
    ) -> Result<(), TextError> {
        let mut in_line = false;
        for token in tokens {
            if !self.begun {
                if !token.is("begin") {
                    return Err(self.no_begin(&token.shown()));
                }
                self.begun = true;
            } else if self.ended {
                let error = token.error(
                    Rule::BadStructure,
                    "nothing after `end` of the hierarchy",
                    token.shown(),
                );
                return report.fault(error, "ignored with its line");
            } else if token.is("end") {
                self.ended = true;
            } else {
                if self.names.len() >= MAX_NAMES {
                    return Err(token.error(
                        Rule::TooLarge,
                        format!("at most {MAX_NAMES} names in the hierarchy"),
                        "more",
                    ));
                }
                if !in_line {
                    self.starts.push(self.names.len());
                    in_line = true;
                }
                self.names.push(token);
            }
        }
        Ok(())
    }

    fn no_begin(&self, found: &str) -> TextError {
        TextError {
            rule: Rule::Unterminated,
            line: self.line,
            column: 0,
            expected: "`begin` after `:hierarchy`".to_owned(),
            found: found.to_owned(),
        }
    }

    /// Ends the section in `line`, at `found`.
    pub(super) fn end(&self, line: usize, found: &str) -> Result<(), TextError> {
        if !self.begun {
            return Err(self.no_begin(found));
        }
        if self.ended {
            return Ok(());
        }
        Err(TextError {
            rule: Rule::Unterminated,
            line,
            column: 0,
            expected: format!("`end` of the hierarchy begun in line {}", self.line),
            found: found.to_owned(),
        })
    }

    /// Returns the bones, depth first, each with its parent.
    pub(super) fn resolve(
        self,
        drafts: Vec<BoneDraft>,
        report: &mut Report,
    ) -> Result<Vec<AsfBone>, TextError> {
        let mut tree = Tree::new(&drafts);
        for (index, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(index + 1).copied();
            let end = end.unwrap_or(self.names.len());
            tree.line(self.names.get(start..end).unwrap_or_default(), report)?;
        }
        tree.check_reached(report)?;
        let Tree { children, .. } = tree;
        Ok(depth_first(drafts, &children))
    }
}

/// Parents and children. Place 0 is the root, place `i + 1` is bone `i` of the file.
struct Tree<'d> {
    drafts: &'d [BoneDraft],
    exact: HashMap<&'d str, usize>,
    folded: HashMap<String, usize>,
    /// Parent and depth of each place; `None` while it is not reached.
    reached: Vec<Option<(usize, usize)>>,
    children: Vec<Vec<usize>>,
}

impl<'d> Tree<'d> {
    fn new(drafts: &'d [BoneDraft]) -> Self {
        let mut exact = HashMap::new();
        let mut folded = HashMap::new();
        for (index, draft) in drafts.iter().enumerate() {
            exact.insert(draft.bone.name.as_str(), index + 1);
            let name = draft.bone.name.to_ascii_lowercase();
            folded.entry(name).or_insert(index + 1);
        }
        let mut reached = vec![None; drafts.len() + 1];
        if let Some(root) = reached.first_mut() {
            *root = Some((0, 0));
        }
        Self {
            drafts,
            exact,
            folded,
            reached,
            children: vec![Vec::new(); drafts.len() + 1],
        }
    }

    fn place(&self, token: &Token<'_>) -> Result<usize, TextError> {
        if token.is("root") {
            return Ok(0);
        }
        let name = decode(token.text);
        let exact = self.exact.get(name.as_str());
        let place = exact.or_else(|| self.folded.get(&name.to_ascii_lowercase()));
        place.copied().ok_or_else(|| {
            token.error(
                Rule::UnknownBoneInHierarchy,
                "a bone of `:bonedata`",
                token.shown(),
            )
        })
    }

    /// Adds one line: a parent and its children.
    fn line(&mut self, names: &[Token<'_>], report: &mut Report) -> Result<(), TextError> {
        let Some((parent_name, child_names)) = names.split_first() else {
            return Ok(());
        };
        let parent = self.place(parent_name)?;
        let Some((_, depth)) = self.reached.get(parent).copied().flatten() else {
            return Err(parent_name.error(
                Rule::ParentBeforeChild,
                "root or a bone that already has a parent",
                parent_name.shown(),
            ));
        };
        if child_names.is_empty() {
            let problem = format!("{} has no children in this line", parent_name.shown());
            report.warn(*parent_name, problem);
        }
        for name in child_names {
            let child = self.place(name)?;
            self.hang(child, parent, depth + 1, name, parent_name)?;
        }
        Ok(())
    }

    fn hang(
        &mut self,
        child: usize,
        parent: usize,
        depth: usize,
        name: &Token<'_>,
        parent_name: &Token<'_>,
    ) -> Result<(), TextError> {
        if let Some(Some((other, _))) = self.reached.get(child).copied() {
            let found = if self.is_above(child, parent) {
                format!("{}, an ancestor of {}", name.shown(), parent_name.shown())
            } else {
                format!("{}, a child of {}", name.shown(), self.shown(other))
            };
            let expected = "a bone without a parent";
            return Err(name.error(Rule::ChildTwice, expected, found));
        }
        if depth > MAX_JOINT_DEPTH {
            return Err(name.error(
                Rule::TooLarge,
                format!("a hierarchy at most {MAX_JOINT_DEPTH} bones deep"),
                "more",
            ));
        }
        if let (Some(reached), Some(children)) =
            (self.reached.get_mut(child), self.children.get_mut(parent))
        {
            *reached = Some((parent, depth));
            children.push(child);
        }
        Ok(())
    }

    /// Returns whether `place` is `below` or one of its ancestors.
    fn is_above(&self, place: usize, mut below: usize) -> bool {
        loop {
            if place == below {
                return true;
            }
            match self.reached.get(below).copied().flatten() {
                Some((parent, depth)) if depth > 0 => below = parent,
                _ => return false,
            }
        }
    }

    fn shown(&self, place: usize) -> String {
        match place
            .checked_sub(1)
            .and_then(|index| self.drafts.get(index))
        {
            Some(draft) => escape::text(&draft.bone.name),
            None => "\"root\"".to_owned(),
        }
    }

    fn check_reached(&self, report: &mut Report) -> Result<(), TextError> {
        let bones = self.reached.iter().skip(1).zip(self.drafts);
        for (_, draft) in bones.filter(|(reached, _)| reached.is_none()) {
            let error = TextError {
                rule: Rule::UnreachableBone,
                line: draft.bone.line,
                column: 0,
                expected: format!("bone {} in the hierarchy", escape::text(&draft.bone.name)),
                found: "no line that names it as a child".to_owned(),
            };
            report.fault(error, "the bone is ignored")?;
        }
        Ok(())
    }
}

/// Returns the descendants of the root, in depth-first order.
fn depth_first(drafts: Vec<BoneDraft>, children: &[Vec<usize>]) -> Vec<AsfBone> {
    let mut drafts: Vec<Option<AsfBone>> =
        drafts.into_iter().map(|draft| Some(draft.bone)).collect();
    let mut bones = Vec::with_capacity(drafts.len());
    let of = |place: usize| children.get(place).map_or(&[][..], Vec::as_slice);
    // Pending places, the next one last: a place and the new index of its parent.
    let mut stack: Vec<(usize, Option<usize>)> =
        of(0).iter().rev().map(|&child| (child, None)).collect();
    while let Some((place, parent)) = stack.pop() {
        let index = place.checked_sub(1);
        let Some(mut bone) = index.and_then(|index| drafts.get_mut(index)?.take()) else {
            continue;
        };
        bone.parent = parent;
        let here = Some(bones.len());
        bones.push(bone);
        stack.extend(of(place).iter().rev().map(|&child| (child, here)));
    }
    bones
}
